"""Settings of a request, each declared once: command line, pages, notebook and docs read here what
a field means and what it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import NoneType
from typing import Any, get_args

from core.records import TandemError, setting


@dataclass(frozen=True)
class Part:
    """The requests in which a setting plays a part, as a sentence calls them. `plays` decides by
    the values of all settings; `unlike` names the setting that made a request another. In others a
    setting is refused, or only noted where it `is_harmless`.
    """

    to: str
    plays: Callable[[Mapping[str, Any]], object]
    unlike: str = ""
    is_harmless: bool = False


@dataclass(frozen=True)
class Setting:
    """What a field of a request means: `help` in a line, `more` as Markdown for a page, where it
    has the `label`. Numbers lie from `least` to `most`. Of several values with a `metavar`, choices
    are examples. A setting with a `part` plays none in other requests. Where it `is_harmless`, it
    is ignored by methods and requests that have no use for it, and else refused.

    On the command line: `option` is its name, where that is another than the field's; `read` how a
    value is read, where its type does not say; `bare` what the option means without a value.
    A `is_switch` is set on and off (--tie, --no-tie). A setting excludes the one that it is
    `instead_of`. Several values are given `one_by_one`, each by the option again.

    A signature says each setting that departs from its default, or `is_always_signed`. It is called
    `sign_as` there, where that is another name than the field's; "NAME:VALUE" is of a switch.
    """

    write_help: Callable[[], str]
    label: str = ""
    more: str = ""
    metavar: str | tuple[str, ...] = ""
    option: str = ""
    least: float | None = None
    most: float | None = None
    is_harmless: bool = False
    one_by_one: bool = False
    part: Part | None = None
    read: Callable[[str], Any] | None = None
    bare: str = ""
    is_positional: bool = False
    is_switch: bool = False
    instead_of: str = ""
    sign_as: str = ""
    is_always_signed: bool = False
    list_choices: Callable[[], Mapping[str, str]] = dict
    list_methods: Callable[[], tuple[str, ...]] = tuple

    @property
    def help(self) -> str:
        """What it means, in a line."""
        return self.write_help()

    @property
    def choices(self) -> Mapping[str, str]:
        """What people call each value it may be; '' leaves the choice to the data."""
        return self.list_choices()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it belongs to; none = all."""
        return self.list_methods()

    def is_in_range(self, value: Any) -> bool:
        """Whether a number lies from `least` to `most`, where there are such bounds."""
        at_least = self.least is None or value >= self.least
        return bool(at_least and (self.most is None or value <= self.most))


def declare(
    default: Any,
    help: str | Callable[[], str],
    *,
    choices: Mapping[str, str] | Callable[[], Mapping[str, str]] = dict,
    methods: tuple[str, ...] | Callable[[], tuple[str, ...]] = tuple,
    **more: Any,
) -> Any:
    """A field of a frozen dataclass that every door can offer. What may grow while the program
    runs, as a registry does, or is costly to say is given as a function.
    """
    declared = Setting(
        _as_function(help),
        list_choices=_as_function(choices),
        list_methods=_as_function(methods),
        **more,
    )
    return field(default=default, metadata={"setting": declared})


def _as_function(value: Any) -> Callable[[], Any]:
    return value if callable(value) else lambda: value


def redeclare(request: type, name: str, **changes: Any) -> Any:
    """The field of another request, for one that hands it on; `changes` may be of its default and
    of what is declared.
    """
    default = changes.pop("default", get_default(request, name))
    if "help" in changes:
        changes["write_help"] = _as_function(changes.pop("help"))
    declared = replace(list_settings(request)[name], **changes)
    return field(default=default, metadata={"setting": declared})


def list_settings(request: type) -> dict[str, Setting]:
    """The declared settings of a request, by name."""
    return {
        each.name: each.metadata["setting"]
        for each in fields(request)
        if "setting" in each.metadata
    }


def get_default(request: type, name: str) -> Any:
    """What a field of a request is where nobody says it."""
    return next(each.default for each in fields(request) if each.name == name)


def strip_none(kind: Any) -> Any:
    """`int` of `int | None`."""
    left = [one for one in get_args(kind) if one is not NoneType]
    return left[0] if NoneType in get_args(kind) and len(left) == 1 else kind


def list_changed(request: Any) -> dict[str, Any]:
    """The declared settings of a request that depart from their defaults, by name."""
    kind = type(request)
    values = {name: getattr(request, name) for name in list_settings(kind)}
    return {name: value for name, value in values.items() if value != get_default(kind, name)}


def sign_settings(request: Any, *besides: str, method: str = "") -> dict[str, object]:
    """What a signature says of a request, `besides` some settings, and those that belong to other
    methods than its `method`.
    """
    changed, signed = list_changed(request), dict[str, object]()
    for name, declared in list_settings(type(request)).items():
        is_said = name in changed or declared.is_always_signed
        is_other = method and declared.methods and method not in declared.methods
        if is_said and not is_other and name not in besides:
            key, _, value = (declared.sign_as or name).partition(":")
            signed[key] = value or _write_signed(getattr(request, name))
    return signed


def _write_signed(value: Any) -> object:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else value


def check_choices(request: Any) -> None:
    """Raises TandemError where a setting is none of its choices, or a number out of its range."""
    for name, declared in list_settings(type(request)).items():
        value, default = getattr(request, name), get_default(type(request), name)
        values = value if isinstance(value, tuple) else (value,)
        is_open = values is value and declared.metavar
        choices = () if is_open else tuple(filter(None, declared.choices))
        for one in values:
            if choices and one not in {default, *choices}:
                raise TandemError(
                    f"unknown {setting(declared.option or name)} {one!r}; there are "
                    f"{', '.join(choices)}"
                )
            if one is not None and not declared.is_in_range(one):
                bounds = (
                    f"is at least {declared.least:g}"
                    if declared.most is None
                    else f"lies between {declared.least:g} and {declared.most:g}"
                )
                raise TandemError(f"{setting(declared.option or name)} is {one:g}; it {bounds}")


def check_methods(request: Any, method: str, described: str = "") -> None:
    """Raises TandemError where a setting is given that the method, `described` in a sentence, has
    no use for.
    """
    for name, value in list_changed(request).items():
        declared = list_settings(type(request))[name]
        if declared.methods and not declared.is_harmless and method not in declared.methods:
            raise TandemError(
                f"{setting(name)}{_write_value(value)} belongs to {', '.join(declared.methods)}, "
                f"not to {described or method}"
            )


def _write_value(value: object) -> str:
    """A value behind the name of its setting."""
    if value is True:
        return ""
    return f" {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
