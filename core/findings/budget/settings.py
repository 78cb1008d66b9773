"""Settings of a budget, and how a signature records them."""

from __future__ import annotations

from dataclasses import dataclass

from ...labels import DEBIASING, glossary
from ...pairing import STRATEGIES
from ...records import TandemError, option_ref
from ...settings import check_choices, declare
from ...statistics import RATINGS

PAIRINGS = tuple(name for name, how in STRATEGIES.items() if "budget" in how.takes)
"""The strategies that choose, and so have a budget."""
SLOW = ("active", "pairs-beam")
"""Those that think long after every few answers."""
QUICK = tuple(name for name in PAIRINGS if name not in SLOW)
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
        choices={name: name for name in PAIRINGS},
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
    draws: int = declare(
        200, "how often some of the candidates are drawn", metavar="N", least=1,
        is_always_signed=True,
    )  # fmt: skip
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
