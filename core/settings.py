"""Settings of a request, each declared once: command line, pages, notebook and docs read here what
a field means and what it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from core.records import TandemError, setting


@dataclass(frozen=True)
class Setting:
    """What a field of a request means: `help` in a line, `more` as Markdown for a page, where it
    has the `label`. Where it `is_harmless`, it is ignored by methods that have no use for it, and
    else refused. `option` is its name on the command line, where that is another than the field's.
    Numbers are `least` or more. Of several values with a `metavar`, choices are examples.
    """

    help: str
    label: str = ""
    more: str = ""
    metavar: str = ""
    option: str = ""
    least: int | None = None
    is_harmless: bool = False
    list_choices: Callable[[], Mapping[str, str]] = dict
    list_methods: Callable[[], tuple[str, ...]] = tuple

    @property
    def choices(self) -> Mapping[str, str]:
        """What people call each value it may be; '' leaves the choice to the data."""
        return self.list_choices()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it belongs to; none = all."""
        return self.list_methods()


def declare(
    default: Any,
    help: str,
    *,
    choices: Mapping[str, str] | Callable[[], Mapping[str, str]] = dict,
    methods: tuple[str, ...] | Callable[[], tuple[str, ...]] = tuple,
    **more: Any,
) -> Any:
    """A field of a frozen dataclass that every door can offer. What may grow while the program
    runs, as a registry does, is given as a function.
    """
    listed = choices if callable(choices) else lambda: choices
    taking = methods if callable(methods) else lambda: methods
    declared = Setting(help, list_choices=listed, list_methods=taking, **more)
    return field(default=default, metadata={"setting": declared})


def redeclare(request: type, name: str) -> Any:
    """The field of another request, for one that hands it on."""
    declared = list_settings(request)[name]
    return field(default=get_default(request, name), metadata={"setting": declared})


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


def check_choices(request: Any) -> None:
    """Raises TandemError where a setting is none of its choices, or a number below its least."""
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
            if declared.least is not None and one is not None and not one >= declared.least:
                raise TandemError(
                    f"{setting(declared.option or name)} is {one:g}; it is at least "
                    f"{declared.least}"
                )


def check_methods(request: Any, method: str, described: str = "") -> None:
    """Raises TandemError where a setting is given that the method, `described` in a sentence, has
    no use for.
    """
    for name, declared in list_settings(type(request)).items():
        value = getattr(request, name)
        is_given = value != get_default(type(request), name)
        if not is_given or declared.is_harmless or not declared.methods:
            continue
        if method not in declared.methods:
            raise TandemError(
                f"{setting(name)}{_write_value(value)} belongs to {', '.join(declared.methods)}, "
                f"not to {described or method}"
            )


def list_changed(request: Any, *besides: str) -> dict[str, object]:
    """What a signature says of a request: its settings, `besides` some, that are not as usual."""
    kind = type(request)
    values = {name: getattr(request, name) for name in list_settings(kind) if name not in besides}
    return {name: value for name, value in values.items() if value != get_default(kind, name)}


def _write_value(value: object) -> str:
    """A value behind the name of its setting."""
    if value is True:
        return ""
    return f" {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
