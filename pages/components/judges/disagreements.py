"""The disagreements of two judges: a list, and for the chosen one the texts and all answers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.findings.agreement import PEOPLE, list_disagreements
from core.findings.judgements import Finding, Selection
from core.labels import pluralize, shorten_judges
from core.records import Kind, TandemError
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study, link_to_search
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.report import AT_ONCE
from pages.components.shared.texts import read_pairs

_disagreements = cached_report("Looking for disagreements …")(list_disagreements)

MOST_PEOPLE = "most annotators"


def show_disagreements(study: Study, selection: Selection, result: Finding) -> None:
    """Show the items on which two chosen judges disagree, with the texts they read."""
    if len(result.rows):
        st.header("Read where they disagree", anchor=False)
        _list_disagreements(study, selection, result)
        link_to_search(selection, "Find items on which people are split", split=True)


def _list_disagreements(study: Study, selection: Selection, result: Finding) -> None:
    if result.judgements > AT_ONCE and not st.toggle(f"Search {result.judgements:,} judgements"):
        return
    sides = _sides(result)
    if sides is None:
        return
    try:
        stamp = study.scores_stamp if selection.scores else study.judgements_stamp
        differing, counts = _disagreements(study.store, (selection, *sides), stamp)
    except TandemError as error:
        notice(str(error))
        return
    names = tuple(MOST_PEOPLE if side == PEOPLE else side for side in sides)
    both = f"{names[0]} and {names[1]}"
    if differing.empty:
        number = "the only pair" if counts["verdicts"] == 1 else f"all {counts['verdicts']:,} pairs"
        show_caption(f"{both} agree on {number} that both answered.")
        return
    shown = len(differing)
    first = f" These are the {shown:,} furthest apart." if shown < counts["differ"] else ""
    show_caption(
        f"{both} disagree on {counts['differ']:,} of "
        f"{pluralize(counts['verdicts'], 'pair')}.{first} Choose a row to read its texts."
    )
    read_pairs(study, differing, _list_columns(differing, names), "disagreements")
    if PEOPLE in sides:
        (judge,) = (side for side in sides if side != PEOPLE)
        link_to_search(selection, "Find the items of these pairs", judge=judge, differs=True)


def _sides(result: Finding) -> tuple[str, str] | None:
    judges = list(dict.fromkeys([*result.rows["judge_1"], *result.rows["judge_2"]]))
    people = int((result.tables["majority"]["kind"] == Kind.HUMAN.value).sum())
    offered = [*([PEOPLE] if people or len(result.tables["majority"]) else []), *judges]
    left, right, _ = st.columns([3, 3, 5])

    def name_side(name: str) -> str:
        return MOST_PEOPLE if name == PEOPLE else shorten_judges(name)

    first = left.selectbox("Judge", offered, format_func=name_side)
    rest = [name for name in offered if name != first]
    if not rest:
        return None
    kinds = _list_kinds(result)
    machine = [name for name in rest if kinds.get(name, Kind.HUMAN.value) != Kind.HUMAN.value]
    second = right.selectbox(
        "Compared with", rest, format_func=name_side, index=rest.index(machine[0]) if machine else 0
    )
    return first, second


def _list_kinds(result: Finding) -> dict[str, str]:
    names = result.rows[["judge_1", "judge_2", "group"]].drop_duplicates().itertuples(index=False)
    return {
        judge: kind
        for *judges, group in names
        for judge, kind in zip(judges, group.split("-"), strict=True)
    }


def _list_columns(differing: pd.DataFrame, names: tuple[str, ...]) -> dict[str, pd.Series]:
    return {
        "item": differing["item"],
        "systems": differing["system_1"] + " / " + differing["system_2"],
        names[0]: _name_preferred(differing, "verdict_1"),
        names[1]: _name_preferred(differing, "verdict_2"),
    }


def _name_preferred(differing: pd.DataFrame, verdict: str) -> pd.Series:
    preferred = differing["system_1"].where(differing[verdict] == "first", differing["system_2"])
    neither = {"tie": "tie", "contradicts": "contradicts itself"}
    return differing[verdict].map(neither).fillna(preferred)
