"""The picture of a result frame, found by the columns it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from core.charts import budget, calibration, separability, together
from core.findings.agreement.chart import matrix
from core.findings.attacks import chart as attacks
from core.findings.judgements import Finding, label_rows
from core.findings.leaderboard.chart import over_time, ratings
from core.labels import INTERVALS, several
from core.records import TandemError
from core.rendering.charts import Caption, Drawn, Estimate, Scale, captioned, dots

Draw = Callable[[pd.DataFrame, Mapping[str, Any], str], Drawn]
"""Draws rows and facts in a theme."""


@dataclass(frozen=True)
class Picture:
    """How a result is drawn, under which title; and what the intervals in it are of, as in
    INTERVALS, '' where it has none, or its columns or facts say it; what the answers are that it
    stands on.
    """

    draw: Draw
    title: str
    interval: str = ""
    answers_are: str = "judgement"

    def draw_captioned(self, finding: Finding, theme: str) -> Drawn:
        rows, facts, answers = finding.rows, finding.facts, finding.judgements
        number = several(answers, self.answers_are) if answers else several(len(rows), "case")
        interval = finding.interval if self.interval else ""
        if not finding.columns:
            interval = INTERVALS.get(self.interval or facts.get("level", ""), "")
        caption = Caption(self.title, number, interval, finding.signature)
        return captioned(self.draw(rows, facts, theme), caption)


def draw_finding(finding: Finding, *, theme: str = "light") -> Drawn:
    """The first picture that its rows have the columns for, under a caption. Raises TandemError
    where there is none.
    """
    for columns, picture in PICTURES.items():
        if set(columns) <= set(finding.rows):
            return picture.draw_captioned(finding, theme)
    raise TandemError(f"there is no chart of rows of {', '.join(map(str, finding.rows.columns))}")


def _board(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return ratings(rows, facts["method"], theme=theme)


def _over_time(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return over_time(rows, theme=theme)


def _judges(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return matrix(rows, "agreement", "same verdict", theme=theme)


def _items(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    pairs = rows.assign(pair=rows["system_a"] + " / " + rows["system_b"])
    return separability.histograms(pairs, theme=theme)


def _consistency(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    """By bin of separability, where that was asked for."""
    if facts["bins"]:
        return separability.consistency(pd.DataFrame(facts["bins"]), theme=theme)
    return separability.consistency_overall(facts, theme=theme)


def _dots(
    title: str, value: str, interval: tuple[str, str], n: str, *, correlation: bool = False
) -> Draw:
    """A dot and whisker for each judge, highest first."""
    scale = Scale(reference=0.5)
    if correlation:
        scale = Scale((-1, 1), ".2f", 0.0)
    estimate = Estimate(value, *interval, n)

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


def _reliability(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> Drawn:
    return calibration.reliability(rows, theme=theme)


def _discriminations(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> Drawn:
    return calibration.discriminations(rows, theme=theme)


def _together(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return together.estimates(rows, facts["method"], theme=theme)


def _plan(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return together.plan(rows, facts["level"], theme=theme)


def _attacks(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    return attacks.draw_attacks(rows, theme=theme)


PICTURES: dict[tuple[str, ...], Picture] = {
    ("system", "combined", "human", "alone"): Picture(
        _together, "Systems by votes and judges together", "combined"
    ),
    ("way", "more", "settled"): Picture(_plan, "How many more votes settle the ranks"),
    ("system", "rating", "rank"): Picture(_board, "How good each system is", "rating"),
    ("votes", "system", "rating"): Picture(_over_time, "How Elo moved with the votes"),
    ("strategy", "budget", "spearman"): Picture(
        _budget, "How few comparisons would have done", "replays"
    ),
    ("judge_1", "judge_2", "agreement"): Picture(_judges, "How often each pair of judges agrees"),
    ("judge", "map", "mean_prob", "share"): Picture(
        _reliability, "What people say against what judges say", "share"
    ),
    ("judge", "discrimination"): Picture(
        _discriminations, "How far each judge of the jury is to be relied on", "rating"
    ),
    ("judge", "verdict", "probability"): Picture(
        _dots("as good as an annotator, or better", "probability", ("low", "high"), "items"),
        "How often each judge does as well as an annotator",
        "share",
    ),
    ("judge", "attack", "flipped"): Picture(_attacks, attacks.TITLE, "share", "answer"),
    ("judge", "p_first"): Picture(
        _dots("decisive answers for the first", "p_first", ("low", "high"), "comparisons"),
        "How often each judge chose the first text",
        "share",
    ),
    ("judge", "accuracy"): Picture(
        _dots("right answers (a tie is half)", "accuracy", ("low", "high"), "comparisons"),
        "How often each judge is right",
        "share",
    ),
    ("judge", "spearman"): Picture(
        _dots("Spearman", "spearman", ("spearman_low", "spearman_high"), "n", correlation=True),
        "How well each judge follows the scores",
    ),
    ("item", "self_a", "separability"): Picture(_items, "How far items tell two systems apart"),
    ("item", "judge", "consistency"): Picture(_consistency, "Consistency of preferences", "share"),
}
"""columns a result has -> its picture."""
