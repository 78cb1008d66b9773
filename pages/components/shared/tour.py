"""A tour of the sample study: six stops, a sentence each; a button in the menu brings it back."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

import streamlit as st

from pages.components.shared.address import SECTION, read_parameter

ON = "tour"  # of this session
LABEL = "? Tour"


class Stop(NamedTuple):
    """A page or section by its name in links and by its title, and what there is to see."""

    page: str
    title: str
    sentence: str


STOPS = (
    Stop(
        "app", "Overview",
        "Overview says who leads, and how sure that is. The votes here are simulated, so the truth "
        "behind them is known.",
    ),
    Stop(
        "separability", "Separability",
        "Each system wrote five texts for each item. See which items tell two systems apart, and "
        "which do not.",
    ),
    Stop(
        "agreement", "Agreement",
        "Three simulated voters saw the same pairs. See how often they agree, and that the "
        "small model hardly agrees with itself.",
    ),
    Stop(
        "bias", "Bias",
        "The small model nearly always chose the text that it read first. Asked in both orders, it "
        "contradicts itself.",
    ),
    Stop(
        "together", "Together",
        "Votes and judges give one estimate. The grey diamond is the known truth: see which "
        "intervals hold it.",
    ),
    Stop(
        "leaderboard", "Leaderboard",
        "The leaderboard has the ranks and the texts behind every figure. Now vote yourself: your "
        "votes are never mixed with simulated ones.",
    ),
)  # fmt: skip


def wants_tour() -> bool:
    """Draw the button that begins the tour; return whether it was just pressed."""
    if st.button(LABEL, key="tour-begin", type="tertiary", help="Six stops in the sample study"):
        st.session_state[ON] = True
        return True
    return False


def find_stop(page: str) -> int | None:
    """Return the number of a page's stop, from 0; None without one, or if the tour is off."""
    if not st.session_state.get(ON):
        return None
    shown = read_parameter(SECTION) or "agreement" if page == "Judges" else page
    titles = [stop.title.casefold() for stop in STOPS]
    return titles.index(shown.casefold()) if shown.casefold() in titles else None


def show_stop(number: int) -> None:
    """Show what there is to see at this stop of the tour."""
    said = f"Stop {number + 1} of {len(STOPS)}. {STOPS[number].sentence}"
    st.html(f'<div class="tandem-notice" role="note" aria-label="Tour">{escape(said)}</div>')


def offer_leaving() -> None:
    """Show the button that ends the tour."""
    st.button("Leave the tour", key="tour-leave", on_click=_leave)


def _leave() -> None:
    st.session_state[ON] = False
