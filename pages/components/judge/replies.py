"""The replies to one question as the page shows them: every character escaped, and the part that
was read marked.
"""

from __future__ import annotations

from collections import Counter
from html import escape

import streamlit as st

from core.judging import StoredReply, parse_replies
from pages.components.shared.notice import small
from pages.components.shared.texts import marked_html

KEPT_BY = {
    "json_schema": "The server kept the form by a JSON schema.",
    "choice": "The server let it choose among the labels alone.",
    "grammar": "The server kept the form by a grammar.",
}
LEGEND = "The part that was read is marked."


def show_replies(raw: str) -> None:
    """Each different reply with the part that was read, and how the server kept its form."""
    said = parse_replies(raw)
    number = len(said.replies)
    blocks = [
        _block(reply, f"{count} of {number} replies" if number > 1 else "The reply")
        for reply, count in Counter(said.replies).items()
    ]
    if blocks:
        st.html(f'<div class="tandem-replies">{"".join(blocks)}</div>')
    words = [
        LEGEND if any(reply.read for reply in said.replies) else "",
        KEPT_BY.get(said.kept_by, said.kept_by and f"The server kept the form by {said.kept_by}."),
    ]
    if any(words):
        small(" ".join(filter(None, words)))


def _block(reply: StoredReply, title: str) -> str:
    return (
        f'<section aria-label="{escape(title)}"><h4>{escape(title)}</h4>'
        f"{marked_html(*reply.parts)}</section>"
    )
