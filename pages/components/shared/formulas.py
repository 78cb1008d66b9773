"""The script that sets the formulas of texts, which a page with some brings along."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.rendering.markdown import FORMULA_ATTRIBUTES, FORMULA_TAGS

CODE = (
    Path(__file__)
    .with_name("formulas.js")
    .read_text(encoding="utf-8")
    .replace("@TAGS@", " ".join(sorted(FORMULA_TAGS)))
    .replace("@ATTRIBUTES@", " ".join(sorted(FORMULA_ATTRIBUTES)))
)


def set_formulas(html: str) -> None:
    """Let the browser render the formulas of the HTML just shown, if it has any.

    The script goes into an element of its own: where scripts may run, no text may be shown.
    """
    if "data-formula=" in html:
        st.html(
            f'<i class="tandem-script"></i><script>{CODE}</script>', unsafe_allow_javascript=True
        )
