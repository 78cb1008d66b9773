"""The one place that shows candidate text: verbatim, every piece escaped, set for reading."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.campaigns import Presentation

LONG = 110  # words of a context from which it stands beside the candidates rather than above


def show_pair(shown: Presentation) -> None:
    """The context and the two candidates of a question, A left of B."""
    sides = "".join(_side(name, text) for name, text in (("A", shown.text_a), ("B", shown.text_b)))
    shape = "long" if len(shown.context.split()) > LONG else "short"
    st.html(f'<div class="tandem-pair tandem-{shape}">{_context(shown)}<div class="tandem-sides">{sides}</div></div>')


def show_judged(titles: tuple[str, str], texts: tuple[str | None, str | None], context: str) -> None:
    """Two texts that have been judged, under names of their own; the context folded."""
    sides = "".join(
        _side(name, "(the text is not available)" if text is None else text, title)
        for name, text, title in zip("AB", texts, titles, strict=True)
    )
    folded = (
        f'<details class="tandem-context"><summary>Context</summary>{text_html(context)}</details>' if context else ""
    )
    st.html(f'<div class="tandem-pair tandem-short">{folded}<div class="tandem-sides">{sides}</div></div>')


def _context(shown: Presentation) -> str:
    if not shown.context:
        return ""
    noun = shown.context_noun[:1].upper() + shown.context_noun[1:]
    return f'<details class="tandem-context" open><summary>{escape(noun)}</summary>{text_html(shown.context)}</details>'


def _side(name: str, text: str, title: str = "") -> str:
    title = escape(title or name)
    return (
        f'<section class="tandem-side-{name.lower()}" aria-label="{title}"><h3>{title}</h3>{text_html(text)}</section>'
    )


def text_html(text: str) -> str:
    """A text as HTML that shows exactly its characters. The browser finds its direction, and keeps it to itself."""
    verbatim = escape(text).replace("\r", "&#13;").replace("\n", "&#10;")  # st.html empties lines of mere blanks
    return f'<div class="tandem-text" dir="auto">{verbatim}</div>'
