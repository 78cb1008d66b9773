"""Browser code of the Annotate page: keys, panels and linked scrolling."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

import streamlit as st

PARTS = ("panels.js", "reading.js", "keys.js", "drafts.js")

_PARTS = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in PARTS)
# Streamlit may run it again, and the page that it was first run on is still the same document.
CODE = f"if (!window.tandem) {{\nconst tandem = window.tandem = {{}};\n{_PARTS}}}"


def listen(actions: Sequence[dict[str, object]] = ()) -> None:
    """Run the page's script in the browser; `actions` are what keys and menus can do now."""
    offered = escape(json.dumps(actions))
    st.html(
        f'<div data-actions="{offered}"></div><script>{CODE}</script>', unsafe_allow_javascript=True
    )
