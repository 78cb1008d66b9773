"""Failures by kind: how many, why, and what a judge wrote instead.

The page also says what to do about them, and asks just these questions again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape

import streamlit as st

from core.failures import count_kinds, reason_of, remedy_of
from core.judging import StoredReply, parse_replies
from core.labels import pluralize
from core.records import Status
from core.runs import execution, worker
from core.store import Store
from pages.components.judge.asking_form import with_labels
from pages.components.shared.notice import capitalise_reason, show_caption
from pages.components.shared.readable import marked_html
from pages.components.shared.stores import store_action


def explain_failure(failure: str, detail: str = "") -> str:
    """Explain a failure in sentences: its kind, the reason, the detail and the remedy."""
    reason, remedy = reason_of(failure), with_labels(remedy_of(failure))
    first = f"{failure}: {reason}." if reason else f"{failure}."
    said = f"{detail[:1].upper()}{detail[1:].rstrip('.')}." if detail else ""
    advice = f"{remedy[:1].upper()}{remedy[1:]}." if remedy else ""
    return " ".join(filter(None, [first, said, advice]))


def show_failures(store: Store, run: int, failures: Mapping[str, int]) -> None:
    """Show the failures of a run by kind, each with its remedy and a button to ask again."""
    kinds = count_kinds(failures)
    status = Status(store.runs.get(run).status)
    for kind, count in kinds.items():
        words, button = st.columns([8, 2], vertical_alignment="center")
        words.html(
            f'<p class="tandem-failure"><b class="tandem-failed">{count:,} {escape(kind)}:</b> '
            f"{escape(_advice(kind))}</p>"
        )
        if status is not Status.RUNNING:
            button.button(
                f"Ask {pluralize(count, 'question')} again" if count > 1 else "Ask it again",
                key=f"retry-{run}-{kind}",
                on_click=_retry,
                args=(store.path, run, kind),
                width="stretch",
            )


def _advice(kind: str) -> str:
    reason, remedy = capitalise_reason(reason_of(kind)), with_labels(remedy_of(kind))
    return f"{reason}. {remedy[:1].upper()}{remedy[1:]}." if reason else ""


@store_action()
def _retry(store: Store, run: int, kind: str) -> None:
    execution.retry(store, run, kind)
    worker.ensure(store.path)


KEPT_BY = {
    "json_schema": "The server kept the form by a JSON schema.",
    "choice": "The server let it choose among the labels alone.",
    "grammar": "The server kept the form by a grammar.",
}
LEGEND = "The part that was read is marked."


def show_replies(raw: str) -> None:
    """Show each different reply with the part that was read, and how the server kept its form."""
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
        show_caption(" ".join(filter(None, words)))


def _block(reply: StoredReply, title: str) -> str:
    return (
        f'<section aria-label="{escape(title)}"><h4>{escape(title)}</h4>'
        f"{marked_html(*reply.parts)}</section>"
    )
