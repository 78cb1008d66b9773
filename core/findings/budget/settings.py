"""What of a budget is replayed, and how it is signed."""

from __future__ import annotations

from dataclasses import dataclass

from core.pairing import STRATEGIES, at_least
from core.records import TandemError, setting
from core.statistics import RATINGS

LEVELS = ("item", "system")
CORRECTIONS = ("none", "threshold")
PAIRINGS = tuple(name for name, how in STRATEGIES.items() if "budget" in how.takes)
"""The strategies that choose, and so have a budget."""
SLOW = ("active", "pairs-beam")
"""Those that think long after every few answers."""
QUICK = tuple(name for name in PAIRINGS if name not in SLOW)
SELDOM = 5  # strategies that look at answers are replayed one time in so many
METHODS = tuple(
    name
    for name, how in RATINGS.items()
    if how.outcome != "rankings"
    and not how.in_order
    and not {"separability", "judge"} & {*how.takes}
)
"""The methods that rate whatever has been asked, in whichever order."""


@dataclass(frozen=True)
class BudgetSettings:
    """What is replayed, blank ones being chosen by the data.

    `level`: the ranking of each item's candidates (Liusie et al.'s "summary level"), or that of the
    systems over all items. `pairings` and `methods` are names of the registries, `corrections` of
    CORRECTIONS. `budgets` are comparisons an item. `replays` is how often each strategy draws anew,
    those that look at answers one time in SELDOM; `draws` how often some of the candidates are
    drawn. `goal` is the Spearman correlation with the ranking by all comparisons at which a ranking
    is as good. `rater` is whose scores it is held against.
    """

    level: str = ""
    pairings: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    budgets: tuple[int, ...] = ()
    replays: int = 20
    draws: int = 200
    goal: float = 0.95
    rater: str = ""

    def __post_init__(self) -> None:
        named = {
            "level": ((self.level,) if self.level else (), LEVELS),
            "pairs": (self.pairings, PAIRINGS),
            "method": (self.methods, METHODS),
            "debias": (self.corrections, CORRECTIONS),
        }
        for name, (given, there) in named.items():
            for one in given:
                if one not in there:
                    raise TandemError(
                        f"unknown {setting(name)} {one!r} of a replay; there are {', '.join(there)}"
                    )
        at_least(self, replays=1, draws=1)
        if any(budget < 1 for budget in self.budgets):
            raise TandemError(
                f"{setting('budget')} {min(self.budgets)} asks nothing: it is at least 1"
            )
        if not 0 < self.goal <= 1:
            raise TandemError(f"{setting('goal')} is {self.goal:g}; it lies between 0 and 1")

    def times(self, strategy: str) -> int:
        """How often a strategy is replayed."""
        return -(-self.replays // SELDOM) if STRATEGIES[strategy].adaptive else self.replays

    def seconds(self, answers: int) -> float:
        """About how long so many answers take to replay, on one core of 2026."""
        pairings, ways = self.pairings or QUICK, len(self.methods or "1") * 2
        plain = sum(self.times(name) for name in pairings if not STRATEGIES[name].adaptive)
        thinking = sum(self.times(name) for name in pairings if STRATEGIES[name].adaptive)
        return answers * (plain * (ways + 2) * 1e-6 + thinking * 1e-4)

    def signed(self) -> dict[str, object]:
        """What of these a signature says."""
        return {
            "level": self.level,
            "pairs": "+".join(self.pairings),
            "methods": "+".join(self.methods),
            "debias": "+".join(self.corrections),
            "budgets": "+".join(map(str, self.budgets)),
            "replays": self.replays,
            "draws": self.draws,
            "goal": f"{self.goal:g}",
            "rater": self.rater,
        }
