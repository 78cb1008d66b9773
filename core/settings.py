"""Settings of requests, each declared once.

Command line, pages, notebook and docs read here what a field means and which values it can have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

from .records import TandemError, option_ref, render_options

Request = TypeVar("Request")
MOST = (
    2**31 - 1
    # of any whole number one may ask for: more of anything than there is, and small enough to be
    # stored
)


@dataclass(frozen=True)
class Part:
    """Requests in which a setting is used.

    A sentence calls them `to`, with settings as `option_ref`. `plays` decides by the values of all
    settings; `unlike` names the setting that made a request another one. In other requests the
    setting is refused, or only noted if it `is_harmless`.
    """

    to: str
    plays: Callable[[Mapping[str, Any]], object]
    unlike: str = ""
    is_harmless: bool = False


@dataclass(frozen=True)
class Setting:
    """The declaration of a field of a request: `help` in a line, `more` as Markdown for a page.

    A page shows `label` and `more`. Numbers lie from `least` to `most`. If a setting takes several
    values and has a `metavar`, its choices are only examples. A setting with a `part` is used only
    in certain requests. Methods and requests without a use for a setting ignore it if it
    `is_harmless`; otherwise they refuse it.

    On the command line, `option` is its name if that differs from the field's. `read` parses a
    value if its type does not say how; `bare` is what the option means without a value. An
    `is_switch` setting is switched on and off (--tie, --no-tie). A setting with an `output` says
    where the request writes; "new" has no file replaced. A setting excludes the one that it is
    `instead_of`. Several values are given `one_by_one`, each after the option again.

    A signature names each setting that differs from its default or `is_always_signed`. `sign_as` is
    its name there if that differs from the field's; "NAME:VALUE" is for a switch.
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
    output: Literal["", "file", "new file", "folder"] = ""
    instead_of: str = ""
    sign_as: str = ""
    is_always_signed: bool = False
    list_choices: Callable[[], Mapping[str, str] | Iterable[str]] = dict
    list_methods: Callable[[], tuple[str, ...]] = tuple

    @property
    def help(self) -> str:
        """Return the meaning of the setting, in a line."""
        return self.write_help()

    @property
    def choices(self) -> Mapping[str, str]:
        """Return the label of each possible value; '' leaves the choice to the data."""
        listed = self.list_choices()
        return listed if isinstance(listed, Mapping) else {str(name): str(name) for name in listed}

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods that it belongs to; none means all."""
        return self.list_methods()

    def is_in_range(self, value: Any) -> bool:
        """Return whether a number lies between `least` and `most`; None is no bound."""
        at_least = self.least is None or value >= self.least
        return bool(at_least and (self.most is None or value <= self.most))


def declare(
    default: Any,
    help: str | Callable[[], str],
    *,
    choices: Mapping[str, str] | Iterable[str] | Callable[[], Mapping[str, str]] = dict,
    methods: tuple[str, ...] | Callable[[], tuple[str, ...]] = tuple,
    **more: Any,
) -> Any:
    """Declare a field of a frozen dataclass as a setting. Choices are labels by value, or values.

    Pass a function for values that may grow while the program runs, as registries do, or that are
    costly to compute.
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
    """Declare a field of another request again, in a request that passes it on.

    `changes` may change its default and its declaration.
    """
    default = changes.pop("default", get_default(request, name))
    if "help" in changes:
        changes["write_help"] = _as_function(changes.pop("help"))
    declared = replace(list_settings(request)[name], **changes)
    return field(default=default, metadata={"setting": declared})


def list_settings(request: type) -> dict[str, Setting]:
    """Return the declared settings of a request, by name."""
    return {
        each.name: each.metadata["setting"]
        for each in fields(request)
        if "setting" in each.metadata
    }


def get_default(request: type, name: str) -> Any:
    """Return the default of a field of a request."""
    return next(each.default for each in fields(request) if each.name == name)


def strip_none(kind: Any) -> Any:
    """Return `int` for `int | None`; other types stay."""
    left = [one for one in get_args(kind) if one is not NoneType]
    return left[0] if NoneType in get_args(kind) and len(left) == 1 else kind


def list_changed(request: Any) -> dict[str, Any]:
    """Return the declared settings of a request that differ from their defaults, by name."""
    kind = type(request)
    values = {name: getattr(request, name) for name in list_settings(kind)}
    return {name: value for name, value in values.items() if value != get_default(kind, name)}


