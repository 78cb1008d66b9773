"""Of many rows, the first: the others are found by their names, or shown when asked for."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.labels import several
from pages.components.shared.notice import small

FIRST = 15  # names that a picture or table begins with


def first_rows(rows: pd.DataFrame, by: str, noun: str, key: str) -> pd.DataFrame:
    """The rows of the first FIRST names in the column `by`, in the order they are in; with a field
    to search all names, and a switch for all rows, where there are more. `noun` says what is named,
    as "system".
    """
    names = rows[by].drop_duplicates()
    if len(names) <= FIRST:
        return rows
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every = st.toggle(f"Show all {several(len(names), noun)}", key=f"{key} all")
        words = st.text_input("Search", key=f"{key} search", width=260, placeholder=f"A {noun}")
    shown = _matching(names, words) if words.strip() else names if every else names.head(FIRST)
    if words.strip():
        small(f"{several(len(shown), noun)} of {len(names):,} with “{words.strip()}” in the name.")
    elif not every:
        small(f"The first {FIRST} of {several(len(names), noun)}.")
    return rows[rows[by].isin(shown)]


def _matching(names: pd.Series, words: str) -> pd.Series:
    """Names that hold each of the words, in any case."""
    for word in words.split():
        names = names[names.str.contains(word, case=False, regex=False)]
    return names
