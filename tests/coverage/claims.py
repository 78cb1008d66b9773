"""Sentences that name somebody where there is nothing to name: how often they say so by chance."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from scipy.special import expit

from core.statistics import compute_drift_p, intervals
from core.statistics.replay import compute_chance_p
from tests.coverage.simulation import Case, Simulation

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
    outcome = (rng.random(len(odds)) < expit(odds)).astype(float)
    return compute_chance_p(one, other, outcome, item, rng) > ALPHA


def steady(rng: np.random.Generator, *, by_item: float, items: int) -> bool:
    """Whether no system is said to have changed, where none has."""
    item, pair = np.indices((items, len(PAIRS))).reshape(2, -1)
    strength = np.array([1.0, 0.3, -0.3, -1.0]) + rng.normal(size=(items, 4)) * by_item
    first, second = PAIRS[pair].T
    won = rng.random(len(item)) < expit(strength[item, first] - strength[item, second])
    p = compute_drift_p(first, second, won.astype(float), n=4, groups=item, rng=rng)
    return p > ALPHA


CLAIMS = (
    Simulation(
        "self-preference of nobody",
        "`bias`, page Bias: studies in which no judge is said to prefer its own texts",
        tuple(Case(f"{judges} judges, {items} items", partial(own_texts, judges=judges, items=items),
                   least=0.94, most=1.0)
              for judges, items in ((1, 40), (8, 20), (8, 40))),
        studies=500,
    ),
    Simulation(
        "a ranking by answers that rank nobody",
        "`budget`: studies in which no number is said to have been enough",
        tuple(Case(f"first text in {first:.0%}{', systems differ by item' * (by_item > 0)}",
                   partial(ranking, first=first, by_item=by_item, items=30), least=0.94, most=1.0)
              for first, by_item in ((0.5, 0.0), (0.8, 0.0), (0.5, 1.0))),
        studies=500,
    ),
    Simulation(
        "systems that do not change",
        "`rank --method elo`: studies in which none is said to have changed",
        tuple(Case(f"{items} items{', systems differ by item' * (by_item > 0)}",
                   partial(steady, by_item=by_item, items=items), least=0.94, most=1.0)
              for items, by_item in ((20, 0.0), (100, 0.0), (100, 1.0))),
        studies=500,
    ),
)  # fmt: skip
