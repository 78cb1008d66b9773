"""A table of figures to read: numbers to the right under their headings, "–" where there is none,
wider than a phone only inside a frame of its own that scrolls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from core.labels import figure, isolated

COUNT = ",.0f"
SHARE = ".0%"
TWO = ".2f"


@dataclass(frozen=True)
class Column:
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


def show_table(frame: pd.DataFrame, columns: dict[str, Column], label: str) -> None:
    """The columns that are in the frame, in the order of `columns`, a row for each of its rows.
    `label` tells a screen reader what it is a table of.
    """
    there = {name: column for name, column in columns.items() if name in frame}
    head = "".join(_heading(column) for column in there.values())
    rows = "".join(
        "<tr>" + "".join(_cell(column, row[name], row) for name, column in there.items()) + "</tr>"
        for row in frame.to_dict("records")
    )
    st.html(
        f'<div class="tandem-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="tandem-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _heading(column: Column) -> str:
    title = f' title="{escape(column.help)}"' if column.help else ""
    return f'<th scope="col"{_side(column)}{title}>{escape(column.title)}</th>'


def _cell(column: Column, value: Any, row: Mapping[Any, Any]) -> str:
    said = figure(value, column.form) if column.form not in ("", RIGHT) else _words(value)
    more = str(row[column.hover]) if column.hover else ""
    title = f' title="{escape(isolated(more))}"' if more and more != said else ""
    return f"<td{_side(column)}{title}>{escape(said)}</td>"


def _words(value: Any) -> str:
    return "–" if pd.isna(value) or value == "" else isolated(str(value))


def _side(column: Column) -> str:
    return ' class="tandem-right"' if column.right else ""
