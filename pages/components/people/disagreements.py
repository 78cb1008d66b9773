"""Where people disagree: a list, the texts and votes of the chosen pair, and deciding it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.people import Scope, decide, disputes, said_on
from core.store import Store
from pages.components.people.scope import choose_scope, stamp
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import action, told
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, notice, several, small
from pages.components.shared.stores import reopen
from pages.components.shared.texts import show_texts
from pages.components.shared.visitor import visit

DECIDED = "decision said"
MOST = 500  # pairs that are listed
SIDES = {"first": "A", "tie": "neither", "second": "B"}
WORDS = {"first": "A is better", "tie": "Neither", "second": "B is better"}


def show_disagreements(study: Study) -> None:
    """The pairs on which people's verdicts differ, evenly split ones first."""
    scope = choose_scope(study)
    if scope is None:
        return
    with told():
        rows = _disputes(study.store, scope, stamp(study))
        lead(_sentence(rows))
        if said := st.session_state.pop(DECIDED, ""):
            notice(said, kind="good")
        if rows.empty:
            return
        named = st.toggle("Show the systems' names", help="Decide without them: they may sway you.")
        if len(rows) > MOST:
            small(f"The first {MOST} of {len(rows):,}; the file has them all.")
        _open(study, rows.iloc[_chosen(rows.head(MOST), named)], named)
        downloads("disagreements", {"disagreements": _outside(rows, named)})


@cached_report("Looking for disagreements …")
def _disputes(store: Store, scope: Scope) -> pd.DataFrame:
    return disputes(store, scope)


def _sentence(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "People agree on every pair that several of them judged."
    decided = int(rows["decided"].notna().sum())
    done = f"{decided:,} of them {'is' if decided == 1 else 'are'} decided" if decided else (
        "None of them is decided"
    )  # fmt: skip
    return f"People disagree on {several(len(rows), 'pair')}. {done}."


def _outside(rows: pd.DataFrame, named: bool) -> pd.DataFrame:
    """What leaves the page: without names of systems unless they are shown."""
    hidden = ["judgement", *([] if named else ["system_1", "system_2"])]
    return rows.drop(columns=hidden)


def _chosen(rows: pd.DataFrame, named: bool) -> int:
    shown = pd.DataFrame(
        {
            "item": rows["item"],
            "attribute": rows["attribute"],
            **({"A": rows["system_1"], "B": rows["system_2"]} if named else {}),
            "for A": rows["first"],
            "neither": rows["tie"],
            "for B": rows["second"],
            "decided": rows["decided"].map(SIDES),
            "because": rows["comment"],
        }
    )
    empty = [name for name in ("decided", "because") if shown[name].isna().all()]
    event: Any = st.dataframe(
        shown.drop(columns=empty),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=min(35 * (len(shown) + 1) + 3, 240),
        key=f"disputes {named}",
    )
    small("Choose a row to read its texts. Evenly split pairs come first.")
    chosen = event["selection"]["rows"]
    return int(chosen[0]) if chosen and chosen[0] < len(rows) else 0


def _open(study: Study, row: pd.Series, named: bool) -> None:
    st.header("The chosen pair", anchor=False)
    context, text_1, text_2 = study.store.datasets.pair_texts(
        int(row["candidate_1"]), int(row["candidate_2"])
    )
    titles = (f"A · {row['system_1']}", f"B · {row['system_2']}") if named else ("A", "B")
    show_texts(context, study.context_noun, (text_1, text_2), titles=titles, folded=True)
    _decision(study, row)
    said = said_on(study.store, study.dataset, row)
    votes = pd.DataFrame(
        {
            "person": said["person"],
            "prefers": said["better"].replace({**SIDES, "both_bad": "both bad"}),
            "saw first": said["shown_first"].map({1: "A", 2: "B"}),
            "comment": said["comment"],
        }
    )
    if not votes["comment"].astype(bool).any():
        votes = votes.drop(columns="comment")
    st.dataframe(votes, hide_index=True)


def _decision(study: Study, row: pd.Series) -> None:
    key = f"{row['attribute']}-{row['candidate_1']}-{row['candidate_2']}"
    if pd.notna(row["judgement"]):
        with st.container(horizontal=True, vertical_alignment="center"):
            because = f": {row['comment']}" if row["comment"] else ""
            small(f"{row['by']} decided {SIDES[row['decided']]}{because}.")
            st.button(
                "Undo", type="tertiary", key=f"undo {key}",
                on_click=_undo, args=(study.store.path, int(row["judgement"])),
            )  # fmt: skip
    comment = st.text_input("Why (optional)", key=f"comment {key}", max_chars=500)
    with st.container(horizontal=True):
        for better, words in WORDS.items():
            st.button(
                words, key=f"{better} {key}", on_click=_decide,
                args=(study.store.path, study.dataset, row.to_dict(), (better, comment)),
            )  # fmt: skip
    small("A decision is a gold answer: Agreement and accuracy can be held against it.")


@action
def _decide(path: Path, dataset: str, row: dict[str, Any], decision: tuple[str, str]) -> None:
    better, comment = decision
    with reopen(path) as store:
        decide(store, dataset, pd.Series(row), better, by=visit().who, comment=comment)
    st.session_state[DECIDED] = f"Decided: {SIDES[better]}."


@action
def _undo(path: Path, judgement: int) -> None:
    with reopen(path) as store:
        store.adjudications.undo(judgement)
    st.session_state[DECIDED] = "The decision is withdrawn."
