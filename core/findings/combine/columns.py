"""The columns of votes and judges combined, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...rendering import (
    COUNT,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    Column,
    Interval,
    Names,
    Place,
)
from ...statistics import RATINGS
from ..judgements.judge_columns import JUDGE, KIND
from ..leaderboard import HOLDS, hold_at_looks

CITES = ("angelopoulos2023ppi", "boyeau2024autoeval")
SHARE_INTERVAL, STRENGTH_INTERVAL = (
    Interval(f"95% intervals: {whose}, from items' errors.", f"{whose}, from items' errors", CITES)
    for whose in ("Wilson's", "Student's")
)
ESTIMATES = {
    "combined": "votes and judges",
    "human": "votes alone",
    "judge_only": "judges alone",
}
"""What each estimate is called, in the order in which it is read."""
HELP = {
    "combined": "What people would say of all pairs, more certain by what judges say",
    "human": "By people's votes",
    "judge_only": "By what judges say, right or wrong",
}
CORRECTED = Column(
    "corrected", "judges corrected", SHARE_RATING,
    "By judges, corrected for how often they err where people voted (Rogan & Gladen). It "
"assumes that they err as often on every pair",
    low="corrected_low", high="corrected_high", place=Place.SCREEN,
    interval=replace(SHARE_INTERVAL, cites=("rogan1978estimating", "lee2025judge")),
)  # fmt: skip
JUDGES = (
    JUDGE,
    KIND,
    Column("pairs", "pairs", COUNT, "That it answered"),
    Column("unanswered", "unanswered", COUNT, "How often it gave no answer"),
    Column(
        "lambda", "counts", SHARE,
        "How far its answers count (lambda): 0% not at all, 100% as much as votes. All judges "
"together count at most 100%",
    ),
)  # fmt: skip
"""Columns of each judge that is combined with votes."""


TRUTH = Column(
    "truth", "known truth", SHARE_RATING,
    "The share of votes that it wins in the long run, as the simulation knows",
)  # fmt: skip


def _declare_corrected(resolve: str) -> Column:
    once = CORRECTED.interval
    return replace(CORRECTED, interval=once and hold_at_looks(once, resolve))


def choose_interval(method: str, resolve: str) -> Interval:
    """Choose the kind of interval for ratings by a method, for one look or for every look."""
    return hold_at_looks(SHARE_INTERVAL if RATINGS[method].share else STRENGTH_INTERVAL, resolve)


def declare_columns(
    method: str, resolve: str, *, is_whole: bool = False, with_truth: bool = False
) -> tuple[Column, ...]:
    """The columns of systems rated by a method, whose intervals hold so. Where votes are
    `is_whole`, on every pair, nobody reads how many more the judges are worth.
    """
    unit = SHARE_RATING if RATINGS[method].share else STRENGTH
    return (
        Column("system", "system"),
        *(
            Column(
                name, label, unit, HELP[name],
                low=f"{name}_low", high=f"{name}_high", interval=choose_interval(method, resolve),
            )
            for name, label in ESTIMATES.items()
        ),
        *([TRUTH] if with_truth else []),
        *([_declare_corrected(resolve)] if RATINGS[method].share else []),
        Column(
            "rank", "rank", COUNT,
            f"By votes and judges; 1 is best, and the ranks it may have. {HOLDS[resolve]}",
            low="rank_low", high="rank_high", place=Place.SCREEN,
        ),
        Column(
            "tied_with", "tied with", Names(noun="system"),
            f"Systems that are neither better nor worse. {HOLDS[resolve]}",
            place=Place.FILES,
        ),
        Column("votes", "voted pairs", COUNT, "Pairs with votes that it is in"),
        Column(
            "n_effective", "worth as many", COUNT,
            "So many votes without judges would be as certain as both together",
            place=Place.FILES if is_whole else Place.SCREEN,
        ),
        Column(
            "lambda_used", "kept", SHARE,
            "Which part of the judges' correction it keeps: 1 unless that made it less certain",
            place=Place.FILES,
        ),
    )  # fmt: skip
