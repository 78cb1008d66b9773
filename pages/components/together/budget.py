"""The section Budget: how few comparisons would have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from core.findings.budget import chart as charts
from core.findings.budget import columns, list_replayed
from core.findings.judgements import Finding, Selection
from core.labels import KINDS, capitalise, pluralize
from core.rendering import Column
from core.rendering.charts import Drawn
from pages.components.shared.address import bind_choice
from pages.components.shared.filters import Choices, comparers_of
from pages.components.shared.finding import (
    FindingFigure,
    FindingSection,
    Table,
    declare_table,
)
from pages.components.shared.frame import Study
from pages.components.shared.tables import call_judges

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


def _choose_judge(study: Study, choices: Choices, selection: Selection) -> Selection:
    names = list_replayed(study.store, study.dataset)
    called = {**call_judges(names), **KINDS}
    judge = choices.place().selectbox(
        "Whose answers", names, format_func=called.__getitem__, width=300,
        help="Answers of one judge, or of people together", **bind_choice("of", names[0], names),
    )  # fmt: skip
    return replace(selection, judges=(judge,))


def _declare_growth(figure: Column) -> FindingFigure:
    def take(result: Finding, names: Sequence[str]) -> pd.DataFrame:
        rows, facts = result.rows, result.facts
        named = (rows["method"] == facts["method"]) & (rows["debias"] == facts["debias"])
        return rows[named | ~rows["method"].isin(facts["methods"])].dropna(subset=figure.name)

    def draw(result: Finding, rows: pd.DataFrame) -> Callable[..., Drawn]:
        level = None
        if figure.name == result.facts["figure"]:
            level = charts.Level(result.facts["goal"], "goal")
        elif figure.name in (by_all := result.tables["all"]) and by_all[figure.name].notna().any():
            level = charts.Level(float(by_all[figure.name].max()), "all comparisons")
        return partial(charts.draw_by_comparisons, rows, figure, level=level)

    return FindingFigure(
        f"budget-growth-{figure.name.replace('_', '-')}", TITLES[figure.name], take, draw,
        lambda result, rows: figure.interval.caption if figure.interval else "", _count,
        help=GROWTH,
    )  # fmt: skip


def _count(result: Finding, rows: pd.DataFrame) -> str:
    facts = result.facts
    of = f" × {facts['attributes']} attributes" if facts["attributes"] > 1 else ""
    return f"{pluralize(result.judgements, 'judgement')}, {pluralize(facts['items'], 'item')}{of}"


def _declare_fewer(figure: Column) -> FindingFigure:
    return FindingFigure(
        f"budget-{figure.name.replace('_', '-')}", capitalise(figure.label),
        lambda result, names: result.tables["fewer"].dropna(subset=figure.name),
        lambda result, rows: partial(charts.draw_by_candidates, rows, figure),
        lambda result, rows: figure.interval.caption if figure.interval else "",
        lambda result, rows: f"{rows['draws'].iloc[0]:,} draws",
    )  # fmt: skip


_fewer = [_declare_fewer(figure) for figure in columns.SOME]
BUDGET = FindingSection(
    "budget",
    (
        *map(_declare_growth, columns.FIGURES),
        replace(_fewer[0], heading="Fewer candidates", help=FEWER), *_fewer[1:],
    ),
    lambda study: comparers_of(study, "A budget"),
    (
        Table(
            "Comparisons needed",
            lambda result, names: result.tables["needed"].sort_values(
                "needed", na_position="last", kind="stable"
            ),
            lambda result: columns.NEEDED,
            is_folded=False,
        ),
        declare_table("All comparisons", "all"),
    ),
    adjust=_choose_judge,
)  # fmt: skip
