"""Widgets of declared settings, with the label, choices and help of the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Generic, TypeVar, get_type_hints

from streamlit.delta_generator import DeltaGenerator

from core.records import plain_name, render_options
from core.settings import get_default, is_many, list_settings, strip_none
from pages.components.shared.address import LARGEST, bind_choice

KEPT: dict[str, Any] = {"persist_state": "session"}
"""Argument of a widget with a key that keeps its value while it is not drawn, and across pages."""

Offered = Sequence[Any] | Mapping[Any, str]
"""Values that a page offers: some of those declared, or other ones with what people call them."""


Request = TypeVar("Request")


def choose_one(
    ask: Callable[..., Any], label: str, named: Mapping[Any, str], value: Any = None, **looks: Any
) -> Any:
    """Ask for one of the values that are `named`, at first `value`, else the first of them."""
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
    is_kept: bool = False,
    span: tuple[float, float] | None = None,
    **looks: Any,
) -> Any:
    """Ask for a setting with the widget that suits its values. It shows `value` at first, else the
    declared default. If it `is_kept`, the address holds the choice.

    `offered` and the `span` of a number are values that depend on the data, and `more` is added to
    the help. A text with a `height` has several lines; where several values are none of a list,
    each has a line.
    """
    declared, kind = list_settings(request)[name], _find_type(request, name)
    described = describe_setting(request, name, more)
    first = get_default(request, name) if value is None else value

    def begin(shown: Mapping[str, Any], first: Any = first, **among: Any) -> Mapping[str, Any]:
        return bind_choice(name, first, **among) if is_kept else shown

    if kind is bool:
        draw = row.toggle if is_kept or declared.is_switch else row.checkbox
        looks = {} if is_kept else looks  # its words say how wide it is
        return draw(**described, **begin({"value": first}), **looks)
    if kind in (int, float):
        least = 0 if declared.least is None and (is_kept or kind is int) else declared.least
        most = LARGEST if declared.most is None and is_kept else declared.most
        least, most = (None if one is None else kind(one) for one in span or (least, most))
        bounds = {"min_value": least, "max_value": most}
        start = begin({"value": first}, span=(least, most))
        return row.number_input(**described, **{**bounds, **start, **looks})
    labels: Mapping[Any, str] = declared.choices
    options = list(labels if offered is None else offered)
    labels = offered if isinstance(offered, Mapping) else labels
    is_typed = offered is None and not options
    if is_typed and is_many(kind):
        text = row.text_area(**described, value="\n".join(first), **looks)
        return tuple(line.strip() for line in text.splitlines() if line.strip())
    if is_typed:
        write = row.text_area if "height" in looks else row.text_input
        return write(**described, **begin({"value": first}), **looks)
    looks |= {"options": options, "format_func": lambda one: labels.get(one, one)}
    if is_many(kind):
        start = begin({"default": [one for one in first if one in options]}, options=options)
        looks = {"placeholder": "chosen by the data", **looks} if is_kept else looks
        return tuple(row.multiselect(**described, **start, **looks))
    place = options.index(first) if first in options else 0
    first = options[place] if options else first
    start = begin({"index": place}, first, options=options)
    return row.selectbox(**described, **start, **looks)


choose_kept = partial(choose_setting, is_kept=True)
"""Asks for a setting, and keeps the choice in the address."""


class SettingsForm(Generic[Request]):
    """A form for a request, which begins with the request `before` and draws each widget by the
    declaration of its setting. A `key` tells its widgets from those of other forms.
    """

    def __init__(self, before: Request, key: str = "", **looks: Any) -> None:
        self.before, self.key = before, key
        self.values: dict[str, Any] = {}
        self._looks = looks

    def ask(
        self, row: DeltaGenerator, name: str, offered: Offered | None = None, **looks: Any
    ) -> Any:
        """Ask for a setting, keep what was chosen, and return it."""
        first, key = getattr(self.before, name), f"{name} {self.key}" if self.key else None
        shown = {"value": first, "key": key, **self._looks, **looks}
        chosen = choose_setting(row, type(self.before), name, offered, **shown)
        is_typed = offered is None and isinstance(chosen, str)
        self.values[name] = chosen.strip() if is_typed else chosen
        return self.values[name]

    def ask_limit(self, row: DeltaGenerator, name: str, **looks: Any) -> None:
        """Ask for a number that may be none, which the widget shows as 0."""
        first = getattr(self.before, name) or 0
        self.values[name] = self.ask(row, name, value=first, min_value=0, **looks) or None

    def read(self) -> Request:
        """Return the request as it was chosen. Raises TandemError for an impossible one."""
        return replace(self.before, **self.values)  # type: ignore[type-var]


@cache
def _find_type(request: type, name: str) -> Any:
    return strip_none(get_type_hints(request)[name])


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


def describe_setting(request: type, name: str, more: str = "") -> dict[str, Any]:
    """Return the label and the help of a widget for a setting; `more` is added to the help."""
    declared = list_settings(request)[name]
    return {"label": declared.label, "help": f"{declared.more} {more}".strip()}
