"""Ranks, and Kendall's tau. scipy.stats takes longer to import than the rest of Tandem: no first
page, no `rank` and no `judge` waits for it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from core.statistics.columns import Floats


def rankdata(
    values: Floats, *, method: Literal["average", "min"] = "average", axis: int | None = None
) -> Floats:
    """Ranks from 1, the lowest first, of all values or along an axis; ties share the mean of their
    ranks, or the lowest. All are NaN where one value is, as in scipy.stats.rankdata.
    """
    across = np.ravel(values) if axis is None else np.moveaxis(np.asarray(values), axis, -1)
    rows = across.reshape(-1, max(across.shape[-1], 1)).astype(float)
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    is_tied = ordered[:, 1:] == ordered[:, :-1]  # with the one before
    edge = np.ones((len(rows), 1), dtype=bool)
    place = np.arange(1, rows.shape[1] + 1)
    lowest = np.maximum.accumulate(np.where(np.hstack([edge, ~is_tied]), place, 0), axis=1)
    share = lowest.astype(float)
    if method == "average":
        ends = np.where(np.hstack([~is_tied, edge]), place, place[-1])
        share = (lowest + np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]) / 2
    ranks = np.empty_like(rows)
    np.put_along_axis(ranks, order, share, axis=1)
    ranks[np.isnan(rows).any(axis=1)] = np.nan
    return np.moveaxis(ranks.reshape(across.shape), -1, -1 if axis is None else axis)


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's tau-b (1945) of two columns (n,); NaN where either is constant."""
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)
