"""Statistics of each annotator with the votes behind them; pairs on which people disagree."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.chart import draw_fits
from core.findings.judgements import Finding
from core.findings.people import (
    BEHIND,
    DISPUTES,
    SAID,
    SIDES,
    USUAL,
    Scope,
    annotators,
    decide,
    decisions,
    describe_annotator,
    describe_annotators,
    describe_disputes,
    disputes,
    list_surprising_votes,
    said_on,
    votes,
)
from core.labels import pluralize
from core.store import Store
from pages.components.people.progress import choose_scope, stamp
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.frame import Study
from pages.components.shared.notice import (
    show_caption,
    show_done,
    show_faults,
    show_headline,
)
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.stores import store_action
from pages.components.shared.tables import LOW, choose_row, show_rows
from pages.components.shared.texts import show_stored_pair, show_texts
from pages.components.shared.visitor import current_session

_annotators = cached_report("Looking at each person's votes …")(annotators)

DONE = "exclusion said"


def show_annotators(study: Study) -> None:
    """Show all people in one table, and the most surprising votes of the chosen person."""
    scope = choose_scope(study)
    if scope is None:
        return
    with show_faults():
        result = _annotators(study.store, scope, stamp(study))
        sentence = describe_annotators(result)
        show_headline(sentence)
        show_done(DONE)
        _picture(result)
        _open(study, scope, _choose_person(result))
        tables = {"annotators": result.rows}
        unsaid = replace(result, notes=[note for note in result.notes if note not in sentence])
        foot(unsaid, result.interval, name="annotators", tables=tables)


def _picture(result: Finding) -> None:
    rows = result.rows.query("misfit or by_chance > usual_high")
    rows = rows.sort_values("infit", ascending=False)
    if len(rows) < 2:
        return
    number = pluralize(int(rows["decisions"].sum()), "decision")
    title = "How well each person's decisions fit the others'"
    above = caption(result, title, USUAL.caption, number)
    show_picture("annotators-infit", partial(draw_fits, rows), above, rows)


def _choose_person(result: Finding) -> dict[Hashable, Any]:
    """Return the chosen person: at first who has the most warnings, then the worst fit."""
    rows = result.rows.assign(reasons=result.rows["worries"].map(len))
    worst = int(rows.sort_values(["reasons", "infit"], ascending=False).index[0])
    chosen = choose_row(result.rows, result.columns, "annotators", first=worst)
    show_caption("Choose a row to read the votes behind it.")
    return result.rows.to_dict("records")[chosen]


def _open(study: Study, scope: Scope, row: dict[Hashable, Any]) -> None:
    person = str(row["annotator"])
    st.header("One person", anchor=False)
    show_caption(f"{person}: {describe_annotator(row)}")
    _exclusion(study, person, bool(row["excluded"]))
    with show_faults():
        _show_surprising_votes(study, scope, person)


@cached_report("Looking for the votes behind it …")
def _load_surprising_votes(store: Store, scope: Scope, person: str) -> pd.DataFrame:
    return list_surprising_votes(store, decisions(votes(store, scope)), person)


def _show_surprising_votes(study: Study, scope: Scope, person: str) -> None:
    rows = _load_surprising_votes(study.store, (scope, person), stamp(study))
    if rows.empty:
        show_caption("No decisive answers yet, so no votes to read.")
        return
    show_caption("Most surprising first: “expected” is how often people would choose so.")
    vote = rows.iloc[choose_row(rows, BEHIND, f"behind {person}", tallest=LOW)]
    text_format = study.store.datasets.text_format(study.dataset, vote.get("attribute", ""))
    texts = vote["text_a"], vote["text_b"]
    show_texts(vote["context"], study.context_noun, texts, text_format=text_format, folded=True)


def _exclusion(study: Study, person: str, excluded: bool) -> None:
    dataset = study.dataset
    if excluded:
        st.button("Count their votes again", on_click=_lift, args=(dataset, person))
        return
    with st.popover("Leave their votes out"):
        show_caption("Statistics leave them out, and others are asked again. Nothing is deleted.")
        st.text_input("Why", key=f"why {person}", max_chars=200)
        st.button(
            "Leave out", type="primary", on_click=_exclude, args=(dataset, person),
            key=f"exclude {person}",
        )  # fmt: skip


@store_action()
def _exclude(store: Store, dataset: str, person: str) -> None:
    reason = str(st.session_state[f"why {person}"])
    number = store.exclusions.add(dataset, person, reason=reason, by=current_session().audit_name)
    st.session_state[DONE] = f"{number:,} votes of {person} are left out of statistics."


@store_action()
def _lift(store: Store, dataset: str, person: str) -> None:
    number = store.exclusions.lift(dataset, person, by=current_session().audit_name)
    st.session_state[DONE] = f"{number:,} votes of {person} count again."


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
        _show_dispute(study, rows.iloc[chosen], named)
        kept = rows.drop(columns=["judgement", *hidden])
        downloads("disagreements", {"disagreements": kept})


def _show_dispute(study: Study, row: pd.Series, named: bool) -> None:
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
                on_click=_undo, args=(int(row["judgement"]),),
            )  # fmt: skip
    comment = st.text_input("Why (optional)", key=f"comment {key}", max_chars=500)
    with st.container(horizontal=True):
        for better, words in WORDS.items():
            st.button(
                words, key=f"{better} {key}", on_click=_decide,
                args=(study.dataset, row.to_dict(), (better, comment)),
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
