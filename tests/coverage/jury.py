"""A jury: intervals of strengths and of discriminations."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core.statistics import jury
from core.statistics.columns import SCALE, START
from core.statistics.drawing import Drawing
from core.statistics.ratings import leaderboard
from tests.coverage.ranking import NODES, WEIGHTS
from tests.coverage.simulation import Case, Simulation

Floats = NDArray[np.float64]
STRENGTH = np.array([0.9, 0.3, -0.3, -0.9])
BY_ITEM = 0.5
"""The standard deviation of a system's strength from item to item, in log-odds."""
PAIRS = np.array(list(combinations(range(len(STRENGTH)), 2)))


def answers(rng: np.random.Generator, d: tuple[float, ...], items: int) -> tuple[Any, ...]:
    """first, second, outcome, judge, item: every judge answers every pair of every item once; what
    an item does to a text, it does to all judges, so that they err together.
    """
    item, judge, pair = np.indices((items, len(d), len(PAIRS))).reshape(3, -1)
    first, second = PAIRS[pair].T
    own = STRENGTH + rng.normal(size=(items, len(STRENGTH))) * BY_ITEM
    p = expit(np.array(d)[judge] * (own[item, first] - own[item, second]))
    return first, second, (rng.random(len(p)) < p).astype(float), judge, item


@cache
def truth(d: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Strengths (as ratings) and discriminations that the jury says of all items there could be: its
    fit to the expected answers.
    """
    judge, pair = np.indices((len(d), len(PAIRS))).reshape(2, -1)
    first, second = PAIRS[pair].T
    apart = (STRENGTH[first] - STRENGTH[second])[:, None] + BY_ITEM * np.sqrt(2) * NODES
    expected = expit(np.array(d)[judge, None] * apart) @ (WEIGHTS / WEIGHTS.sum())
    fit = jury.fit_jury(first, second, expected, n=len(STRENGTH), judge=judge)
    return START + SCALE * fit.strength, fit.discrimination


def strengths(rng: np.random.Generator, *, d: tuple[float, ...], items: int) -> NDArray[np.bool_]:
    *columns, judge, item = answers(rng, d, items)
    drawing = Drawing(rng, groups=item)
    found = leaderboard("jury", *columns, n=len(STRENGTH), drawing=drawing, judge=judge)
    right = truth(d)[0]
    return (found.low <= right) & (right <= found.high)


def discriminations(
    rng: np.random.Generator, *, d: tuple[float, ...], items: int
) -> NDArray[np.bool_]:
    *columns, judge, item = answers(rng, d, items)
    vary = jury.spread(*columns, n=len(STRENGTH), judge=judge, groups=item, rng=rng)
    low, high = vary.student(vary.centre)
    right = truth(d)[1]
    return (low <= right) & (right <= high)


WORLDS = (
    ("judges of discrimination 1.5, 1, 0.5", (1.5, 1.0, 0.5)),
    ("five judges, one useless, one contrary", (1.5, 1.2, 1.0, 0.0, -0.5)),
)


def _cases(study: Any) -> tuple[Case, ...]:
    return tuple(
        Case(f"{who}, {items} items", partial(study, d=d, items=items))
        for who, d in WORLDS
        for items in (20, 50)[: len(d) // 2]
    )


JURY = (
    Simulation("strength by a jury", "`rank --method jury`: `low`, `high`; four systems",
               _cases(strengths), studies=60),
    Simulation("discrimination of a judge", "`rank --method jury`: `judges`, `low`, `high`",
               _cases(discriminations), studies=60),
)  # fmt: skip
