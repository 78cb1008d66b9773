"""Ratings of systems from comparisons: win ratio, Bradley-Terry and Elo, with bootstrap intervals.

Comparisons are three parallel columns: `first` and `second` (m,) integer codes 0..n-1, the first being the text shown
first, and `outcome` (m,) float, the points of the first (1 won, 1/2 neither, 0 lost; or the probability that it is the
better one). `weights` is (m,), or (B, m) for B resamples at once; a rating is then (n,) or (B, n), NaN for a system
that was never compared or whose comparisons all weigh nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse import csgraph
from scipy.special import expit
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Weights = NDArray[Any]
Ties = Literal["half", "drop", "model"]

START = 1000.0
SCALE = 400.0 / np.log(10.0)  # Elo points per unit of log-odds
PRIOR = 0.1  # comparisons added to each compared pair where the likelihood has no maximum
MEMORY = 2 * 10**8  # bytes of weights held at once


def win_ratio(first: Codes, second: Codes, outcome: Floats, *, n: int, weights: Weights | None = None) -> Floats:
    """Mean points per comparison in either position: (wins + ties/2) / comparisons (DESIGN.md, "Win ratio").

    In [0, 1]. With probabilities as outcomes this is the average probability of being preferred (Liusie et al. 2023).
    """
    w = _weights(weights, first)
    points = _sum(w, first, outcome, n) + _sum(w, second, 1.0 - outcome, n)
    compared = _compared(w, first, second, n)
    return np.divide(points, compared, out=np.full_like(points, np.nan), where=compared > 0)


def elo(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    k: ArrayLike = 4.0,
    weights: Weights | None = None,
    start: float = START,
) -> Floats:
    """Elo ratings, one update per comparison in the order given (Elo 1978; base 10, scale 400).

    `k` is one step size, or one per comparison (sep-Elo: Ghosh et al. 2024, eq. 6). Weights scale the step, never the
    outcome, so that a comparison drawn twice moves the ratings twice as far in the same direction.
    """
    w = _weights(weights, first)
    # Plain floats for one run, (B,) arrays for B resamples: the same expressions do for both, and are fast for both.
    ratings: list[Any] = [start if w.ndim == 1 else np.full(len(w), start) for _ in range(n)]
    steps = np.broadcast_to(np.asarray(k, dtype=float), first.shape)
    multiples = w.tolist() if w.ndim == 1 else w.T
    for i, j, points, step, times in zip(
        first.tolist(), second.tolist(), outcome.tolist(), steps.tolist(), multiples, strict=True
    ):
        change = step * times * (points - expit((ratings[i] - ratings[j]) / SCALE))
        ratings[i] += change
        ratings[j] -= change
    return np.where(_compared(w, first, second, n) > 0, np.array(ratings).T, np.nan)


def bradley_terry(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    ties: Ties = "half",
) -> Floats:
    """Maximum likelihood strengths (Bradley & Terry 1952) as 1000 + 400/ln 10 * theta, mean 1000 over those compared.

    `ties`: "half" counts a tie as half a win each way; "drop" leaves ties out; "model" gives them a probability of
    their own, proportional to the geometric mean of the two strengths (Davidson 1970).

    Where no maximum exists (`has_maximum`), and only in those resamples, every two systems that were compared are given
    a tenth of a comparison more, split evenly: at most a tenth of the data, and enough for finite strengths.
    Systems that no chain of comparisons links have no common scale: each linked set then has mean 1000.
    Raises ArithmeticError if the maximum is not reached, which NaN among the outcomes or weights will do.
    """
    counts = _count(first, second, outcome, n, np.atleast_2d(_weights(weights, first)), ties)
    theta = _fit(counts.pooled(), np.zeros((1, n + 1)))
    if len(counts.won) > 1:
        theta = _fit(counts, theta)  # resamples lie near their mean, so that two or three steps will do
    rating = np.where(_compared(counts.total, counts.low, counts.high, n) > 0, START + SCALE * theta[:, :n], np.nan)
    return rating if weights is not None and weights.ndim == 2 else rating[0]


def has_maximum(first: Codes, second: Codes, outcome: Floats, *, n: int, ties: Ties = "half") -> bool:
    """Whether the Bradley-Terry likelihood has a maximum among finite strengths (Ford 1957), so that no prior is used.

    It has one if, in every linked set of systems, however it is split, either part has taken points from the other.
    With ties as outcomes of their own, some cycle of comparisons must also hold more wins than ties.
    """
    counts = _count(first, second, outcome, n, np.ones(len(first)), ties)
    return _bounded(counts, _linked(counts))


def components(first: Codes, second: Codes, *, n: int) -> int:
    """Number of sets into which the compared systems fall when every comparison links its two systems."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    never_compared = n - len(np.union1d(first, second))
    return int(csgraph.connected_components(graph, directed=False)[0]) - never_compared


