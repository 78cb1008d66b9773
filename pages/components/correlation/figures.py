"""The figures of the correlation page: how well judges follow scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.findings import correlation
from core.findings.correlation import LEVELS, UNITS, Reference, describe_ceiling, name_rater
from core.findings.correlation.chart import draw_correlation
from core.findings.judgements import Finding, Selection, label_rows
from core.findings.leaderboard import RankSettings
from core.labels import capitalise, pluralize
from core.rendering import Column, lay_across, write_html
from core.statistics import RATINGS, Constant
from core.store import Store
from pages.components.correlation.accuracy import references, show_without_scores
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import (
    WIDE,
    choose_answers,
    choose_attribute,
    choose_item_set,
    choose_subset,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import choose_setting, describe_setting
from pages.components.shared.tables import first_rows

_raters = cached_report("Looking for scores …")(correlation.list_raters)

LEFT_OUT = {"drop": "Left out", "zero": "Counted as 0"}
KEYS = ("judge", "prompt", "of")
METHODS = {name: RATINGS[name].label for name in correlation.TABLED}


def choices(study: Study) -> tuple[Selection, Reference, RankSettings] | None:
    """Ask which scores to compare with, at which level and how.

    Returns None if there are no scores, after showing what can be said without them.
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
        next_step_links(data="Import scores", agreement="Agreement")
        return None
    row = st.container(horizontal=True)
    offered = correlation.rank_references(scores)
    named = {name: name_rater(name) for name in offered}
    against = choose_setting(row, Reference, "against", named, width=WIDE)
    attribute = choose_attribute(scores["attribute"], row)
    subset, items = choose_subset(study, row), choose_item_set(study, row)
    level = choose_setting(row, Reference, "level", width=WIDE)
    method = choose_setting(row, RankSettings, "method", METHODS, width=WIDE)
    debias = choose_setting(row, RankSettings, "debias", width=WIDE)
    more = st.expander("More") if level == "item" else None
    constant = choose_setting(more, Reference, "constant", width=2 * WIDE) if more else "drop"
    bases = ""
    if level == "system":
        named = describe_setting(Reference, "bases")
        bases = row.text_input(**named, placeholder="Names that begin alike", width=WIDE)
    selection = Selection(study.dataset, subset=subset, attribute=attribute, item_set=items)
    return (
        choose_answers(study, selection, more=more),
        Reference(against, level, constant, bases=tuple(bases.split())),
        RankSettings(method=method, debias=debias),
    )


@cached_report("Correlating judges with scores …")
def correlate(
    store: Store, selection: Selection, reference: Reference, settings: RankSettings
) -> Finding:
    """Correlate all judges with the scores of the reference."""
    return correlation.correlate_all(store, selection, reference, settings=settings)


def show_overview(result: Finding) -> str:
    """Show a figure of all judges and raters, in a chart and in a table by attribute.

    Returns the name of the figure shown.
    """
    estimates = {column.name: column for column in result.columns if column.interval}
    name = st.segmented_control(
        "Show", list(estimates), format_func=lambda one: capitalise(estimates[one].label),
        default="spearman",
    ) or "spearman"  # fmt: skip
    rows, column = label_rows(result.rows), estimates[name]
    ordered = first_rows(rows.sort_values(name, ascending=False), "judge", "judge", "correlation")
    if ordered[name].notna().any():
        level = result.facts["level"]
        title = f"How well each judge follows the scores by {name_rater(result.facts['against'])}"
        above = caption(
            result, title, result.interval, f"{LEVELS[level]}, {_describe_units(result)}"
        )
        drawn = partial(draw_correlation, ordered, column)
        show_picture("correlation", drawn, above, ordered)
    _show_across(ordered, [one for one in result.columns if one.name in KEYS], column)
    if name == "pair_accuracy":
        show_caption(
            f"{column.help}, from {_describe_units(result)}. Pairs with equal scores are left out."
        )
    else:
        show_caption(f"Correlated over {_describe_units(result)}.")
    if name in correlation.columns.CEILED and (reached := describe_ceiling(rows)):
        show_caption(reached)
    if result.facts["level"] == "item":
        _show_undefined(result.rows, result.facts["constant"])
    return name


def _describe_units(result: Finding) -> str:
    """Describe how many items, systems or texts the figures rest on."""
    few, most = int(result.rows["n"].min()), int(result.rows["n"].max())
    counted = pluralize(most, UNITS[result.facts["level"]])
    return counted if few == most else f"{few:,} to {counted}"


def _show_undefined(rows: pd.DataFrame, constant: Constant) -> None:
    """Show how many items have no correlation, and why, for the row with the most of them."""
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
    show_caption(f"{what}: {upto}{count.max():,} of {items:,} items ({who}) {reason}.")


def _show_across(rows: pd.DataFrame, keys: Sequence[Column], column: Column) -> None:
    st.html(write_html(lay_across(rows, keys, column), "Correlations"))


def show_means(result: Finding, name: str) -> None:
    """Show the means of the chosen figure over a model's prompts."""
    rows = result.tables["averages"]
    if rows.empty:
        return
    st.header("Mean over prompts", anchor=False)
    short = (
        result.rows.drop_duplicates("model").set_index("model")["judge"].map(_shorten_judge_name)
    )
    rows = rows.assign(model=[short[model] if ":" in model else model for model in rows["model"]])
    declared = {column.name: column for column in result.table_columns["averages"]}
    keys = [declared[key] for key in ("model", "mode", "settings", "of", "prompts")]
    _show_across(rows, keys, declared[name])
    show_caption(
        "For each model and mode. These are means of correlations, not correlations of means."
    )
    downloads("correlation-means", {"means": rows})


def _shorten_judge_name(judge: str) -> str:
    """Shorten a judge's name to its model, without the path of a folder."""
    return judge.partition("|")[0]


def show_evidence(result: Finding) -> None:
    """Show the notes, the signature and the files."""
    tables = {"correlation": result.rows, "differences": result.tables["differences"]}
    foot(result, result.interval, name="correlations", tables=tables)
