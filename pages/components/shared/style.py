"""The look: one palette for A and B, of core.rendering.charts, and type for reading."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.rendering.charts import PALETTES

CSS = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def theme() -> str:
    """ "light" or "dark", as the person's browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def apply() -> None:
    """Add the style sheet to the page, with the colours of its theme."""
    colours = "".join(
        f"--{name.replace('_', '-')}: {value};" for name, value in vars(PALETTES[theme()]).items()
    )
    st.html(f"<style>:root {{ {colours} }}\n{CSS}</style>")
