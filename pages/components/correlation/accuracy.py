"""How often single judgements are right, a part of the correlation page: by scores, by gold labels,
or by most people.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.judgements import Result, Selection, comparers
from core.analysis.trust import accuracy
from core.charts import trust
from core.labels import DEBIASING
from core.records import Kind, TandemError
from core.store import Store
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, notice, several, small
from pages.components.shared.report import (
    WIDE,
    WIDEST,
    WILSON,
    beyond,
    downloads,
    foot,
    labelled,
    percent,
    selection,
)
from pages.components.shared.style import theme

BY = {"scores": "the scores above", "gold": "gold labels", "human": "what most people say"}
SAID = {"scores": "by the scores", "gold": "by the gold labels", "human": "by what most people say"}
HELP = """Answers about pairs of which one text is the better one: **by scores**, the one with the
higher score; **by gold
labels**, what the data set says; **by what most people say**, an annotator being held against the
others. A tie is half right."""


def truths(study: Study) -> list[str]:
    """What says which text is right besides scores: gold labels, people, where somebody else has
    judged too.
    """
    there = comparers(study.store, study.dataset)
    there = there[~there["by_name"]].drop_duplicates("judge")
    kinds = there["kind"].tolist()
    gold = Kind.GOLD in kinds and len(set(kinds)) > 1
    return [
        name
        for name, told in (("gold", gold), ("human", Kind.HUMAN in kinds and len(kinds) > 1))
        if told
    ]


def alone(study: Study) -> None:
    """The page of a data set without scores: who is right most often, and how correlations are to
    be had.
    """
    row = st.container(horizontal=True)
    by = _by(truths(study), row)
    chosen = selection(study, comparers(study.store, study.dataset), row)
    debias = row.selectbox(
        "Effect of the place", list(DEBIASING), format_func=DEBIASING.__getitem__, width=WIDE
    )
    try:
        result = _counted(
            study.store.path,
            study.store.judgement_frames.stamp(study.dataset),
            chosen,
            by,
            "",
            debias,
        )
    except TandemError as error:
        notice(str(error))
        ways_on(judge="Run a judge", data="Import scores", agreement="Agreement")
        return
    lead(sentence(result))
    _show(result)
    small(
        "How far judges follow scores can be seen here once texts with a column score:ATTRIBUTE "
        "have been imported."
    )


def rights(study: Study, chosen: Selection, rater: str, debias: str) -> None:
    """The part below the correlations: right by the same scores, or by what else there is."""
    st.subheader("Single judgements", anchor=False, help=HELP)
    by = _by(["scores", *truths(study)], st.container(horizontal=True))
    stamps = (study.store.judgement_frames.stamp, study.store.scores.stamp)
    stamp = "-".join(of(study.dataset) for of in stamps)
    try:
        result = _counted(study.store.path, stamp, chosen, by, rater, debias)
    except TandemError as error:
        small(f"How often a judge's single answers are right cannot be told: {error}.")
        return
    small(sentence(result))
    _show(result)


def _by(offered: list[str], row: DeltaGenerator) -> str:
    if len(offered) == 1:
        return offered[0]
    return str(
        row.selectbox("Right is", offered, format_func=BY.__getitem__, width=WIDE, help=HELP)
    )


@st.cache_data(max_entries=32, show_spinner="Counting right answers …")
def _counted(path: Path, stamp: str, chosen: Selection, by: str, rater: str, debias: str) -> Result:
    named = {"rater": rater} if by == "scores" else {}
    with Store(path) as store:
        return accuracy.accuracy(store, chosen, against=by, debias=debias, **named)


def sentence(result: Result) -> str:
    """Who is right most often."""
    rows = labelled(result.rows)
    row = rows.loc[rows["accuracy"].idxmax()]
    most = f", the most of {len(rows)}" if len(rows) > 1 else ""
    right = percent(row["accuracy"], row["low"], row["high"])
    by = SAID[result.facts["against"]]
    both = (
        f" Of the {row['pairs_both_orders']:,} pairs it answered in both orders, it was right "
        "both times on "
        f"{row['accuracy_both_orders']:.0%}."
        if row["pairs_both_orders"]
        else ""
    )
    return (
        f"{row['label']} is right, {by}, in {right} of "
        f"{several(row['comparisons'], 'answer')}{most}; half is chance.{both}"
    )


def _show(result: Result) -> None:
    rows = labelled(result.rows).sort_values("accuracy", ascending=False)
    drawn = partial(
        trust.dots, rows, "right answers (a tie is half)",
        value="accuracy", low="low", high="high", n="comparisons", reference=0.5,
    )  # fmt: skip
    st.altair_chart(drawn(theme=theme()), width="stretch", theme=None)
    beyond(rows, "all are in the CSV")
    _means(result.tables["averages"])
    foot(result, f"Intervals: {WILSON}.")
    tables = {
        "accuracy": result.rows,
        "means": result.tables["averages"],
        "systems": result.tables["systems"],
    }
    downloads("accuracy", {name: table for name, table in tables.items() if len(table)}, drawn())


def _means(rows: pd.DataFrame) -> None:
    """The means over each model's prompts."""
    if rows.empty:
        return
    small("The means over each model's prompts:")
    told = [name for name in ("mode", "settings") if rows[name].any()]
    several = ["attribute"] if rows["attribute"].nunique() > 1 else []
    figures = ["prompts", "comparisons", "accuracy", "low", "high"]
    number = st.column_config.NumberColumn
    share = {"accuracy": "right", "low": "95% from", "high": "to"}
    shown = rows.assign(**{name: 100 * rows[name] for name in share}).sort_values(
        "accuracy", ascending=False
    )
    st.dataframe(
        shown[["model", *told, *several, *figures]],
        hide_index=True,
        column_config={
            "model": st.column_config.TextColumn(width=WIDEST),
            "comparisons": number("answers", format="localized"),
            **{name: number(title, format="%.0f%%") for name, title in share.items()},
        },
    )
