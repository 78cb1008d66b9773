"""Ranks, and Kendall's tau. scipy.stats takes longer to import than the rest of Tandem: no first
page, no `rank` and no `judge` waits for it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .columns import Floats


def rankdata(
    values: Floats, *, method: Literal["average", "min"] = "average", axis: int | None = None
) -> Floats:
    """Ranks from 1, the lowest first, of all values or along an axis; ties share the mean of their
    ranks, or the lowest. All are NaN where one value is.
    """
    from scipy import stats

    return np.asarray(stats.rankdata(values, method, axis=axis), dtype=float)


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's tau-b (1945) of two columns (n,); NaN where either is constant."""
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)
