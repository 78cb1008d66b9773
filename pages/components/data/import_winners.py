"""Meanings in a winner column and the order of day and month: detected, and to be corrected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from core.importing import (
    MEANINGS,
    SETTINGS,
    Codes,
    Preview,
    UncertainDatesError,
    UncertainError,
    WinnerValue,
    decimal,
    described,
    normalise_value,
)
from core.labels import isolate_directions, pluralize
from core.moments import DateOrder
from pages.components.data.import_fields import WIDE, heading
from pages.components.data.import_preview import say_on_page, show_rows
from pages.components.shared.notice import capitalise_reason, notice, show_caption

OTHER = "something else"
MOST = 12  # values that are asked about one by one
FIRST_IN_DATES = {
    DateOrder.DAY_FIRST: "the day",
    DateOrder.MONTH_FIRST: "the month",
    DateOrder.YEAR_FIRST: "the year",
}
TYPED = ("The first one wins", "The second one wins", "Tie")
Doubt = UncertainError | UncertainDatesError


def remember_doubt(key: str, doubt: Doubt) -> bool:
    """Ask about a doubt in a file from now on; False if it is already asked."""
    about = "dates" if isinstance(doubt, UncertainDatesError) else "winners"
    if (place := f"doubt-{about}-{key}") in st.session_state:
        return False
    st.session_state[place] = doubt
    return True


def show_still_open(key: str, doubt: Doubt) -> None:
    """Show values that are still to be explained, besides those asked about."""
    asked = st.session_state.get(f"doubt-winners-{key}")
    if isinstance(doubt, UncertainError) and asked:
        more = [value for value in doubt.values if value not in asked.values]
        if more:
            _show_doubt(doubt)
            _list_values([WinnerValue(value, 0, None) for value in more], doubt.sides, key, "open")


def is_open(key: str) -> bool:
    """Check whether a question about dates or winners is still to be answered."""
    doubt = st.session_state.get(f"doubt-winners-{key}")
    dates = f"doubt-dates-{key}" in st.session_state and not st.session_state.get(f"dates-{key}")
    if doubt is None or dates:
        return dates
    picked = st.session_state.get(f"means-{key}")
    if picked not in (None, OTHER):
        return False
    is_typed = any(st.session_state.get(f"{label}-{key}") for label in TYPED)
    return not is_typed and not set(doubt.values) <= set(_corrections(key))


def choose_dates(key: str) -> DateOrder | None:
    """Ask for the order of day and month; None if it is not in doubt or not chosen yet."""
    if not (doubt := st.session_state.get(f"doubt-dates-{key}")):
        return None
    _show_doubt(doubt)
    return st.selectbox(
        SETTINGS["dates"].label, doubt.orders, None, FIRST_IN_DATES.__getitem__,
        placeholder="Choose", key=f"dates-{key}", width=WIDE,
    )  # fmt: skip


def choose_codes(key: str, given: Codes, say_rows: Callable[[Codes], Sequence[str]]) -> Codes:
    """Ask what the values of the winner column mean, and return the codes.

    If a file leaves them open, likely readings are offered; each value can be corrected, too.
    `given` are the codes of a saved reading. `say_rows` describes rows in words as codes would read
    them.
    """
    codes = given
    if doubt := st.session_state.get(f"doubt-winners-{key}"):
        _show_doubt(doubt)
        chosen = _choose_reading(doubt, key, say_rows)
        codes = given if chosen is None else chosen
    for value, meaning in _corrections(key).items():
        codes = _correct_codes(codes, value, meaning)
    return codes


def _correct_codes(codes: Codes, value: str, meaning: str) -> Codes:
    """Return the codes with this value in the list of this meaning, and in no other."""
    lists = {
        name: tuple(
            each for each in getattr(codes, name) if normalise_value(each) != normalise_value(value)
        )
        for name in MEANINGS
    }
    return replace(codes, **{**lists, meaning: (*lists[meaning], value)})


def show_winners(preview: Preview, sides: tuple[str, str], key: str) -> None:
    """Show the values with their number and their meaning, which can be corrected."""
    asked = _asked_values(key)
    values = [each for each in preview.winners if not each.is_name and each.value not in asked]
    names = sum(each.times for each in preview.winners if each.is_name)
    if not (values or names):
        return
    heading("What each value of the winner means")
    if names:
        show_caption(
            f"In {pluralize(names, 'row')} it names the system that won, or repeats its text."
        )
    if values:
        values.sort(key=_order)
        _list_values(values[:MOST], sides, key, "all")
    if len(values) > MOST:
        rest = sum(each.times for each in values[MOST:])
        show_caption(f"{len(values) - MOST:,} more values, in {pluralize(rest, 'row')}.")


def _order(each: WinnerValue) -> tuple[bool, float]:
    """Sort unknown meanings first, then numbers by size and words by frequency."""
    number = decimal(each.value)
    return each.meaning is not None, -each.times if number is None else number


def _show_doubt(doubt: Doubt) -> None:
    said = capitalise_reason(say_on_page(doubt.sentence.partition("; ")[0]))
    notice(f"{said}. Choose what is right.")


def _choose_reading(
    doubt: UncertainError, key: str, say_rows: Callable[[Codes], Sequence[str]]
) -> Codes | None:
    labels = [described(codes, doubt.sides) for codes in doubt.readings]
    picked: str | None = OTHER
    if not st.session_state.get(f"means-{key}"):
        for label, codes in zip(labels, doubt.readings, strict=True):
            show_caption(f"If {label}:")
            show_rows(say_rows(codes))
    if labels:
        picked = st.selectbox(
            "What do the values mean?", [*labels, OTHER], None,
            placeholder="Choose", key=f"means-{key}", width=WIDE,
        )  # fmt: skip
    if picked in labels:
        return doubt.readings[labels.index(picked)]
    if picked == OTHER and len(doubt.values) <= MOST:
        _list_values(
            [WinnerValue(value, 0, None) for value in doubt.values], doubt.sides, key, "asked"
        )
    elif picked == OTHER:
        return _type_codes(doubt.sides, key)
    return None


def _type_codes(sides: tuple[str, str], key: str) -> Codes | None:
    """Ask for values to be typed, such as words or 1..3; None if neither side has any."""
    given = [
        column.text_input(
            label, help="Several are parted by spaces; 1..3 is a range", key=f"{label}-{key}"
        )
        for column, label in zip(st.columns(3), TYPED, strict=True)
    ]
    first, second, tie = (tuple(text.split()) for text in given)
    show_caption(f"The first one is {sides[0]}, the second {sides[1]}.")
    return Codes(first, second, tie) if first or second else None


def _corrections(key: str) -> dict[str, str]:
    """Return the corrected meanings of this session: value -> name of its meaning."""
    return st.session_state.setdefault(f"corrections-{key}", {})  # type: ignore[no-any-return]


def _asked_values(key: str) -> tuple[str, ...]:
    """Return the values that are asked about one by one, because the file leaves them open."""
    doubt = st.session_state.get(f"doubt-winners-{key}")
    if doubt is None or len(doubt.values) > MOST:
        return ()
    picked = st.session_state.get(f"means-{key}")
    return tuple(doubt.values) if picked == OTHER or not doubt.readings else ()


def _list_values(
    values: Sequence[WinnerValue], sides: tuple[str, str], key: str, part: str
) -> None:
    with st.container(key=f"tandem-rows-{part}", gap="xsmall"):
        for place, each in enumerate(values, start=1):
            _choose_meaning(each, place, sides, key)


def _choose_meaning(each: WinnerValue, place: int, sides: tuple[str, str], key: str) -> None:
    labels = {
        "first": f"{sides[0]} wins", "second": f"{sides[1]} wins", "tie": "a tie",
        "both_bad": "both bad", "no_answer": "no answer",
    }  # fmt: skip
    value, choice, count = st.columns([2, 3, 6], vertical_alignment="center", gap="small")
    with value:
        shown = each.value[:60] or "(empty)"
        st.html(f'<p class="tandem-field">{escape(isolate_directions(shown))}</p>')
    with choice:
        widget = f"meaning-{key}-{each.value[:200]}"
        known = [name for name, meaning in MEANINGS.items() if meaning == each.meaning]
        meaning = _corrections(key).get(each.value) or next(iter(known), None)
        st.selectbox(
            f"Meaning of value {place}",  # no value in it: a label is markdown
            list(labels), list(labels).index(meaning) if meaning else None, labels.__getitem__,
            placeholder="not known: choose", label_visibility="collapsed",
            key=widget, on_change=_correct, args=(key, each.value, widget),
        )  # fmt: skip
    with count:
        show_caption(pluralize(each.times, "row") if each.times else "")


def _correct(key: str, value: str, widget: str) -> None:
    if chosen := st.session_state.get(widget):
        _corrections(key)[value] = chosen
