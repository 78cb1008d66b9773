"""Tables to read or to choose a row in; one wider than a phone scrolls in its own frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.labels import pluralize, shorten_judges
from core.rendering import (
    Column,
    Place,
    is_empty,
    is_missing,
    is_read,
    lay_across,
    lay_out,
    write_html,
)
from pages.components.shared.drawing_turns import drawing_turns


def show_rows(rows: pd.DataFrame, columns: Sequence[Column], label: str) -> None:
    """Show rows by their declared columns. `label` names the table for screen readers."""
    drawing_turns().give_way()
    st.html(write_html(lay_out(_shorten_names(rows, columns), columns), label))


def _shorten_names(rows: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Return the rows with short names of models, unless two of them would be alike."""
    for column in columns:
        if column.names_people and column.name in rows and len(rows):
            called = call_judges(rows[column.name].dropna())
            rows = rows.assign(**{column.name: rows[column.name].replace(called)})
    return rows


def call_judges(names: Iterable[object]) -> dict[str, str]:
    """Return what to call each of these judges: a short name, unless two would be alike."""
    every = list(dict.fromkeys(map(str, names)))
    short = shorten_judges("\n".join(every)).split("\n")
    is_clear = len(short) == len(every) == len({*short})
    return dict(zip(every, short if is_clear else every, strict=True))


def show_across(rows: pd.DataFrame, keys: Sequence[Column], column: Column, label: str) -> None:
    """Show a row for each of what the `keys` name, and in it a figure for each attribute."""
    st.html(write_html(lay_across(_shorten_names(rows, keys), keys, column), label))


LINE = 35  # pixels of a row
LOW = 240  # pixels of a table that has more under it


def choose_row(
    rows: pd.DataFrame, columns: Sequence[Column], key: str, *, first: int = 0, tallest: int = 0
) -> int:
    """Show a table to choose a row in, at most `tallest` pixels high; return its position."""
    listed, looks = _list_columns(rows, columns, tallest)
    chosen = choose_line(listed, key, **looks)
    return first if chosen is None else chosen


def choose_rows(
    rows: pd.DataFrame, columns: Sequence[Column], key: str, *, tallest: int = 0
) -> list[int]:
    """Show a table with rows to tick, as `choose_row` does; return their positions as ticked."""
    listed, looks = _list_columns(rows, columns, tallest)
    return _select(listed, "multi-row", key, **looks)


def _list_columns(
    rows: pd.DataFrame, columns: Sequence[Column], tallest: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    rows = _shorten_names(rows, columns)
    rows = rows.assign(**{column.name: column.read_values(rows) for column in columns if column.of})
    read = [column for column in columns if is_read(rows, column, Place.SCREEN)]
    listed: dict[str, Sequence[Any]] = {}
    for column in read:
        listed[column.label] = _list_values(rows, column)
        if column.range_label and not is_empty(rows, column.low):
            listed[column.range_label] = list(map(column.write_range, rows.to_dict("records")))
    looks = {
        "height": min(LINE * (len(rows) + 1) + 3, tallest) if tallest else "auto",
        "column_config": {column.label: _configure(column) for column in read},
    }
    return pd.DataFrame(listed), looks


def choose_line(table: pd.DataFrame, key: str, **looks: Any) -> int | None:
    """Show a table in which a row can be chosen; return its position, or None.

    `looks` are arguments of `st.dataframe`.
    """
    return next(iter(_select(table, "single-row", key, **looks)), None)


def _select(table: pd.DataFrame, mode: str, key: str, **looks: Any) -> list[int]:
    event: Any = st.dataframe(
        table, hide_index=True, on_select="rerun", selection_mode=mode, key=key, **looks
    )
    return [row for row in event["selection"]["rows"] if row < len(table)]


def turn_pages(
    fetch: Callable[[int], pd.DataFrame], size: int, key: str
) -> tuple[pd.DataFrame, int]:
    """Show a choice of the page, and return the rows of that page and its number.

    A page has at most `size` rows. `fetch` returns the rows from an offset on, and in attrs["all"]
    the number of all rows.
    """
    page = int(st.session_state.get(key, 1))
    frame = fetch((page - 1) * size)
    pages = -(-frame.attrs["all"] // size)
    if page > max(pages, 1):  # there are fewer by now
        st.session_state[key] = page = max(pages, 1)
        frame = fetch((page - 1) * size)
    if pages > 1:
        st.number_input(f"Page of {pages:,}", 1, pages, key=key, width=160)
    return frame, page


def _list_values(rows: pd.DataFrame, column: Column) -> pd.Series:
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
    """Return the names to show, in their order (best first).

    These are the first FIRST names and those that the reader looks for, or all. All are shown if
    they are few. `noun` says what is named, such as "system".
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
    if row.toggle(f"Show all {pluralize(len(names), noun)}", key=f"{key} all"):
        return list(names)
    return [name for place, name in enumerate(names) if place < FIRST or name in others]


def first_rows(rows: pd.DataFrame, by: str, noun: str, key: str) -> pd.DataFrame:
    """Return the rows of the names in sight in the column `by`, in their order."""
    names = rows[by].drop_duplicates().tolist()
    return rows[rows[by].isin(first_names(names, noun, key))]
