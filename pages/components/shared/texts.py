"""The one place that shows candidate text: verbatim, every piece escaped, set for reading, with the
words marked in which two texts differ where that is wanted; and what was answered about two texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from unicodedata import east_asian_width

import pandas as pd
import streamlit as st

from core.campaigns import Presentation
from core.findings.agreement import load_answers
from core.labels import OUTCOMES
from pages.components.shared.frame import Study
from pages.components.shared.notice import small

WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def marked(text_a: str, text_b: str) -> tuple[str, str]:
    """Both texts as HTML, with every character as it is, and <mark> around the words that the other
    does not have in that place.
    """
    a, b = WORDS.findall(text_a), WORDS.findall(text_b)
    alike = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return (
        _html(a, [(block.a, block.size) for block in alike]),
        _html(b, [(block.b, block.size) for block in alike]),
    )


def _html(words: list[str], alike: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, size in alike:
        own = "".join(words[at:start])
        if own:
            parts.append(escape(own) if own.isspace() else f"<mark>{escape(own)}</mark>")
        parts.append(escape("".join(words[start : start + size])))
        at = start + size
    return "".join(parts)


NOT_AVAILABLE = "(the text is not available)"
MARKED = ("The text", "The first reference")  # of a judge that marks texts one by one
TURNS = {"dialogue", "conversation", "chat", "dialog"}  # contexts whose end is what matters
LONG = 110  # words of a context from which it stands beside the candidates rather than above
ORDER = '<p class="tandem-order">Read the {} first, then A, then B.</p>'


def show_pair(shown: Presentation, *, differing: bool = False) -> None:
    """The context and the two candidates of a question, A left of B; where they are `differing`,
    with the words marked that only one of them has.
    """
    texts = (shown.text_a, shown.text_b)
    show_texts(shown.context, shown.context_noun, texts, differing=differing, asked=True)


def show_texts(
    context: str,
    noun: str,
    texts: tuple[str | None, ...],
    *,
    titles: tuple[str, ...] = ("A", "B"),
    narrow: bool = False,
    folded: bool = False,
    differing: bool = False,
    asked: bool = False,
) -> None:
    """A context, open unless `folded`, and one or two texts under their titles, A's left of B's;
    where it is `narrow`, the context stands above them however long it is. `differing` marks the
    words that the other text does not have. Where somebody is `asked` about them, a long context
    can be searched, and the order to read in is said.
    """
    shown = [escape(NOT_AVAILABLE if text is None else text) for text in texts]
    if differing and None not in texts:
        shown = list(marked(*map(str, texts)))
    level = 2 if asked else 3
    sides = "".join(_side(*side, level) for side in zip("AB", shown, titles, strict=False))
    long = _long(context) and not (narrow or folded)
    above = _context(context, noun, "" if folded else " open", long and asked) if context else ""
    order = ORDER.format(escape(noun.lower())) if long and asked else ""
    st.html(
        f'{order}<div class="tandem-pair tandem-{"long" if long else "short"}">{above}<div '
        f'class="tandem-sides">{sides}</div></div>'
    )


def _long(context: str) -> bool:
    """Whether a context has many words. Chinese and Japanese have no blanks: there, three signs
    count as one.
    """
    wide = sum(east_asian_width(sign) in "WF" for sign in context)
    return len(context.split()) + wide // 3 > LONG


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


def show_candidates(context: str, noun: str, texts: Sequence[tuple[str, str | None]]) -> None:
    """A folded context, and every text of it one below the other, each a (label, text)."""
    above = _context(context, noun, "") if context else ""
    below = "".join(
        f'<section aria-label="{escape(label)}"><h3>{escape(label)}</h3>'
        f"{text_html(NOT_AVAILABLE if text is None else text)}</section>"
        for label, text in texts
    )
    st.html(f'<div class="tandem-pair tandem-candidates">{above}<div>{below}</div></div>')


def _context(context: str, noun: str, state: str, searched: bool = False) -> str:
    name = escape(noun[:1].upper() + noun[1:])
    find = _find(name) if searched else ""
    inner = f"<summary>{name}</summary>{find}{_text(escape(context), name)}"
    end = ' data-open="end"' if noun.lower() in TURNS else ""
    return f'<details class="tandem-context"{end}{state}>{inner}</details>'


def _find(name: str) -> str:
    """What reading.js finds words of a context with."""
    ways = (("-1", "Previous", "↑"), ("1", "Next", "↓"), ("leave", "Close", "✕"))
    buttons = "".join(
        f'<button type="button" data-find="{way}" aria-label="{label}">{sign}</button>'
        for way, label, sign in ways
    )
    label = f"Find in the {name.lower()}"
    return (
        f'<button type="button" class="tandem-find-open" data-act="find" aria-label="{label}">Find'
        f'</button><div class="tandem-find" role="search" hidden><input type="search" '
        f'aria-label="{label}" placeholder="{label}"><span role="status"></span>{buttons}</div>'
    )


def _side(name: str, shown: str, title: str, level: int) -> str:
    title = escape(title)
    return (
        f'<section class="tandem-side-{name.lower()}" tabindex="0" '
        f'aria-label="{title}"><h{level}>{title}</h{level}>{_text(shown)}</section>'
    )


def text_html(text: str) -> str:
    """A text as HTML that shows exactly its characters. The browser finds its direction, and keeps
    it to itself.
    """
    return _text(escape(text))


def marked_html(before: str, marked: str, after: str) -> str:
    """A text as `text_html` shows it, with the part in the middle marked."""
    middle = f"<mark>{escape(marked)}</mark>" if marked else ""
    return _text(f"{escape(before)}{middle}{escape(after)}")


def _text(escaped: str, label: str = "") -> str:
    """`label` is for a text that scrolls by itself, which a keyboard must reach."""
    region = f' tabindex="0" role="region" aria-label="{label}"' if label else ""
    # st.html empties lines of mere blanks
    verbatim = escaped.replace("\r", "&#13;").replace("\n", "&#10;")
    return f'<div class="tandem-text" dir="auto"{region}>{verbatim}</div>'


WITHOUT = "These votes came without their texts."


def show_stored_pair(study: Study, candidates: tuple[int, int], titles: tuple[str, str]) -> None:
    """Two texts under their titles, with their context folded."""
    context, *texts = study.store.datasets.pair_texts(*map(int, candidates))
    if texts == [None, None]:
        small(WITHOUT)
    else:
        show_texts(context, study.context_noun, tuple(texts), titles=titles, folded=True)


def show_pair_answers(
    study: Study,
    attribute: str,
    candidates: tuple[int, int],
    systems: tuple[str, str],
    judges: Sequence[str] | None = None,
) -> bool:
    """A table of what each judge, or each of these `judges`, answered about two texts; whether
    there is any answer.
    """
    said = load_answers(study.store, study.dataset, attribute, *map(int, candidates))
    if judges is not None:
        said = said[said["judge"].isin(judges)]
    if said.empty:
        return False
    named = {"1": systems[0], "2": systems[1]}
    first = said["shown_first"].astype(str)
    prob_first = said["prob_1"].where(first == "1", 1 - said["prob_1"])
    shown = pd.DataFrame(
        {
            "judge": said["judge"],
            "kind": said["kind"],
            "prefers": said["better"].map(lambda better: (named | OUTCOMES).get(better, better)),
            "shown first": first.map(named),
            "P(first)": prob_first.map(lambda p: "" if pd.isna(p) else f"{p:.0%}"),
            "comment": said["comment"].fillna(""),
            "raw answer": said["raw"].fillna(""),
        }
    )
    may_be_empty = ("P(first)", "comment", "raw answer")
    empty = [name for name in may_be_empty if not shown[name].astype(bool).any()]
    st.dataframe(shown.drop(columns=empty), hide_index=True)
    return True
