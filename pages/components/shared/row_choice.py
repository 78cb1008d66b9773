"""A table by declared columns in which a row is chosen: it can be sorted, as its numbers are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.rendering import Column, Place, is_missing, is_read

LINE = 35  # pixels of a row
MOST_HEIGHT = 240  # pixels of a table that has more under it


def choose_row(
    rows: pd.DataFrame, columns: Sequence[Column], key: str, *, first: int = 0, is_low: bool = False
) -> int:
    """The place of the chosen row, else the `first`; in a table that `is_low`, of a few lines."""
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
    values = column.read_values(rows)
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
