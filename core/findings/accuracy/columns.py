"""The columns of accuracy, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, SHARE, Column, Place
from ..judgements.judge_columns import (
    ASKED_ALIKE,
    ATTRIBUTE,
    JUDGE,
    MADE_OF,
    WILSON,
)

ACCURACY = Column(
    "accuracy", "accuracy", SHARE, "The share of answers that choose the better text, a tie "
    "counting half", low="low", high="high", interval=WILSON,
)  # fmt: skip
ANSWERS = (
    Column("comparisons", "answers", COUNT, "Single answers about pairs with a better text"),
    Column(
        "unanswered", "unanswered", COUNT, "Counts all pairs: an unanswered one is neither "
"right nor wrong",
        place=Place.SCREEN,
    ),
    ACCURACY,
)  # fmt: skip
COLUMNS = (
    *MADE_OF,
    ATTRIBUTE,
    *ANSWERS,
    Column("right", "right", COUNT, "Answers that choose the better text", place=Place.FILES),
    Column("tied", "ties", COUNT, "Answers that choose neither", place=Place.SCREEN),
    Column(
        "right_forward", "right forward", COUNT, "Right, shown the system first by name first",
        place=Place.SCREEN,
    ),
    Column("tied_forward", "ties forward", COUNT, place=Place.FILES),
    Column("forward", "of forward", COUNT, "The number of answers", place=Place.SCREEN),
    Column(
        "right_reverse", "right reverse", COUNT, "Right, shown the other one first",
        place=Place.SCREEN,
    ),
    Column("tied_reverse", "ties reverse", COUNT, place=Place.FILES),
    Column("reverse", "of reverse", COUNT, "The number of answers", place=Place.SCREEN),
    Column("pairs_both_orders", "pairs in both orders", COUNT),
    Column("right_both_orders", "right both times", COUNT, place=Place.FILES),
    Column(
        "accuracy_both_orders", "right in both", SHARE, "Share of these pairs on which it is "
"right both times", low="both_low", high="both_high", interval=WILSON,
    ),
)  # fmt: skip
AVERAGES = (
    *ASKED_ALIKE,
    ATTRIBUTE,
    Column("prompts", "prompts", COUNT, "With how many prompts it was asked"),
    *ANSWERS,
)
"""Columns of means over the prompts of a model."""
SYSTEMS = (
    JUDGE,
    ATTRIBUTE,
    Column("system_1", "system"),
    Column("system_2", "and"),
    Column("comparisons", "answers", COUNT),
    Column(
        "points", "points", SHARE, "What the judge gives the first system",
        low="points_low", high="points_high", interval=WILSON,
    ),
    Column(
        "truth", "truth", SHARE, "What gold labels, people or scores give it on the same texts",
        low="truth_low", high="truth_high", interval=WILSON,
    ),
    Column("same", "same side", help="Whether both are above, at, or below one half"),
)  # fmt: skip
"""Columns of each pair of systems."""
