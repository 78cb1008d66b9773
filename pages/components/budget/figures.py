"""The figures of the budget page: lines against the budget, what was needed, fewer candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import budget as charts
from core.findings.budget import BudgetSettings, budget
from core.findings.judgements import Finding, Selection
from core.labels import DEBIASING, INTERVALS
from core.rendering.charts import Drawing
from core.statistics import RATINGS, replay
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import RIGHT, Column, show_table

GROWTH = """Stored answers are asked once more, as each strategy would have chosen them. Bands hold
95% of the replays: what one run might have come to (Liusie et al. 2024, figures 4 and 5)."""
FEWER = """Some of the candidates are drawn at random and compared with each other alone: the share
of their pairs in the same order (Liusie et al. 2024, table 8)."""
NEEDED = """The comparisons an item (of each attribute) at which the mean over replays reaches the
goal for good; a dash where it is not reached before all were asked. Between two budgets far from
each other it names both."""
FIGURES = {
    "spearman": "Spearman with all comparisons",
    "pair_accuracy": "Pairs ordered as by all",
    "human_spearman": "Spearman with people",
    "human_accuracy": "Pairs ordered as people do",
}
TITLES = {
    "spearman": "How quickly a ranking settles",
    "pair_accuracy": "How quickly the order of pairs settles",
    "human_spearman": "How well rankings follow people",
    "human_accuracy": "How many pairs are ordered as people do",
}
NEEDED_BETWEEN = ["needed", "needed_low", "needed_high"]
COLUMNS = {
    "strategy": "pairs", "needed": "comparisons an item", "share": "of those asked",
    "tokens": "tokens", "money": "money", "minutes": "minutes",
    "at_most": "highest reached", "method": "method", "debias": "position",
}  # fmt: skip
WORDS = ("strategy", "method", "debias")
COST = ("tokens", "money", "minutes")


def compute(study: Study, selection: Selection, settings: BudgetSettings) -> Finding:
    """The replays, made anew only when an answer or a score has been added or withdrawn."""
    return _budget(study.store, (selection, settings), study.scores_stamp)


def _seconds(store: Store, request: tuple[Selection, BudgetSettings]) -> float:
    """About how long they take."""
    selection, settings = request
    tally = store.judgement_frames.outcome_counts(selection.dataset)
    of_judge = tally[tally["judge"].isin(selection.judges) | tally["kind"].isin(selection.judges)]
    if selection.attribute:
        of_judge = of_judge[of_judge["attribute"] == selection.attribute]
    return settings.seconds(int(of_judge["count"].sum()))


@cached_report("Asking again …", _seconds)
def _budget(store: Store, request: tuple[Selection, BudgetSettings]) -> Finding:
    return budget(store, *request)


def show_growth(result: Finding) -> None:
    """A line for each strategy, of one figure, method and correction."""
    st.header("The budget grows", anchor=False, help=GROWTH)
    rows = result.rows
    row = st.container(horizontal=True)
    there = [name for name in FIGURES if rows[name].notna().any()]
    facts = result.facts
    figure = row.selectbox(
        "Figure",
        there,
        index=there.index(facts["figure"]) if facts["figure"] in there else 0,
        format_func=FIGURES.__getitem__,
        width=2 * WIDE,
    )
    method = _choose(
        row, "Method", facts["methods"], facts["method"], lambda name: RATINGS[name].label
    )
    own = rows[rows["method"] == method]
    debias = _choose(
        row,
        "Position",
        own["debias"].unique().tolist()[::-1],
        facts["debias"],
        DEBIASING.__getitem__,
    )
    sorts = rows[~rows["method"].isin(facts["methods"])]
    shown = pd.concat([own[own["debias"] == debias], sorts])
    drawn = partial(
        charts.growing, shown, figure, charts.TITLES[figure], level=_level(result, figure)
    )
    of = f"{several(result.judgements, 'judgement')}, {_items(facts)}"
    above = caption(result, TITLES[figure], INTERVALS["replays"], of)
    show_picture("budget-growth", Drawing(drawn, above), shown)


def _choose(
    row: DeltaGenerator,
    label: str,
    names: Sequence[str],
    first: str,
    called: Callable[[str], str],
) -> str:
    """One of the names, `first` until somebody chooses another."""
    if len(names) < 2:
        return names[0]
    index = names.index(first) if first in names else 0
    return str(row.selectbox(label, names, index=index, format_func=called, width=WIDE))


def _items(facts: Mapping[str, Any]) -> str:
    """10 items, or 10 items × 3 attributes."""
    of = f" × {facts['attributes']} attributes" if facts["attributes"] > 1 else ""
    return f"{several(facts['items'], 'item')}{of}"


def _level(result: Finding, figure: str) -> charts.Level | None:
    """The goal; or what all comparisons reach against people."""
    if figure == result.facts["figure"]:
        return charts.Level(result.facts["goal"], "goal")
    by_all = result.tables["all"]
    if figure in by_all and by_all[figure].notna().any():
        return charts.Level(float(by_all[figure].max()), "all comparisons")
    return None


def show_needed(result: Finding) -> None:
    """How many comparisons an item each way needed, fewest first."""
    st.header("Comparisons needed", anchor=False, help=NEEDED)
    rows = result.tables["needed"].sort_values("needed", na_position="last", kind="stable")
    sorts = ~rows["method"].isin(result.facts["methods"])
    shown = rows.assign(
        method=[
            "its own ranking" if own else RATINGS[name].label
            for own, name in zip(sorts, rows["method"], strict=True)
        ],
        debias=rows["debias"].map(DEBIASING),
        needed=[_between(*row) for row in rows[NEEDED_BETWEEN].itertuples(index=False)],
        share=rows["share"].map(lambda value: "–" if pd.isna(value) else f"{value:.0%}"),
        at_most=rows["at_most"].map(lambda most: "–" if pd.isna(most) else f"{most:.2f}"),
        **{name: rows[name].map(_whole) for name in COST},
    )
    columns = {
        name: Column(title, "" if name in WORDS else RIGHT)
        for name, title in COLUMNS.items()
        if name not in COST or rows[name].notna().any()
    }
    show_table(shown, columns, "Comparisons needed")


def _between(number: float, low: float, high: float) -> str:
    """A number of comparisons; where it lies between far budgets, these."""
    if pd.isna(number) or high <= replay.WIDE * low:
        return _short(number)
    return f"{_short(low)} to {_short(high)}" if low else f"at most {_short(high)}"


def _short(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:,.1f}" if value >= 1 else f"{value:.2g}"


def _whole(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def show_fewer(result: Finding) -> None:
    """The order among some of the candidates, beside that among all and that of people."""
    rows = result.tables["fewer"]
    if rows.empty:
        return
    st.header("Fewer candidates", anchor=False, help=FEWER)
    titles = {
        "as_all": "Pairs in the same order as among all candidates",
        "as_people": "Pairs in the order of people",
    }
    for figure, title in titles.items():
        if rows[figure].notna().any():
            drawn = partial(charts.fewer, rows, figure, "share of pairs")
            above = caption(result, title, INTERVALS["draws"], f"{rows['draws'].iloc[0]:,} draws")
            show_picture(f"budget-{figure.replace('_', '-')}", Drawing(drawn, above), rows)


def show_evidence(result: Finding) -> None:
    """Notes, signature and files."""
    facts = result.facts
    if facts["against"]:
        small(f"Rankings are held against {facts['against']}, too.")
    replays = several(facts["replays"], "replay")
    foot(result, f"Bands hold 95% of {replays}, not of items." if facts["replays"] > 1 else "")
    downloads("budget", {"replays": result.rows, **result.tables})
