"""Shares and means by item: `core.statistics.intervals`."""

from __future__ import annotations

from functools import partial

import numpy as np

from core.statistics import intervals
from tests.coverage.simulation import Case, Simulation


def share(rng: np.random.Generator, *, items: int, p: float, alike: float) -> bool:
    """Five answers an item; with probability `alike` each is what the item says."""
    groups = np.repeat(np.arange(items), 5)
    of_item = (rng.random(items) < p)[groups]
    own = rng.random(len(groups)) < p
    points = np.where(rng.random(len(groups)) < alike, of_item, own).astype(float)
    _, low, high, _ = intervals.share(points, groups)
    return low <= p <= high


SHARES = Simulation(
    "share of answers, by item",
    "`bias`: `p_first`, `tie_rate` and the other shares; `accuracy`: `accuracy`",
    tuple(
        Case(
            f"{items} items, {p:.0%}, answers within an item "
            f"{'independent' if not alike else 'alike'}",
            partial(share, items=items, p=p, alike=alike),
        )
        for items in (10, 20, 50, 200)
        for p in (0.5, 0.8)
        for alike in (0.0, 0.6)
    ),
)
