"""Choices and figures of the Budget page: curves against the budget, comparisons needed, and fewer
candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.budget import BudgetSettings, budget, columns, list_replayed
from core.findings.budget import chart as charts
from core.findings.judgements import Finding, Selection
from core.labels import DEBIASING, KINDS, capitalise, pluralize
from core.statistics import RATINGS
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.filters import (
    WIDE,
    choose_answers,
    choose_attribute,
    choose_item_set,
    choose_subset,
    comparers_of,
)
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import choose_number, choose_setting, choose_several
from pages.components.shared.tables import show_rows


def choices(study: Study) -> tuple[Selection, BudgetSettings] | None:
    """Ask for the selection and settings of the Budget page; None without comparisons."""
    judges = comparers_of(study, "A budget")
    if judges.empty:
        return None
    row = st.container(horizontal=True)
    judge = row.selectbox(
        "Whose answers", list_replayed(study.store, study.dataset), width=300,
        format_func=lambda name: KINDS.get(name, name),
        help="Answers of one judge, or of people together",
    )  # fmt: skip
    of_judge = judges[(judges[["judge", "kind"]] == judge).any(axis=1)]
    attribute = choose_attribute(of_judge["attribute"], row)
    subset, items = choose_subset(study, row), choose_item_set(study, row)
    level = choose_setting(row, BudgetSettings, "level", width=WIDE)
    more = st.expander("More")
    settings = _choose_advanced_settings(more, level)
    selection = Selection(
        study.dataset, subset=subset, attribute=attribute, judges=(judge,), item_set=items
    )
    return choose_answers(study, selection, more=more), settings


def _choose_advanced_settings(more: DeltaGenerator, level: str) -> BudgetSettings:
    row = more.container(horizontal=True)
    pairings = choose_several(row, BudgetSettings, "pairings", width=3 * WIDE)
    methods = choose_several(row, BudgetSettings, "methods", width=2 * WIDE)
    replays = choose_number(row, BudgetSettings, "replays", max_value=1000)
    goal = choose_number(row, BudgetSettings, "goal", min_value=0.5, max_value=1.0, step=0.01)
    return BudgetSettings(level, pairings=pairings, methods=methods, replays=replays, goal=goal)


GROWTH = """Stored answers are asked once more, as each strategy would have chosen them. Bands hold
95% of the replays: what one run might have come to (Liusie et al. 2024, figures 4 and 5)."""
FEWER = """Some of the candidates are drawn at random and compared with each other alone: the share
of their pairs in the same order (Liusie et al. 2024, table 8)."""
TITLES = {
    "spearman": "How quickly a ranking settles",
    "pair_accuracy": "How quickly the order of pairs settles",
    "human_spearman": "How well rankings follow people",
    "human_accuracy": "How many pairs are ordered as people do",
}


replay = cached_report("Asking again …", lane=SLOW)(budget)


def show_growth(result: Finding) -> None:
    """Show a line for each strategy, for one figure, method and correction."""
    st.header("The budget grows", anchor=False, help=GROWTH)
    rows = result.rows
    row = st.container(horizontal=True)
    there = [column for column in columns.FIGURES if rows[column.name].notna().any()]
    facts = result.facts
    names = [column.name for column in there]
    figure = row.selectbox(
        "Figure",
        there,
        index=names.index(facts["figure"]) if facts["figure"] in names else 0,
        format_func=lambda column: capitalise(column.label),
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
    drawn = partial(charts.draw_by_comparisons, shown, figure, level=_level(result, figure.name))
    of = f"{pluralize(result.judgements, 'judgement')}, {_items(facts)}"
    above = caption(result, TITLES[figure.name], figure.interval.caption, of)
    show_picture("budget-growth", drawn, above, shown)


def _choose(
    row: DeltaGenerator,
    label: str,
    names: Sequence[str],
    first: str,
    called: Callable[[str], str],
) -> str:
    """Ask for one of the names, at first `first`."""
    if len(names) < 2:
        return names[0]
    index = names.index(first) if first in names else 0
    return str(row.selectbox(label, names, index=index, format_func=called, width=WIDE))


def _items(facts: Mapping[str, Any]) -> str:
    """Write the size of the data: 10 items, or 10 items × 3 attributes."""
    of = f" × {facts['attributes']} attributes" if facts["attributes"] > 1 else ""
    return f"{pluralize(facts['items'], 'item')}{of}"


def _level(result: Finding, figure: str) -> charts.Level | None:
    """Return the goal, or what all comparisons reach against people."""
    if figure == result.facts["figure"]:
        return charts.Level(result.facts["goal"], "goal")
    by_all = result.tables["all"]
    if figure in by_all and by_all[figure].notna().any():
        return charts.Level(float(by_all[figure].max()), "all comparisons")
    return None


def show_needed(result: Finding) -> None:
    """Show how many comparisons per item each strategy needed, fewest first."""
    st.header("Comparisons needed", anchor=False, help=columns.LEAST.help)
    rows = result.tables["needed"].sort_values("needed", na_position="last", kind="stable")
    show_rows(rows, columns.NEEDED, "Comparisons needed")


def show_fewer(result: Finding) -> None:
    """Show the order among some candidates, beside that among all and that of people."""
    rows = result.tables["fewer"]
    if rows.empty:
        return
    st.header("Fewer candidates", anchor=False, help=FEWER)
    for figure in columns.SOME:
        if rows[figure.name].notna().any():
            drawn = partial(charts.draw_by_candidates, rows, figure)
            title, draws = capitalise(figure.label), f"{rows['draws'].iloc[0]:,} draws"
            above = caption(result, title, figure.interval.caption, draws)
            show_picture(f"budget-{figure.name.replace('_', '-')}", drawn, above, rows)


def show_evidence(result: Finding) -> None:
    """Show the notes, the signature and the files."""
    facts = result.facts
    if facts["against"]:
        show_caption(f"Rankings are held against {facts['against']}, too.")
    replays = pluralize(facts["replays"], "replay")
    bands = f"Bands hold 95% of {replays}, not of items." if facts["replays"] > 1 else ""
    foot(result, bands, name="budget", tables={"replays": result.rows, **result.tables})
