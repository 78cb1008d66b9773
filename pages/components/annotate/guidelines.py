"""The researcher's instructions, one key away. What stands in a campaign's design is markdown of
its own researcher; what came with a data set is shown as it stands.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from core.campaigns import Design, Presentation


@st.dialog("Guidelines", width="medium")
def show_guidelines(design: Design, shown: Presentation) -> None:
    """What the campaign and the data set say of the task, and of what is asked now."""
    if design.instructions:
        st.markdown(design.instructions)
    parts = [("", shown.instructions), (shown.attribute, shown.guideline or shown.question)]
    for head, text in parts:
        if text:
            title = f"<h2>{escape(head)}</h2>" if head else ""
            st.html(f'{title}<p style="white-space:pre-wrap;line-height:1.55">{escape(text)}</p>')
