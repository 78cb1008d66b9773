"""The columns of the alternative annotator test, each declared once for every door."""

from __future__ import annotations

from ...labels import INTERVALS
from ...rendering import (
    COUNT,
    P_VALUE,
    POINTS,
    SHARE,
    YES_NO,
    Column,
    Interval,
    Place,
)
from ..judgements.judge_columns import ATTRIBUTE, JUDGE, KIND, WILSON

STUDENT = Interval(INTERVALS["mean"], "Student's, over items")
VERDICT = Column(
    "verdict", "verdict",
    help="May replace: it wins against at least half of the annotators, with all rows "
"together. Not shown: it does not. Cannot tell: fewer than three annotators have "
"enough items.",
)  # fmt: skip
PROBABILITY = Column(
    "probability", "as good as one, or better", SHARE,
    "How often it does as well as an annotator, or better, mean over annotators (rho)",
    low="low", high="high", interval=WILSON,
)  # fmt: skip
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    VERDICT,
    Column("won", "won against", COUNT, "So many of the annotators tested"),
    Column("annotators", "annotators tested", COUNT),
    Column(
        "rate", "winning rate", SHARE, "The share of annotators it wins against (omega)",
        place=Place.FILES,
    ),
    Column(
        "p", "p", P_VALUE, "The chance of such a result if the judge were no better than half "
"of the annotators",
        place=Place.FILES,
    ),
    Column(
        "adjusted", "adjusted p", P_VALUE, "For the number of judges and attributes (Holm)",
        place=Place.SCREEN,
    ),
    PROBABILITY,
    Column("items", "items", COUNT, place=Place.SCREEN),
    Column("pairs", "pairs", COUNT, "Of texts", place=Place.SCREEN),
    Column(
        "contradicts", "contradicts itself", COUNT, "On so many of these pairs",
        place=Place.SCREEN,
    ),
)  # fmt: skip
"""Columns of each judge and attribute."""
ANNOTATORS = (
    JUDGE,
    ATTRIBUTE,
    Column("annotator", "annotator", names_people=True),
    Column("items", "items", COUNT),
    Column("pairs", "pairs", COUNT, "Of texts"),
    Column(
        "judge_ahead", "judge", SHARE,
        "Items on which it is as good as the annotator, or better, in the eyes of the others",
    ),
    Column("annotator_ahead", "annotator's own", SHARE, "The same share for the annotator"),
    Column(
        "advantage", "judge ahead in points", POINTS, "The judge's share less the annotator's",
        low="low", high="high", interval=STUDENT,
    ),
    Column(
        "p", "p", P_VALUE, "One-sided, of the judge being worse by epsilon or more",
        place=Place.FILES,
    ),
    Column(
        "adjusted", "adjusted p", P_VALUE,
        "For the number of annotators (Benjamini & Yekutieli)",
    ),
    Column("won", "won", YES_NO, "Whether the judge wins: the adjusted p is at most 0.05"),
    Column(
        "tested", "tested", YES_NO, "Nobody is by fewer than 30 items", place=Place.FILES
    ),
)  # fmt: skip
"""Columns of each judge and annotator."""
