"""Compare the order among a subset of candidates with their order among all (Liusie et al. 2024,
table 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...rendering import declare_rows
from ...seeds import draw
from ...statistics import Floats, Target, replay
from .columns import FEWER
from .pool import Pool, PooledUnit

FewerRows = Annotated[pd.DataFrame, declare_rows(FEWER)]

SIZES = 12  # numbers of candidates that are tried, at most


def fewer_candidates(
    pool: Pool, units: Sequence[PooledUnit], people: Sequence[Target], draws: int, seed: int
) -> FewerRows:
    """The share of pairs that the win ratio among some candidates alone orders as that of all
    candidates does, and as people do (FEWER); no interval of one draw.

    A draw takes as many candidates of each unit, which share one weight a pair.
    """
    most = max(unit.n for unit in units)
    steps = np.linspace(2, most, SIZES) if most > 2 else np.zeros(0)
    tables = [
        replay.points_and_times(unit.first, unit.second, pool.points[unit.rows], n=unit.n)
        for unit in units
    ]
    full = [Target.from_values(_ratio(points, times), level=True) for points, times in tables]
    rows = []
    for size in np.unique(np.round(steps)).astype(int).tolist():
        counted = np.zeros((4, draws))
        for unit, (points, times), whole, other in zip(units, tables, full, people, strict=True):
            rng = np.random.default_rng(draw(seed, "fewer", size, unit.number))
            chosen = replay.drawn_candidates(unit.n, min(size, unit.n), draws, rng)
            counted[:2] += replay.count_ordered_in_subsets(points, times, chosen, whole)
            counted[2:] += replay.count_ordered_in_subsets(points, times, chosen, other)
        rows.append((size, draws, *_share(*counted[:2]), *_share(*counted[2:])))
    return get_schema(FewerRows).make(rows)


def _ratio(points: Floats, times: Floats) -> Floats:
    won, met = points.sum(axis=1), times.sum(axis=1)
    ratio: Floats = np.divide(won, met, out=np.full(len(won), 0.5), where=met > 0)
    return ratio


def _share(right: Floats, pairs: Floats) -> tuple[float, float, float]:
    shares = right[pairs > 0] / pairs[pairs > 0]
    if not len(shares):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(shares, [0.025, 0.975]) if len(shares) > 1 else (np.nan, np.nan)
    return float(right.sum() / pairs.sum()), float(low), float(high)
