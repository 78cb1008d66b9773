"""The figures of the correlation page: how well judges follow scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import get_args

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import Estimate, Scale, labelled, trust
from core.findings import correlation
from core.findings.correlation import LEVELS, UNITS, Reference, name_rater
from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings
from core.labels import DEBIASING, INTERVALS, figure
from core.rendering.charts import Drawing
from core.statistics import RATINGS, Constant
from core.store import Store
from pages.components.correlation.accuracy import references, show_without_scores
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE, choose_answers, choose_attribute, choose_subset
from pages.components.shared.first_rows import first_rows
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import COUNT, RIGHT, SHARE, TWO, Column, show_table

LEVELS_HELP = """**Within items**: whether a judge orders the texts of an item as people do,
averaged over items. **Between systems**: whether it orders the systems as people do.
**Between all texts**: also counts that some items get higher scores than others."""
COUNTING = {"drop": "are left out", "zero": "count as 0"}
LEFT_OUT = {"drop": "Left out", "zero": "Counted as 0"}
COUNTING_HELP = """Where a judge gives all texts of an item the same value, there is no correlation.
Left out, a judge that differs on few items can look better than it is. Some authors count 0."""
COEFFICIENTS = {"spearman": "Spearman", "kendall": "Kendall's tau-b", "pearson": "Pearson"}
CEILED = ("spearman", "pearson")  # what the noise of raters bounds
METHODS = {name: RATINGS[name].label for name in ("win-ratio", "average-probability")}


@dataclass(frozen=True)
class Request:
    """Whose scores are the reference, and what is compared with them."""

    selection: Selection
    reference: Reference
    settings: RankSettings


def choices(study: Study) -> Request | None:
    """Against whose scores, at which level; None, without scores, after showing what can be told
    without them.
    """
    scores = _raters(study.store, study.dataset, study.scores_stamp)
    if scores.empty and references(study):
        show_without_scores(study)
        return None
    if scores.empty:
        notice(
            "No scores yet. Import texts that people have scored, in a column score:ATTRIBUTE, to "
            "see how well judges follow them. The Agreement page compares judges with each other."
        )
        ways_on(data="Import scores", agreement="Agreement")
        return None
    row = st.container(horizontal=True)
    offered = correlation.rank_references(scores)
    against = row.selectbox("Reference scores", offered, format_func=name_rater, width=WIDE)
    attribute = choose_attribute(scores["attribute"], row)
    subset = choose_subset(study, row)
    level = row.selectbox(
        "Level", list(LEVELS), format_func=LEVELS.__getitem__, help=LEVELS_HELP, width=WIDE
    )
    method = row.selectbox(
        "Rating method", list(METHODS), format_func=METHODS.__getitem__, width=WIDE
    )
    debias = row.selectbox(
        "Position bias", list(DEBIASING), format_func=DEBIASING.__getitem__, width=WIDE
    )
    more = st.expander("More") if level == "item" else None
    constant = _choose_constant(more) if more else "drop"
    selection = Selection(study.dataset, subset=subset, attribute=attribute)
    return Request(
        choose_answers(study, selection, more=more),
        Reference(against, level, constant),
        RankSettings(method=method, debias=debias),
    )


def _choose_constant(more: DeltaGenerator) -> Constant:
    return more.selectbox(
        "Items where a judge gives all texts the same value",
        get_args(Constant),
        format_func=COUNTING.__getitem__,
        help=COUNTING_HELP,
        width=2 * WIDE,
    )


@cached_report("Looking for scores …")
def _raters(store: Store, dataset: str) -> pd.DataFrame:
    return correlation.list_raters(store, dataset)


def compute(study: Study, request: Request) -> Finding:
    """Correlations, computed anew only when a judgement or a score has been added or withdrawn."""
    return _correlation(study.store, request, study.scores_stamp)


@cached_report("Correlating judges with scores …")
def _correlation(store: Store, request: Request) -> Finding:
    return correlation.correlate_all(
        store, request.selection, request.reference, settings=request.settings
    )


def show_overview(result: Finding) -> str:
    """All judges and raters in a picture, and in a table with attributes as columns; which figure
    of them is shown.
    """
    names = {**COEFFICIENTS, "pair_accuracy": "Pairwise accuracy"}
    name = (
        st.segmented_control("Show", list(names), format_func=names.__getitem__, default="spearman")
        or "spearman"
    )
    rows = labelled(result.rows)
    share = name == "pair_accuracy"
    ordered = first_rows(rows.sort_values(name, ascending=False), "judge", "judge", "correlation")
    if ordered[name].notna().any():
        level = result.facts["level"]
        title = f"How well each judge follows the scores by {name_rater(result.facts['against'])}"
        above = caption(result, title, INTERVALS[level], f"{LEVELS[level]}, {_over(result)}")
        drawn = partial(_chart, ordered, name, names[name])
        show_picture("correlation", Drawing(drawn, above), ordered)
    _table(ordered, name, ["judge", "prompt", "of"])
    if share:
        small(
            f"The share of pairs ordered as by the scores, from {_over(result)}. Pairs with equal "
            "scores are left out; an equal rating counts half."
        )
    else:
        small(f"Correlated over {_over(result)}.")
    if name in CEILED and (reached := ceiling(rows)):
        small(reached)
    if result.facts["level"] == "item":
        _undefined(result.rows, result.facts["constant"])
    return name


def _over(result: Finding) -> str:
    """How many items, systems or texts the figures are of."""
    few, most = int(result.rows["n"].min()), int(result.rows["n"].max())
    counted = several(most, UNITS[result.facts["level"]])
    return counted if few == most else f"{few:,} to {counted}"


def ceiling(rows: pd.DataFrame) -> str:
    """What a perfect judge would reach, in words; '' where nobody shared a text."""
    told = rows.drop_duplicates("attribute").dropna(subset="ceiling")
    several_attributes = rows["attribute"].nunique() > 1
    parts = []
    for row in told.to_dict("records"):
        ends = "" if pd.isna(row["ceiling_low"]) else (
            f" ({row['ceiling_low']:.2f} to {row['ceiling_high']:.2f})"
        )  # fmt: skip
        on = f" on {row['attribute']}" if several_attributes else ""
        parts.append(f"{row['ceiling']:.2f}{ends}{on}")
    if not parts:
        return ""
    return (
        f"A perfect judge would reach {', '.join(parts)}, as far as the raters agree: the upright "
        "mark."
    )


def _undefined(rows: pd.DataFrame, constant: Constant) -> None:
    """How many items have no correlation, and why, of the row that has most of them."""
    alike = rows["constant_items"]
    left_out = alike if constant == "drop" else 0 * alike
    same = "where the judge gives all texts the same value"
    _said_of_most("Left out", rows, rows["few_items"],
                  "with fewer than two texts that have a rating and a score")  # fmt: skip
    _said_of_most(LEFT_OUT[constant], rows, alike, same)
    equal = rows["undefined_items"] - rows["few_items"] - left_out
    _said_of_most("Left out", rows, equal, "where all scores are equal")


def _said_of_most(what: str, rows: pd.DataFrame, count: pd.Series, reason: str) -> None:
    if count.max() <= 0:
        return
    most = rows.loc[count.idxmax()]
    several = rows["attribute"].nunique() > 1
    who = f"{most['judge']}, {most['attribute']}" if several else most["judge"]
    upto = "up to " if len(rows) > 1 else ""
    items = most["undefined_items"] + most["items"]
    small(f"{what}: {upto}{count.max():,} of {items:,} items ({who}) {reason}.")


def _chart(rows: pd.DataFrame, name: str, title: str, *, theme: str) -> alt.LayerChart:
    share = name == "pair_accuracy"
    figures = [name, f"{name}_low", f"{name}_high", *(["ceiling"] if name in CEILED else [])]
    ends = rows[figures].stack().dropna()
    wide = (
        (math.floor(10 * min(ends.min(), 0)) / 10, math.ceil(10 * max(ends.max(), 0)) / 10)
        if len(ends)
        else (0, 1)
    )
    return trust.dots(
        rows, title, Estimate.of(name, "n", "ceiling" if name in CEILED else ""),
        Scale(reference=0.5) if share else Scale(wide, ".2f", 0.0), theme=theme,
    )  # fmt: skip


def _table(rows: pd.DataFrame, name: str, about: list[str]) -> None:
    """One figure with its interval, attributes as columns; of what the rows are about, columns that
    tell something.
    """
    figures = [rows[column] for column in (name, f"{name}_low", f"{name}_high")]
    form = SHARE if name == "pair_accuracy" else TWO
    cells = [_with_interval(*row, form) for row in zip(*figures, strict=True)]
    rows = rows.assign(cell=cells, of=rows["of"].map(METHODS).fillna("scores"))
    told = [column for column in about if column == about[0] or rows[column].fillna("").any()]
    table = rows.pivot_table(
        index=told, columns="attribute", values="cell", aggfunc="first", sort=False, dropna=False
    )
    columns = {column: Column(column) for column in about} | {
        "of": Column("rating", help="How its comparisons are rated, or its own scores"),
        "prompts": Column("prompts", COUNT, "Number of prompts averaged"),
        **{column: Column(column, RIGHT) for column in table.columns},
    }
    show_table(table.dropna(how="all").reset_index(), columns, "Correlations")


def _with_interval(value: float, low: float, high: float, form: str) -> str:
    """0.51 (0.42 to 0.60), or 72% (68% to 75%)."""
    said = figure(value, form)
    return said if pd.isna(low) else f"{said} ({figure(low, form)} to {figure(high, form)})"


def show_means(result: Finding, name: str) -> None:
    """The means over a model's prompts, of the figure that is shown."""
    rows = result.tables["averages"]
    if rows.empty:
        return
    st.header("Mean over prompts", anchor=False)
    short = result.rows.drop_duplicates("model").set_index("model")["judge"].map(_short)
    rows = rows.assign(model=[short[model] if ":" in model else model for model in rows["model"]])
    _table(rows, name, ["model", "mode", "settings", "of", "prompts"])
    small("For each model and mode. These are means of correlations, not correlations of means.")
    downloads("correlation-means", {"means": rows})


def _short(judge: str) -> str:
    """The model as its judge's name says it: a folder's path says nothing."""
    return judge.partition("|")[0]


def show_evidence(result: Finding) -> None:
    """Notes, signature and files."""
    foot(result, INTERVALS[result.facts["level"]])
    tables = {"correlation": result.rows, "differences": result.tables["differences"]}
    downloads("correlations", {name: table for name, table in tables.items() if len(table)})
