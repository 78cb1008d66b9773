"""SciPy's ranks and Kendall's tau, loaded when first asked for: scipy.stats takes longer to import
than the rest of Tandem, and no first page and no `judge` needs it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from core.statistics.columns import Codes, Floats, Weights, given
from core.statistics.method import Method
from core.statistics.win_ratio import win_ratio


def rankdata(
    values: Floats, *, method: Literal["average", "min"] = "average", axis: int | None = None
) -> Floats:
    """Ranks from 1, the lowest first, of all values or along an axis; ties share the mean of their
    ranks, or the lowest.
    """
    from scipy import stats

    return np.asarray(stats.rankdata(values, method=method, axis=axis), dtype=float)


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's tau-b (1945) of two columns (n,); NaN where either is constant."""
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)


def mean_rank(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    share: Floats | None = None,
    weights: Weights | None = None,
) -> Floats:
    """Mean over rankings of the share of the others that a system is ranked above, in [0, 1]; 1 is
    always best.

    A ranking of N systems comes as its N (N - 1) / 2 pairs, the one ranked above with outcome 1,
    each of `share` 1 / (N - 1): so every ranking counts once for each of its systems, however many
    it ranks.
    """
    return win_ratio(
        first, second, outcome, n=n, weights=given(weights, first) * given(share, first)
    )


PAIRS = Method(
    "pairs",
    "PairS rankings",
    "the mean rank over the rankings that runs by merge sort have made",
    "mean relative rank in the PairS rankings (1 = always first)",
    mean_rank,
    share=True,
    outcome="rankings",
    takes=("share",),
    cites=("liu2024aligning",),
)


def meetings(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> Floats:
    """(n, n) how often each two systems met, in either order; `times` (m,) is how many comparisons
    each row stands for.
    """
    met = np.zeros((n, n))
    np.add.at(met, (first, second), given(times, first))
    return met + met.T


def unevenness(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> float:
    """The greatest share of one system's comparisons that would have to be with other opponents
    for it to meet all the others equally often, in [0, 1); 0 with no comparisons.

    It is the total variation between the shares of its opponents and equal ones, so no win ratio
    differs by more from the mean of the win ratios against each opponent. Systems that were never
    compared are nobody's opponents. `times` (m,) is how many comparisons each row stands for.
    """
    met = meetings(first, second, n=n, times=times)
    met = met[np.ix_(met.any(axis=1), met.any(axis=1))]
    if not len(met):
        return 0.0
    shares = met / met.sum(axis=1, keepdims=True)
    even = (1 - np.eye(len(met))) / (len(met) - 1)
    return float(np.abs(shares - even).sum(axis=1).max() / 2)
