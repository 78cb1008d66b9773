"""Whom each system met: whether all met the same opponents equally often."""

from __future__ import annotations

import numpy as np

from core.statistics.columns import Codes, Floats


def meetings(first: Codes, second: Codes, *, n: int) -> Floats:
    """(n, n) how often each two systems met, in either order."""
    times = np.zeros((n, n))
    np.add.at(times, (first, second), 1.0)
    return times + times.T


def unevenness(first: Codes, second: Codes, *, n: int) -> float:
    """The greatest share of one system's comparisons that would have to be with other opponents
    for it to meet all the others equally often, in [0, 1); 0 with no comparisons.

    It is the total variation between the shares of its opponents and equal ones, so no win ratio
    differs by more from the mean of the win ratios against each opponent. Systems that were never
    compared are nobody's opponents.
    """
    times = meetings(first, second, n=n)
    times = times[np.ix_(times.any(axis=1), times.any(axis=1))]
    if not len(times):
        return 0.0
    shares = times / times.sum(axis=1, keepdims=True)
    even = (1 - np.eye(len(times))) / (len(times) - 1)
    return float(np.abs(shares - even).sum(axis=1).max() / 2)
