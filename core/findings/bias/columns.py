"""The columns of bias, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...rendering import CHANGE, COUNT, DECIMAL, P_VALUE, SHARE, Column, Interval, Place
from ..judgements.judges import (
    ATTRIBUTE,
    JUDGE,
    JUDGE_DIFFERENCES,
    KIND,
    MADE_OF,
    STUDENT,
    declare_estimate,
)

ROBUST = Interval(
    "95% intervals of odds: cluster-robust over items.", "robust to items",
    ("liang1986longitudinal",),
)  # fmt: skip
ITEMS = Column("items", "items", COUNT, place=Place.FILES)
ANSWERS = Column("comparisons", "answers", COUNT, "Whose shown order is known")
P_FIRST = declare_estimate(
    "p_first", "chose the first", SHARE, "Share of decisive answers that chose the text shown "
    "first. Without position bias it is one half, if each text is first as often as second",
    ends="",
)  # fmt: skip
NO_BIAS = Column(
    "p", "p", P_VALUE, "Tests the hypothesis of no position bias, two-sided. Where judges are "
    "counted, Holm's correction comes on top", place=Place.FILES,
)  # fmt: skip
BOTH_ORDERS = Column("pairs_both_orders", "pairs in both orders", COUNT, "Answered in both orders")
CONSISTENT = declare_estimate(
    "consistent_both_orders", "same in both orders", SHARE,
    "Share of pairs answered in both orders that have the same verdict", ends="consistent",
    of="pairs_both_orders",
)  # fmt: skip
TIES = declare_estimate(
    "tie_rate", "ties", SHARE, "The share of answers that prefer neither text, both bad among them",
    ends="tie",
)  # fmt: skip
THRESHOLD = Column(
    "threshold", "threshold", DECIMAL, "The median probability of the first text, with Woodruff's "
    "interval over items. As a threshold it makes both positions win equally often",
    low="threshold_low", high="threshold_high", place=Place.SCREEN,
)  # fmt: skip
ODDS = declare_estimate(
    "odds", "odds if twice as long", DECIMAL,
    "By how much the odds of a text grow when it is twice as long, its position being equal",
    ends="", interval=ROBUST,
)  # fmt: skip
LENGTHS = (
    JUDGE,
    ATTRIBUTE,
    replace(ANSWERS, help="About texts of different length, in words where both texts are there"),
    ITEMS,
    Column("decisive", "decisive", COUNT, place=Place.FILES),
    declare_estimate(
        "longer", "chose the longer", SHARE, "Among decisive answers about texts of two lengths",
    ),
    ODDS,
    Column(
        "p", "p", P_VALUE, "Tests the hypothesis of no effect of length, two-sided",
        place=Place.FILES,
    ),
    Column("always", "always took", help="The text it took whenever it decided"),
    Column(
        "unbounded", "odds without bound", help="The text whose odds are beyond a million: length "
        "and position explain nearly every answer",
    ),
)  # fmt: skip
"""Columns of how often the longer text wins."""
CYCLIC = declare_estimate(
    "cyclic", "cyclic", SHARE, "Share of these triples. The mean of both orders decides each pair",
    ends="",
)  # fmt: skip
TRIPLE_FIGURES = (
    replace(ITEMS, place=Place.SCREEN),
    Column(
        "triples", "triples", COUNT, "Texts with an answer about each of the three pairs",
        place=Place.FILES,
    ),
    Column("decided", "decided triples", COUNT, "With a verdict on each of the three pairs"),
    CYCLIC,
    declare_estimate(
        "one_order", "asked in one order", SHARE,
        "Expected share of cycles if each pair had been asked in one order only",
    ),
    Column(
        "by_position", "by position", SHARE,
        "Share of these in which both orders of a pair contradict each other",
    ),
    Column("probable", "with probabilities", COUNT, "Triples", place=Place.FILES),
    declare_estimate(
        "weak", "weak violated", SHARE,
        "By probabilities: P(A over B) and P(B over C) at least 1/2, P(A over C) below",
    ),
    declare_estimate(
        "strong", "strong violated", SHARE,
        "By probabilities: P(A over C) below the greater of the two",
    ),
)  # fmt: skip
TRIPLES = (JUDGE, KIND, ATTRIBUTE, *TRIPLE_FIGURES)
"""Columns of contradictions among three texts (docs/statistics/bias.md, "Transitivity")."""
TRIPLES_BY = (
    JUDGE,
    ATTRIBUTE,
    Column(
        "separability", "separability", help="Separability of its items, in bins from low to high"
    ),
    *TRIPLE_FIGURES,
)
OWN = (
    JUDGE,
    Column("system", "system", help="Which it is itself"),
    Column("pairs", "pairs", COUNT, "That others judged, too"),
    declare_estimate("own", "gives itself", SHARE, "Its points of all"),
    declare_estimate("others", "others give it", SHARE, "On the same pairs"),
    declare_estimate(
        "difference", "difference", DECIMAL, ends="", interval=STUDENT,
    ),
    Column("p", "p", P_VALUE, "Tests for no difference", place=Place.FILES),
)  # fmt: skip
"""Columns of a judge that is one of the systems."""
POINTS = declare_estimate(
    "points", "points", SHARE, "The share of its comparisons that a system wins, a tie half",
)  # fmt: skip
PROBABILITY = declare_estimate(
    "prob", "probability", SHARE, "The mean probability that it is the better one",
)  # fmt: skip
SYSTEM = Column("system", "system")
PLACES = (
    JUDGE,
    ATTRIBUTE,
    SYSTEM,
    Column("place", "place", help="Where it was shown"),
    Column("comparisons", "answers", COUNT),
    POINTS,
    Column("probabilities", "probabilities", COUNT, place=Place.FILES),
    PROBABILITY,
)
"""Columns of each system in the first place, and in the second."""


def _build_place_column(column: Column, place: str) -> Column:
    return replace(
        column, name=f"{column.name}_{place}", label=f"{column.label} when {place}",
        low=f"{column.low}_{place}", high=f"{column.high}_{place}",
    )  # fmt: skip


BESIDE = (
    SYSTEM,
    *(_build_place_column(POINTS, place) for place in ("first", "second")),
    Column(
        "gain", "gain from being first", CHANGE,
        "Points when first minus points when second, in percentage points",
    ),
    *(_build_place_column(PROBABILITY, place) for place in ("first", "second")),
    Column("comparisons", "answers", COUNT),
)  # fmt: skip
"""Columns of both places beside each other, for a judge."""
WON_IN_BOTH = (
    JUDGE,
    ATTRIBUTE,
    SYSTEM,
    Column("wins", "wins", COUNT, "In both orders"),
    Column("pairs", "pairs", COUNT, "Answered in both orders"),
    declare_estimate("share", "won in both", SHARE, ends=""),
)
DISTRIBUTION = (
    JUDGE,
    ATTRIBUTE,
    Column("low", "from", DECIMAL, "The bin of the probability that the first is better"),
    Column("high", "to", DECIMAL),
    Column("judgements", "judgements", COUNT),
)
DIFFERENCES = (
    Column("of", "of", help="The answers that are held against each other"),
    *JUDGE_DIFFERENCES,
)
TABLES = {
    "lengths": LENGTHS,
    "own": OWN,
    "places": PLACES,
    "differences": DIFFERENCES,
    "triples": TRIPLES,
    "triples_by": TRIPLES_BY,
    "distribution": DISTRIBUTION,
    "consistent": WON_IN_BOTH,
}


COLUMNS = (
    *MADE_OF,
    ATTRIBUTE,
    ANSWERS,
    ITEMS,
    Column("unanswered", "unanswered", COUNT, place=Place.SCREEN),
    P_FIRST,
    NO_BIAS,
    Column("decisive", "decisive", COUNT, "Answers that prefer one text", place=Place.FILES),
    declare_estimate(
        "first_share", "first of all answers", SHARE, "Ties among them", ends="share",
        place=Place.FILES,
    ),
    Column(
        "first_forward", "first, in order of names", COUNT,
        "Pairs in both orders that went to the first when that was the system first by name",
        place=Place.FILES,
    ),
    Column(
        "first_reverse", "first, in the other order", COUNT, "When it was the other",
        place=Place.FILES,
    ),
    TIES,
    declare_estimate(
        "mean_prob_first", "mean probability", SHARE,
        "The mean probability the judge gives the text shown first", ends="prob",
        place=Place.SCREEN,
    ),
    BOTH_ORDERS,
    CONSISTENT,
    Column(
        "both_unanswered", "both unanswered", COUNT, "Pairs asked in both orders in vain",
        place=Place.FILES,
    ),
    Column(
        "confounded", "confounded", help="Whether position bias and quality cannot be "
        "separated, as no two systems were shown in both orders", place=Place.FILES,
    ),
    THRESHOLD,
    Column(
        "threshold_weight", "weight", DECIMAL,
        "(1 - threshold) / threshold, a weight that does the same", low="threshold_weight_low",
        high="threshold_weight_high", place=Place.FILES,
    ),
)  # fmt: skip
"""Columns of each judge and attribute."""
