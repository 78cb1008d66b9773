"""Single sentences to the visitor, escaped and isolated: they may name things from a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Literal

import streamlit as st

from core.labels import isolate_directions, shorten_judges
from pages.components.shared.drawing_turns import drawing_turns

FIRST_WORD = re.compile("[a-z]+,? [a-z]", re.ASCII)


def notice(text: str, *, kind: Literal["quiet", "problem", "good"] = "quiet") -> None:
    """Show a sentence set apart; `problem` asks for attention, `good` confirms."""
    role = ' role="alert"' if kind == "problem" else ""
    text = capitalise_reason(text) if kind == "problem" else text
    st.html(
        f'<div class="tandem-notice tandem-{kind}"{role}>{escape(isolate_directions(text))}</div>'
    )


def show_done(key: str) -> None:
    """Show once what was done, as an action kept it under this key of the session."""
    if done := st.session_state.pop(key, ""):
        notice(done, kind="good")


def capitalise_reason(text: str) -> str:
    """Write a reason as a sentence, with a capital first letter. Paths and file names stay."""
    return text[:1].upper() + text[1:] if FIRST_WORD.match(text) else text


def show_headline(text: str) -> None:
    """Show the sentence that a research page opens with: what the data say."""
    st.html(f'<p class="tandem-lead">{escape(isolate_directions(shorten_judges(text)))}</p>')


def show_findings(sentences: Sequence[str]) -> None:
    """Show findings: the first sentence in large type, the others below it."""
    first, *others = sentences
    show_headline(first)
    if others:
        show_caption(" ".join(others))


def show_caption(text: str, *, is_exact: bool = False) -> None:
    """Show a quiet line, such as a note under a figure; if `is_exact`, model names stay whole."""
    drawing_turns().give_way()
    said = text if is_exact else shorten_judges(text)
    st.html(f'<p class="tandem-small">{escape(isolate_directions(said))}</p>')
