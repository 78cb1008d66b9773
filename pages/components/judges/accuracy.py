"""The sections Accuracy and Correlation: how far judges follow gold labels, people and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from core.findings import correlation
from core.findings.accuracy import REFERENCES, list_references
from core.findings.correlation import UNITS, name_rater
from core.findings.judgements import Finding, Selection, list_selected_comparers
from core.findings.leaderboard import RankSettings
from core.labels import capitalise, pluralize
from core.statistics import RATINGS
from pages.components.shared.address import choose_view
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import comparers_of
from pages.components.shared.finding import (
    FindingSection,
    Table,
    declare_picture,
    declare_table,
    sort_rows,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import Offered, list_labels
from pages.components.shared.tables import show_across

_by_accuracy = sort_rows("accuracy")


def _find_judges(study: Study) -> pd.DataFrame:
    judges = comparers_of(study, "Accuracy")
    if judges.empty:
        return judges
    return list_selected_comparers(study.store, Selection(study.dataset))


ACCURACY = FindingSection(
    "accuracy",
    (declare_picture("accuracy", _by_accuracy),),
    _find_judges,
    (
        Table("Each judge", _by_accuracy, lambda result: result.columns),
        declare_table("Means over prompts", "averages"),
        declare_table("Judges held against the best", "differences"),
    ),
    offer=lambda study: {
        "against": {
            name: REFERENCES[name]
            for name in list_references(study.store, Selection(study.dataset))
        }
    },
    order=lambda result: list(dict.fromkeys(_by_accuracy(result)["judge"])),
    ways_on={"judge": "Run a judge", "data": "Import scores", "agreement": "Agreement"},
)


_raters = cached_report("Looking for scores …")(correlation.list_raters)

LEFT_OUT = {"drop": "Left out", "zero": "Counted as 0"}
KEYS = ("judge", "prompt", "of")
METHODS = {name: RATINGS[name].label for name in correlation.TABLED}
FIRST = "spearman"
_by_first = sort_rows(FIRST)


def _find_scores(study: Study) -> pd.DataFrame:
    scores = _raters(study.store, study.dataset, study.scores_stamp)
    if scores.empty:
        notice(
            "No scores yet. Import texts that people have scored, in a column score:ATTRIBUTE, to "
            "see how well judges follow them."
        )
        next_step_links(data="Import scores", agreement="Agreement")
    return scores


def _offer_raters(study: Study) -> Mapping[str, Offered]:
    scores = _raters(study.store, study.dataset, study.scores_stamp)
    raters = {name: name_rater(name) for name in correlation.rank_references(scores)}
    return {"against": raters, "method": METHODS}


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
    name = choose_view(
        "figure", "By attribute", estimates, FIRST,
        format_func=lambda one: capitalise(estimates[one].label),
    )  # fmt: skip
    keys = [column for column in result.columns if column.name in KEYS]
    rows, column = sort_rows(name)(result, judges), estimates[name]
    show_across(rows, keys, column, "Correlations")
    if name == "pair_accuracy":
        show_caption(f"{column.help}. Pairs with equal scores are left out.")


CORRELATION = FindingSection(
    "correlation",
    (
        declare_picture(
            "correlation", lambda result, judges: _by_first(result, judges).dropna(subset=FIRST),
            count=lambda result, rows: (
                f"Scores by {name_rater(result.facts['against'])}, {_describe_units(result)}"
            ),
        ),
    ),
    _find_scores,
    (
        declare_table(
            "Mean over prompts", "averages",
            help="For each model and mode: means of correlations, not correlations of means.",
        ),
        declare_table("Judges held against the best", "differences"),
    ),
    without=tuple(name for name in list_labels(RankSettings) if name not in ("method", "debias")),
    offer=_offer_raters,
    order=lambda result: list(dict.fromkeys(_by_first(result)["judge"])),
    look_closer=_look_closer,
    ways_on={"annotate": "Annotate", "judge": "Run a judge", "data": "Import scores"},
)  # fmt: skip
