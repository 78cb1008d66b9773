"""The columns of bias, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...rendering import CHANGE, COUNT, DECIMAL, P_VALUE, SHARE, Column, Interval, Place
from ..judgements import judge_differences
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, MADE_OF, WILSON

ROBUST = Interval(
    "95% intervals of odds: cluster-robust over items.", "robust to items",
    ("liang1986longitudinal",),
)  # fmt: skip
ITEMS = Column("items", "items", COUNT, place=Place.FILES)
ANSWERS = Column("comparisons", "answers", COUNT, "Whose shown order is known")
P_FIRST = Column(
    "p_first", "chose the first", SHARE,
    "Share of decisive answers that chose the text shown first. Without position bias it is "
"one half, if each text is first as often as second",
    low="low", high="high", interval=WILSON,
)  # fmt: skip
NO_BIAS = Column(
    "p", "p", P_VALUE,
    "Tests the hypothesis of no position bias, two-sided. Where judges are counted, Holm's "
"correction comes on top",
    place=Place.FILES,
)  # fmt: skip
BOTH_ORDERS = Column("pairs_both_orders", "pairs in both orders", COUNT, "Answered in both orders")
CONSISTENT = Column(
    "consistent_both_orders", "same in both orders", SHARE,
    "Share of pairs answered in both orders that have the same verdict",
    low="consistent_low", high="consistent_high", interval=WILSON, of="pairs_both_orders",
)  # fmt: skip
TIES = Column(
    "tie_rate", "ties", SHARE, "The share of answers that prefer neither text, both bad among them",
    low="tie_low", high="tie_high", interval=WILSON,
)  # fmt: skip
THRESHOLD = Column(
    "threshold", "threshold", DECIMAL,
    "The median probability of the first text, with Woodruff's interval over items. As a threshold "
    "it makes both positions win equally often",
    low="threshold_low", high="threshold_high", place=Place.SCREEN,
)  # fmt: skip
AFTER_THRESHOLD = Column(
    "p_first_threshold", "after threshold", SHARE,
    "Chose the first, by probabilities above the threshold: one half but for ties",
    low="p_first_threshold_low", high="p_first_threshold_high", interval=WILSON,
    place=Place.FILES,
)  # fmt: skip
AFTER_SWAP = Column(
    "p_first_swap", "after swap", SHARE,
    "Chose the first, of pairs in both orders: always one half, as each text is first once",
    place=Place.FILES,
)  # fmt: skip
AFTER = tuple(
    replace(column, place=Place.SCREEN)
    for column in (
        JUDGE, ATTRIBUTE, replace(P_FIRST, label="before"), AFTER_THRESHOLD, THRESHOLD, AFTER_SWAP,
    )
)  # fmt: skip
"""What both corrections do."""
ODDS = Column(
    "odds", "odds if twice as long", DECIMAL,
    "By how much the odds of a text grow when it is twice as long, its position being equal",
    low="low", high="high", interval=ROBUST,
)  # fmt: skip
LENGTHS = (
    JUDGE,
    ATTRIBUTE,
    replace(ANSWERS, help="About texts of different length, in words where both texts are there"),
    ITEMS,
    Column("decisive", "decisive", COUNT, place=Place.FILES),
    Column(
        "longer", "chose the longer", SHARE, "Among decisive answers about texts of two lengths",
        low="longer_low", high="longer_high", interval=WILSON,
    ),
    ODDS,
    Column(
        "p", "p", P_VALUE, "Tests the hypothesis of no effect of length, two-sided",
        place=Place.FILES,
    ),
    Column("always", "always took", help="The text it took whenever it decided"),
    Column(
        "unbounded", "odds without bound",
        help="The text whose odds are beyond a million: length and position explain nearly every "
        "answer",
    ),
)  # fmt: skip
"""Columns of how often the longer text wins."""
CYCLIC = Column(
    "cyclic", "cyclic", SHARE, "Share of these triples. The mean of both orders decides each "
"pair",
    low="low", high="high", interval=WILSON,
)  # fmt: skip
TRIPLE_FIGURES = (
    replace(ITEMS, place=Place.SCREEN),
    Column(
        "triples", "triples", COUNT, "Texts with an answer about each of the three pairs",
        place=Place.FILES,
    ),
    Column("decided", "decided triples", COUNT, "With a verdict on each of the three pairs"),
    CYCLIC,
    Column(
        "one_order", "asked in one order", SHARE,
        "Expected share of cycles if each pair had been asked in one order only",
        low="one_order_low", high="one_order_high", interval=WILSON,
    ),
    Column(
        "by_position", "by position", SHARE,
        "Share of these in which both orders of a pair contradict each other",
    ),
    Column("probable", "with probabilities", COUNT, "Triples", place=Place.FILES),
    Column(
        "weak", "weak violated", SHARE,
        "By probabilities: P(A over B) and P(B over C) at least 1/2, P(A over C) below",
        low="weak_low", high="weak_high", interval=WILSON,
    ),
    Column(
        "strong", "strong violated", SHARE,
        "By probabilities: P(A over C) below the greater of the two",
        low="strong_low", high="strong_high", interval=WILSON,
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
    Column(
        "own", "gives itself", SHARE, "Its points of all", low="own_low", high="own_high",
        interval=WILSON,
    ),
    Column(
        "others", "others give it", SHARE, "On the same pairs", low="others_low",
        high="others_high", interval=WILSON,
    ),
    Column(
        "difference", "difference", DECIMAL, low="low", high="high",
        interval=judge_differences.STUDENT,
    ),
    Column("p", "p", P_VALUE, "Tests for no difference",
           place=Place.FILES),
)  # fmt: skip
"""Columns of a judge that is one of the systems."""
POINTS = Column(
    "points", "points", SHARE, "The share of its comparisons that a system wins, a tie half",
    low="points_low", high="points_high", interval=WILSON,
)  # fmt: skip
PROBABILITY = Column(
    "prob", "probability", SHARE, "The mean probability that it is the better one",
    low="prob_low", high="prob_high", interval=WILSON,
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
    Column("share", "won in both", SHARE, low="low", high="high", interval=WILSON),
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
    *judge_differences.COLUMNS,
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


def declare_columns(debias: str) -> tuple[Column, ...]:
    """Declare the columns of each judge and attribute; those of a correction only if it was
    requested.
    """
    return (
        *MADE_OF,
        ATTRIBUTE,
        ANSWERS,
        ITEMS,
        Column("unanswered", "unanswered", COUNT, place=Place.SCREEN),
        P_FIRST,
        NO_BIAS,
        Column("decisive", "decisive", COUNT, "Answers that prefer one text", place=Place.FILES),
        Column(
            "first_share", "first of all answers", SHARE, "Ties among them",
            low="share_low", high="share_high", interval=WILSON, place=Place.FILES,
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
        Column(
            "mean_prob_first", "mean probability", SHARE,
            "The mean probability the judge gives the text shown first",
            low="prob_low", high="prob_high", interval=WILSON, place=Place.SCREEN,
        ),
        BOTH_ORDERS,
        CONSISTENT,
        Column(
            "both_unanswered", "both unanswered", COUNT, "Pairs asked in both orders in vain",
            place=Place.FILES,
        ),
        Column(
            "confounded", "confounded",
            help="Whether position bias and quality cannot be separated, as no two systems "
"were shown in both orders",
            place=Place.FILES,
        ),
        THRESHOLD,
        Column(
            "threshold_weight", "weight", DECIMAL,
            "(1 - threshold) / threshold, a weight that does the same",
            low="threshold_weight_low", high="threshold_weight_high",
            place=Place.FILES,
        ),
        AFTER_THRESHOLD,
        AFTER_SWAP,
        Column(
            "p_first_after", "after correction", SHARE,
            "Chose the first, among the judgements that the correction applies to. After the "
"swap it is always one half, without an interval",
            low="after_low", high="after_high", interval=WILSON,
            place=Place.FILES if debias == "none" else Place.SCREEN,
        ),
    )  # fmt: skip
