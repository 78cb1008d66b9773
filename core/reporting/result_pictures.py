"""The picture of a finding: the one it names, or one found by its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from core.charts import budget, separability
from core.findings.accuracy import chart as accuracy
from core.findings.agreement import chart as agreement
from core.findings.attacks import chart as attacks
from core.findings.calibration import chart as calibration
from core.findings.combine import chart as combine
from core.findings.correlation import chart as correlation
from core.findings.judgements import Finding, label_rows
from core.findings.leaderboard import chart as leaderboard
from core.findings.plan import chart as plan
from core.findings.replacement import chart as replacement
from core.labels import INTERVALS, several
from core.records import TandemError
from core.rendering.charts import (
    Caption,
    Draw,
    Drawn,
    Estimate,
    Picture,
    Scale,
    captioned,
    dots,
)

NAMED = {
    "accuracy": accuracy.PICTURE,
    "agreement": agreement.PICTURE,
    "attacks": attacks.PICTURE,
    "calibration": calibration.PICTURE,
    "combine": combine.PICTURE,
    "correlation": correlation.PICTURE,
    "leaderboard": leaderboard.PICTURE,
    "over_time": leaderboard.OVER_TIME,
    "plan": plan.PICTURE,
    "replacement": replacement.PICTURE,
}
"""The pictures that findings name."""


def draw_finding(finding: Finding, *, theme: str = "light") -> Drawn:
    """The picture that a finding names, under a caption. Raises TandemError where there is none."""
    picture = NAMED[finding.picture] if finding.picture else _find_picture(finding)
    answers = finding.judgements
    number = several(answers, picture.answers_are)
    if not answers:
        number = several(len(finding.rows), "case")
    caption = Caption(picture.title, number, _describe(finding, picture), finding.signature)
    rows = finding.tables[picture.table] if picture.table else finding.rows
    return captioned(picture.draw(rows, finding.facts, theme), caption)


def _describe(finding: Finding, picture: Picture) -> str:
    """What the intervals are that a picture shows."""
    if picture.table:
        return finding.describe_table(picture.table)
    if finding.columns:
        return finding.interval if picture.interval else ""
    return INTERVALS.get(picture.interval, "")


def _find_picture(finding: Finding) -> Picture:
    """The first one that the rows have the columns for, of a finding that names none."""
    for columns, picture in PICTURES.items():
        if set(columns) <= set(finding.rows):
            return picture
    raise TandemError(f"there is no chart of rows of {', '.join(map(str, finding.rows.columns))}")


def _items(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    pairs = rows.assign(pair=rows["system_a"] + " / " + rows["system_b"])
    return separability.histograms(pairs, theme=theme)


def _consistency(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    """By bin of separability, where that was asked for."""
    if facts["bins"]:
        return separability.consistency(pd.DataFrame(facts["bins"]), theme=theme)
    return separability.consistency_overall(facts, theme=theme)


def _dots(title: str, value: str, interval: tuple[str, str], n: str) -> Draw:
    """A dot and whisker for each judge, highest first."""
    scale, estimate = Scale(reference=0.5), Estimate(value, *interval, n)

    def draw(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> Drawn:
        shown = label_rows(rows).sort_values(value, ascending=False)
        return dots(shown, title, estimate, scale, theme=theme)

    return draw


def _budget(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    """Of the method and correction that its sentences name, and of strategies that sort."""
    named = rows[(rows["method"] == facts["method"]) & (rows["debias"] == facts["debias"])]
    sorts = rows[~rows["method"].isin(facts["methods"])]
    goal = budget.Level(facts["goal"], "goal")
    return budget.growing(
        pd.concat([named, sorts]),
        facts["figure"],
        budget.TITLES[facts["figure"]],
        level=goal,
        theme=theme,
    )


PICTURES: dict[tuple[str, ...], Picture] = {
    ("strategy", "budget", "spearman"): Picture(
        _budget, "How few comparisons would have done", "replays"
    ),
    ("judge", "p_first"): Picture(
        _dots("decisive answers for the first", "p_first", ("low", "high"), "comparisons"),
        "How often each judge chose the first text",
        "share",
    ),
    ("item", "self_a", "separability"): Picture(_items, "How far items tell two systems apart"),
    ("item", "judge", "consistency"): Picture(_consistency, "Consistency of preferences", "share"),
}
"""columns a result has -> its picture, of findings that name none yet."""
