"""Compare the opponents of each system: did all meet the same ones equally often, and what links
them?
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from .columns import Codes, Floats, default_weights
from .logistic import use_one_core


def meetings(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> Floats:
    """Count how often each two systems met (n, n); `times` (m,) are comparisons in each row."""
    met = np.zeros((n, n))
    np.add.at(met, (first, second), default_weights(times, first))
    return met + met.T


def unevenness(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> float:
    """Compute how unevenly systems meet their opponents, in [0, 1): the greatest share of a
    system's comparisons that would need another opponent for it to meet all others equally often.
    No win ratio differs by more from the mean of the win ratios against each opponent. `times` (m,)
    is the number of comparisons in each row.
    """
    met = meetings(first, second, n=n, times=times)
    met = met[np.ix_(met.any(axis=1), met.any(axis=1))]
    if not len(met):
        return 0.0
    shares = met / met.sum(axis=1, keepdims=True)
    even = (1 - np.eye(len(met))) / (len(met) - 1)
    return float(np.abs(shares - even).sum(axis=1).max() / 2)


def share_pseudo_comparisons(
    low: Codes, high: Codes, met: Floats, *, n: int
) -> tuple[Floats, Floats]:
    """Share the pseudo-comparisons of each system among its pairs by how often they `met`, and give
    pairs that alone link parts of the graph more: their leverage, less that share. Then at least
    half a share crosses every cut, so that a bridge of few comparisons varies as much as they do.

    Leverage is the effective resistance times `met` (Spielman & Srivastava 2011); of pairs linked
    in many ways the sum over both systems of met / all their comparisons (von Luxburg, Radl & Hein
    2014). Returns the shares (P,), and each one's size as a cluster: 1, or its raised leverage.
    """
    every = meetings(low, high, n=n, times=met)
    in_all, leverage = every.sum(axis=0), met * measure_resistance(every)[low, high]
    usual = met * (1 / in_all[low] + 1 / in_all[high]) / 2
    raised = leverage > 2 * usual * (1 + 1e-9)
    share = np.where(raised, leverage - usual, usual)
    return share, np.where(raised, leverage, 1.0)


def measure_resistance(met: Floats) -> Floats:
    """Measure the effective resistance between every two systems (n, n): 1 over the comparisons
    that would link the two as well directly (Klein & Randic 1993), no less than 1 over those of any
    cut between them, and infinite where nothing links them.
    """
    _, part = csgraph.connected_components(met)
    together = np.equal.outer(part, part)
    # A constant for each part makes the Laplacian invertible, and no difference between systems.
    with use_one_core():
        inverse = np.linalg.inv(np.diag(met.sum(axis=0)) - met + together / np.bincount(part)[part])
    own = np.diagonal(inverse)
    return np.where(together, np.add.outer(own, own) - 2 * inverse, np.inf)


def find_weakest_cut(met: Floats, fewest: int) -> tuple[NDArray[np.bool_], float] | None:
    """Find two systems or more (n,), well linked among themselves, that fewer than `fewest`
    comparisons join with two or more others, and how many do; None without any.
    """
    _, group = csgraph.connected_components(measure_resistance(met) * fewest <= 1)
    inside = np.equal.outer(np.unique(group), group)
    across = (inside.astype(float) @ met * ~inside).sum(axis=1)
    pools = (inside.sum(axis=1) > 1) & ((~inside & met.any(axis=0)).sum(axis=1) > 1)
    weak = np.flatnonzero(pools & (across > 0) & (across < fewest))
    if not len(weak):
        return None
    least = weak[across[weak].argmin()]
    return inside[least], float(across[least])
