"""The one place that shows candidate texts, as written, as Markdown or turns, with answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from unicodedata import east_asian_width

import pandas as pd
import streamlit as st

from core.campaigns import Presentation
from core.findings.judgements import load_answers
from core.judging import parse_replies
from core.labels import OUTCOMES
from core.records import TextFormat
from core.rendering.markdown import FORMULA_ATTRIBUTES, FORMULA_TAGS
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.readable import Readable, make_readable, mark_differences
from pages.components.shared.tables import LINE, LOW, call_judges, choose_line

FORMULAS = (
    Path(__file__)
    .with_name("formulas.js")
    .read_text(encoding="utf-8")
    .replace("@TAGS@", " ".join(sorted(FORMULA_TAGS)))
    .replace("@ATTRIBUTES@", " ".join(sorted(FORMULA_ATTRIBUTES)))
)


NOT_AVAILABLE = "(the text is not available)"
MARKED = ("The text", "The first reference")  # of a judge that marks texts one by one
TURNS = {"dialogue", "conversation", "chat", "dialog"}  # contexts whose end is what matters
LONG = 110  # words; a longer context is shown beside the candidates rather than above
ORDER = '<p class="tandem-order">Read the {} first, then A, then B.</p>'


def show_pair(
    shown: Presentation, *, differing: bool = False, as_written: bool = False, asked: bool = True
) -> TextFormat:
    """Show the context and the two candidates of a question, A left of B.

    They have the format of their attribute, or are shown `as_written`. With `differing`, the words
    that only one of them has are marked. Somebody who is not `asked` only looks. Returns the format
    shown.
    """
    return show_texts(
        shown.context,
        shown.context_noun,
        (shown.text_a, shown.text_b),
        text_format=TextFormat.PLAIN if as_written else shown.text_format,
        differing=differing,
        asked=asked,
    )


def show_texts(
    context: str,
    noun: str,
    texts: tuple[str | None, ...],
    *,
    text_format: TextFormat = TextFormat.PLAIN,
    titles: tuple[str, ...] = ("A", "B"),
    narrow: bool = False,
    folded: bool = False,
    differing: bool = False,
    asked: bool = False,
) -> TextFormat:
    """Show a context and one or two texts under their titles, A's left of B's.

    The context is open unless `folded`. In a `narrow` place it is always above the texts, however
    long. `differing` marks the words that the other text does not have. If somebody is `asked`
    about the texts, a long context can be searched, and the page says in which order to read.

    Returns the format shown: plain if Markdown would take too long or hide a part of a text.
    """
    given = [NOT_AVAILABLE if text is None else text for text in texts]
    readable = make_readable(context, given, text_format, _call(noun))
    shown, note = readable.texts, readable.note
    if differing and None not in texts and len(shown) == 2:
        marked = None if readable.is_cut else mark_differences(*shown)
        note = note or ("" if marked else "The texts are too long for their differences.")
        shown = list(marked or shown)
    level = 2 if asked else 3
    sides = "".join(_side(*side, level) for side in zip("AB", shown, titles, strict=False))
    long = _is_long(context) and not (narrow or folded)
    state = "" if folded else " open"
    above = _context(readable, noun, state, long and asked) if context else ""
    order = ORDER.format(escape(noun.lower())) if long and asked else ""
    said = f'<p class="tandem-order">{escape(note)}</p>' if note else ""
    _show(
        f'{said}{order}<div class="tandem-pair tandem-{"long" if long else "short"}">{above}<div '
        f'class="tandem-sides">{sides}</div></div>'
    )
    return readable.text_format


def _show(html: str) -> None:
    """Show texts as HTML, and let the browser render their formulas.

    The script goes into an element of its own: where scripts may run, no text may be shown.
    """
    st.html(html)
    if "data-formula=" in html:
        st.html(
            f'<i class="tandem-script"></i><script>{FORMULAS}</script>',
            unsafe_allow_javascript=True,
        )


def _is_long(context: str) -> bool:
    """Check whether a context has many words; three Chinese or Japanese characters are one."""
    wide = sum(east_asian_width(sign) in "WF" for sign in context)
    return len(context.split()) + wide // 3 > LONG


def show_samples(
    context: str,
    noun: str,
    titles: tuple[str, str],
    samples: Sequence[Sequence[tuple[str, str]]],
    text_format: TextFormat = TextFormat.PLAIN,
) -> None:
    """Show all texts (label, text) of two systems under their titles, and the context folded."""
    every = [text for texts in samples for _, text in texts]
    readable = make_readable(context, every, text_format, _call(noun))
    shown = iter(readable.texts)
    sides = "".join(
        f'<section class="tandem-side-{name}" aria-label="{escape(title)}"><h3>{name.upper()} · '
        f"{escape(title)}</h3>"
        + "".join(
            f'<div class="tandem-sample"><b>{escape(label)}</b>{next(shown)}</div>'
            for label, _ in texts
        )
        + "</section>"
        for name, title, texts in zip("ab", titles, samples, strict=True)
    )
    above = _context(readable, noun, "") if context else ""
    _show(
        f'<div class="tandem-pair tandem-samples">{above}<div '
        f'class="tandem-sides">{sides}</div></div>'
    )


def show_candidates(
    context: str,
    noun: str,
    texts: Sequence[tuple[str, str | None]],
    text_format: TextFormat = TextFormat.PLAIN,
) -> None:
    """Show a folded context, and its texts below each other, each a pair (label, text)."""
    given = [NOT_AVAILABLE if text is None else text for _, text in texts]
    readable = make_readable(context, given, text_format, _call(noun))
    above = _context(readable, noun, "") if context else ""
    below = "".join(
        f'<section aria-label="{escape(label)}"><h3>{escape(label)}</h3>{shown}</section>'
        for (label, _), shown in zip(texts, readable.texts, strict=True)
    )
    _show(f'<div class="tandem-pair tandem-candidates">{above}<div>{below}</div></div>')


def _context(readable: Readable, noun: str, state: str, searched: bool = False) -> str:
    name = escape(_call(noun))
    find = _find(name) if searched else ""
    end = ' data-open="end"' if noun.lower() in TURNS else ""
    inner = f"<summary>{name}</summary>{find}{readable.context}"
    return f'<details class="tandem-context"{end}{state}>{inner}</details>'


def _call(noun: str) -> str:
    return noun[:1].upper() + noun[1:]


def _find(name: str) -> str:
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
        f'aria-label="{title}"><h{level}>{title}</h{level}>{shown}</section>'
    )


WITHOUT = "These votes came without their texts."


def show_stored_pair(
    study: Study, candidates: tuple[int, int], titles: tuple[str, str], attribute: str = ""
) -> None:
    """Show two stored texts under their titles, with their context folded.

    They have the format in which people see them for the attribute, else for the data set.
    """
    context, *texts = study.store.texts.pair_texts(*map(int, candidates))
    if texts == [None, None]:
        show_caption(WITHOUT)
    else:
        show_texts(
            context,
            study.context_noun,
            tuple(texts),
            text_format=study.store.datasets.text_format(study.dataset, attribute),
            titles=titles,
            folded=True,
        )


def show_pair_answers(
    study: Study,
    attribute: str,
    candidates: tuple[int, int],
    systems: tuple[str, str],
    judges: Sequence[str] | None = None,
) -> bool:
    """Show a table of what each judge answered about two texts.

    `judges` limits it to these. Returns whether there is any answer.
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
            "judge": said["judge"].replace(call_judges(said["judge"])),
            "kind": said["kind"],
            "prefers": said["better"].map(lambda better: (named | OUTCOMES).get(better, better)),
            "shown first": first.map(named),
            "P(first)": prob_first.map(lambda p: "" if pd.isna(p) else f"{p:.0%}"),
            "comment": said["comment"].fillna(""),
            "reply": said["raw"].fillna("").map(_join_replies),
        }
    )
    may_be_empty = ("P(first)", "comment", "reply")
    empty = [name for name in may_be_empty if not shown[name].astype(bool).any()]
    st.dataframe(shown.drop(columns=empty), hide_index=True)
    return True


def _join_replies(raw: str) -> str:
    return " · ".join(reply.text.strip() for reply in parse_replies(raw).replies)


def read_pairs(
    study: Study,
    pairs: pd.DataFrame,
    shown: Mapping[str, pd.Series],
    key: str,
    *,
    titles: tuple[str, str] | None = None,
    judges: Sequence[str] | None = None,
) -> None:
    """Show pairs of texts as lines of a table, and for the chosen one its texts and all answers.

    `pairs` have attribute, candidate_1, candidate_2, system_1 and system_2; `titles` stand above
    the texts in place of the systems.
    """
    lines = pd.DataFrame({**shown, "attribute": pairs["attribute"]})
    lines = lines if pairs["attribute"].nunique() > 1 else lines.drop(columns="attribute")
    row = pairs.iloc[choose_line(lines, key, height=min(LOW, LINE * (len(lines) + 1) + 3)) or 0]
    texts = row["candidate_1"], row["candidate_2"]
    systems = row["system_1"], row["system_2"]
    show_stored_pair(study, texts, titles or systems, row["attribute"])
    show_pair_answers(study, row["attribute"], texts, systems, judges)
