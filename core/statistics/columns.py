"""Comparisons as three parallel columns, the input of all ratings, and sums over them.

`first` and `second` (m,) are integer codes 0..n-1, the first being the text shown first, and
`outcome` (m,) float: the points of the first (1 won, 1/2 neither, 0 lost), or the probability that
it is the better one. `weights` is (m,), or (B, m) for B resamples at once; a rating is then (n,) or
(B, n), NaN for a system that was never compared or whose comparisons all weigh nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Weights = NDArray[Any]

START = 1000.0
SCALE = 400.0 / np.log(10.0)  # Elo points per unit of log-odds
CLIP = 1e-6  # a probability is taken as no closer to 0 or 1 where its logarithm is


def link(first: Codes, second: Codes, n: int) -> Codes:
    """Label the set of each system (n,): chains of comparisons link those of one set."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    labels: Codes = csgraph.connected_components(graph, directed=False)[1]
    return labels


def average_within(linked: Codes) -> Floats:
    """Return the projection onto the mean of each linked set: (n, n) for labels (n,), or (n, n, B)
    for labels (n, B).
    """
    same = linked[:, None] == linked[None, :]
    means: Floats = same / same.sum(axis=1, keepdims=True)
    return means


def components(first: Codes, second: Codes, *, n: int) -> int:
    """Number of linked sets among the systems that were compared."""
    return len(np.unique(link(first, second, n)[np.union1d(first, second)]))


def default_weights(weights: Weights | None, first: Codes) -> Weights:
    """The weights, or one for every comparison."""
    return np.ones(len(first)) if weights is None else weights


def sums(weights: Weights, codes: Codes, values: Floats | float, n: int) -> Floats:
    """Weighted sums of `values` (m,) by code: (n,), or (B, n) for weights (B, m)."""
    rows = np.arange(len(codes))
    indicator = sparse.csr_array(
        (np.broadcast_to(values, codes.shape), (rows, codes)), shape=(len(codes), n)
    )
    total: Floats = weights @ indicator
    return total


def times_compared(weights: Weights, first: Codes, second: Codes, n: int) -> Floats:
    """Weight of the comparisons each system is in."""
    return sums(weights, first, 1.0, n) + sums(weights, second, 1.0, n)
