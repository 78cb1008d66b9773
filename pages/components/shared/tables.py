"""A table of figures to read: numbers to the right under their headings, "–" where there is none,
wider than a phone only inside a frame of its own that scrolls; and one in which a row is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import rendering
from core.findings.judgements import Finding
from core.labels import several
from core.rendering import (
    WORDS,
    Cell,
    Column,
    Grid,
    Heading,
    Place,
    Unit,
    is_missing,
    is_read,
    lay_out,
    write_html,
)

COUNT = ",.0f"
SHARE = ".0%"


@dataclass(frozen=True)
class TableColumn:
    """A column: its heading, how its numbers are written ('' for words), what it means, and which
    column of the frame says more of a cell under the pointer.
    """

    title: str
    form: str = ""
    help: str = ""
    hover: str = ""

    @property
    def right(self) -> bool:
        return bool(self.form)


RIGHT = "s"
"""The form of a column of figures that are written already, such as 72% (68 to 76)."""


def show_table(frame: pd.DataFrame, columns: dict[str, TableColumn], label: str) -> None:
    """The columns that are in the frame, in the order of `columns`, a row for each of its rows.
    `label` tells a screen reader what it is a table of.
    """
    there = {name: column for name, column in columns.items() if name in frame}
    headings = [
        Heading(column.title, is_figure=column.right, help=column.help) for column in there.values()
    ]
    rows = [
        [_cell(column, row[name], row) for name, column in there.items()]
        for row in frame.to_dict("records")
    ]
    st.html(write_html(Grid(headings, rows), label))


def show_finding(finding: Finding, label: str) -> None:
    """The rows of a finding, by its declared columns."""
    show_rows(finding.rows, finding.columns, label)


def show_rows(rows: pd.DataFrame, columns: Sequence[rendering.Column], label: str) -> None:
    """Rows by their declared columns."""
    st.html(write_html(lay_out(rows, columns), label))


def configure_columns(columns: Sequence[rendering.Column], *, wide: int) -> dict[str, Any]:
    """The same columns for a table of Streamlit, in which rows are chosen: numbers as they are, and
    the ends of an interval each in a column.
    """
    configured: dict[str, Any] = {}
    for column in columns:
        if column.unit.is_figure:
            form = f"%{column.unit.form}"
            number = partial(st.column_config.NumberColumn, format=form)
            configured[column.name] = number(column.label, help=column.help or None)
            if column.low:
                configured[column.low] = number("95% low", help=column.range_help or None)
                configured[column.high] = number("95% high")
        else:
            width = None if column.help else wide
            configured[column.name] = st.column_config.TextColumn(
                column.label, width=width, help=column.help or None
            )
    return configured


def _cell(column: TableColumn, value: Any, row: Mapping[Any, Any]) -> Cell:
    is_number = column.form not in ("", RIGHT)
    text = Unit(column.form).write(value) if is_number else WORDS.write(value)
    return Cell(text, str(row[column.hover]) if column.hover else "")


LINE = 35  # pixels of a row
MOST_HEIGHT = 240  # pixels of a table that has more under it


def choose_row(
    rows: pd.DataFrame, columns: Sequence[Column], key: str, *, first: int = 0, is_low: bool = False
) -> int:
    """The place of the chosen row, else the `first`; in a table that `is_low`, of a few lines."""
    rows = rows.assign(**{column.name: column.read_values(rows) for column in columns if column.of})
    read = [column for column in columns if is_read(rows, column, Place.SCREEN)]
    event: Any = st.dataframe(
        pd.DataFrame({column.label: _list_values(rows, column) for column in read}),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=min(LINE * (len(rows) + 1) + 3, MOST_HEIGHT) if is_low else "auto",
        column_config={column.label: _configure(column) for column in read},
        key=key,
    )
    chosen = event["selection"]["rows"]
    return int(chosen[0]) if chosen and chosen[0] < len(rows) else first


def _list_values(rows: pd.DataFrame, column: Column) -> pd.Series:
    """Numbers as numbers, a share in percent; all else as it is written."""
    values = rows[column.name]
    if column.unit.is_figure:
        return 100 * values if column.unit.form.endswith("%") else values
    return values.map(lambda value: None if is_missing(value) else column.unit.write(value))


def _configure(column: Column) -> Any:
    if not column.unit.is_figure:
        return st.column_config.TextColumn(help=column.help or None)
    digits = re.search(r"\.\d", column.unit.form)
    share = "%%" if column.unit.form.endswith("%") else ""
    written = f"%{digits[0] if digits else '.0'}f{share}"
    is_whole = written == "%.0f"  # as Streamlit writes whole numbers
    return st.column_config.NumberColumn(
        help=column.help or None, format=None if is_whole else written
    )


FIRST = 15  # names that fit a screen
WIDEST = 420  # pixels


def first_names(names: Sequence[str], noun: str, key: str) -> list[str]:
    """The names in sight, in their order (best first): the first FIRST, those that are looked for,
    or all; all of them where they are few. `noun` says what is named, as "system".
    """
    if len(names) <= FIRST:
        return list(names)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    others = row.multiselect(
        f"Find a {noun}",
        names[FIRST:],
        placeholder=f"beside the first {FIRST}",
        width=WIDEST,
        key=f"{key} found",
    )
    if row.toggle(f"Show all {several(len(names), noun)}", key=f"{key} all"):
        return list(names)
    return [name for place, name in enumerate(names) if place < FIRST or name in others]


def first_rows(rows: pd.DataFrame, by: str, noun: str, key: str) -> pd.DataFrame:
    """The rows of the names in sight in the column `by`, in the order they are in."""
    names = rows[by].drop_duplicates().tolist()
    return rows[rows[by].isin(first_names(names, noun, key))]
