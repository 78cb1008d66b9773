"""The disagreements of two judges: their list, and of one of them the texts side by side with what
everybody said.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.trust import PEOPLE, disagreements
from core.records import Kind, TandemError
from core.store import Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small
from pages.components.shared.report import AT_ONCE
from pages.components.shared.texts import show_texts

MOST_PEOPLE = "most people"


def drill_down(study: Study, selection: Selection, result: Result) -> None:
    """Where two judges disagree, chosen by name, and what they read."""
    rows = result.rows
    if rows.empty:
        return
    st.subheader("Read the disagreements", anchor=False)
    if result.judgements > AT_ONCE and not st.toggle(
        f"Look for them among {result.judgements:,} judgements"
    ):
        return
    sides = _sides(result)
    if sides is None:
        return
    one, other = sides
    try:
        found, counts = _found(
            study.store.path,
            study.store.judgement_frames.stamp(selection.dataset),
            selection,
            one,
            other,
        )
    except TandemError as error:
        notice(str(error))
        return
    names = tuple(MOST_PEOPLE if side == PEOPLE else side for side in sides)
    if found.empty:
        number = "the one pair" if counts["verdicts"] == 1 else f"all {counts['verdicts']:,} pairs"
        small(f"{names[0]} and {names[1]} agree on {number} both gave a verdict on.")
        return
    first = f", the {len(found):,} furthest apart" if len(found) < counts["differ"] else ""
    differ = (
        f"{names[0]} and {names[1]} differ on {counts['differ']:,} of "
        f"{counts['verdicts']:,} pairs{first}."
    )
    small(f"{differ} Choose a row to read it.")
    _open(study, found.iloc[_chosen(found, names)])


def _sides(result: Result) -> tuple[str, str] | None:
    judges = list(dict.fromkeys([*result.rows["judge_1"], *result.rows["judge_2"]]))
    people = int((result.tables["majority"]["kind"] == Kind.HUMAN.value).sum())
    offered = [*([PEOPLE] if people or len(result.tables["majority"]) else []), *judges]
    left, right, _ = st.columns([3, 3, 5])

    def shown(name: str) -> str:
        return MOST_PEOPLE if name == PEOPLE else name

    one = left.selectbox("Between", offered, format_func=shown)
    rest = [name for name in offered if name != one]
    if not rest:
        return None
    machine = [name for name in rest if _kind(result, name) != Kind.HUMAN.value]
    other = right.selectbox(
        "and", rest, format_func=shown, index=rest.index(machine[0]) if machine else 0
    )
    return one, other


def _kind(result: Result, judge: str) -> str:
    rows = result.rows
    for place, side in enumerate(("judge_1", "judge_2")):
        groups = rows.loc[rows[side] == judge, "group"]
        if len(groups):
            return str(groups.iloc[0].split("-")[place])
    return Kind.HUMAN.value


@st.cache_data(max_entries=16, show_spinner="Looking for disagreements …")
def _found(
    path: Path, stamp: str, selection: Selection, one: str, other: str
) -> tuple[pd.DataFrame, dict[str, int]]:
    with Store(path) as store:
        rows, counts = disagreements.disagreements(store, selection, one, other)
        return rows, dict(counts)


def _chosen(found: pd.DataFrame, names: tuple[str, ...]) -> int:
    """The row that is chosen, else the first."""
    shown = pd.DataFrame(
        {
            "item": found["item"],
            "attribute": found["attribute"],
            "systems": found["system_1"] + " / " + found["system_2"],
            names[0]: _better(found, "verdict_1"),
            names[1]: _better(found, "verdict_2"),
        }
    )
    event: Any = st.dataframe(
        shown,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height=240,
        key="disagreements",
    )
    rows = event["selection"]["rows"]
    return int(rows[0]) if rows and rows[0] < len(found) else 0


def _better(found: pd.DataFrame, verdict: str) -> pd.Series:
    better = found["system_1"].where(found[verdict] == "first", found["system_2"])
    return better.where(found[verdict] != "tie", "tie")


def _open(study: Study, row: pd.Series) -> None:
    context, text_1, text_2 = study.store.datasets.pair_texts(
        row["generation_1"], row["generation_2"]
    )
    about = study.store.datasets.summary().set_index("dataset").loc[study.dataset]
    show_texts(
        context,
        str(about["context_noun"]),
        (text_1, text_2),
        titles=(row["system_1"], row["system_2"]),
        folded=True,
    )
    said = disagreements.answers_on(
        study.store, study.dataset, row["attribute"], row["generation_1"], row["generation_2"]
    )
    systems = {"1": row["system_1"], "2": row["system_2"]}
    shown = pd.DataFrame(
        {
            "judge": said["judge"],
            "kind": said["kind"],
            "prefers": said["better"].map(lambda better: systems.get(better, better)),
            "shown first": said["shown_first"].astype(str).map(systems),
            "comment": said["comment"],
            "raw answer": said["raw"],
        }
    )
    empty = [name for name in ("comment", "raw answer") if not shown[name].astype(bool).any()]
    st.dataframe(shown.drop(columns=empty), hide_index=True)
