"""The columns of the lab, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ..accuracy import ACCURACY
from ..agreement.columns import KAPPA
from ..bias.columns import P_FIRST
from ..correlation.columns import FISHER
from ..judgements import judge_differences
from ..judgements.judges import ATTRIBUTE, JUDGE, MADE_OF, declare_estimate

CORRECTIONS = {"none": "as it is", "swap": "both orders averaged", "threshold": "threshold moved"}
RESAMPLED = Interval(
    "95% intervals of decisiveness and of Spearman: percentiles over resamples of the items.",
    "percentiles over resamples of the items",
)  # fmt: skip
CORRECTION = Column(
    "correction", "correction", LabelledWords(name=CORRECTIONS.__getitem__),
    "For the position of a text", needs_several=True,
)  # fmt: skip
FAIRNESS = declare_estimate(
    "fairness", "fairness", SHARE, "1 if the first text is preferred half of the time, 0 if always "
    "or never",
)  # fmt: skip
CONSISTENT = declare_estimate(
    "consistent", "same in both orders", SHARE, "Pairs with the same verdict in both orders",
)  # fmt: skip
REPEATS = declare_estimate(
    "repeats", "same again", SHARE, "Two answers to the same comparison that are alike",
    place=Place.SCREEN,
)  # fmt: skip
PEERS = declare_estimate(
    "peers", "agrees with judges", SHARE,
    "The share of the other judges with a verdict that have its own",
)  # fmt: skip
UNLABELLED = (FAIRNESS, CONSISTENT, REPEATS, PEERS)
"""Figures of a judge that need no votes: the more, the better."""
LABELS = {column.name: column.label for column in UNLABELLED}
MONEY = Column(
    "money", "cost", DECIMAL, "A thousand comparisons, in the currency of your prices",
    place=Place.SCREEN,
)  # fmt: skip
COLUMNS = (
    *MADE_OF,
    ATTRIBUTE,
    CORRECTION,
    declare_estimate(
        "accuracy", "accuracy", SHARE, ACCURACY.help, interval=ACCURACY.interval,
    ),
    Column("answers", "answers", COUNT, "About pairs with a better text", place=Place.SCREEN),
    declare_estimate(
        "kappa", "kappa", DECIMAL, "Agreement of verdicts with the reference, beyond chance",
        interval=KAPPA.interval,
    ),
    *UNLABELLED,
    declare_estimate("p_first", P_FIRST.label, SHARE, P_FIRST.help),
    declare_estimate(
        "longer", "chose the longer", SHARE, "Share of decisive answers", place=Place.SCREEN
    ),
    declare_estimate(
        "cyclic", "cyclic triples", SHARE, "Triples of texts with A over B over C over A",
        place=Place.SCREEN,
    ),
    declare_estimate(
        "kendall", "tau of systems", DECIMAL, "Kendall's tau-b with the reference's ranking",
        interval=FISHER, place=Place.SCREEN,
    ),
    declare_estimate(
        "decisiveness", "decisiveness", DECIMAL, "Above 1 it exaggerates the reference's win rates "
        "of systems, below 1 it levels them (Gera et al. 2024)", interval=RESAMPLED,
        place=Place.SCREEN,
    ),
    Column(
        "system_bias", "bias for systems", SHARE, "The standard deviation, over systems, of what "
        "it gives each beyond that", place=Place.SCREEN,
    ),
    Column(
        "calibration_error", "calibration error", SHARE, "The mean distance between its "
        "probabilities and votes, in ten bins", place=Place.SCREEN,
    ),
    Column(
        "error_by_chance", "by chance", SHARE, "The error that a calibrated judge would have",
        place=Place.SCREEN,
    ),
    Column("unanswered", "unanswered", SHARE, "The share of the comparisons asked"),
    MONEY,
    Column("seconds", "seconds", DECIMAL, "A comparison", place=Place.SCREEN),
)  # fmt: skip
SYSTEMS = (
    JUDGE,
    ATTRIBUTE,
    CORRECTION,
    Column("system", "system"),
    Column("bias", "bias", SHARE, "What the judge gives it beyond the reference's win rate and "
           "its own decisiveness, mean over the other systems"),
)  # fmt: skip
"""Columns of what each judge gives each system too much."""
WITHOUT_LABELS = (
    ATTRIBUTE,
    Column("figure", "figure", LabelledWords(name=LABELS.__getitem__)),
    Column("judges", "judges", COUNT),
    declare_estimate(
        "spearman", "Spearman", DECIMAL, "Rank correlation with accuracy over the judges",
        interval=RESAMPLED, ends="",
    ),
    Column("best", "best by it", help="The judge with most of it", names_people=True),
    Column("lost", "accuracy lost", SHARE, "By how much the most accurate judge is ahead of it"),
)  # fmt: skip
"""Columns of how figures that need no labels go with accuracy."""
GROUPS = {
    "attribute": "attribute",
    "subset": "subset",
    "separability": "separability",
    "longer": "better text longer by",
    "chose": "chose the text shown",
    "sure": "probability it gave",
}
BY = (
    JUDGE,
    Column("by", "by", LabelledWords(name=GROUPS.__getitem__)),
    Column("value", "value"),
    Column("answers", "answers", COUNT, "About pairs with a better text"),
    Column("wrong", "wrong", COUNT, "Answers that choose the other one"),
    declare_estimate("of_wrong", "of its errors", SHARE),
    declare_estimate("accuracy", "accuracy", SHARE, ACCURACY.help, interval=ACCURACY.interval),
)
"""Columns of answers that have something in common, by what that is."""
TABLES = {
    "differences": (*judge_differences.COLUMNS, judge_differences.P),
    "without_labels": WITHOUT_LABELS,
    "systems": SYSTEMS,
}
