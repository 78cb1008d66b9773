"""Bradley-Terry strengths by maximum likelihood, from decisions or probabilities, also with a position term.

The columns are those of `core.statistics.comparisons`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from core.statistics.comparisons import SCALE, START, Codes, Floats, Weights, given, sums, times_compared

Ties = Literal["half", "drop", "model"]

PRIOR = 0.1  # comparisons added to each compared pair where the likelihood has no maximum


def bradley_terry(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    ties: Ties = "half",
    position: bool = False,
) -> Floats:
    """Maximum likelihood strengths (Bradley & Terry 1952) as 1000 + 400/ln 10 * theta, mean 1000 over those compared.

    With probabilities as outcomes this is the soft model (Liusie et al. 2024, product of experts: the product of
    sigma(theta_i - theta_j)^p (1 - sigma)^(1 - p)); a probability counts as that share of a win.

    `ties`: "half" counts a tie as half a win each way; "drop" leaves ties out; "model" gives them a probability of
    their own, proportional to the geometric mean of the two strengths (Davidson 1970). `position` adds one parameter to
    the log-odds, for being shown first (Davidson & Beaver 1977); `position_effect` tells what it comes to.

    Where no maximum exists (`has_maximum`), and only in those resamples, every two systems that were compared are given
    a tenth of a comparison more, split evenly over the outcomes (and, with a position term, the orders): at most a tenth
    of the data, and enough for finite strengths.
    Systems that no chain of comparisons links have no common scale: each linked set then has mean 1000.
    Raises ArithmeticError if the maximum is not reached, which NaN among the outcomes or weights will do.
    """
    counts = _count(first, second, outcome, n, np.atleast_2d(given(weights, first)), ties, position)
    theta = _fit(counts.pooled(), np.zeros((1, n + 2)))
    if len(counts.won) > 1:
        theta = _fit(counts, theta)  # resamples lie near their mean, so that two or three steps will do
    known = times_compared(counts.total, counts.low, counts.high, n) > 0
    rating = np.where(known, START + SCALE * theta[:, :n], np.nan)
    return rating if weights is not None and weights.ndim == 2 else rating[0]


def position_effect(first: Codes, second: Codes, outcome: Floats, *, n: int, ties: Ties = "half") -> float:
    """What being shown first is worth, in rating points: above 0 if the first is preferred beyond its strength."""
    theta = _fit(_count(first, second, outcome, n, np.ones((1, len(first))), ties, True), np.zeros((1, n + 2)))
    return float(SCALE * theta[0, -1])


def has_maximum(
    first: Codes, second: Codes, outcome: Floats, *, n: int, ties: Ties = "half", position: bool = False
) -> bool:
    """Whether the likelihood has a maximum among finite strengths (Ford 1957), so that no prior is used.

    It has one if, in every linked set of systems, however it is split, either part has taken points from the other.
    With ties as outcomes of their own, some cycle of comparisons must also hold more wins than ties. With a position
    term, some cycle of wins must hold more of them by the text shown first than by the second, and some cycle fewer.
    """
    counts = _count(first, second, outcome, n, np.ones(len(first)), ties, position)
    return _bounded(counts, _linked(counts))


class _Counts(NamedTuple):
    """How often each outcome of the model was seen, per pair of systems and in each of B resamples.

    With a position term the pairs are ordered, `low` is the one shown first, and every pair is there in both orders.
    """

    n: int
    low: Codes  # (P,) the smaller code of each pair ...
    high: Codes  # (P,) ... and the larger
    mirror: Codes | None  # (P,) where the other order of each pair is, if the model has a position term
    won: Floats  # (B, P) or, of one resample, (P,): wins of `low`
    lost: Floats  # wins of `high`
    tied: Floats  # ties, if the model has them

    def pooled(self) -> _Counts:
        """The mean of all resamples as a single one."""
        won, lost, tied = (each.mean(axis=0, keepdims=True) for each in (self.won, self.lost, self.tied))
        return self._replace(won=won, lost=lost, tied=tied)

    def each(self) -> list[_Counts]:
        return [_Counts(*self[:4], *one) for one in zip(self.won, self.lost, self.tied, strict=True)]

    @property
    def total(self) -> Floats:
        return self.won + self.lost + self.tied

    def prior(self) -> Floats:
        """(B, P) what is added to the wins of either side where the likelihood alone has no maximum."""
        seen = self.total > 0
        orders = 1 if self.mirror is None else 2
        if self.mirror is not None:
            seen = seen | seen[:, self.mirror]
        return np.where(seen, PRIOR / (2 * orders), 0.0)

    def per_system(self, low: Floats, high: Floats) -> Floats:
        """(B, n) sums over the pairs a system is in: of `low` where it is the smaller code, else of `high`."""
        return sums(low, self.low, 1.0, self.n) + sums(high, self.high, 1.0, self.n)


def _count(
    first: Codes, second: Codes, outcome: Floats, n: int, weights: Weights, ties: Ties, position: bool
) -> _Counts:
    """Sums over the comparisons of each pair, by one sparse product for all resamples."""
    if ties not in get_args(Ties):
        raise ValueError(f"unknown treatment of ties {ties!r}; there are: {', '.join(get_args(Ties))}")
    if position and ties == "model":
        raise ValueError("a position term and a probability of ties are not fitted together: take ties as half or drop")
    wide = np.int64(n)  # int8 codes, say, would overflow
    mirror = None
    if position:
        codes, points = first * wide + second, outcome
        pairs = np.unique([codes, second * wide + first])
        mirror = np.searchsorted(pairs, pairs % n * n + pairs // n)
        pair = np.searchsorted(pairs, codes)
    else:
        codes, points = np.minimum(first, second) * wide + np.maximum(first, second), outcome
        points = np.where(first < second, outcome, 1.0 - outcome)
        pairs, pair = np.unique(codes, return_inverse=True)
    tie = (outcome == 0.5) & (ties != "half")
    columns = [np.where(tie, 0.0, points), np.where(tie, 0.0, 1.0 - points), tie * (ties == "model")]
    won, lost, tied = (sums(weights, pair, column, len(pairs)) for column in columns)
    return _Counts(n, pairs // n, pairs % n, mirror, won, lost, tied)


def _linked(counts: _Counts) -> Codes:
    """(n,) which linked set each system of one resample is in; a system that was not compared is its own."""
    seen = counts.total > 0
    graph = sparse.coo_array((np.ones(seen.sum()), (counts.low[seen], counts.high[seen])), shape=(counts.n, counts.n))
    labels: Codes = csgraph.connected_components(graph, directed=False)[1]
    return labels


def _bounded(counts: _Counts, linked: Codes) -> bool:
    """Whether the likelihood of one resample falls in every direction, from some point on."""
    low, high = counts.low, counts.high
    beats, draws = np.zeros((2, counts.n, counts.n), dtype=bool)
    won, lost = counts.won > 0, counts.lost > 0
    beats[low[won], high[won]] = beats[high[lost], low[lost]] = True
    draws[low, high] = draws[high, low] = counts.tied > 0
    _, one_of_each = np.unique(linked, return_index=True)
    if csgraph.connected_components(beats | draws, connection="strong")[0] > len(one_of_each):
        return False
    if counts.mirror is not None:
        # The position term can also grow along, by c: no win grows less likely if winner - loser >= -c for every win by
        # the first and >= c for every win by the second. Either sign of c is ruled out by a cycle that sums to less.
        # Where a system has won from both positions, the stricter of the two counts.
        as_first, as_second = np.zeros((2, counts.n, counts.n), dtype=bool)
        as_first[low[won], high[won]] = as_second[high[lost], low[lost]] = True
        return all(
            _negative_cycle(np.where(strict, -1, loose), one_of_each)
            for strict, loose in ((as_first, as_second), (as_second, as_first))
        )
    # With ties as outcomes, strengths can also grow along with the tie parameter, its log by c: no win or tie grows
    # less likely if winner - loser >= 2c for every win and |difference| <= 2c for every tie. No such strengths exist
    # exactly if some cycle holds more wins than ties.
    return not draws.any() or _negative_cycle(np.where(beats, -1, draws), one_of_each)


def _negative_cycle(edges: Floats, sources: Codes) -> bool:
    try:
        csgraph.bellman_ford(edges, indices=sources)
    except csgraph.NegativeCycleError:
        return True
    return False


def _fit(counts: _Counts, start: Floats) -> Floats:
    """(B, n + 2) strengths theta, centred in every linked set, the log of the tie parameter (-inf without ties), and
    the position term (0 without)."""
    linked = np.stack([_linked(one) for one in counts.each()])
    unbounded = [not _bounded(one, sets) for one, sets in zip(counts.each(), linked, strict=True)]
    prior = counts.prior() * np.array(unbounded)[:, None]
    counts = counts._replace(won=counts.won + prior, lost=counts.lost + prior)
    same = linked[:, :, None] == linked[:, None, :]
    means = same / same.sum(axis=-1, keepdims=True)  # (B, n, n), a projection: each system's mean over its linked set
    # From 100 systems on, OpenBLAS splits each small solve over all cores: no gain, and 400 times slower on busy ones.
    with threadpool_limits(1, "blas"):
        theta = _climb(counts, means, start)
    theta[:, :-2] -= np.einsum("bij,bj->bi", means, theta[:, :-2])
    return theta


def _climb(counts: _Counts, means: Floats, start: Floats, *, tolerance: float = 1e-7, limit: int = 100) -> Floats:
    """Newton's method on all resamples at once; shortened by log(1 + d)/d it converges from any start.

    The damping is that of Sun & Tran-Dinh (2019, nu = 2), d bounding the change of any log-odds. It fades as d does, and
    a last step of 1e-7 leaves an error near its square.
    """
    no_ties = ~counts.tied.any(axis=1)
    theta = np.broadcast_to(start, (len(counts.won), counts.n + 2)).copy()
    theta[no_ties, -2] = -np.inf
    for _ in range(limit):
        gradient, information = _slope(counts, theta)
        information[:, :-2, :-2] += means  # only differences of strengths are known: hold the means where they are
        information[no_ties, -2, -2] = 1.0
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        size = np.ptp(step[:, :-2], axis=1) + np.abs(step[:, -2:]).sum(axis=1)
        theta += step * (np.log1p(size) / np.maximum(size, 1e-300))[:, None]
        if size.max() < tolerance:
            return theta
    raise ArithmeticError(
        f"Bradley-Terry did not converge in {limit} Newton steps (last step {size.max():.2g} log-odds); "
        "look for NaN or enormous values among the outcomes and weights"
    )


def _slope(counts: _Counts, theta: Floats) -> tuple[Floats, Floats]:
    """(B, n + 2) gradient and (B, n + 2, n + 2) information of the log-likelihood, in theta, the log tie parameter and
    the position term.

    The statistics of this exponential family are points, ties and points of those shown first: what was seen less what
    was expected, and covariances.
    """
    half = (theta[:, counts.low] - theta[:, counts.high] + theta[:, -1:]) / 2
    odds = np.stack(np.broadcast_arrays(np.exp(half), np.exp(-half), np.exp(theta[:, -2:-1])))
    win, loss, tie = odds / odds.sum(axis=0)
    total = counts.total

    surplus = counts.won + counts.tied / 2 - total * (win + tie / 2)
    ties = (counts.tied - total * tie).sum(axis=1)
    gradient = np.column_stack([counts.per_system(surplus, -surplus), ties, np.zeros_like(ties)])

    spread = total * (win * loss + tie * (win + loss) / 4)  # variance of the points
    mixed = total * tie * (loss - win) / 2  # covariance of the points of `low` and the ties
    information = np.zeros((*gradient.shape, gradient.shape[1]))
    information[:, counts.low, counts.high] -= spread
    information[:, counts.high, counts.low] -= spread
    information[:, :-2, -2] = information[:, -2, :-2] = counts.per_system(mixed, -mixed)
    diagonal = np.arange(counts.n)
    information[:, diagonal, diagonal] = counts.per_system(spread, spread)
    information[:, -2, -2] = (total * tie * (1 - tie)).sum(axis=1)
    information[:, -1, -1] = 1.0  # without a position term: a step of 0 / 1
    if counts.mirror is not None:
        gradient[:, -1] = surplus.sum(axis=1)
        information[:, :-2, -1] = information[:, -1, :-2] = counts.per_system(spread, -spread)
        information[:, -1, -1] = spread.sum(axis=1)
    return gradient, information
