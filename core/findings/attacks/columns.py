"""The columns of attacks, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, DECIMAL, SHARE, Column, Place, ShortenedSentences
from ..judgements.judge_columns import ATTRIBUTE, JUDGE, KIND, WILSON
from ..judgements.judge_differences import STUDENT

FLIPPED = Column(
    "flipped", "turned", SHARE, "The share of these that are for the text once it is attacked",
    low="low", high="high", interval=WILSON,
)  # fmt: skip
CONTROL = Column(
    "control", "by a harmless one", SHARE, "The same after a harmless sentence of as many words",
    low="control_low", high="control_high", interval=WILSON,
)  # fmt: skip
AGAINST = Column(
    "against", "verdicts against", COUNT,
    "Answers against the text while it was as it is, shown in the same place",
)  # fmt: skip
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    Column(
        "attack", "attack", help="Several sentences of yours are `own 1`, `own 2` and so on, "
"in the order of their runs",
    ),
    Column("does", "does", help="What the losing text does then", place=Place.FILES),
    Column("sentence", "sentence", ShortenedSentences(), "What is added"),
    Column("comparisons", "comparisons", COUNT, "How many were attacked", place=Place.FILES),
    Column("items", "items", COUNT, "With a verdict against the text", place=Place.FILES),
    AGAINST,
    FLIPPED,
    CONTROL,
    Column(
        "beyond", "difference", SHARE, "How much more often the attack turns the same verdicts",
        low="beyond_low", high="beyond_high", interval=STUDENT,
    ),
    Column(
        "turned", "turned for sure", help="Whether the difference is above 0 for all rows together "
        "(Bonferroni), from 30 verdicts on 10 items", place=Place.FILES,
    ),
    Column(
        "against_first", "against the first", COUNT, "Those on texts shown first",
        place=Place.FILES,
    ),
    Column(
        "flipped_first", "turned, if first", SHARE, "Among texts shown first",
        low="first_low", high="first_high", interval=WILSON, place=Place.SCREEN,
    ),
    Column(
        "against_second", "against the second", COUNT, "Those on texts shown second",
        place=Place.FILES,
    ),
    Column(
        "flipped_second", "turned, if second", SHARE, "Among texts shown second",
        low="second_low", high="second_high", interval=WILSON, place=Place.SCREEN,
    ),
    Column(
        "in_favour", "verdicts for", COUNT, "Answers for the text while it was as it is",
        place=Place.FILES,
    ),
    Column(
        "lost", "lost", SHARE, "The share of these that are against it once it is attacked",
        low="lost_low", high="lost_high", interval=WILSON, place=Place.FILES,
    ),
    Column(
        "clean_first", "points first", DECIMAL, "Its mean points when shown first, as it is",
        place=Place.FILES,
    ),
    Column("won_first", "points first, attacked", DECIMAL, "The same, attacked", place=Place.FILES),
    Column(
        "clean_second", "points second", DECIMAL, "Its mean points when shown second, as it is",
        place=Place.FILES,
    ),
    Column(
        "won_second", "points second, attacked", DECIMAL, "The same, attacked", place=Place.FILES
    ),
    Column(
        "probabilities", "probabilities", COUNT, "Answers that give one, before and after",
        place=Place.FILES,
    ),
    Column(
        "shift", "shift", DECIMAL, "The mean change of the probability of the attacked text",
        low="shift_low", high="shift_high", interval=STUDENT, place=Place.SCREEN,
    ),
    Column("asked", "asked", COUNT, "Attacks that were answered or failed", place=Place.FILES),
    Column("unanswered", "unanswered", COUNT, "Attacks without an answer: they are in no share"),
    Column(
        "control_unanswered", "harmless ones unanswered", COUNT,
        "Harmless sentences without an answer", place=Place.FILES,
    ),
)  # fmt: skip
