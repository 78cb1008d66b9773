"""A question as an annotator would see it, for viewers who do not answer."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.campaigns import Design, Presentation
from pages.components.annotate.answers import SKIP, places
from pages.components.shared.notice import show_caption
from pages.components.shared.texts import show_pair


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
