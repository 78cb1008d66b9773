"""The columns of a calibration, each declared once for every door."""

from __future__ import annotations

from ...rendering import (
    COUNT,
    DECIMAL,
    P_VALUE,
    SHARE,
    SHARE_RATING,
    Column,
    Interval,
    Place,
    Unit,
)
from ..judgements.judge_columns import ATTRIBUTE, JUDGE, WILSON

ROBUST = Interval(
    "Those of slopes: leaving out items.",
    "Student's, with the variance of leaving out each item",
)
SCORE = Unit(".3f")
MAP = Column(
    "map", "map", help="`as given`, or by a map, cross-fitted: on items that it has not seen"
)
COLUMNS = (
    JUDGE,
    ATTRIBUTE,
    MAP,
    Column("answers", "answers", COUNT, "With a probability, about pairs people voted on"),
    Column("pairs", "pairs", COUNT, "Of texts", place=Place.FILES),
    Column("items", "items", COUNT),
    Column(
        "calibration_error", "calibration error", SHARE_RATING,
        "Expected: the mean distance between probabilities and votes, over bins of equal width",
    ),
    Column(
        "error_by_chance", "by chance", SHARE_RATING,
        "The error that a calibrated judge would have",
    ),
    Column(
        "brier", "Brier score", SCORE,
        "`reliability` - `resolution` + `uncertainty` + `within_variance` - `within_covariance`",
        low="brier_low", high="brier_high", interval=WILSON,
    ),
    Column("reliability", "reliability", SCORE, "The distance from the diagonal: 0 is best"),
    Column("resolution", "resolution", SCORE, "How far the votes differ between bins"),
    Column("uncertainty", "uncertainty", SCORE, "How far the votes differ at all"),
    Column("within_variance", "variance within bins", SCORE, place=Place.FILES),
    Column("within_covariance", "covariance within bins", SCORE, place=Place.FILES),
    Column(
        "p", "p", P_VALUE,
        "Tests that the judge is calibrated; a map, that it does not help. "
        "Holm over all rows",
    ),
    Column(
        "slope", "slope", DECIMAL,
        "How many times as large log-odds should be, by the map of all items; nothing where a map "
        "has none", low="slope_low", high="slope_high", interval=ROBUST,
    ),
    Column("shift", "shift", DECIMAL, "What that map then adds to log-odds"),
)  # fmt: skip
BINS = (
    JUDGE,
    ATTRIBUTE,
    MAP,
    Column("low", "from", SHARE, "Where the bin begins"),
    Column("high", "to", SHARE, "Where it ends"),
    Column("answers", "answers", COUNT, "In the bin"),
    Column("mean_prob", "says", SHARE, "The judge's mean probability for the first text"),
    Column(
        "share", "people say", SHARE, "The share of votes for the first text",
        low="share_low", high="share_high", interval=WILSON,
    ),
)  # fmt: skip
"""Columns of the reliability diagram."""
