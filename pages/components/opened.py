"""A run opened to its single judgements: the exact prompt, the raw answer, the probabilities, the reason when there is none."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from core.judging import FAILURES
from core.prompts import fill
from core.records import TandemError
from core.store import Store
from pages.components.frame import Study
from pages.components.notice import notice, small
from pages.components.pair import show_texts

PAGE = 25
KINDS = {"": "all answers", "a": "A is better", "b": "B is better", "tie": "ties", "unanswered": "unanswered"}
ANSWERS = {"a": "A", "b": "B", "tie": "tie", "both_bad": "both bad"}


def opened_run(study: Study) -> None:
    """The judgements of the run that was opened, a page of them at a time, and the one that is chosen in full."""
    number = st.session_state.get("opened")
    if number is None:
        return
    try:
        run = study.store.run(number)
    except TandemError:
        del st.session_state["opened"]
        return
    if run.dataset != study.dataset or run.task != "compare":
        return
    title, close = st.columns([8, 1], vertical_alignment="bottom")
    title.subheader(f"Run {number}, answer by answer", anchor=False)
    if close.button("Close", width="stretch"):
        del st.session_state["opened"]
        st.rerun()
    kind = st.segmented_control(
        "Which",
        list(KINDS),
        format_func=KINDS.__getitem__,
        default="",
        label_visibility="collapsed",
        key=f"kind-{number}",
    )
    frame, page = _page(study.store, number, kind or "")
    if frame.empty:
        notice("None of these.")
        return
    chosen = st.dataframe(
        _table(frame),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"answers-{number}-{kind}-{page}",
        column_config={"P(A is better)": st.column_config.NumberColumn(format="%.3f")},
    )
    rows = chosen["selection"]["rows"]
    if rows:
        _answer(study.store, run.judge, frame.iloc[rows[0]])
    else:
        small("Choose a row to read the texts, the prompt and the answer as it came.")


def _page(store: Store, run: int, kind: str) -> tuple[pd.DataFrame, int]:
    key = f"page-{run}-{kind}"
    page = st.session_state.get(key, 0)
    frame = store.run_answers(run, kind=kind, limit=PAGE, offset=page * PAGE)
    pages = -(-frame.attrs["all"] // PAGE)
    if pages > 1:
        page = int(st.number_input(f"Page of {pages:,}", 1, pages, min(page, pages - 1) + 1, width=160)) - 1
        if page != st.session_state.get(key, 0):
            st.session_state[key] = page
            frame = store.run_answers(run, kind=kind, limit=PAGE, offset=page * PAGE)
    return frame, page


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "item": frame["item"],
            "attribute": frame["attribute"],
            "A": frame["system_a"],
            "B": frame["system_b"],
            "answer": frame["outcome"].map(ANSWERS).fillna(frame["failure"]),
            "P(A is better)": frame["prob_a"],
            "votes": frame["votes"],
            "as it came": frame["raw"],
        }
    )


def _answer(store: Store, judge: str, row: pd.Series) -> None:
    """One judgement in full."""
    question = store.question(int(row["attribute_id"]), int(row["generation_a"]), int(row["generation_b"]))
    if row["failure"]:
        reason = FAILURES.get(row["failure"].partition(":")[0], "")
        notice(f"Unanswered: {row['failure']}" + (f" ({reason})" if reason else ""), kind="problem")
    spec = store.judge(judge)
    texts, prompt, raw = st.tabs(["The texts", "The prompt", "The answer as it came"])
    with texts:
        show_texts(question.context, question.context_noun, (question.text_a, question.text_b))
    with prompt:
        if spec.prompt is None:
            small("This judge reads no prompt.")
        else:
            st.text(fill(spec.prompt, question, spec.labels))
    with raw:
        st.code(_pretty(row["raw"]) or "(nothing)", language=None, wrap_lines=True)
        small(f"{int(row['tokens']):,} tokens · {row['created_at']}")


def _pretty(raw: str) -> str:
    """JSON with line breaks, anything else as it is."""
    try:
        return json.dumps(json.loads(raw), indent=1, ensure_ascii=False)
    except ValueError:
        return str(raw)
