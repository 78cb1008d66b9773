"""Comparisons as three parallel columns, the input of all ratings, and sums over them.

`first` and `second` (m,) are integer codes 0..n-1, the first being the text shown first, and
`outcome` (m,) float: the points of the first (1 won, 1/2 neither, 0 lost), or the probability that
it is the better one. `weights` is (m,), or (B, m) for B resamples at once; a rating is then (n,) or
(B, n), NaN for a system that was never compared or whose comparisons all weigh nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Columns = tuple[Codes, Codes, Floats]
Weights = NDArray[Any]

START = 1000.0
SCALE = 400.0 / np.log(10.0)  # Elo points per unit of log-odds
CLIP = 1e-6  # a probability is taken as no closer to 0 or 1 where its logarithm is

OPEN_POSITION = (
    "These comparisons cannot separate the effect of being shown first from the strengths. "
    "Both are a convention: ask some pairs in the other order."
)

MADE_FOR = ("decisions", "probabilities", "either", "rankings")
"""What a method is made for: "either" takes probabilities where all answers have them, "rankings"
the pairs of whole ones."""


@dataclass(frozen=True)
class Method:
    """A way to rate.

    `label` is what people call it, `help` what it does, `axis` what its figures are called on a
    chart, and `share` whether they are shares of 1. `outcome` is one of MADE_FOR. `takes` names its
    own settings, `needs` what it needs to know of each comparison besides who won. `learns` says
    what it estimates from all answers together, so that it says nothing of a few.
    """

    name: str
    label: str
    help: str
    axis: str
    rate: Callable[..., Floats]
    share: bool = False
    outcome: str = "decisions"
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    learns: str = ""
    # whether the order of the comparisons matters
    in_order: bool = False
    # whether a comparison means the same with its sides turned round (without a position term)
    mirrored: bool = True
    # whether comparisons can count more or less than once, so that estimates can be re-weighted
    weighable: bool = False
    # how often each system is taken to have won and lost besides, where intervals are made
    pseudo: float = 0.0
    # whether ratings from few answers move in steps, which an interval cannot follow
    stepwise: bool = False
    # whether it is an order, whose variance the jackknife cannot estimate (Efron & Tibshirani 1993)
    is_order: bool = False
    # whether few answers may decide much of a rating, which resamples by weights show too little
    # of: clusters are left out one at a time where there are no more of them than resamples
    left_out: bool = False
    # what a reader must know of a rating, or ''
    remark: Callable[..., str] = lambda *columns, **settings: ""
    # how much each comparison counts for its first and its second system, if not by its weight
    counts: Callable[..., tuple[Floats, Floats]] | None = None
    # the position term in rating points, of methods that take `position`
    position_effect: Callable[..., float] | None = None
    # the works that a paper which uses it cites, by their keys in core/reporting/references.bib
    cites: tuple[str, ...] = ()


def use_one_core() -> AbstractContextManager[object]:
    """Everything inside multiplies and solves small matrices on one core."""
    return _thread_pools().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()  # the search takes as long as many a fit


def link(first: Codes, second: Codes, n: int) -> Codes:
    """Label the set of each system (n,): chains of comparisons link those of one set."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1])


def average_within(linked: Codes) -> Floats:
    """Return the projection on means of linked sets: (n, n), or (n, n, B) for labels (n, B)."""
    same = linked[:, None] == linked[None, :]
    return np.asarray(same / same.sum(axis=1, keepdims=True))


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
    return np.asarray(weights @ indicator)


def times_compared(weights: Weights, first: Codes, second: Codes, n: int) -> Floats:
    """Weight of the comparisons each system is in."""
    return sums(weights, first, 1.0, n) + sums(weights, second, 1.0, n)


def meetings(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> Floats:
    """Count how often each two systems met (n, n); `times` (m,) are comparisons in each row."""
    met = np.zeros((n, n))
    np.add.at(met, (first, second), default_weights(times, first))
    return met + met.T


def unevenness(first: Codes, second: Codes, *, n: int, times: Floats | None = None) -> float:
    """Compute how unevenly systems meet their opponents, in [0, 1): the greatest share of a
    system's comparisons that would need another opponent for it to meet all others equally often,
    and no less than what that does to a win ratio. `times` (m,) is the number of comparisons in
    each row.
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
