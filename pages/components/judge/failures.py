"""Failures by kind: how many, why, what to do about them, and a way to ask just them again."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import streamlit as st

from core.failures import count_kinds, reason_of, remedy_of
from core.records import Status
from core.runs import execution, worker
from core.store import Store
from pages.components.judge.field_labels import with_labels
from pages.components.shared.faults import action
from pages.components.shared.notice import capitalised, several
from pages.components.shared.stores import reopen


def explain_failure(failure: str, detail: str = "") -> str:
    """A failure in sentences: its kind, why that is, what was said, and what to do about it."""
    reason, remedy = reason_of(failure), with_labels(remedy_of(failure))
    first = f"{failure}: {reason}." if reason else f"{failure}."
    said = f"{detail[:1].upper()}{detail[1:].rstrip('.')}." if detail else ""
    advice = f"{remedy[:1].upper()}{remedy[1:]}." if remedy else ""
    return " ".join(filter(None, [first, said, advice]))


def show_failures(store: Store, run: int, failures: Mapping[str, int]) -> None:
    """The failures of a run by kind, each with what to do and a button that asks it again."""
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
                f"Ask {several(count, 'question')} again" if count > 1 else "Ask it again",
                key=f"retry-{run}-{kind}",
                on_click=_retry,
                args=(store.path, run, kind),
                width="stretch",
            )


def _advice(kind: str) -> str:
    reason, remedy = capitalised(reason_of(kind)), with_labels(remedy_of(kind))
    return f"{reason}. {remedy[:1].upper()}{remedy[1:]}." if reason else ""


@action
def _retry(path: Path, run: int, kind: str) -> None:
    with reopen(path) as store:
        execution.retry(store, run, kind)
        worker.ensure(store.path)
