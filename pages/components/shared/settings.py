"""Widgets of declared settings: a page reads label, choices and help where they are declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from streamlit.delta_generator import DeltaGenerator

from core.settings import get_default, list_settings


def choose_setting(
    row: DeltaGenerator,
    request: type,
    name: str,
    offered: Sequence[str] | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
    more: str = "",
    key: str | None = None,
) -> str:
    """One of the choices of a setting, or of those that are `offered`; `more` ends its help, `key`
    tells two such widgets of a page apart.
    """
    declared = list_settings(request)[name]
    return row.selectbox(
        declared.label,
        list(declared.choices) if offered is None else offered,
        format_func=declared.choices.__getitem__,
        help=f"{declared.more} {more}".strip(),
        width=width,
        key=key,
    )


def choose_further(
    row: DeltaGenerator, request: type, *besides: str, width: int | Literal["stretch"] = "stretch"
) -> dict[str, str]:
    """One of the choices of every setting that has choices and a label, `besides` some."""
    return {
        name: choose_setting(row, request, name, width=width)
        for name, declared in list_settings(request).items()
        if declared.label and declared.choices and name not in besides
    }


def choose_several(
    row: DeltaGenerator, request: type, name: str, chosen: Sequence[str] = (), *, width: int
) -> tuple[str, ...]:
    """Some of the choices of a setting, at first those that are `chosen`; none leaves the choice to
    the data.
    """
    declared = list_settings(request)[name]
    return tuple(
        row.multiselect(
            declared.label,
            list(declared.choices),
            default=chosen,
            format_func=declared.choices.__getitem__,
            placeholder="chosen by the data",
            help=declared.more,
            width=width,
        )
    )


def choose_number(
    row: DeltaGenerator, request: type, name: str, value: float | None = None, **more: Any
) -> Any:
    """A number in the range of a setting, at first its default or this `value`."""
    declared = list_settings(request)[name]
    shown = {"min_value": declared.least, "max_value": declared.most} | more
    shown["value"] = get_default(request, name) if value is None else value
    return row.number_input(**describe_setting(request, name), **shown)


def describe_setting(request: type, name: str) -> dict[str, Any]:
    """Label and help of a widget for a setting."""
    declared = list_settings(request)[name]
    return {"label": declared.label, "help": declared.more}
