"""Tables of declared columns: a frame as cells to read, and these as text or HTML. Every page,
command and report that shows a finding uses them; they know no topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from ..labels import isolate_directions
from .columns import Column, Place, is_empty, is_read
from .units import NONE

_JOINT = re.compile(r"(?<=[:|/_])(?=\w)")


@dataclass(frozen=True)
class Heading:
    """The heading of a column, and what it means."""

    label: str
    is_figure: bool = False
    help: str = ""


@dataclass(frozen=True)
class Cell:
    """The text of a cell, and the whole of it where that is longer."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class Grid:
    """Headings and rows of cells."""

    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]


def lay_out(rows: pd.DataFrame, columns: Sequence[Column], place: Place = Place.SCREEN) -> Grid:
    """Lay out the columns that are read in that place, except those that are empty in every row. On
    paper every interval follows its value in brackets.
    """
    rows = rows.assign(**{column.name: column.read_values(rows) for column in columns if column.of})
    read = [column for column in columns if is_read(rows, column, place)]
    pairs = [pair for column in read for pair in _lay_column(rows, column, place)]
    cells = [[write(row) for _, write in pairs] for row in rows.to_dict("records")]
    return Grid([heading for heading, _ in pairs], cells)


def lay_across(rows: pd.DataFrame, keys: Sequence[Column], column: Column) -> Grid:
    """A row for each of what the `keys` name, with a figure of the column for each attribute."""
    read = [key for key in keys if is_read(rows, key, Place.SCREEN)]
    attributes = list(dict.fromkeys(rows["attribute"]))
    found: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in rows.to_dict("records"):
        names = tuple(key.unit.write(row[key.name]) for key in read)
        found.setdefault(names, {})[row["attribute"]] = Cell(column.write_with_range(row))
    return Grid(
        [
            *(Heading(key.label, key.unit.is_figure, key.help) for key in read),
            *(Heading(attribute, is_figure=True) for attribute in attributes),
        ],
        [
            [*map(Cell, names), *(figures.get(one, Cell(NONE)) for one in attributes)]
            for names, figures in found.items()
        ],
    )


def _lay_column(
    rows: pd.DataFrame, column: Column, place: Place
) -> Iterator[tuple[Heading, Callable[[Mapping[Any, Any]], Cell]]]:
    """The headings of a column, one or two, each with what writes the cell of a row below it."""
    has_range = bool(column.low) and not is_empty(rows, column.low)
    is_apart = has_range and bool(column.range_label) and place is Place.SCREEN
    confidence = column.unit.confidence if has_range and not is_apart else ""
    label = f"{column.label} ({confidence})" if confidence else column.label
    heading = Heading(label, column.unit.is_figure, column.help)
    if has_range and not is_apart:
        yield heading, lambda row: Cell(column.write_with_range(row))
        return
    yield (
        heading,
        lambda row: Cell(
            column.unit.write(row[column.name]), column.unit.write_whole(row[column.name])
        ),
    )
    if is_apart:
        yield (
            Heading(column.range_label, is_figure=True, help=column.range_help),
            lambda row: Cell(column.write_range(row)),
        )


def write_text(grid: Grid) -> str:
    """Aligned text, figures to the right."""
    labels = [heading.label for heading in grid.headings]
    cells = [[cell.whole or cell.text for cell in row] for row in grid.rows]
    sides = ["right" if heading.is_figure else "left" for heading in grid.headings]
    frame = pd.DataFrame(cells, columns=pd.Index(labels), dtype=object)
    return frame.to_markdown(index=False, tablefmt="plain", colalign=sides, disable_numparse=True)


def write_html(grid: Grid, label: str) -> str:
    """A table in a frame that scrolls where the window is narrow. `label` tells a screen reader
    what it is a table of.
    """
    sides = [' class="tandem-right"' if one.is_figure else "" for one in grid.headings]
    head = "".join(
        f'<th scope="col"{side}{_write_title(one.help)}>{escape(one.label)}</th>'
        for one, side in zip(grid.headings, sides, strict=True)
    )
    rows = "".join(f"<tr>{''.join(map(_write_cell, row, sides))}</tr>" for row in grid.rows)
    return (
        f'<div class="tandem-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="tandem-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _write_cell(cell: Cell, side: str) -> str:
    """A cell. A name, which is at the left, breaks after its joints before it does anywhere."""
    is_cut = cell.whole and cell.whole not in cell.text
    title = _write_title(isolate_directions(cell.whole)) if is_cut else ""
    text = escape(cell.text if side else isolate_directions(cell.text))
    return f"<td{side}{title}>{text if side else _JOINT.sub('<wbr/>', text)}</td>"


def _write_title(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""
