"""Parts of the agreement page: who agrees with whom, and whether it is the judge or the item when
they do not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.separability import separabilities
from core.analysis.trust import agreement
from core.charts import among, named, trust
from core.labels import KINDS
from core.similarity import METRICS, make_metric
from core.store import Chosen, Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.report import WIDE, WILSON, downloads, foot, percent
from pages.components.shared.style import theme

ALPHA = """Krippendorff's alpha (2018): 1 when the judges always agree, 0 when they agree as often
as by chance, below 0 when
less often. It takes any number of judges, and missing answers."""
KAPPA = (
    "Cohen's kappa (1960): agreement beyond chance of two judges. 1 is always, 0 is as by chance."
)
TOLD = ("human-human", "human-llm", "llm-llm", "human-gold", "llm-gold")  # in the first sentence
VERDICT = "A verdict is a judge's answer about a pair of texts, over both orders and all repeats."
INTERVALS = f"Intervals: bootstrap over items; of shares {WILSON}."


def counted(study: Study, selection: Selection) -> Result:
    """Agreement, counted anew only when a judgement has been added or withdrawn, or a first
    similarity measured.
    """
    keys = {metric: make_metric(metric).signatures[metric] for metric in METRICS}
    chosen = Chosen(study.dataset)
    metric = next(
        (
            name
            for name, key in keys.items()
            if study.store.similarities.extent(key, chosen).measured
        ),
        "",
    )
    return _counted(
        study.store.path, study.store.judgement_frames.stamp(selection.dataset), selection, metric
    )


@st.cache_data(max_entries=32, show_spinner="Counting who agrees with whom …")
def _counted(path: Path, stamp: str, selection: Selection, metric: str) -> Result:
    with Store(path) as store:
        separability = None
        if metric:
            separability = separabilities(
                store, selection.dataset, metric=metric, subset=selection.subset, resamples=0
            )
        return agreement.agreement(store, selection, separability=separability)


def sentence(result: Result) -> str:
    """How far people agree with each other, and models with people."""
    groups = {row["group"]: row for row in result.tables["groups"].to_dict("records")}
    if not groups:
        judges = "One judge has" if result.judgements else "No judge has"
        return (
            f"{judges} answered here: agreement needs two judges, or more, on the same pairs "
            "of texts."
        )

    def said(group: str) -> str:
        row = groups[group]
        return percent(row["agreement"], row["agreement_low"], row["agreement_high"])

    first, *more = [group for group in TOLD if group in groups] or list(groups)[:3]
    text = f"{among(first)} give the same verdict on {said(first)} of the pairs of texts"
    text += "".join(f"; {among(group)} on {said(group)}" for group in more)
    return f"{text[:1].upper()}{text[1:]}."


def alphas(result: Result) -> None:
    """Krippendorff's alpha in a sentence, and by attribute where there are several."""
    facts = result.facts
    if facts["alpha_of"] is None:
        return
    of = " and ".join(KINDS[kind] for kind in str(facts["alpha_of"]).split("+"))
    if pd.isna(facts["alpha"]):
        small(
            f"Krippendorff's alpha of {of} is undefined: all {facts['units']:,} pairs were "
            "given one and the same verdict."
        )
        return
    interval = (
        f" ({facts['alpha_low']:.2f} to {facts['alpha_high']:.2f})"
        if not pd.isna(facts["alpha_low"])
        else ""
    )
    st.metric(f"Krippendorff's alpha of {of}", f"{facts['alpha']:.2f}{interval}", help=ALPHA)
    by = result.tables["alphas"].dropna(subset="attribute")
    parts = [
        f"{row.attribute} {row.alpha:.2f}" for row in by.itertuples() if not pd.isna(row.alpha)
    ]
    more = f" {', '.join(parts)}." if len(parts) > 1 else ""
    small(
        f"0 is as by chance, 1 is always; over {several(facts['units'], 'pair')} with two "
        f"verdicts or more.{more}"
    )


def judge_or_item(result: Result) -> None:
    """The one figure that says whether disagreement is the judge's or the item's."""
    by = result.tables["by"]
    bins = by[by["by"].isin(("separability", "item"))]
    if bins["value"].nunique() < 2:
        return
    st.subheader("Is it the judge, or the item?", anchor=False)
    first = bins["group"].iloc[0]
    separable = bins["by"].iloc[0] == "separability"
    if (
        bins["group"].nunique() < 2 and not separable
    ):  # a group binned by its own agreement rises whatever it says
        small(
            "It shows once another kind of judge has answered the same pairs, or once "
            "separability has been measured: then "
            "the items on which all disagree stand apart."
        )
        return
    lead(_blame(bins, separable))
    title = (
        "separability of the two systems on the item"
        if separable
        else f"items by how far {among(first)} agree on them"
    )
    st.altair_chart(trust.by_bins(bins, title, theme=theme()), width="stretch", theme=None)