def connected(first: Codes, second: Codes, *, n: int) -> bool:
    """Whether a chain of comparisons links every two compared systems: else their ratings have no common scale."""
    return components(first, second, n=n) <= 1


def record(first: Codes, second: Codes, outcome: Floats, *, n: int) -> NDArray[np.int64]:
    """Wins, losses and ties of each system in either position, (n, 3)."""
    won, lost, tied = outcome > 0.5, outcome < 0.5, outcome == 0.5
    columns = ((won, lost), (lost, won), (tied, tied))
    return np.stack(
        [np.bincount(first[a], minlength=n) + np.bincount(second[b], minlength=n) for a, b in columns], axis=1
    )


# --- Bradley-Terry -----------------------------------------------------------------------------------------------


class _Counts(NamedTuple):
    """How often each outcome of the model was seen, per pair of systems and in each of B resamples."""

    n: int
    low: Codes  # (P,) the smaller code of each pair ...
    high: Codes  # (P,) ... and the larger
    won: Floats  # (B, P) or, of one resample, (P,): wins of `low`
    lost: Floats  # wins of `high`
    tied: Floats  # ties, if the model has them

    def pooled(self) -> _Counts:
        """The mean of all resamples as a single one."""
        won, lost, tied = (each.mean(axis=0, keepdims=True) for each in (self.won, self.lost, self.tied))
        return self._replace(won=won, lost=lost, tied=tied)

    def each(self) -> list[_Counts]:
        return [_Counts(*self[:3], *one) for one in zip(self.won, self.lost, self.tied, strict=True)]

    @property
    def total(self) -> Floats:
        return self.won + self.lost + self.tied

    def per_system(self, low: Floats, high: Floats) -> Floats:
        """(B, n) sums over the pairs a system is in: of `low` where it is the smaller code, else of `high`."""
        return _sum(low, self.low, 1.0, self.n) + _sum(high, self.high, 1.0, self.n)


