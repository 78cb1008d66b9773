"""Pairs on which people disagree: a list, the chosen one's texts and votes, its adjudication."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.findings.people import DISPUTES, SAID, SIDES, decide, describe_disputes, disputes, said_on
from core.store import Store
from pages.components.people.scope import choose_scope, stamp
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_done, show_headline
from pages.components.shared.stores import store_action
from pages.components.shared.tables import LOW, choose_row, show_rows
from pages.components.shared.texts import show_stored_pair
from pages.components.shared.visitor import current_session

_disputes = cached_report("Looking for disagreements …")(disputes)

DECIDED = "decision said"
MOST = 500  # pairs that are listed
SYSTEMS = ("system_1", "system_2")
ROWS = ("candidate_1", "candidate_2", "by", "judgement")
"""Columns that files have, and the list has no use for."""
WORDS = {"first": "A is better", "tie": "Neither", "second": "B is better"}


def show_disagreements(study: Study) -> None:
    """Show the pairs on which people's verdicts differ, evenly split ones first."""
    scope = choose_scope(study)
    if scope is None:
        return
    with show_faults():
        rows = _disputes(study.store, scope, stamp(study))
        show_headline(describe_disputes(rows))
        show_done(DECIDED)
        if rows.empty:
            return
        named = st.toggle("Show the systems' names", help="Decide without them: they may sway you.")
        if len(rows) > MOST:
            show_caption(f"The first {MOST} of {len(rows):,}; the file has them all.")
        hidden = () if named else SYSTEMS
        columns = [column for column in DISPUTES if column.name not in (*ROWS, *hidden)]
        chosen = choose_row(rows.head(MOST), columns, f"disputes {named}", tallest=LOW)
        show_caption("Choose a row to read its texts. Evenly split pairs come first.")
        _open(study, rows.iloc[chosen], named)
        kept = rows.drop(columns=["judgement", *hidden])
        downloads("disagreements", {"disagreements": kept})


def _open(study: Study, row: pd.Series, named: bool) -> None:
    st.header("The chosen pair", anchor=False)
    titles = (f"A · {row['system_1']}", f"B · {row['system_2']}") if named else ("A", "B")
    show_stored_pair(study, (row["candidate_1"], row["candidate_2"]), titles)
    _decision(study, row)
    show_rows(said_on(study.store, study.dataset, row), SAID, "What each person said")


def _decision(study: Study, row: pd.Series) -> None:
    key = f"{row['attribute']}-{row['candidate_1']}-{row['candidate_2']}"
    if pd.notna(row["judgement"]):
        with st.container(horizontal=True, vertical_alignment="center"):
            because = f": {row['comment']}" if row["comment"] else ""
            show_caption(f"{row['by']} decided {SIDES[row['decided']]}{because}.")
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
    show_caption("A decision is a gold answer: Agreement and accuracy can be held against it.")


@store_action()
def _decide(store: Store, dataset: str, row: dict[str, Any], decision: tuple[str, str]) -> None:
    better, comment = decision
    decide(store, dataset, pd.Series(row), better, by=current_session().audit_name, comment=comment)
    st.session_state[DECIDED] = f"Decided: {SIDES[better]}."


@store_action()
def _undo(store: Store, judgement: int) -> None:
    store.adjudications.undo(judgement)
    st.session_state[DECIDED] = "The decision is withdrawn."
