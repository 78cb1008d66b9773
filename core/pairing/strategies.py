"""The registry of pairing strategies: to add one, write its file and name it here."""

from __future__ import annotations

from .active import ACTIVE
from .drawn_pairs import FULL, NO_REPEAT, RANDOM, SAME_PAIRS, SYMMETRIC
from .ring import RING
from .sort import PAIRS_BEAM, PAIRS_GREEDY
from .strategy import Strategy

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        FULL, RANDOM, NO_REPEAT, SYMMETRIC, RING, SAME_PAIRS, ACTIVE, PAIRS_GREEDY, PAIRS_BEAM,
    )
}  # fmt: skip


def sorting() -> list[str]:
    """Return the strategies that end in a ranking."""
    return [name for name, strategy in STRATEGIES.items() if strategy.sorts]


def list_strategies_taking(name: str) -> tuple[str, ...]:
    """Return the strategies that take a setting, such as "budget"."""
    return tuple(one.name for one in STRATEGIES.values() if name in one.takes)