def _count(first: Codes, second: Codes, outcome: Floats, n: int, weights: Weights, ties: Ties) -> _Counts:
    """Sums over the comparisons of each pair, by one sparse product for all resamples."""
    if ties not in get_args(Ties):
        raise ValueError(f"unknown treatment of ties {ties!r}; there are: {', '.join(get_args(Ties))}")
    codes = np.minimum(first, second) * np.int64(n) + np.maximum(first, second)  # int8 codes, say, would overflow
    pairs, pair = np.unique(codes, return_inverse=True)
    points = np.where(first < second, outcome, 1.0 - outcome)
    tie = (outcome == 0.5) & (ties != "half")
    columns = [np.where(tie, 0.0, points), np.where(tie, 0.0, 1.0 - points), tie * (ties == "model")]
    won, lost, tied = (_sum(weights, pair, column, len(pairs)) for column in columns)
    return _Counts(n, pairs // n, pairs % n, won, lost, tied)


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
    beats[low, high], beats[high, low] = counts.won > 0, counts.lost > 0
    draws[low, high] = draws[high, low] = counts.tied > 0
    _, one_of_each = np.unique(linked, return_index=True)
    if csgraph.connected_components(beats | draws, connection="strong")[0] > len(one_of_each):
        return False
    if not draws.any():
        return True
    # With ties as outcomes, strengths can also grow along with the tie parameter, its log by c: no win or tie grows
    # less likely if winner - loser >= 2c for every win and |difference| <= 2c for every tie. No such strengths exist
    # exactly if some cycle holds more wins than ties.
    try:
        csgraph.bellman_ford(np.where(beats, -1, draws), indices=one_of_each)
    except csgraph.NegativeCycleError:
        return True
    return False


def _fit(counts: _Counts, start: Floats) -> Floats:
    """(B, n + 1) strengths theta, centred in every linked set, and the log of the tie parameter (-inf without ties)."""
    linked = np.stack([_linked(one) for one in counts.each()])
    unbounded = [not _bounded(one, sets) for one, sets in zip(counts.each(), linked, strict=True)]
    prior = PRIOR / 2 * (counts.total > 0) * np.array(unbounded)[:, None]
    counts = counts._replace(won=counts.won + prior, lost=counts.lost + prior)
    same = linked[:, :, None] == linked[:, None, :]
    means = same / same.sum(axis=-1, keepdims=True)  # (B, n, n), a projection: each system's mean over its linked set
    # From 100 systems on, OpenBLAS splits each small solve over all cores: no gain, and 400 times slower on busy ones.
    with threadpool_limits(1, "blas"):
        theta = _climb(counts, means, start)
    theta[:, :-1] -= np.einsum("bij,bj->bi", means, theta[:, :-1])
    return theta


def _climb(counts: _Counts, means: Floats, start: Floats, *, tolerance: float = 1e-7, limit: int = 100) -> Floats:
    """Newton's method on all resamples at once; shortened by log(1 + d)/d it converges from any start.

    The damping is that of Sun & Tran-Dinh (2019, nu = 2), d bounding the change of any log-odds. It fades as d does, and
    a last step of 1e-7 leaves an error near its square.
    """
    no_ties = ~counts.tied.any(axis=1)
    theta = np.broadcast_to(start, (len(counts.won), counts.n + 1)).copy()
    theta[no_ties, -1] = -np.inf
    for _ in range(limit):
        gradient, information = _slope(counts, theta)
        information[:, :-1, :-1] += means  # only differences of strengths are known: hold the means where they are
        information[no_ties, -1, -1] = 1.0
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        size = np.ptp(step[:, :-1], axis=1) + np.abs(step[:, -1])
        theta += step * (np.log1p(size) / np.maximum(size, 1e-300))[:, None]
        if size.max() < tolerance:
            return theta
    raise ArithmeticError(
        f"Bradley-Terry did not converge in {limit} Newton steps (last step {size.max():.2g} log-odds); "
        "look for NaN or enormous values among the outcomes and weights"
    )


def _slope(counts: _Counts, theta: Floats) -> tuple[Floats, Floats]:
    """(B, n + 1) gradient and (B, n + 1, n + 1) information of the log-likelihood, in theta and the log tie parameter.

    The statistics of this exponential family are points and ties: what was seen less what was expected, and covariances.
    """
    half = (theta[:, counts.low] - theta[:, counts.high]) / 2
    odds = np.stack(np.broadcast_arrays(np.exp(half), np.exp(-half), np.exp(theta[:, -1:])))
    win, loss, tie = odds / odds.sum(axis=0)
    total = counts.total

    surplus = counts.won + counts.tied / 2 - total * (win + tie / 2)
    gradient = np.column_stack([counts.per_system(surplus, -surplus), (counts.tied - total * tie).sum(axis=1)])

    spread = total * (win * loss + tie * (win + loss) / 4)  # variance of the points
    mixed = total * tie * (loss - win) / 2  # covariance of the points of `low` and the ties
    information = np.zeros((*gradient.shape, gradient.shape[1]))
    information[:, counts.low, counts.high] = information[:, counts.high, counts.low] = -spread
    information[:, :-1, -1] = information[:, -1, :-1] = counts.per_system(mixed, -mixed)
    diagonal = np.arange(counts.n)
    information[:, diagonal, diagonal] = counts.per_system(spread, spread)
    information[:, -1, -1] = (total * tie * (1 - tie)).sum(axis=1)
    return gradient, information


# --- the registry and the leaderboard --------------------------------------------------------------------------------


def _prior_remark(first: Codes, second: Codes, outcome: Floats, *, n: int, ties: Ties = "half") -> str:
    if has_maximum(first, second, outcome, n=n, ties=ties):
        return ""
    return "Some systems won or lost everything against the rest: their strengths are finite only by a weak prior."


@dataclass(frozen=True)
class Method:
    """A way to rate. `in_order` if the order of the comparisons matters; `remark` is what a reader must know, or ''."""

    rate: Callable[..., Floats]
    in_order: bool = False
    remark: Callable[..., str] = lambda *columns, **settings: ""


RATINGS: dict[str, Method] = {
    "win-ratio": Method(win_ratio),
    "average-probability": Method(win_ratio),
    "bradley-terry": Method(bradley_terry, remark=_prior_remark),
    "elo": Method(elo, in_order=True),
}


@dataclass(frozen=True)
class Leaderboard:
    """Ratings with percentile intervals and ranks (1 is best), all (n,) floats, NaN where there is nothing to say."""

    rating: Floats
    low: Floats
    high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    connected: bool
    note: str
    resamples: int


def leaderboard(
    method: str,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    rng: np.random.Generator,
    groups: Codes | None = None,
    resamples: int = 100,
    confidence: float = 0.95,
    **settings: Any,
) -> Leaderboard:
    """Ratings by `method` with bootstrap percentile intervals (Efron & Tibshirani 1993, ch. 13).

    `groups` (m,) are the units drawn with replacement, such as items; None makes every comparison its own. Resamples
    keep the order of the comparisons: shuffled ones give Elo intervals of the wrong width. `settings` go to the method.
    Raises ValueError on an unknown method and on an outcome outside [0, 1].
    """
    if method not in RATINGS:
        raise ValueError(f"unknown rating method {method!r}; there are: {', '.join(RATINGS)}")
    if not ((outcome >= 0) & (outcome <= 1)).all():
        raise ValueError("an outcome is no number between 0 and 1; leave unanswered comparisons out")
    how = RATINGS[method]
    columns = (first, second, outcome)
    rating = how.rate(*columns, n=n, **settings)
    samples = _resampled(how, columns, groups, resamples, rng, n=n, **settings)
    low, high = _interval(samples, confidence)
    rank_low, rank_high = _interval(ranks(samples), confidence)
    used = outcome != 0.5 if settings.get("ties") == "drop" else slice(None)
    parts = components(first[used], second[used], n=n)
    apart = f"The systems fall into {parts} sets that were never compared with each other." if parts > 1 else ""
    note = " ".join(filter(None, [apart, how.remark(*columns, n=n, **settings)]))
    return Leaderboard(
        rating, low, high, ranks(rating), np.floor(rank_low), np.ceil(rank_high), parts <= 1, note, resamples
    )


def ranks(rating: Floats) -> Floats:
    """1 + the number of systems rated higher, along the last axis; NaN for a system without a rating."""
    # Systems with the same record differ by rounding only, and share a rank.
    best_first = rankdata(-np.nan_to_num(np.round(rating, 7), nan=-np.inf), method="min", axis=-1)
    return np.where(np.isnan(rating), np.nan, best_first)


def resample_weights(groups: Codes, times: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """(times, m) how often each comparison is in a resample: as often as its group in as many draws as groups."""
    units, unit = np.unique(groups, return_inverse=True)
    weights = np.empty((times, len(groups)), dtype=np.int16)  # a quarter of the memory, and far above what occurs
    for row in weights:
        row[:] = np.bincount(rng.integers(len(units), size=len(units)), minlength=len(units))[unit]
    return weights


def _resampled(
    how: Method,
    columns: tuple[Codes, Codes, Floats],
    groups: Codes | None,
    resamples: int,
    rng: np.random.Generator,
    *,
    n: int,
    **settings: Any,
) -> Floats:
    """(resamples, n) ratings, in batches of bounded memory."""
    m = len(columns[0])
    groups = np.arange(m) if groups is None else groups
    if how.in_order or len(np.unique(groups)) < m:
        draw: Callable[[int, np.random.Generator], Weights] = partial(resample_weights, groups)
    else:  # single comparisons whose order does not matter: draw how many of each distinct one
        columns, counts = _distinct(*columns, n)
        draw = partial(_resample_counts, counts)
    samples = np.full((resamples, n), np.nan)
    # A weight is two bytes where the method reads it as it is, and becomes a float where sums are taken of it.
    batch = MEMORY // (2 * m if how.in_order else 8 * max(len(columns[0]), n * n)) + 1 if m else 1
    for done in range(0, resamples if m else 0, batch):
        part = samples[done : done + batch]
        part[:] = how.rate(*columns, n=n, weights=draw(len(part), rng), **settings)
    return samples


def _distinct(
    first: Codes, second: Codes, outcome: Floats, n: int
) -> tuple[tuple[Codes, Codes, Floats], NDArray[np.int64]]:
    """The distinct comparisons, and how often each occurs."""
    values, value = np.unique(outcome, return_inverse=True)
    codes = (first * np.int64(n) + second) * len(values) + value
    _, row, counts = np.unique(codes, return_index=True, return_counts=True)
    return (first[row], second[row], outcome[row]), counts


def _resample_counts(counts: NDArray[np.int64], times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=times)


def _interval(samples: Floats, confidence: float) -> Floats:
    """(2, n) percentile bounds over the resamples in which a system has a value."""
    bounds = np.full((2, samples.shape[1]), np.nan)
    known = ~np.isnan(samples).all(axis=0)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # "weibull": of B resamples the interval holds the share `confidence` of B + 1, so that one more falls in as often.
    bounds[:, known] = np.nanquantile(samples[:, known], tails, axis=0, method="weibull")
    return bounds


# --- sums ------------------------------------------------------------------------------------------------------------


def _weights(weights: Weights | None, first: Codes) -> Weights:
    return np.ones(len(first)) if weights is None else weights


def _sum(weights: Weights, codes: Codes, values: Floats | float, n: int) -> Floats:
    """Weighted sums of `values` (m,) by code: (n,), or (B, n) for weights (B, m)."""
    rows = np.arange(len(codes))
    indicator = sparse.csr_array((np.broadcast_to(values, codes.shape), (rows, codes)), shape=(len(codes), n))
    sums: Floats = weights @ indicator
    return sums


def _compared(weights: Weights, first: Codes, second: Codes, n: int) -> Floats:
    """Weight of the comparisons of each system."""
    return _sum(weights, first, 1.0, n) + _sum(weights, second, 1.0, n)
