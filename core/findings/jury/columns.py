"""Columns of a jury's accuracy, each declared once for pages, reports and the command line."""

from __future__ import annotations

from ...rendering import COUNT, POINTS, SHARE, Column
from ..judgements import WILSON
from ..judgements.judge_differences import STUDENT

GAIN = (
    Column("way", "way", help="How the judges' answers become one"),
    Column("pairs", "pairs", COUNT, "Pairs of texts that all judges answered, and people voted "
"on"),
    Column("items", "items", COUNT),
    Column(
        "accuracy", "accuracy", SHARE, "How often it is right by what most annotators say",
        low="low", high="high", interval=WILSON,
    ),
    Column(
        "gain", "gain in points", POINTS, "Over the best single judge, on the same pairs",
        low="gain_low", high="gain_high", interval=STUDENT,
    ),
)  # fmt: skip
