"""Layouts that are data: for each entry of a row, which column or text fills which field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.importing.cells import Cells, as_text
from core.importing.entry import SCORE, Entry, is_score
from core.importing.layout import Source
from core.importing.paths import find_value

Spec = Any
"""Where a field comes from: the name of a column or a path to it ("judge[0]"), a text with columns
in braces ("{subset}/{index}"), a `Constant`, or a function of the row's cells.
"""

NAMES = frozenset(("item", "system", "system_a", "system_b", "judge"))
"""Fields that must not be empty where a template has them."""


@dataclass(frozen=True)
class Constant:
    """A value that is the same in every row."""

    value: Any


@dataclass(frozen=True)
class Template:
    """An entry of a sort, with where each of its fields comes from.

    `words` are what values of `outcome` mean; other values are replies that could not be read.
    """

    sort: str
    fields: tuple[tuple[str, Spec], ...]
    words: dict[str, Any] | None = None

    def fill(self, cells: Cells) -> Entry:
        """The entry of a row. Raises ValueError where a name is empty."""
        entry: Entry = {"sort": self.sort}
        for field, spec in self.fields:
            value = _value(spec, cells)
            if field in NAMES:
                value = (as_text(value) or "").strip()
                if not value:
                    raise ValueError(f"field {_name(spec, field)!r} is empty")
            entry[field] = value
        if self.words is not None:
            said = (as_text(entry["outcome"]) or "").strip()
            entry["outcome"] = self.words.get(said)
            if entry["outcome"] is None:
                entry["raw"] = entry.get("raw") or said
        return entry


def template(sort: str, words: dict[str, Any] | None = None, **fields: Spec) -> Template:
    """A template; see `Template`."""
    return Template(sort, tuple(fields.items()), words)


class TemplateReader:
    """Reads rows by templates. A score whose cell is empty is no score."""

    def __init__(self, source: Source, templates: Sequence[Template]) -> None:
        self.source, self.templates = source, templates

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        for each in self.templates:
            entry = each.fill(cells)
            if each.sort != SCORE or entry.get("failure") or is_score(entry.get("value")):
                yield entry


def read_by(*templates: Template) -> Callable[[Source], TemplateReader]:
    """What makes a reader of a file by these templates."""
    return lambda source: TemplateReader(source, templates)


def _value(spec: Spec, cells: Cells) -> Any:
    if isinstance(spec, Constant):
        return spec.value
    if not isinstance(spec, str):
        return spec(cells)
    if "{" in spec:
        return re.sub(r"{([^}]+)}", lambda name: as_text(find_value(cells, name[1])) or "", spec)
    return find_value(cells, spec)


def _name(spec: Spec, field: str) -> str:
    return spec if isinstance(spec, str) else field
