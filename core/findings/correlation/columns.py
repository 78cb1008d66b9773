"""The columns of correlations, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ...statistics import RATINGS
from ..judgements import judge_differences
from ..judgements.judges import ASKED_ALIKE, ATTRIBUTE, MADE_OF, declare_estimate
from .reference import UNITS

RESAMPLED = Interval(
    "95% intervals: bootstrap over items.", "percentiles of resamples of the items"
)
TOGETHER = replace(
    judge_differences.TOGETHER,
    method="Student's with the variance of resamples of the items, with Bonferroni's correction "
    "for all pairs of judges",
)
FISHER = Interval(
    "95% intervals: Fisher's z over systems, with the noise of the items.",
    "by Fisher's z over systems, with the noise of the items",
)
CEILED = ("spearman", "pearson")
"""What the noise of raters bounds."""
CEILING = Column(
    "ceiling", "perfect judge", DECIMAL, "What a perfect judge would reach, as far as raters of "
    "the same texts agree. Its interval is by bootstrap over items", low="ceiling_low",
    high="ceiling_high", place=Place.SCREEN,
)  # fmt: skip
COUNTS = (
    Column("judgements", "judgements", COUNT, "Answers used", place=Place.SCREEN),
    Column("unanswered", "unanswered", COUNT, "Scores that failed", place=Place.SCREEN),
)
DIFFERENCES = (
    ATTRIBUTE,
    Column("judge_1", "judge", help="With the greatest `spearman`", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("items", "items", COUNT),
    declare_estimate(
        "difference", "ahead", DECIMAL, "By how much the first is ahead, on the same resamples of "
        "the items; between systems without an interval", ends="", interval=TOGETHER,
    ),
)  # fmt: skip
"""Columns of two judges on the same items."""


def _name_rating(of: str) -> str:
    return RATINGS[of].label if of in RATINGS else of


OF = Column(
    "of", "rating", LabelledWords(name=_name_rating),
    "How its comparisons are rated, or `scores`: its own", place=Place.SCREEN,
)  # fmt: skip


def _declare_estimates(level: str) -> tuple[Column, ...]:
    interval = FISHER if level == "system" else RESAMPLED
    return tuple(
        declare_estimate(name, label, unit, help, interval=interval)
        for name, label, unit, help in (
            ("spearman", "Spearman", DECIMAL, "Correlation of ranks with the scores"),
            ("kendall", "Kendall's tau-b", DECIMAL, "Pairs in the same order less the others"),
            ("pearson", "Pearson", DECIMAL, "Correlation of values with the scores"),
            (
                "pair_accuracy", "pairs in order", SHARE,
                "The share of `pairs` with different scores that are ordered alike, an equal "
                "rating counting half",
            ),
        )
    )  # fmt: skip


def declare_figures(level: str) -> tuple[Column, ...]:
    """Declare the columns of a correlation at a level."""
    *coefficients, pair_accuracy = _declare_estimates(level)
    unit = UNITS[level]
    items = Place.FILES if level == "item" else Place.SCREEN
    return (
        *coefficients,
        Column("n", f"{unit}s", COUNT, "Items, systems or texts that are correlated"),
        Column(
            "bases", "bases", DECIMAL,
            "As how many systems without a common base these count: names tell, that begin alike",
            place=Place.SCREEN,
        ),
        Column("items", "items", COUNT, place=items),
        Column(
            "undefined_items", "undefined", COUNT, "Items with nothing to correlate: left out",
            place=Place.SCREEN,
        ),
        Column(
            "few_items", "too few texts", COUNT,
            "Items among these with fewer than two texts that have both values", place=Place.SCREEN,
        ),
        Column(
            "constant_items", "all alike", COUNT, "Items whose texts all get one value while "
            "their scores differ: undefined, or counted as 0", place=Place.SCREEN,
        ),
        pair_accuracy,
        Column("pairs", "pairs", COUNT, "Pairs of texts with different scores", place=Place.SCREEN),
        Column(
            "missing", "missing", COUNT, "Texts that have only one of the two values",
            place=Place.SCREEN,
        ),
    )  # fmt: skip


def declare_columns(level: str) -> tuple[Column, ...]:
    """Declare all columns the rows may have at a level."""
    return (*MADE_OF, OF, ATTRIBUTE, *declare_figures(level), CEILING, *COUNTS)


def declare_averages(level: str) -> tuple[Column, ...]:
    """Declare the columns of means over the prompts of a model."""
    return (
        *ASKED_ALIKE,
        OF,
        ATTRIBUTE,
        Column("prompts", "prompts", COUNT, "The number of prompts it is the mean of"),
        *_declare_estimates(level),
        Column("n", f"{UNITS[level]}s", COUNT, "The number for the prompt that has least"),
        *COUNTS,
    )
