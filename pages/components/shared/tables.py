"""A table of figures to read: numbers to the right under their headings, "–" where there is none,
wider than a phone only inside a frame of its own that scrolls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import rendering
from core.findings.judgements import Finding
from core.rendering import WORDS, Cell, Grid, Heading, Unit, lay_out, write_html

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
