"""Leaderboards of systems that few comparisons join: pools, and a system that has just joined."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.statistics.columns import SCALE, START
from core.statistics.drawing import Drawing
from core.statistics.ratings import Leaderboard, leaderboard
from tests.coverage.simulation import Simulation, cases, decide, hold

ITEMS = 20


class Bridge(NamedTuple):
    """Pools of systems that meet each other on ITEMS items, joined by so many votes, each on its own
    item, between a system of `left` and one of `right`; those of `right` are better by `apart`.
    """

    pools: tuple[tuple[int, ...], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    votes: int
    apart: float = 0.0

    @property
    def strengths(self) -> NDArray[np.float64]:
        theta = np.zeros(1 + max(max(self.left), max(self.right)))
        theta[list(self.right)] = self.apart
        return theta - theta.mean()


def rate(rng: np.random.Generator, bridge: Bridge) -> Leaderboard:
    rows = [
        (*pair, place * ITEMS + item)
        for place, pool in enumerate(bridge.pools)
        for pair in combinations(pool, 2)
        for item in range(ITEMS)
    ]
    rows += [
        (rng.choice(bridge.left), rng.choice(bridge.right), 1000 + vote)
        for vote in range(bridge.votes)
    ]
    first, second, item = np.array(rows).T
    turned, theta = rng.random(len(rows)) < 0.5, bridge.strengths
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    won = decide(rng, theta[first] - theta[second])
    drawing = Drawing(rng, groups=item)
    return leaderboard("bradley-terry", first, second, won, n=len(theta), drawing=drawing)


def rating(rng: np.random.Generator, *, bridge: Bridge) -> NDArray[np.float64]:
    """Whether each system's interval holds its strength."""
    found, right = rate(rng, bridge), START + SCALE * bridge.strengths
    return hold(found.low, right, found.high)


def ranks(rng: np.random.Generator, *, bridge: Bridge) -> bool:
    """Whether no system is called better that is not."""
    found, theta = rate(rng, bridge), bridge.strengths
    return not (found.beats & ~(theta[:, None] > theta[None, :])).any()


TWO = ((0, 1, 2), (3, 4, 5))
BRIDGES = {
    **{
        f"two pools, {votes} vote{'s' * (votes > 1)}": Bridge(TWO, TWO[0], TWO[1], votes)
        for votes in (1, 2, 3, 4, 8)
    },
    "two pools, 3 votes, apart by 1 in log-odds": Bridge(TWO, TWO[0], TWO[1], 3, 1.0),
    "two pools, 6 votes, apart by 2 in log-odds": Bridge(TWO, TWO[0], TWO[1], 6, 2.0),
    "pools that share a system, 3 votes": Bridge(((0, 1, 2), (3, 4)), (2,), (3, 4), 3),
    "a sixth system, 3 votes": Bridge(((0, 1, 2, 3, 4),), (0, 1, 2, 3, 4), (5,), 3),
}
WIDE = "few votes: wide rather than narrow"
WEAK_LINKS = (
    Simulation(
        "Bradley-Terry strength of systems that few votes join",
        "`rank --method bradley-terry`: `low`, `high`",
        cases("{bridge}", rating, WIDE, most=1.0, bridge=BRIDGES),
        studies=200,
    ),
    Simulation(
        "ranks of systems that few votes join",
        "`rank`: `rank_low`, `rank_high`: studies in which no system is wrongly told apart",
        cases("{bridge}", ranks, least=0.94, most=1.0, bridge=BRIDGES),
        studies=200,
    ),
)  # fmt: skip
