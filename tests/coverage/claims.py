"""Sentences that name somebody where there is nothing to name: how often they say so by chance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit

from core.statistics import compute_drift_p, intervals
from core.statistics.replay import compute_chance_p
from tests.coverage.simulation import Simulation, cases, decide

ALPHA = 0.05
PAIRS = np.array(list(combinations(range(4), 2)))


def own_texts(rng: np.random.Generator, *, judges: int, items: int) -> bool:
    """Whether none of so many judges that answer as three others do is said to prefer its texts."""
    groups = np.repeat(np.arange(items), 3)
    better = expit(rng.normal(size=len(groups)))
    own = rng.random((judges, len(groups))) < better
    others = (rng.random((judges, 3, len(groups))) < better).mean(axis=1)
    p = [intervals.measure_change(apart, groups).p for apart in own - others]
    return bool((intervals.holm(np.array(p)) > ALPHA).all())


def ranking(rng: np.random.Generator, *, first: float, by_item: float, items: int) -> bool:
    """Whether no ranking is claimed of answers that are for the first text with this probability,
    or by item for either of two systems.
    """
    item, pair = np.indices((items, len(PAIRS))).reshape(2, -1)
    one, other = rng.permuted(PAIRS[pair], axis=1).T
    strength = rng.normal(size=(items, 4)) * by_item
    odds = np.log(first / (1 - first)) + strength[item, one] - strength[item, other]
    return compute_chance_p(one, other, decide(rng, odds), item, rng) > ALPHA


def steady(rng: np.random.Generator, *, by_item: float, items: int) -> bool:
    """Whether no system is said to have changed, where none has."""
    item, pair = np.indices((items, len(PAIRS))).reshape(2, -1)
    strength = np.array([1.0, 0.3, -0.3, -1.0]) + rng.normal(size=(items, 4)) * by_item
    first, second = PAIRS[pair].T
    won = decide(rng, strength[item, first] - strength[item, second])
    return compute_drift_p(first, second, won, n=4, groups=item, rng=rng) > ALPHA


RANKED = ((0.5, 0.0), (0.8, 0.0), (0.5, 1.0))
DIFFER = ", systems differ by item"
CLAIMS = (
    Simulation(
        "self-preference of nobody",
        "`bias`, page Bias: studies in which no judge is said to prefer its own texts",
        cases("{judges} judges, {items} items", own_texts, least=0.94, most=1.0,
              of=[{"judges": 1, "items": 40}, *({"judges": 8, "items": n} for n in (20, 40))]),
        studies=500,
    ),
    Simulation(
        "a ranking by answers that rank nobody",
        "`budget`: studies in which no number is said to have been enough",
        cases("first text in {of}", ranking, least=0.94, most=1.0,
              of={f"{first:.0%}{DIFFER * (by_item > 0)}": {"first": first, "by_item": by_item}
                  for first, by_item in RANKED}, items=[30]),
        studies=500,
    ),
    Simulation(
        "systems that do not change",
        "`rank --method elo`: studies in which none is said to have changed",
        cases("{of}", steady, least=0.94, most=1.0,
              of={f"{items} items{DIFFER * (by_item > 0)}": {"items": items, "by_item": by_item}
                  for items, by_item in ((20, 0.0), (100, 0.0), (100, 1.0))}),
        studies=500,
    ),
)  # fmt: skip
