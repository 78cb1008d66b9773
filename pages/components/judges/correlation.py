"""The section Correlation: how well judges follow scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.findings import correlation
from core.findings.chart import draw_correlation
from core.findings.correlation import UNITS, name_rater
from core.findings.judgements import Finding, Selection, label_rows
from core.findings.leaderboard import RankSettings
from core.labels import capitalise, pluralize
from core.rendering import Column, lay_across, write_html
from core.statistics import RATINGS
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.finding import FindingFigure, FindingSection, declare_table
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import Offered, list_labels

_raters = cached_report("Looking for scores …")(correlation.list_raters)

LEFT_OUT = {"drop": "Left out", "zero": "Counted as 0"}
KEYS = ("judge", "prompt", "of")
METHODS = {name: RATINGS[name].label for name in correlation.TABLED}
FIRST = "spearman"


def _find_scores(study: Study) -> pd.DataFrame:
    """Return who has scored what; if nobody has, say how to get scores."""
    scores = _raters(study.store, study.dataset, study.scores_stamp)
    if scores.empty:
        notice(
            "No scores yet. Import texts that people have scored, in a column score:ATTRIBUTE, to "
            "see how well judges follow them."
        )
        next_step_links(data="Import scores", agreement="Agreement")
    return scores


def _offer(study: Study) -> Mapping[str, Offered]:
    scores = _raters(study.store, study.dataset, study.scores_stamp)
    raters = {name: name_rater(name) for name in correlation.rank_references(scores)}
    return {"against": raters, "method": METHODS}


def _sort_rows(result: Finding, judges: Sequence[str] = (), by: str = FIRST) -> pd.DataFrame:
    rows = label_rows(result.rows).sort_values(by, ascending=False)
    return rows[rows["judge"].isin(judges)] if judges else rows


def _find_column(result: Finding, name: str) -> Column:
    return next(column for column in result.columns if column.name == name)


def _declare_figure(name: str) -> FindingFigure:
    return FindingFigure(
        "correlation", "How well each judge follows the scores",
        lambda result, judges: _sort_rows(result, judges, name).dropna(subset=name),
        lambda result, rows: partial(draw_correlation, rows, _find_column(result, name)),
        lambda result, rows: result.interval,
        lambda result, rows: (
            f"Scores by {name_rater(result.facts['against'])}, {_describe_units(result)}"
        ),
    )  # fmt: skip


def _describe_basis(result: Finding) -> Iterable[str]:
    yield f"Correlated over {_describe_units(result)}."
    if result.facts["level"] == "item":
        yield from _describe_undefined(result.rows, result.facts["constant"])


def _describe_units(result: Finding) -> str:
    few, most = int(result.rows["n"].min()), int(result.rows["n"].max())
    counted = pluralize(most, UNITS[result.facts["level"]])
    return counted if few == most else f"{few:,} to {counted}"


def _describe_undefined(rows: pd.DataFrame, constant: str) -> Iterable[str]:
    """Say how many items have no correlation, and why, for the row with the most of them."""
    alike = rows["constant_items"]
    left_out = alike if constant == "drop" else 0 * alike
    several = rows["attribute"].nunique() > 1
    for what, count, reason in (
        (
            "Left out", rows["few_items"],
            "with fewer than two texts that have a rating and a score",
        ),
        (LEFT_OUT[constant], alike, "where the judge gives all texts the same value"),
        (
            "Left out", rows["undefined_items"] - rows["few_items"] - left_out,
            "where all scores are equal",
        ),
    ):  # fmt: skip
        if count.max() > 0:
            most = rows.loc[count.idxmax()]
            who = f"{most['judge']}, {most['attribute']}" if several else most["judge"]
            upto = "up to " if len(rows) > 1 else ""
            items = most["undefined_items"] + most["items"]
            yield f"{what}: {upto}{count.max():,} of {items:,} items ({who}) {reason}."


def _look_closer(
    study: Study, selection: Selection, result: Finding, judges: Sequence[str]
) -> None:
    for sentence in _describe_basis(result):
        show_caption(sentence)
    estimates = {column.name: column for column in result.columns if column.interval}
    bound = bind_choice("figure", FIRST, list(estimates))
    name = str(
        st.segmented_control(
            "By attribute", list(estimates), required=True, **bound,
            format_func=lambda one: capitalise(estimates[one].label),
        )
    )  # fmt: skip
    keys = [column for column in result.columns if column.name in KEYS]
    rows, column = _sort_rows(result, judges, name), estimates[name]
    st.html(write_html(lay_across(rows, keys, column), "Correlations"))
    if name == "pair_accuracy":
        show_caption(f"{column.help}. Pairs with equal scores are left out.")


CORRELATION = FindingSection(
    "correlation",
    (_declare_figure(FIRST),),
    _find_scores,
    (
        declare_table(
            "Mean over prompts", "averages",
            help="For each model and mode: means of correlations, not correlations of means.",
        ),
        declare_table("Judges held against the best", "differences"),
    ),
    without=tuple(name for name in list_labels(RankSettings) if name not in ("method", "debias")),
    offer=_offer,
    order=lambda result: list(dict.fromkeys(_sort_rows(result)["judge"])),
    look_closer=_look_closer,
    ways_on={"annotate": "Annotate", "judge": "Run a judge", "data": "Import scores"},
)  # fmt: skip
