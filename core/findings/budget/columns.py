"""The settings and the columns of the budget, each declared once for every door."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...labels import DEBIASING, glossary
from ...pairing import STRATEGIES
from ...records import TandemError, option_ref
from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    Amount,
    Column,
    Interval,
    LabelledWords,
    Place,
)
from ...settings import check_choices, declare
from ...statistics import RATINGS
from ..judgements.judges import declare_estimate

PAIRINGS = tuple(name for name, how in STRATEGIES.items() if "budget" in how.takes)
"""The strategies that choose, and so have a budget."""
SLOW = ("active", "pairs-beam")
"""Those that think long after every few answers."""
QUICK = tuple(name for name in PAIRINGS if name not in SLOW)
SUBSETS = 200  # of the candidates, drawn of each size
SELDOM = 5  # strategies that look at answers are replayed one time in so many
METHODS = tuple(name for name, how in RATINGS.items() if not how.in_order and not how.needs)
"""The methods that rate any set of comparisons, in any order."""


@dataclass(frozen=True)
class BudgetSettings:
    """Settings of the replays; blank ones are chosen by the data. `level` item is Liusie et al.'s
    "summary level". Adaptive strategies run once for every SELDOM replays.
    """

    level: str = declare(
        "",
        "whether each item's candidates are ranked, or the systems over all items (default: "
        "item with three candidates or more)",
        label="Rank",
        choices={"": "chosen by the data", "item": "each item's texts", "system": "systems"},
        more="Rank the texts of each item, or the systems over all items. Items with three texts "
        "or more are ranked one by one unless you choose.",
    )
    pairings: tuple[str, ...] = declare(
        (),
        "strategies that are replayed (default: all but active and pairs-beam, which think long)",
        label="Pairs",
        option="pairs",
        sign_as="pairs",
        choices=PAIRINGS,
        more=glossary(STRATEGIES[name] for name in PAIRINGS),
    )
    methods: tuple[str, ...] = declare(
        (),
        "rating methods (default average-probability, of decisions win-ratio)",
        label="Methods",
        option="method",
        choices={name: RATINGS[name].label for name in METHODS},
        more=glossary(RATINGS[name] for name in METHODS),
    )
    corrections: tuple[str, ...] = declare(
        (),
        "with and without the threshold that takes out position bias (default: both, where there "
        "are probabilities)",
        option="debias",
        sign_as="debias",
        choices={name: DEBIASING[name] for name in ("none", "threshold")},
    )
    budgets: tuple[int, ...] = declare(
        (),
        "comparisons an item (default: a dozen or two numbers up to all)",
        metavar="R",
        option="budget",
        least=1,
    )
    replays: int = declare(
        20,
        "how often each strategy is drawn; those that look at answers a fifth as often",
        label="Replays",
        more="How often each strategy is drawn. Strategies that look at answers take long, and "
        "are replayed a fifth as often.",
        metavar="N",
        least=1,
        is_always_signed=True,
    )
    goal: float = declare(
        0.95,
        "Spearman correlation with all comparisons that is enough",
        label="Goal",
        more="The Spearman correlation with the ranking by all comparisons that is good enough.",
        metavar="RHO",
        least=0,
        is_always_signed=True,
    )
    rater: str = declare("", "whose scores the rankings are held against, too", metavar="RATER")

    def __post_init__(self) -> None:
        check_choices(self)
        if not 0 < self.goal <= 1:
            raise TandemError(f"{option_ref('goal')} is {self.goal:g}; it lies between 0 and 1")

    def times(self, strategy: str) -> int:
        """Number of replays of a strategy."""
        return -(-self.replays // SELDOM) if STRATEGIES[strategy].adaptive else self.replays


SORTED = "pairs"
"""The method that takes a sort's own rankings."""
REPLAYED = Interval(
    "Bands hold 95% of the replays; they are not confidence intervals.", "quantiles of the replays"
)
DRAWS = Interval(
    "The band holds 95% of the draws; it is not a confidence interval.", "quantiles of the draws"
)


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
FIGURES = tuple(
    declare_estimate(name, label, DECIMAL, help, interval=REPLAYED)
    for name, label, help in (
        ("spearman", "Spearman with all comparisons", "With the ranking by all of them"),
        ("pair_accuracy", "pairs ordered as by all comparisons", "The share of pairs"),
        ("human_spearman", "Spearman with people", "With what people or gold labels say"),
        ("human_accuracy", "pairs ordered as people do", "The share of pairs"),
    )
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
    "needed", "comparisons an item", Amount(), "The fewest tried of an item (of each attribute) "
    "from which the mean over replays stays at the goal. It is empty where none does.",
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
BY_ALL = (*WAY[1:], *(replace(figure, low="", high="", interval=None) for figure in FIGURES[2:]))
"""What all answers reach against people."""
SOME = (
    declare_estimate(
        "as_all", "pairs in the same order as among all candidates", SHARE, "The share of pairs",
        interval=DRAWS,
    ),
    declare_estimate(
        "as_people", "pairs in the order of people", SHARE, "The share of pairs", interval=DRAWS,
    ),
)  # fmt: skip
FEWER = (
    Column("candidates", "candidates", COUNT, "Compared with each other alone"),
    *SOME,
)
"""Columns of smaller numbers of candidates, drawn at random."""