def encode_changes(request: Any) -> dict[str, Any]:
    """Return the fields of a request that differ from their defaults, for JSON."""
    values = {each.name: (getattr(request, each.name), each.default) for each in fields(request)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, (value, default) in values.items()
        if value != default
    }


class StoredChanges:
    """A request that a store keeps as its departures from the defaults."""

    def to_stored(self) -> dict[str, Any]:
        """Return the fields that depart from their defaults, as JSON knows them."""
        return encode_changes(self)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Rebuild the request from what it stored."""
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stored.items()
        }
        return cls(**values)


def sign_settings(request: Any, *besides: str, method: str = "") -> dict[str, object]:
    """Return the settings that a signature of a request names, by their keys.

    Those in `besides` are left out, and so are those of other methods than `method`.
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
    """Check that each setting is one of its choices, and each number in its range.

    Raises TandemError otherwise.
    """
    for name, declared in list_settings(type(request)).items():
        value, default = getattr(request, name), get_default(type(request), name)
        values = value if isinstance(value, tuple) else (value,)
        is_open = values is value and declared.metavar
        choices = () if is_open else tuple(filter(None, declared.choices))
        for one in values:
            if choices and one not in {default, *choices}:
                raise TandemError(
                    f"unknown {option_ref(declared.option or name)} {one!r}; there are "
                    f"{', '.join(choices)}"
                )
            if one is not None and not declared.is_in_range(one):
                bounds = (
                    f"is at least {declared.least:,g}"
                    if declared.most is None
                    else f"lies between {declared.least:,g} and {declared.most:,g}"
                )
                raise TandemError(f"{option_ref(declared.option or name)} is {one:g}; it {bounds}")


def check_methods(request: Any, method: str, described: str = "") -> None:
    """Check that `method` uses every setting that was changed.

    `described` names the method in the error sentence. Raises TandemError for a setting that
    belongs to other methods.
    """
    for name, value in list_changed(request).items():
        declared = list_settings(type(request))[name]
        if declared.methods and not declared.is_harmless and method not in declared.methods:
            raise TandemError(
                f"{option_ref(name)}{_write_value(value)} belongs to "
                f"{', '.join(declared.methods)}, "
                f"not to {described or method}"
            )


def _write_value(value: object) -> str:
    """Write a value as it follows the name of its setting."""
    if value is True:
        return ""
    return f" {' '.join(map(str, value)) if isinstance(value, tuple) else value}"


def make_request(kind: type[Request], values: Mapping[str, Any]) -> Request:
    """Make a request, with those nested in it, from those values that are its fields.

    Raises TandemError for a value that `check_values` or the request refuses, and for a required
    value that is missing.
    """
    chosen, declared, hints = check_values(kind, values), list_settings(kind), get_type_hints(kind)
    for each in fields(kind):  # type: ignore[arg-type]
        if is_nested(each, hints):
            chosen[each.name] = make_request(hints[each.name], values)
        elif each.name in declared and each.default is MISSING and each.name not in chosen:
            there = ", ".join(filter(None, declared[each.name].choices))
            raise TandemError(
                f"{option_ref(each.name)} is needed: {declared[each.name].help}"
                f"{f'; there are {there}' if there else ''}"
            )
    return kind(**chosen)


