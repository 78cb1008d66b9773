"""Compare the opponents of each system: did all meet the same ones equally often?"""

from __future__ import annotations

import numpy as np

from core.statistics.columns import Codes, Floats, default_weights


def meetings(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> Floats:
    """Count how often each two systems met (n, n), in either order. `times` (m,) is the number of
    comparisons in each row.
    """
    met = np.zeros((n, n))
    np.add.at(met, (first, second), default_weights(times, first))
    return met + met.T


def unevenness(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> float:
    """Compute how unevenly systems meet their opponents, in [0, 1): the greatest share of a
    system's comparisons that would need another opponent for it to meet all others equally often. 0
    without comparisons.

    It is the total variation between the shares of its opponents and equal ones, so no win ratio
    differs by more from the mean of the win ratios against each opponent. Systems that were never
    compared are nobody's opponents. `times` (m,) is the number of comparisons in each row.
    """
    met = meetings(first, second, n=n, times=times)
    met = met[np.ix_(met.any(axis=1), met.any(axis=1))]
    if not len(met):
        return 0.0
    shares = met / met.sum(axis=1, keepdims=True)
    even = (1 - np.eye(len(met))) / (len(met) - 1)
    return float(np.abs(shares - even).sum(axis=1).max() / 2)
