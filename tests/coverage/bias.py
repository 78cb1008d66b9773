"""The threshold of probabilities and the effect of length: `position_bias`, `length_bias`."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from core.statistics import length_effect
from core.statistics import position_bias as positional
from tests.coverage.simulation import Simulation, cases, decide, hold

EACH = 6  # comparisons an item
ITEMS = (10, 20, 50, 200)


def threshold(rng: np.random.Generator, *, items: int, median: float, alike: float) -> bool:
    """Probabilities whose log-odds are normal, `alike` of their variance being the item's."""
    groups = np.repeat(np.arange(items), EACH)
    of_item, own = rng.normal(size=items)[groups], rng.normal(size=len(groups))
    away = np.sqrt(alike) * of_item + np.sqrt(1 - alike) * own
    low, high = positional.threshold_interval(expit(median + away), groups)
    return bool(low <= expit(median) <= high)


def length(rng: np.random.Generator, *, items: int, slope: float) -> float:
    """The first is preferred by 0.3 in log-odds, and by this slope times the doublings."""
    groups = np.repeat(np.arange(items), EACH)
    doublings = rng.normal(size=len(groups)) * 0.7
    points = decide(rng, 0.3 + slope * doublings)
    found = length_effect(points, doublings, groups)
    return float(hold(found.low, slope, found.high))


BIAS = (
    Simulation(
        "the median probability, and the weight that evens the positions",
        "`bias`: `threshold`, `threshold_weight`",
        cases("{items} items, median {median}, answers within an item {alike}", threshold,
              items=ITEMS, median={"0.50": 0.0, "0.73": 1.0},
              alike={"independent": 0.0, "alike": 0.5}),
        studies=500,
    ),
    Simulation(
        "the odds of a text twice as long",
        "`bias`: `odds`, with `low` and `high`",
        cases("{items} items, odds {slope}", length, items=sorted({*ITEMS, 12}),
              slope={"1.0": 0.0, "2.0": 0.7}),
    ),
)  # fmt: skip
