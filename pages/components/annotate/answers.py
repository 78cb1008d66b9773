"""Answers that a campaign offers, each with a fixed position and key; a question to look at.

The browser's code reads here what its keys press.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import streamlit as st

from core.campaigns import Design, Presentation
from core.labels import OUTCOMES, capitalise
from core.records import Answer, Outcome
from pages.components.shared.notice import show_caption
from pages.components.shared.texts import show_pair


@dataclass(frozen=True)
class Offer:
    """An answer that can be pressed: `name` begins its button's key. No outcome is a skip."""

    name: str
    label: str
    key: str
    outcome: Outcome | None
    strength: float | None = None

    @property
    def saved_text(self) -> str:
        """Return the text to show once this answer is saved."""
        if self.strength is not None:
            return self.label
        return capitalise(OUTCOMES[self.outcome]) if self.outcome else "Skipped"


TIE, BOTH_BAD = (capitalise(OUTCOMES[each]) for each in (Outcome.TIE, Outcome.BOTH_BAD))
SKIP = Offer("vote-skip", "Skip", "s", None)
CONFIDENCE = {"a little": 0.5, "clearly": 1.0}
SURE_KEYS = "kl"
"""The keys of how sure somebody is, from left to right."""
PLAIN = (
    Offer("vote-a", "A is better", "1", Outcome.A),
    Offer("vote-tie", TIE, "2", Outcome.TIE),
    Offer("vote-b", "B is better", "3", Outcome.B),
    Offer("vote-both_bad", BOTH_BAD, "4", Outcome.BOTH_BAD),
)
STEPS = (
    Offer("vote-a_much", "A much better", "1", Outcome.A, 1.0),
    Offer("vote-a", "A slightly better", "2", Outcome.A, 0.5),
    Offer("vote-tie", TIE, "3", Outcome.TIE),
    Offer("vote-b", "B slightly better", "4", Outcome.B, 0.5),
    Offer("vote-b_much", "B much better", "5", Outcome.B, 1.0),
    Offer("vote-both_bad", BOTH_BAD, "6", Outcome.BOTH_BAD),
)


def places(design: Design) -> list[Offer | None]:
    """Return the answers from left to right; None is an empty place of one not offered."""
    offers = STEPS if design.strength else PLAIN
    return [offer if offer.outcome in design.outcomes else None for offer in offers]


def label_answer(answer: Answer) -> str:
    """Return the label of an earlier answer, as its button shows it."""
    offers = PLAIN if answer.strength is None else STEPS
    said = (
        (offer.outcome, offer.strength) == (answer.outcome, answer.strength) for offer in offers
    )
    return next((offer.label for offer, same in zip(offers, said, strict=True) if same), SKIP.label)


def actions(design: Design) -> list[dict[str, object]]:
    """Return the actions that the keys press, in the form that keys.js reads."""
    pressed = [*filter(None, places(design)), SKIP]
    keys = [(offer.name, offer.label, offer.key) for offer in pressed] + [("undo", "Undo", "z")]
    answers: list[dict[str, object]] = [
        {"name": name, "label": label, "key": key, "answers": True} for name, label, key in keys
    ]
    sure = [
        {"name": f"sure-{place}", "label": f"How sure: {label}", "key": key}
        for place, (label, key) in enumerate(zip(CONFIDENCE, SURE_KEYS, strict=True))
    ]
    return answers + sure if design.confidence else answers


def show_preview(shown: Presentation | None, design: Design) -> None:
    """Preview the instructions, one question and its answers, which cannot be pressed."""
    if design.instructions:
        st.markdown(design.instructions)
    if shown is None:
        return
    st.html(f'<h2 class="tandem-question">{escape(shown.question)}</h2>')
    show_pair(shown, asked=False)
    offered = [offer.label for offer in [*places(design), SKIP] if offer]
    show_caption(f"Answers: {', '.join(offered)}.")


PARTS = ("panels.js", "reading.js", "keys.js")

_PARTS = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in PARTS)
# Streamlit may run it again, and the page that it was first run on is still the same document.
CODE = f"if (!window.tandem) {{\nconst tandem = window.tandem = {{}};\n{_PARTS}}}"


def listen(actions: Sequence[dict[str, object]] = ()) -> None:
    """Run the page's script in the browser; `actions` are what keys and menus can do now."""
    offered = escape(json.dumps(actions))
    st.html(
        f'<div data-actions="{offered}"></div><script>{CODE}</script>', unsafe_allow_javascript=True
    )
