"""Comparisons as three parallel columns, the input of all ratings, and sums over them.

`first` and `second` (m,) are integer codes 0..n-1, the first being the text shown first, and
`outcome` (m,) float: the points of the first (1 won, 1/2 neither, 0 lost), or the probability that
it is the better one. `weights` is (m,), or (B, m) for B resamples at once; a rating is then (n,) or
(B, n), NaN for a system that was never compared or whose comparisons all weigh nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

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


EACH_JUDGE = "each judge's own"
MADE_FOR = ("decisions", "probabilities", "either", EACH_JUDGE, "rankings")
"""What a method is made for: "either" takes probabilities where all answers have them, EACH_JUDGE
those of the judges whose answers have them, "rankings" the pairs of whole ones.
"""


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
    # how often each system is taken to have won and lost besides, where intervals are made: where
    # all answers are alike, others would not be
    pseudo: float = 0.0
    # whether ratings from few answers move in steps, which an interval cannot follow
    stepwise: bool = False
    # whether a rating is an order, whose variance the jackknife cannot estimate (Efron & Tibshirani
    # 1993, 10.6): it stays, or jumps, as a cluster is left out
    is_order: bool = False
    # whether few answers may decide much of a rating, such as those about texts as long as the
    # baseline's: resamples by weights show too little of that, so that clusters are left out one
    # at a time where there are no more of them than resamples
    left_out: bool = False
    # what a reader must know of a rating, or ''
    remark: Callable[..., str] = lambda *columns, **settings: ""
    # how much each comparison counts for its first and its second system, of shares in which that
    # is not its weight
    counts: Callable[..., tuple[Floats, Floats]] | None = None
    # the position term in rating points, of methods that take `position`
    position_effect: Callable[..., float] | None = None
    # the works that a paper which uses it cites, by their keys in core/reporting/references.bib
    cites: tuple[str, ...] = ()

    @property
    def is_jury(self) -> bool:
        """Return whether the method distinguishes judges, so that each may have its own weight."""
        return "judge" in self.needs


def link(first: Codes, second: Codes, n: int) -> Codes:
    """Label the set of each system (n,): chains of comparisons link those of one set."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    labels: Codes = csgraph.connected_components(graph, directed=False)[1]
    return labels


def average_within(linked: Codes) -> Floats:
    """Return the projection on means of linked sets: (n, n), or (n, n, B) for labels (n, B)."""
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
