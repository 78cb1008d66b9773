"""The columns of judges beside each other, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, DECIMAL, SHARE, Column, Place
from ..judgements import WILSON
from ..judgements.judge_columns import ATTRIBUTE, JUDGE, KIND
from ..leaderboard.columns import STRENGTH_INTERVAL

RIGHT = Column(
    "accuracy", "right", SHARE, "Share of single answers, a tie being half",
    low="accuracy_low", high="accuracy_high", interval=WILSON,
)  # fmt: skip
MEASURES = {
    "consistent": Column(
        "consistent", "same in both orders", SHARE, "Pairs with the same verdict in both orders",
        low="consistent_low", high="consistent_high", interval=WILSON,
    ),
    "transitive": Column(
        "transitive", "three texts agree", SHARE, "Triples of texts without a contradiction",
        low="transitive_low", high="transitive_high", interval=WILSON,
    ),
    "discrimination": Column(
        "discrimination", "discrimination", DECIMAL,
        "Discrimination on a jury; 1 is the average answer, 0 is a coin",
        low="discrimination_low", high="discrimination_high", interval=STRENGTH_INTERVAL,
    ),
}  # fmt: skip
"""Figures of a judge that need no votes: the more, the better."""
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    RIGHT,
    Column("accuracy_n", "answers", COUNT, place=Place.FILES),
    *MEASURES.values(),
    Column("consistent_n", "pairs", COUNT, place=Place.FILES),
    Column("transitive_n", "triples", COUNT, place=Place.FILES),
    Column("discrimination_n", "answers on the jury", COUNT, place=Place.FILES),
)


def name_measure(measure: Column) -> str:
    """Name a measure within a sentence: "pairs with the same verdict in both orders"."""
    phrase = measure.help.partition(";")[0]
    return f"{phrase[:1].lower()}{phrase[1:]}"
