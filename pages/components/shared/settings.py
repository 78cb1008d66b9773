"""Widgets of declared settings, with the label, choices and help of the declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.records import plain_name, render_options
from core.settings import get_default, list_settings

KEPT: dict[str, Any] = {"persist_state": "session"}
"""Argument of a widget with a key that keeps its value while it is not drawn, and across pages."""

Offered = Sequence[Any] | Mapping[Any, str]
"""Values that a page offers: some of those declared, or other ones with what people call them."""


def choose_setting(
    row: DeltaGenerator,
    request: type,
    name: str,
    offered: Offered | None = None,
    *,
    value: Any = None,
    more: str = "",
    **looks: Any,
) -> Any:
    """Ask for one of the choices of a setting, or of those `offered`.

    The choice at first is `value`, else the declared default; `more` is added to the help.
    """
    options, labels = _list_options(request, name, offered)
    described = describe_setting(request, name)
    described["help"] = f"{described['help']} {more}".strip()
    first = get_default(request, name) if value is None else value
    index = options.index(first) if first in options else 0
    return row.selectbox(
        **described, options=options, format_func=labels.__getitem__, index=index, **looks
    )


def choose_further(
    row: DeltaGenerator,
    request: type,
    *besides: str,
    method: str = "",
    offered: Mapping[str, Offered] = MappingProxyType({}),
    chosen: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    **looks: Any,
) -> dict[str, Any]:
    """Ask for every labelled setting except `besides`, and return the values by name.

    The settings are those of a `method`, else those common to all. `offered` gives values that
    depend on the data, by setting. `chosen` gives the defaults of settings with several values.
    """
    return {
        name: _choose(row, request, name, offered.get(name), chosen.get(name, ()), **looks)
        for name, declared in list_settings(request).items()
        if declared.label and name not in besides
        if (method in declared.methods if method else not declared.methods)
    }


def _choose(
    row: DeltaGenerator,
    request: type,
    name: str,
    offered: Offered | None,
    chosen: Sequence[Any],
    **looks: Any,
) -> Any:
    """Show the widget that suits the values of a setting, and return the choice."""
    default = get_default(request, name)
    if isinstance(default, bool):
        return row.toggle(**describe_setting(request, name), value=default)
    if isinstance(default, tuple):
        return choose_several(row, request, name, chosen, offered=offered, **looks)
    if isinstance(default, int | float):
        return choose_number(row, request, name, **looks)
    return choose_setting(row, request, name, offered, **looks)


def choose_several(
    row: DeltaGenerator,
    request: type,
    name: str,
    chosen: Sequence[Any] = (),
    *,
    offered: Offered | None = None,
    placeholder: str = "chosen by the data",
    **looks: Any,
) -> tuple[Any, ...]:
    """Ask for some of the choices of a setting, or of those `offered`.

    Those in `chosen` are picked at first; the `placeholder` says what an empty choice means.
    """
    options, labels = _list_options(request, name, offered)
    return tuple(
        row.multiselect(
            **describe_setting(request, name), options=options, default=chosen,
            format_func=labels.__getitem__, placeholder=placeholder, **looks,
        )
    )  # fmt: skip


def _list_options(
    request: type, name: str, offered: Offered | None
) -> tuple[list[Any], Mapping[Any, str]]:
    choices = list_settings(request)[name].choices
    if isinstance(offered, Mapping):
        return list(offered), offered
    options = list(choices if offered is None else offered)
    return options, {one: choices.get(one, one) for one in options}


def choose_number(
    row: DeltaGenerator, request: type, name: str, value: float | None = None, **more: Any
) -> Any:
    """Ask for a number in the range of a setting, at first its default or this `value`."""
    declared = list_settings(request)[name]
    shown = {"min_value": declared.least, "max_value": declared.most} | more
    shown["value"] = get_default(request, name) if value is None else value
    return row.number_input(**describe_setting(request, name), **shown)


def list_labels(*requests: type) -> dict[str, str]:
    """Return the label of each setting that has one."""
    return {
        name: one.label
        for request in requests
        for name, one in list_settings(request).items()
        if one.label
    }


def render_labels(sentence: str, labels: Mapping[str, str]) -> str:
    """Write each setting in a sentence by the label of its field."""
    return render_options(
        sentence, lambda name: f"“{labels[name]}”" if name in labels else plain_name(name)
    )


def describe_setting(request: type, name: str) -> dict[str, Any]:
    """Label and help of a widget for a setting."""
    declared = list_settings(request)[name]
    return {"label": declared.label, "help": declared.more}
