"""The columns of agreement, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...labels import name_group
from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ..judgements.judges import JUDGE, KIND, declare_estimate

LEFT_OUT = Interval(
    "95% intervals: Student's of the logit, from items and judges left out in turn.",
    "Student's of the logit, with the variance of leaving out one item, or judge",
)
GROUP = Column("group", "between", LabelledWords(name=name_group))
VERDICTS = Column("verdicts", "verdicts", COUNT, "Pairs of verdicts on the same two texts")
SAME = declare_estimate(
    "agreement", "same verdict", SHARE,
    "Share of the pairs of texts both judged that have the same verdict",
)  # fmt: skip
CHANCE = Column(
    "chance",
    "by chance",
    SHARE,
    "Share of equal verdicts of two who tie as often and know nothing of each other",
)
KAPPA = declare_estimate(
    "kappa", "kappa", DECIMAL, "Agreement beyond chance: 1 is always, 0 as by chance", ends="",
    interval=LEFT_OUT,
)  # fmt: skip
COHEN = replace(KAPPA, label="Cohen's kappa")
RIGHT = declare_estimate(
    "accuracy", "right", SHARE,
    "Single answers that prefer what most annotators prefer, a tie being half right",
    place=Place.SCREEN,
)  # fmt: skip
PAIRS = (
    Column("judge_1", "judge", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("group", "between", LabelledWords(name=name_group), place=Place.FILES),
    Column("items", "items", COUNT, place=Place.SCREEN),
    VERDICTS,
    SAME,
    CHANCE,
    COHEN,
)
"""Columns of each pair of judges."""
GROUPS = (
    GROUP,
    Column("pairs", "pairs", COUNT, "Of judges", place=Place.SCREEN),
    VERDICTS,
    SAME,
    CHANCE,
    KAPPA,
    Column(
        "kappa_by", "kappa by", LabelledWords(name=str.capitalize),
        "Cohen's of two judges, or kinds; Fleiss' of several judges of one kind",
    ),
    Column("over", "over", help="What intervals generalise to", place=Place.SCREEN),
)  # fmt: skip
"""Columns of each pair of kinds of judges."""
AGAINST_MOST = (
    JUDGE,
    KIND,
    VERDICTS,
    SAME,
    CHANCE,
    COHEN,
    Column("answers", "answers", COUNT, place=Place.SCREEN),
    RIGHT,
)
"""Columns of each judge against the majority of people."""
JUDGES = (
    JUDGE,
    KIND,
    Column("pairs", "pairs", COUNT, "Pairs of texts with a verdict"),
    declare_estimate("ties", "ties", SHARE, "Pairs on which the judge never preferred either text"),
    Column("repeated", "answered twice", COUNT, "Such as in both orders"),
    declare_estimate(
        "contradicts", "contradicts itself", SHARE,
        "Share of these with as many answers for the one text as for the other",
    ),
)  # fmt: skip
"""Columns of each judge."""
ALPHAS = (
    Column("attribute", "attribute", help="Nothing where all are together"),
    declare_estimate("alpha", "alpha", DECIMAL, ends="", interval=LEFT_OUT),
    Column("units", "pairs of texts", COUNT),
    Column("items", "items", COUNT, place=Place.SCREEN),
    Column("judges", "judges", COUNT, place=Place.SCREEN),
    Column("over", "over", help="What its interval generalises to", place=Place.SCREEN),
    Column("needs", "needs", help="The data that are too few", place=Place.SCREEN),
    Column("enough", "enough", COUNT, "Roughly how many are enough", place=Place.SCREEN),
)
CONFUSION = (
    GROUP,
    Column("verdict_1", "verdict"),
    Column("verdict_2", "and"),
    Column("verdicts", "verdicts", COUNT),
)
BY = (
    Column("by", "by"),
    Column("value", "value"),
    GROUP,
    declare_estimate("agreement", "same verdict", SHARE, ends=""),
    VERDICTS,
)  # fmt: skip