def _blame(bins: pd.DataFrame, separable: bool) -> str:
    groups = list(dict.fromkeys(bins["group"]))
    first = among(groups[0])
    of = groups[0] if separable else groups[1]
    order = list(dict.fromkeys(bins["value"]))
    rows = bins[bins["group"] == of].set_index("value")
    if not {order[0], order[-1]} <= set(rows.index):
        return "Too few verdicts at the ends to tell."
    low, high = rows.loc[order[0]], rows.loc[order[-1]]
    least, most = (f"{first} agree least", "they agree most")
    if separable:
        least, most = ("the texts are most alike", "they are least alike")
    rises = high["low"] > low["high"]
    why = (
        "much of the disagreement is the items'"
        if rises
        else "the disagreement does not go with the items"
    )
    ends = f"on {low['agreement']:.0%} where {least}, and on {high['agreement']:.0%} where {most}"
    return f"{among(of).capitalize()} agree {ends}: {why}."


def pairs(result: Result) -> None:
    """Every two judges, as a matrix and as a table."""
    rows = result.rows
    if rows.empty:
        return
    st.subheader("Every two judges", anchor=False)
    measures = {"Same verdict": "agreement", "Beyond chance (kappa)": "kappa"}
    chosen = st.segmented_control(
        "Show", list(measures), default="Same verdict", help=f"{VERDICT} {KAPPA}"
    )
    value = measures[chosen or "Same verdict"]
    chart = trust.matrix(rows, value, chosen or "Same verdict", theme=theme())
    st.altair_chart(chart, width="content", theme=None)
    judges = len({*rows["judge_1"], *rows["judge_2"]})
    if judges > trust.MOST_JUDGES:
        small(
            f"The {trust.MOST_JUDGES} of {judges} judges with most verdicts; all are in the table."
        )
    with st.expander("As a table"):
        st.dataframe(rows.drop(columns="group"), hide_index=True, column_config=_columns())


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "verdicts": number(help="pairs of texts both gave a verdict on", format="localized"),
        "agreement": number("same verdict", format="%.2f"),
        "agreement_low": number("95% from", format="%.2f"),
        "agreement_high": number("to", format="%.2f"),
        "kappa": number(format="%.2f", help=KAPPA),
        "low": number("kappa 95% from", format="%.2f"),
        "high": number("kappa to", format="%.2f"),
    }


def confusions(result: Result) -> None:
    """Which verdicts meet which, for a group of judges."""
    rows = result.tables["confusion"]
    groups = list(dict.fromkeys(rows["group"]))
    if not groups:
        return
    st.subheader("Which verdicts meet", anchor=False)
    start = groups.index("human-llm") if "human-llm" in groups else 0
    group = st.selectbox("Between", groups, index=start, format_func=named, width=2 * WIDE)
    one, _, other = group.partition("-")
    sides = (KINDS[one], KINDS[other]) if one != other else (f"one of the {KINDS[one]}", "another")
    systems = result.tables["by"].query("by == 'systems'")["value"].unique()
    single = systems[0].split(" / ") if len(systems) == 1 else ()
    names = single if len(single) == 2 else ("first", "second")
    words = {"first": f"{names[0]} better", "tie": "tie", "second": f"{names[1]} better"}
    chart = trust.confusion(rows[rows["group"] == group], sides, words, theme=theme())
    st.altair_chart(chart, width="content", theme=None)
    n = int(rows.loc[rows["group"] == group, "verdicts"].sum())
    named_so = (
        ""
        if len(single) == 2
        else " First and second are the two systems in the order of their names."
    )
    small(
        f"Shares of {several(n, 'verdict')} on the same pair; equal ones on the diagonal.{named_so}"
    )


def majority(result: Result) -> None:
    """Each judge against what most people say."""
    rows = result.tables["majority"]
    if rows.empty:
        return
    st.subheader("Each judge and what most people say", anchor=False)
    shown = rows.assign(label=rows["judge"]).sort_values("agreement", ascending=False)
    chart = trust.dots(
        shown, "same verdict as most people (an annotator: as the others)",
        value="agreement", low="agreement_low", high="agreement_high", n="verdicts", theme=theme(),
    )  # fmt: skip
    st.altair_chart(chart, width="stretch", theme=None)


def evidence(result: Result) -> None:
    """Notes, signature and files."""
    foot(result, INTERVALS)
    tables = {"pairs": result.rows, "groups": result.tables["groups"], "by": result.tables["by"]}
    chart = None
    if len(result.rows):
        chart = trust.matrix(result.rows, "agreement", "same verdict")
    downloads("agreement", tables, chart)
