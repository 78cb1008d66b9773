"""Shares and means by item: `core.statistics.intervals`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.statistics import intervals
from tests.coverage.simulation import Simulation, cases, hold

EACH = 5  # answers an item
ITEMS = (10, 20, 50, 200)


def share(rng: np.random.Generator, *, items: int, p: float, alike: float) -> bool:
    """With probability `alike` an answer is what the item says."""
    groups = np.repeat(np.arange(items), EACH)
    of_item = (rng.random(items) < p)[groups]
    own = rng.random(len(groups)) < p
    points = np.where(rng.random(len(groups)) < alike, of_item, own).astype(float)
    _, low, high, _ = intervals.share(points, groups)
    return low <= p <= high


def probability(rng: np.random.Generator, *, items: int, p: float, alike: float) -> bool:
    """The item's own probability and another one, mixed; of each the mean is p (Beta)."""
    groups = np.repeat(np.arange(items), EACH)
    of_item, own = (rng.beta(4 * p, 4 * (1 - p), many) for many in (items, len(groups)))
    _, low, high, _ = intervals.share(alike * of_item[groups] + (1 - alike) * own, groups)
    return low <= p <= high


def mean(rng: np.random.Generator, *, items: int, skewed: bool) -> bool:
    """One to five values an item, half of each the item's: normal ones, or exponential ones."""
    groups = np.repeat(np.arange(items), rng.integers(1, 6, size=items))
    draw: Callable[..., Any] = rng.standard_exponential if skewed else rng.standard_normal
    _, low, high, _ = intervals.mean(draw(items)[groups] + draw(len(groups)), groups)
    return low <= 2.0 * skewed <= high


def over_prompts(rng: np.random.Generator, *, items: int, p: float) -> bool:
    """Four prompts about the same items, half of which are hard for all."""
    at_item = np.where(rng.random(items) < 0.5, p - 0.15, p + 0.15)
    points = (rng.random((4, items)) < at_item).astype(float)
    prompt, item = np.indices(points.shape).reshape(2, -1)
    _, low, high = intervals.mean_of_shares(points.ravel(), item, prompt)
    return low <= p <= high


def apart(rng: np.random.Generator, *, items: int, p: tuple[float, float], pairs: int) -> float:
    """Two that answer the same pairs, of items that are easier or harder for both."""
    groups = np.repeat(np.arange(items), pairs)
    at_item = rng.uniform(-0.1, 0.1, items)[groups]
    one, other = ((rng.random(len(groups)) < share + at_item).astype(float) for share in p)
    _, low, high, _ = intervals.difference(one - other, groups)
    return float(hold(low, p[0] - p[1], high))


SKEWED = "of few items as skewed as these, one that was not drawn would move the mean"

RARE = "in few pairs do the two differ"

WITHIN = {"independent": 0.0, "alike": 0.6}

SHARES = (
    Simulation(
        "share of answers, by item",
        "`bias`: `p_first`, `tie_rate`, `longer` and the other shares; `accuracy`: `accuracy`, "
        "`points`; `consistency`: the shares; `annotators`: `p_first`, `self_agreement`; "
        "`calibrate`: `bins`; `probes`: the shares",
        cases("{items} items, {p:.0%}, answers within an item {alike}", share, items=ITEMS,
              p=(0.5, 0.8), alike=WITHIN),
    ),
    Simulation(
        "mean of probabilities, or of other figures from 0 to 1, by item",
        "`bias`: `mean_prob_first`, `places`, `own`; `consistency`: the means",
        cases("{items} items, {p:.0%}, answers within an item {alike}", probability, SKEWED,
              items=ITEMS, p=(0.5, 0.9), alike=WITHIN),
    ),
    Simulation(
        "mean of marks, or of separability, by item",
        "`describe`: `mean`; `separability`: `mean` and the curves",
        cases("{items} items, {skewed} values", mean,
              lambda items, skewed: SKEWED if skewed else "", items=ITEMS,
              skewed={"normal": False, "skewed": True}),
    ),
    Simulation(
        "mean accuracy over prompts",
        "`accuracy`: `averages`",
        cases("{items} items, {p:.0%}", over_prompts, items=ITEMS, p=(0.5, 0.8)),
    ),
    Simulation(
        "difference of two shares on the same pairs, by item",
        "`bias`: `own`: `low`, `high` (self-preference); `probes`: `change`",
        cases("{items} items of {pairs} pairs, {p[0]:.0%} and {p[1]:.0%}", apart, RARE,
              items=(10, 30, 100), pairs=(1, 5), p=((0.5, 0.5), (0.7, 0.5), (0.2, 0.1))),
    ),
)  # fmt: skip
