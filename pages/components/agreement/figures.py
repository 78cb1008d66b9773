"""The figures of the agreement page: who agrees with whom, and whether disagreement comes from the
judge or the item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.separability import Settings, separabilities
from core.analysis.trust import agreement
from core.charts import Drawing, Estimate, among, named, trust
from core.labels import INTERVALS, KINDS, OVER, WILSON
from core.similarity import METRICS, make_metric
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import told
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot, show_compared

ALPHA = """Krippendorff's alpha (2018): 1 when the judges always agree, 0 when they agree as often
as by chance, below 0 when less often. It allows any number of judges, and missing answers."""
KAPPA = "Cohen's kappa (1960): agreement of two judges beyond chance. 1 is perfect, 0 is chance."
MAJORITY = "What most people say. An annotator is compared with the other annotators."
VERDICT = "A verdict is a judge's answer about a pair of texts, over both orders and all repeats."
OVER_HELP = """What the intervals speak of. **Chosen by the data**: new judges and new items, for
groups of three judges or more and for alpha."""


@dataclass(frozen=True)
class Request:
    """Whose agreement, the metric of the separability it is compared with ('' for none), and what
    intervals are over.
    """

    selection: Selection
    metric: str
    over: str


def compute(study: Study, selection: Selection) -> Result:
    """Agreement, computed anew only when a judgement has been added or withdrawn, or a first
    similarity measured.
    """
    keys = {metric: make_metric(metric).signatures[metric] for metric in METRICS}
    measured = (
        metric for metric, key in keys.items() if study.store.similarities.any(key, study.dataset)
    )
    over = st.selectbox(
        "Intervals for",
        ["", *agreement.OVER],
        format_func=OVER.__getitem__,
        help=OVER_HELP,
        width=2 * WIDE,
    )
    request = Request(selection, next(measured, ""), over)
    if over:
        with told():  # too few judges may have answered
            return _agreement(study.store, request, study.judgements_stamp)
    return _agreement(study.store, replace(request, over=""), study.judgements_stamp)


@cached_report("Computing agreement …")
def _agreement(store: Store, request: Request) -> Result:
    selection, separability = request.selection, None
    if request.metric:
        chosen = Selection(selection.dataset, subset=selection.subset)
        separability = separabilities(store, chosen, Settings(request.metric, resamples=0))
    return agreement.agreement(store, selection, over=request.over, separability=separability)


def show_alpha(result: Result) -> None:
    """Krippendorff's alpha in a sentence, and by attribute where there are several."""
    facts = result.facts
    if facts["alpha_of"] is None:
        return
    judges = " and ".join(KINDS[kind] for kind in str(facts["alpha_of"]).split("+"))
    if pd.isna(facts["alpha"]):
        small(
            f"Krippendorff's alpha of {judges} is undefined: all {facts['units']:,} pairs have the "
            "same verdict."
        )
        return
    low, high = facts["alpha_low"], facts["alpha_high"]
    interval = "" if pd.isna(low) else f" ({low:.2f} to {high:.2f})"
    st.metric(f"Krippendorff's alpha of {judges}", f"{facts['alpha']:.2f}{interval}", help=ALPHA)
    attributes = result.tables["alphas"].dropna(subset=["attribute", "alpha"])
    parts = [f"{row.attribute} {row.alpha:.2f}" for row in attributes.itertuples()]
    more = f" {', '.join(parts)}." if len(parts) > 1 else ""
    small(
        f"0 is chance, 1 is perfect agreement. Based on {several(facts['units'], 'pair')} with at "
        f"least two verdicts.{more}"
    )


def show_by_separability(result: Result) -> None:
    """The one figure that says whether disagreement is the judge's or the item's."""
    by = result.tables["by"]
    bins = by[by["by"].isin(("separability", "item"))]
    if bins["value"].nunique() < 2:
        return
    st.header("Is it the judge, or the item?", anchor=False)
    first = str(result.facts["binned_by"])
    separable = bins["by"].iloc[0] == "separability"
    # A group binned by its own agreement rises whatever it says.
    if bins["group"].nunique() < 2 and not separable:
        small(
            "To tell, let another kind of judge answer the same pairs, or measure separability. "
            "Items on which everybody disagrees then stand out."
        )
        return
    lead(_blame(bins, separable, first))
    title = (
        "separability of the two systems on the item"
        if separable
        else f"items by agreement among {among(first)}"
    )
    number = several(int(bins["verdicts"].sum()), "verdict")
    above = caption(result, "Where judges agree", INTERVALS["agreement"], number)
    show_picture("agreement-by-bins", Drawing(partial(trust.by_bins, bins, title), above), bins)