def check_values(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are fields of a request, each converted to its type. Where a field
    takes several values, one will do.

    Raises:
        TandemError: a value of another type, a number that no door takes, or a setting that plays
            no part beside the other values.
    """
    hints, declared = get_type_hints(kind), list_settings(kind)
    given = [
        each.name for each in fields(kind) if each.name in values and not is_nested(each, hints)
    ]
    chosen = {
        name: _read_value(name, hints[name], values[name], declared.get(name)) for name in given
    }
    for sentence, way_out in _find_idle(kind, chosen):
        if way_out:
            raise TandemError(f"{sentence}: {way_out}")
    return chosen


def note_idle(kind: type, values: Mapping[str, Any]) -> list[str]:
    """Return notes on given settings that this request does not use and that do no harm.

    Settings of nested requests are included.
    """
    hints = get_type_hints(kind)
    nested = [hints[each.name] for each in fields(kind) if is_nested(each, hints)]
    own = [f"{said}, and plays no part here" for said, _ in _find_idle(kind, values)]
    return own + [note for one in nested for note in note_idle(one, values)]


def _find_idle(kind: type, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    usual = {each.name: None if each.default is MISSING else each.default for each in fields(kind)}
    played = (
        (
            f"{option_ref(one.option or name)}{_write_value(given[name])}",
            one.part,
            one.is_harmless,
        )
        for name, one in list_settings(kind).items()
        if name in given
    )
    return list_idle(played, {**usual, **given})


def list_idle(
    played: Iterable[tuple[str, Part | None, bool]], values: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield a sentence for each given setting that is not used, and the way out: leave it out, or
    give the setting that it belongs to if that is missing. The way out is '' if it does no harm.

    A setting is `played` by its name with its value, its part, and whether it is harmless.
    """
    for named, part, is_harmless in played:
        if part is None or part.plays(values):
            continue
        other = values[part.unlike] if part.unlike else ""
        is_missing = render_options(part.to, lambda _: "--").startswith("--") and not other
        way_out = f"leave it out{f', or give {part.to}' if is_missing else ''}"
        sentence = f"{named} belongs to {part.to}{f', not to {other}' if other else ''}"
        yield sentence, "" if is_harmless or part.is_harmless else way_out


def is_nested(each: Field[Any], hints: Mapping[str, Any]) -> bool:
    """Return whether a field of a request is a request."""
    return each.default is MISSING and is_dataclass(hints[each.name])


def is_many(hint: object) -> bool:
    """Return whether a field takes any number of values."""
    return get_origin(hint) is tuple and get_args(hint)[-1] is ...


def _read_value(name: str, hint: Any, value: Any, declared: Setting | None) -> Any:
    """Convert a value to its field's type. Raises TandemError if it is not of that type."""
    least = declared.least if declared else None
    kind = strip_none(hint)
    if value is None and kind is not hint:
        return None
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    many = tuple(value) if several else (value,)
    if get_origin(kind) is tuple:
        of = get_args(kind)
        kinds = of[:1] * len(many) if is_many(kind) else of
        is_right = len(kinds) == len(many) and (several or is_many(kind))
    else:
        of, kinds, is_right = (kind,), (kind,), not several
    low = -math.inf if least is None else least
    if declared and of[0] is int:
        low = int(least or 0)
    if not (is_right and all(map(_is_of, many, kinds, [low] * len(many)))):
        raise TandemError(
            f"{option_ref(name)} is {repr(value)[:60]}; it should be {_describe_type(kind, low)}"
            f"{', or None' if kind is not hint else ''}"
        )
    plain = tuple(map(_as_plain, many))
    return plain if get_origin(kind) is tuple else plain[0]


def _is_of(value: Any, kind: Any, low: float) -> bool:
    """Return whether a value is of a type, and a number one from `low`."""
    if get_origin(kind) is Literal:
        kind = type(get_args(kind)[0])
    if kind is bool:
        return isinstance(_as_plain(value), bool)
    if kind in (int, float):
        is_number = isinstance(value, Integral if kind is int else Real)
        if not is_number or isinstance(_as_plain(value), bool):
            return False
        return low <= value < math.inf and (kind is float or value <= MOST)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return value in tuple(kind)
    return not isinstance(kind, type) or isinstance(value, kind)


def _as_plain(value: Any) -> Any:
    """Convert a number of NumPy to Python's type."""
    return value.item() if hasattr(value, "item") and not isinstance(value, str) else value


def _describe_type(kind: Any, low: float) -> str:
    """Describe the values of a type, for a sentence."""
    if get_origin(kind) is tuple:
        of = get_args(kind)
        each = _describe_type(of[0], low)
        return f"{each}, or several" if is_many(kind) else f"{len(of)} values, each {each}"
    if get_origin(kind) is Literal:
        kind = type(get_args(kind)[0])
    above = "" if low == -math.inf else f" from {low:g}"
    named = {
        str: "a text", bool: "True or False", int: f"a whole number{above} to {MOST}",
        float: f"a number{above}",
    }  # fmt: skip
    if kind in named:
        return named[kind]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return f"one of {', '.join(kind)}"
    return getattr(kind, "__name__", str(kind))
