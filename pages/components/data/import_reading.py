"""How a file is read, in words, before anything is written; and the choice where it may be read in
several ways.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import streamlit as st

from core.importing import (
    Codes,
    Reading,
    UncertainDatesError,
    UncertainError,
    described,
    importer,
)
from core.labels import isolated
from core.moments import DateOrder
from core.records import Dataset, plainly, spoken
from core.store import Store
from pages.components.shared.notice import notice, small

OTHER = "something else"
FIRST_IN_DATES = {
    DateOrder.DAY_FIRST: "the day",
    DateOrder.MONTH_FIRST: "the month",
    DateOrder.YEAR_FIRST: "the year",
}


def settled(store: Store, path: Path, dataset: Dataset, reading: Reading) -> Reading | None:
    """The reading of a file with what its winners and dates mean; None while a person has yet to
    choose it.

    Shows three rows as they would be read. Raises TandemError where the file is refused.
    """
    doubt = st.session_state.get(_key(path, reading))
    dates = st.session_state.get(_key(path, reading, "dates"))
    if dates and not (reading := _with_dates(reading, dates)).dates:
        return None
    try:
        lines = importer.examples(store, path, dataset, reading)
    except UncertainDatesError as error:
        remember(path, reading, error)
        st.rerun()
    except UncertainError as error:
        doubt = error
    if doubt:
        codes = _chosen(store, path, dataset, reading, doubt)
        if codes is None:
            return None
        reading = replace(reading, codes=codes)
        lines = importer.examples(store, path, dataset, reading)
    if lines:
        small("So these rows say:")
        _rows(lines)
    return reading


def remember(path: Path, reading: Reading, doubt: UncertainError | UncertainDatesError) -> None:
    """Ask about a file that turned out uncertain further down than a preview looks."""
    about = "dates" if isinstance(doubt, UncertainDatesError) else "winners"
    st.session_state[_key(path, reading, about)] = doubt


def _key(path: Path, reading: Reading, about: str = "winners") -> str:
    how = f"{sorted(reading.mapping.items())}-{reading.layout}"
    return f"doubt-{about}-{path}-{how}"


def _with_dates(reading: Reading, doubt: UncertainDatesError) -> Reading:
    """The reading with what comes first in dates, once a person has chosen it."""
    notice(spoken(doubt.sentence.partition("; ")[0] + ". Choose what is right.", plainly))
    order = st.selectbox(
        "What comes first in dates?",
        doubt.orders,
        index=None,
        placeholder="Choose",
        format_func=FIRST_IN_DATES.__getitem__,
    )
    return replace(reading, dates=order)


def _chosen(
    store: Store, path: Path, dataset: Dataset, reading: Reading, doubt: UncertainError
) -> Codes | None:
    """What the values of the winner mean, as chosen among the likely readings."""
    notice(spoken(doubt.sentence.partition("; ")[0] + ". Choose what is right.", plainly))
    labels = [described(codes, doubt.sides) for codes in doubt.readings]
    for label, codes in zip(labels, doubt.readings, strict=True):
        small(f"If {label}:")
        with st.container():
            _rows(_example(store, path, dataset, replace(reading, codes=codes)))
    picked = st.selectbox(
        "What do the values mean?", [*labels, OTHER], index=None, placeholder="Choose"
    )
    if picked is None:
        return None
    return doubt.readings[labels.index(picked)] if picked in labels else _by_hand(doubt.sides)


def _example(store: Store, path: Path, dataset: Dataset, reading: Reading) -> list[str]:
    try:
        return importer.examples(store, path, dataset, reading)
    except UncertainError:  # this reading does not explain every value, which is asked then
        return []


def _by_hand(sides: tuple[str, str]) -> Codes | None:
    """Values typed in, parted by spaces: words, numbers, or ranges such as 1..3."""
    given = [
        column.text_input(label, help="Several are parted by spaces; 1..3 is a range")
        for column, label in zip(
            st.columns(3), ("The first one wins", "The second one wins", "Tie"), strict=True
        )
    ]
    first, second, tie = (tuple(text.split()) for text in given)
    small(f"The first one is {sides[0]}, the second {sides[1]}.")
    return Codes(first, second, tie) if first or second else None


def _rows(lines: Sequence[str]) -> None:
    """Sentences in which names stand between asterisks, shown in italics."""
    name = re.compile(r"(?<=\s)\*(.+?)\*(?=[\s:]|$)")
    said = (name.sub(r"<em>\1</em>", escape(isolated(line))) for line in lines)
    st.html(f'<ul class="tandem-small">{"".join(f"<li>{line}</li>" for line in said)}</ul>')
