"""Of many rows, the first: the others are found by their names, or shown when asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.labels import several

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
