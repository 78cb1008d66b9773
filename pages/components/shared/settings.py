"""Widgets of declared settings, with the label, choices and help of the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from core.records import plain_name, render_options
from core.settings import get_default, list_settings
from pages.components.shared.address import LARGEST, bind_choice

KEPT: dict[str, Any] = {"persist_state": "session"}
"""Argument of a widget with a key that keeps its value while it is not drawn, and across pages."""

Offered = Sequence[Any] | Mapping[Any, str]
"""Values that a page offers: some of those declared, or other ones with what people call them."""


def choose_one(
    ask: Callable[..., Any], label: str, named: Mapping[Any, str], value: Any = None, **looks: Any
) -> Any:
    """Ask with a selectbox or radio buttons for one of the values that are `named`.

    The choice at first is `value`, else the first of them.
    """
    index = list(named).index(value) if value in named else 0
    return ask(label, list(named), index=index, format_func=named.__getitem__, **looks)


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
    label, text = describe_setting(request, name).values()
    value = get_default(request, name) if value is None else value
    named = {one: labels[one] for one in options}
    return choose_one(row.selectbox, label, named, value, help=f"{text} {more}".strip(), **looks)


def choose_kept(
    row: DeltaGenerator,
    request: type,
    name: str,
    offered: Offered | None = None,
    first: Any = None,
    more: str = "",
    span: tuple[float, float] | None = None,
    **looks: Any,
) -> Any:
    """Ask for a setting with the widget that suits its values. The choice is kept in the address.

    `offered` and `span` are values that depend on the data; the choice at first is `first`, else
    the default. `more` is added to the help.
    """
    default = first = get_default(request, name) if first is None else first
    described, declared = describe_setting(request, name), list_settings(request)[name]
    described["help"] = f"{described['help']} {more}".strip()
    if isinstance(default, bool):
        return row.toggle(**described, **bind_choice(name, first))
    if isinstance(default, int | float):
        least, most = span or (declared.least or 0, declared.most or LARGEST)
        span = type(default)(least), type(default)(most)
        bound = bind_choice(name, first, span=span)
        return row.number_input(**described, min_value=span[0], max_value=span[1], **bound, **looks)
    options, labels = _list_options(request, name, offered)
    if isinstance(default, tuple):
        bound = bind_choice(name, first, options)
        return tuple(
            row.multiselect(
                **described, options=options, format_func=labels.__getitem__,
                placeholder="chosen by the data", **bound, **looks,
            )
        )  # fmt: skip
    if not options:
        return row.text_input(**described, **bind_choice(name, first), **looks)
    bound = bind_choice(name, first if first in options else options[0], options)
    return row.selectbox(
        **described, options=options, format_func=labels.__getitem__, **bound, **looks
    )


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
