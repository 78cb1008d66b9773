"""The one place that shows candidate text: verbatim, every piece escaped, set for reading."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from core.annotation import Presentation
from pages.components.shared.word_differences import marked

NOT_AVAILABLE = "(the text is not available)"
TURNS = {"dialogue", "conversation", "chat", "dialog"}  # contexts whose end is what matters
LONG = 110  # words of a context from which it stands beside the candidates rather than above


def show_pair(shown: Presentation, *, differing: bool = False) -> None:
    """The context and the two candidates of a question, A left of B; where they are `differing`,
    with the words marked that only one of them has.
    """
    show_texts(shown.context, shown.context_noun, (shown.text_a, shown.text_b), differing=differing)


def show_texts(
    context: str,
    noun: str,
    texts: tuple[str | None, str | None],
    *,
    titles: tuple[str, str] = ("A", "B"),
    narrow: bool = False,
    folded: bool = False,
    differing: bool = False,
) -> None:
    """A context, open unless `folded`, and two texts under their titles, A's left of B's; where it
    is `narrow`, the context stands above them however long it is. `differing` marks the words that
    the other text does not have.
    """
    shown = [escape(NOT_AVAILABLE if text is None else text) for text in texts]
    if differing and None not in texts:
        shown = list(marked(*map(str, texts)))
    sides = "".join(_side(*side) for side in zip("AB", shown, titles, strict=True))
    shape = "long" if len(context.split()) > LONG and not (narrow or folded) else "short"
    above = _context(context, noun, "" if folded else " open") if context else ""
    st.html(
        f'<div class="tandem-pair tandem-{shape}">{above}<div '
        f'class="tandem-sides">{sides}</div></div>'
    )


def show_samples(
    context: str, noun: str, titles: tuple[str, str], samples: Sequence[Sequence[tuple[str, str]]]
) -> None:
    """A folded context, and under the two titles all texts of either side, each a (label, text):
    A's left of B's.
    """
    sides = "".join(
        f'<section class="tandem-side-{name}" aria-label="{escape(title)}"><h3>{name.upper()} · '
        f"{escape(title)}</h3>"
        + "".join(
            f'<div class="tandem-sample"><b>{escape(label)}</b>{text_html(text)}</div>'
            for label, text in texts
        )
        + "</section>"
        for name, title, texts in zip("ab", titles, samples, strict=True)
    )
    above = _context(context, noun, "") if context else ""
    st.html(
        f'<div class="tandem-pair tandem-samples">{above}<div '
        f'class="tandem-sides">{sides}</div></div>'
    )


def _context(context: str, noun: str, state: str) -> str:
    name = escape(noun[:1].upper() + noun[1:])
    inner = f"<summary>{name}</summary>{_text(escape(context), name)}"
    end = ' data-open="end"' if noun.lower() in TURNS else ""
    return f'<details class="tandem-context"{end}{state}>{inner}</details>'


def _side(name: str, shown: str, title: str) -> str:
    title = escape(title)
    return (
        f'<section class="tandem-side-{name.lower()}" tabindex="0" '
        f'aria-label="{title}"><h3>{title}</h3>{_text(shown)}</section>'
    )


def text_html(text: str) -> str:
    """A text as HTML that shows exactly its characters. The browser finds its direction, and keeps
    it to itself.
    """
    return _text(escape(text))


def _text(escaped: str, label: str = "") -> str:
    """`label` is for a text that scrolls by itself, which a keyboard must reach."""
    region = f' tabindex="0" role="region" aria-label="{label}"' if label else ""
    # st.html empties lines of mere blanks
    verbatim = escaped.replace("\r", "&#13;").replace("\n", "&#10;")
    return f'<div class="tandem-text" dir="auto"{region}>{verbatim}</div>'
