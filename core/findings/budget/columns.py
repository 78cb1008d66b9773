"""The columns of the budget, each declared once for every door."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...labels import DEBIASING
from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    Amount,
    Column,
    Interval,
    LabelledWords,
    Place,
    is_missing,
)
from ...statistics import RATINGS, replay

SORTED = "pairs"
"""The method that takes a sort's own rankings."""
REPLAYED = Interval(
    "Bands hold 95% of the replays; they are not confidence intervals.", "quantiles of the replays"
)
DRAWS = Interval(
    "The band holds 95% of the draws; it is not a confidence interval.", "quantiles of the draws"
)


@dataclass(frozen=True)
class NumberInRange(Amount):
    """A number between two others: these, where they are far apart."""

    confidence: ClassVar[str] = ""

    def write_with_range(self, value: Any, low: Any, high: Any) -> str:
        if is_missing(value) or high <= replay.WIDE * low:
            return self.write(value)
        return self.write_range(low, high) if low else f"at most {self.write(high)}"


def _name_method(name: str) -> str:
    return "its own ranking" if name == SORTED else RATINGS[name].label


WAY = (
    Column("strategy", "pairs", help="The pairing strategy"),
    Column(
        "method", "method", LabelledWords(name=_name_method),
        f"The rating method; `{SORTED}` is the own ranking of a strategy that sorts",
    ),
    Column(
        "debias", "position", LabelledWords(name=DEBIASING.__getitem__),
        "How the effect of being shown first was taken out",
    ),
)  # fmt: skip
COMPARISONS = Column("comparisons", "comparisons", Amount(), "Asked of an item by then, on average")


def _declare_figure(name: str, label: str, help: str) -> Column:
    return Column(
        name, label, DECIMAL, help, low=f"{name}_low", high=f"{name}_high", interval=REPLAYED
    )


FIGURES = (
    _declare_figure("spearman", "Spearman with all comparisons", "With the ranking by all of them"),
    _declare_figure("pair_accuracy", "pairs ordered as by all comparisons", "The share of pairs"),
    _declare_figure(
        "human_spearman", "Spearman with people", "With what people or gold labels say"
    ),
    _declare_figure("human_accuracy", "pairs ordered as people do", "The share of pairs"),
)
"""Means over replays, between whose ends lie 95% of these."""
REPLAYS = (
    *WAY,
    Column("budget", "budget", COUNT, "Comparisons an item", place=Place.FILES),
    COMPARISONS,
    Column("replays", "replays", COUNT, "What the means are of", place=Place.FILES),
    *FIGURES,
)
"""Columns of each strategy, method, correction and budget."""
LEAST = Column(
    "needed", "comparisons an item", NumberInRange(),
    "The comparisons an item (of each attribute) from which the mean over replays stays at the "
"goal. It is empty where only all comparisons reach it. Between two budgets far from each "
"other it names both.",
    low="needed_low", high="needed_high", range_help="the budgets it lies between",
)  # fmt: skip
NEEDED = (
    *WAY,
    LEAST,
    Column("share", "of those asked", SHARE, "The share of what was asked"),
    Column("tokens", "tokens", Amount(), "What they take; nothing where it was not recorded"),
    Column("money", "money", Amount(), "In the currency of your prices"),
    Column("minutes", "minutes", Amount()),
    Column(
        "at_most",
        "highest reached",
        DECIMAL,
        "The highest value reached of the figure that the goal is about",
    ),
)
"""Columns of each strategy, method and correction."""
BY_ALL = (
    *WAY[1:],
    *(replace(figure, low="", high="", interval=None) for figure in FIGURES[2:]),
)
"""What all answers reach against people."""
SOME = (
    Column(
        "as_all", "pairs in the same order as among all candidates", SHARE, "The share of pairs",
        low="as_all_low", high="as_all_high", interval=DRAWS,
    ),
    Column(
        "as_people", "pairs in the order of people", SHARE, "The share of pairs",
        low="as_people_low", high="as_people_high", interval=DRAWS,
    ),
)  # fmt: skip
FEWER = (
    Column("candidates", "candidates", COUNT, "Compared with each other alone"),
    Column("draws", "draws", COUNT, "How often so many were drawn", place=Place.FILES),
    *SOME,
)
"""Columns of smaller numbers of candidates, drawn at random."""