def _blame(bins: pd.DataFrame, separable: bool, binned_by: str) -> str:
    others = [group for group in dict.fromkeys(bins["group"]) if group != binned_by]
    first = among(binned_by)
    group = binned_by if separable else others[0]
    order = list(dict.fromkeys(bins["value"]))
    rows = bins[bins["group"] == group].set_index("value")
    if not {order[0], order[-1]} <= set(rows.index):
        return "There are too few verdicts in the first and last group to tell."
    low, high = rows.loc[order[0]], rows.loc[order[-1]]
    least, most = f"where {first} agree least", "where they agree most"
    if separable:
        least, most = "where the texts are most alike", "where they differ most"
    rises = high["low"] > low["high"]
    why = (
        "Much of the disagreement comes from the items"
        if rises
        else "The disagreement does not depend on the items"
    )
    ends = f"{low['agreement']:.0%} of pairs {least} and on {high['agreement']:.0%} {most}"
    return f"{why}: {among(group)} agree on {ends}."


def show_pairs(result: Result) -> None:
    """Each pair of judges, as a matrix and as a table."""
    rows = result.rows
    if rows.empty:
        return
    st.header("Agreement between two judges", anchor=False)
    measures = {"Same verdict": "agreement", "Cohen's kappa": "kappa"}
    chosen = st.segmented_control(
        "Show", list(measures), default="Same verdict", help=f"{VERDICT} {KAPPA}"
    )
    value = measures[chosen or "Same verdict"]
    drawn = partial(trust.matrix, rows, value, chosen or "Same verdict")
    above = caption(result, "How far every two judges agree", "")
    show_picture("agreement", Drawing(drawn, above), rows)
    judges = len({*rows["judge_1"], *rows["judge_2"]})
    if judges > trust.MOST_JUDGES:
        small(f"The {trust.MOST_JUDGES} of {judges} judges with most verdicts; the table has all.")
    with st.expander("As a table"):
        st.dataframe(rows.drop(columns="group"), hide_index=True, column_config=_columns())


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "verdicts": number(help="Pairs of texts on which both gave a verdict", format="localized"),
        "agreement": number("same verdict", format="%.2f"),
        "agreement_low": number("95% low", format="%.2f"),
        "agreement_high": number("95% high", format="%.2f"),
        "kappa": number(format="%.2f", help=KAPPA),
        "low": number("kappa 95% low", format="%.2f"),
        "high": number("kappa 95% high", format="%.2f"),
    }


def show_confusion(result: Result) -> None:
    """Which verdicts meet which, for a group of judges."""
    rows = result.tables["confusion"]
    groups = list(dict.fromkeys(rows["group"]))
    if not groups:
        return
    st.header("Confusion matrix", anchor=False)
    start = groups.index("human-llm") if "human-llm" in groups else 0
    group = st.selectbox("Between", groups, index=start, format_func=named, width=2 * WIDE)
    kind_1, _, kind_2 = group.partition("-")
    same = kind_1 == kind_2
    sides = (f"one of the {KINDS[kind_1]}", "another") if same else (KINDS[kind_1], KINDS[kind_2])
    systems = result.tables["by"].query("by == 'systems'")["value"].unique()
    single = systems[0].split(" / ") if len(systems) == 1 else ()
    names = single if len(single) == 2 else ("first", "second")
    words = {"first": f"{names[0]} better", "tie": "tie", "second": f"{names[1]} better"}
    verdicts = rows[rows["group"] == group]
    split = (verdicts[["verdict_1", "verdict_2"]] == "contradicts").any(axis=1)
    if verdicts.loc[split, "verdicts"].sum():
        words["contradicts"] = "contradicts itself"
    verdicts = verdicts[verdicts["verdict_1"].isin(words) & verdicts["verdict_2"].isin(words)]
    number = several(int(verdicts["verdicts"].sum()), "verdict")
    above = caption(result, f"Verdicts of {sides[0]} and {sides[1]}", "", number)
    drawn = partial(trust.confusion, verdicts, sides, words)
    show_picture("agreement-confusion", Drawing(drawn, above), verdicts)
    order = "" if len(single) == 2 else " First and second are the systems in alphabetical order."
    small(f"Shares of {number}. Judges agree where both say the same of the texts.{order}")


def show_majority(result: Result) -> None:
    """Each judge against what most people say."""
    rows = result.tables["majority"]
    if rows.empty:
        return
    st.header("Agreement with the majority", anchor=False, help=MAJORITY)
    shown = rows.assign(label=rows["judge"]).sort_values("agreement", ascending=False)
    drawn = partial(
        trust.dots, shown, "same verdict as most people", Estimate.of("agreement", "verdicts")
    )
    number = several(int(shown["verdicts"].sum()), "verdict")
    above = caption(
        result, "How often each judge agrees with most people", INTERVALS["share"], number
    )
    show_picture("agreement-with-people", Drawing(drawn, above), shown)
    show_compared(result.tables["differences"], "agrees with people")


def show_evidence(result: Result) -> None:
    """Notes, signature and files."""
    foot(result, f"{INTERVALS['agreement']} Those of shares: {WILSON}.")
    names = ("groups", "majority", "differences", "by")
    tables = {"pairs": result.rows, **{name: result.tables[name] for name in names}}
    downloads("agreement-tables", tables)
