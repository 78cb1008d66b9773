"""Bradley-Terry strengths by maximum likelihood, from decisions or probabilities, with ties or a
position term. The columns are those of `core.statistics.columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from .columns import (
    OPEN_POSITION,
    SCALE,
    START,
    Codes,
    Columns,
    Floats,
    Method,
    Weights,
    average_within,
    default_weights,
    link,
    sums,
    use_one_core,
)
from .logistic import climb

Ties = Literal["half", "drop", "model"]

SMALL = 64  # systems up to which all resamples are looked at together
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
    """Maximum likelihood strengths (Bradley & Terry 1952) as 1000 + 400/ln 10 * theta, mean 1000
    over those compared. A probability as outcome counts as that share of a win (the soft model:
    Liusie et al. 2024, product of experts).

    `ties`: "half" counts a tie as half a win each way; "drop" leaves ties out; "model" gives them a
    probability of their own, proportional to the geometric mean of the two strengths (Davidson
    1970). `position` adds one parameter to the log-odds, for being shown first (Davidson & Beaver
    1977).

    Where no maximum exists (`has_maximum`), and only in those resamples, every two systems that
    were compared are given a tenth of a comparison more, split evenly over the outcomes (and, with
    a position term, the orders). Each set of systems that chains of comparisons link has mean 1000.
    Raises ArithmeticError if the maximum is not reached, as with NaN among outcomes or weights.
    """
    w = np.atleast_2d(default_weights(weights, first))
    counts = _count((first, second, outcome), n, w, ties, position)
    theta = _fit(counts.map_resamples(_mean), np.zeros((n + 2, 1)))
    if len(w) > 1:  # resamples lie near their mean, so that two or three steps will do
        theta = _fit(counts, theta)
    known = (abs(counts.signed) @ counts.total > 0).T
    rating = np.where(known, START + SCALE * theta[:n].T, np.nan)
    return rating if weights is not None and weights.ndim == 2 else rating[0]


def regularised_bradley_terry(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Floats | None = None,
    **settings: Any,
) -> Floats:
    """Compute strengths (n,) as if every compared system had also won and lost half a comparison
    against one more, unrated (Mease 2003, section 3, with half of his one win and one loss):
    finite, drawn towards the mean, and on one scale also of sets that never met.
    """
    met = np.union1d(first, second)
    ones, other = np.ones(len(met)), np.full(len(met), n)
    w = np.concatenate([default_weights(weights, first), ones / 2, ones / 2])
    first, second = np.concatenate([first, met, met]), np.concatenate([second, other, other])
    outcome = np.concatenate([outcome, ones, 0 * ones])
    rating = bradley_terry(first, second, outcome, n=n + 1, weights=w, **settings)[:n]
    return np.asarray(rating - np.nanmean(rating) + START)


def position_effect(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    ties: Ties = "half",
    weights: Floats | None = None,
) -> float:
    """Estimate the effect of being shown first, in rating points; positive in its favour."""
    w = np.atleast_2d(default_weights(weights, first))
    counts = _count((first, second, outcome), n, w, ties, True)
    theta = _fit(counts, np.zeros((n + 2, 1)))
    return float(SCALE * theta[-1, 0])


def has_maximum(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    ties: Ties = "half",
    position: bool = False,
) -> bool:
    """Return whether the likelihood has a maximum at finite strengths (Ford 1957), so that no prior
    is used: in every linked set, however it is split, either part has taken points from the other.

    With ties as outcomes of their own, some cycle of comparisons must also hold more wins than
    ties. With a position term, some cycle of wins must hold more of them by the text shown first
    than by the second, and some cycle fewer.
    """
    counts = _count((first, second, outcome), n, np.ones((1, len(first))), ties, position)
    return _has_maximum(counts, counts.link())


def _davidson(gap: Floats, log_nu: Floats) -> tuple[Floats, Floats, Floats]:
    """Log-probabilities of a win, a loss and a tie (P, B), by the differences of two strengths."""
    tie = np.broadcast_to(log_nu, gap.shape)
    whole = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), tie)
    return gap / 2 - whole, -gap / 2 - whole, tie - whole


class _Counts(NamedTuple):
    """Counts of each outcome, per pair of systems (rows) and in each of B resamples (columns). With
    a position term pairs are ordered, `low` is shown first, and every pair is there in both orders.
    """

    n: int
    low: Codes  # (P,) the smaller code of each pair ...
    high: Codes  # (P,) ... and the larger
    mirror: Codes | None  # (P,) where the other order of each pair is, with a position term
    signed: sparse.csr_array  # (n, P) 1 where a system is `low`, -1 where it is `high`
    wins: Floats  # (P, B) wins of `low`
    losses: Floats  # (P, B) wins of `high`
    ties: Floats | None  # (P, B) ties, if the model has them
    total: Floats  # (P, B) all of these

    def map_resamples(self, of: Callable[[Floats], Floats]) -> _Counts:
        """Apply a function to the counts of all resamples, such as to keep one of them."""
        ties = None if self.ties is None else of(self.ties)
        wins, losses, total = map(of, (self.wins, self.losses, self.total))
        return self._replace(wins=wins, losses=losses, ties=ties, total=total)

    def resamples(self) -> Iterator[_Counts]:
        for b in range(self.total.shape[1]):
            yield self.map_resamples(lambda each, b=b: each[:, b : b + 1])  # type: ignore[misc]

    def link(self) -> Codes:
        """Label the linked set of each system of the first resample (n,)."""
        seen = self.total[:, 0] > 0
        return link(self.low[seen], self.high[seen], self.n)


def _mean(each: Floats) -> Floats:
    return np.asarray(each.mean(axis=1, keepdims=True))


def _count(columns: Columns, n: int, weights: Weights, ties: Ties, position: bool) -> _Counts:
    first, second, outcome = columns
    if ties not in (known := get_args(Ties)):
        raise ValueError(f"unknown treatment of ties {ties!r}; there are: {', '.join(known)}")
    if position and ties == "model":
        raise ValueError(
            "a position term and a probability of ties are not fitted together: take ties as "
            "half or drop"
        )
    wide = np.int64(n)  # int8 codes, say, would overflow
    mirror = None
    if position:
        codes, points = first * wide + second, outcome
        pairs = np.unique([codes, second * wide + first])
        mirror = np.searchsorted(pairs, pairs % n * n + pairs // n)
        pair = np.searchsorted(pairs, codes)
    else:
        codes = np.minimum(first, second) * wide + np.maximum(first, second)
        points = np.where(first < second, outcome, 1.0 - outcome)
        pairs, pair = np.unique(codes, return_inverse=True)
    low, high = pairs // n, pairs % n
    decided = (outcome != 0.5) | (ties == "half")
    count = len(pairs)
    won, lost = (sums(weights, pair, of * decided, count).T for of in (points, 1.0 - points))
    tied = sums(weights, pair, ~decided, count).T if ties == "model" else None
    place = (np.concatenate([low, high]), np.tile(np.arange(count), 2))
    signed = sparse.csr_array((np.repeat([1.0, -1.0], count), place), shape=(n, count))
    total = won + lost + (0.0 if tied is None else tied)
    return _Counts(n, low, high, mirror, signed, won, lost, tied, total)


def _has_maximum(counts: _Counts, linked: Codes) -> bool:
    low, high = counts.low, counts.high
    beats, draws = np.zeros((2, counts.n, counts.n), dtype=bool)
    won, lost = counts.wins[:, 0] > 0, counts.losses[:, 0] > 0
    beats[low[won], high[won]] = beats[high[lost], low[lost]] = True
    if counts.ties is not None:
        draws[low, high] = draws[high, low] = counts.ties[:, 0] > 0
    _, one_of_each = np.unique(linked, return_index=True)
    if csgraph.connected_components(beats | draws, connection="strong")[0] > len(one_of_each):
        return False
    if counts.mirror is not None:
        # The position term can also grow along, by c: no win grows less likely if winner - loser >=
        # -c for every win by the first and >= c for every win by the second. Either sign of c is
        # ruled out by a cycle that sums to less. Where a system has won from both positions, the
        # stricter of the two counts.
        as_first, as_second = np.zeros((2, counts.n, counts.n), dtype=bool)
        as_first[low[won], high[won]] = as_second[high[lost], low[lost]] = True
        return all(
            _negative_cycle(np.where(strict, -1, loose), one_of_each)
            for strict, loose in ((as_first, as_second), (as_second, as_first))
        )
    # With ties as outcomes, strengths can also grow along with the tie parameter, its log by c: no
    # win or tie grows less likely if winner - loser >= 2c for every win and |difference| <= 2c for
    # every tie. No such strengths exist exactly if some cycle holds more wins than ties.
    return not draws.any() or _negative_cycle(np.where(beats, -1, draws), one_of_each)


def _check_resamples(counts: _Counts) -> tuple[Codes, NDArray[np.bool_]]:
    """Return the linked set of each system (n, B) and `_has_maximum` of each resample (B,)."""
    n, b = counts.n, counts.total.shape[1]
    if counts.ties is not None or counts.mirror is not None or n > SMALL or b < 2:
        linked = np.stack([one.link() for one in counts.resamples()], axis=1)
        every = zip(counts.resamples(), linked.T, strict=True)
        return linked, np.array([_has_maximum(one, own) for one, own in every])
    # With few systems, all resamples at once: bounded if every linked system is also reached by
    # wins.
    beats = np.zeros((b, n, n), dtype=bool)
    beats[:, counts.low, counts.high] = counts.wins.T > 0
    beats[:, counts.high, counts.low] = counts.losses.T > 0
    linked_with = _closure(beats | beats.transpose(0, 2, 1))
    bounded: NDArray[np.bool_] = (_closure(beats) == linked_with).all(axis=(1, 2))
    return linked_with.argmax(axis=2).T, bounded


def _closure(arrows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Compute the reflexive transitive closure (B, n, n): which system is reached from which."""
    reached = arrows | np.eye(arrows.shape[1], dtype=bool)
    for _ in range(int(np.ceil(np.log2(max(arrows.shape[1], 2))))):
        steps = reached.astype(np.float32)
        reached = steps @ steps > 0
    return reached


def _negative_cycle(edges: Floats, sources: Codes) -> bool:
    try:
        csgraph.bellman_ford(edges, indices=sources)
    except csgraph.NegativeCycleError:
        return True
    return False


def _fit(counts: _Counts, start: Floats) -> Floats:
    """Fit by Newton's method (n + 2, B): strengths theta, centred in every linked set, the log of
    the tie parameter (-inf without ties), and the position term (0 without).
    """
    linked = counts.map_resamples(_mean).link()[:, None]
    # More outcomes only bound the likelihood more, so where those that every resample has do, none
    # needs to be looked at.
    fewest = counts.map_resamples(lambda each: each.min(axis=1, keepdims=True))
    if not _has_maximum(fewest, linked[:, 0]):
        linked, bounded = _check_resamples(counts)
        seen, each = counts.total > 0, PRIOR / 2
        if counts.mirror is not None:
            seen, each = seen | seen[counts.mirror], PRIOR / 4
        prior = np.where(seen, each, 0.0) * ~bounded
        counts = counts._replace(
            wins=counts.wins + prior, losses=counts.losses + prior, total=counts.total + 2 * prior
        )
    means = average_within(linked)
    b = counts.total.shape[1]
    theta = np.broadcast_to(start, (counts.n + 2, b)).copy()
    theta[-2] = (
        -np.inf if counts.ties is None else np.where(counts.ties.any(axis=0), theta[-2], -np.inf)
    )
    # From 100 systems on, OpenBLAS splits each small solve over all cores: no gain, and 400 times
    # slower on busy ones.
    with use_one_core():
        fitted = climb(
            theta,
            lambda theta: _slope(counts, means, theta),
            lambda step: np.ptp(step[:-2], axis=0) + np.abs(step[-2:]).sum(axis=0),
            tolerance=1e-5,
            limit=500,
        )
    if fitted is None:
        raise ArithmeticError(
            "Bradley-Terry did not converge in 500 Newton steps; look for NaN or enormous outcomes "
            "and weights"
        )
    every = np.broadcast_to(means, (*means.shape[:2], b))
    fitted[:-2] -= np.einsum("ijb,jb->ib", every, fitted[:-2])
    return fitted


def _slope(counts: _Counts, means: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """Return the gradient (n + 2, B) and the information (n + 2, n + 2, B) in theta, the log tie
    parameter and the position term; `means` holds the mean strengths where they are.

    An exponential family, of the points, the ties, and the points of those shown first: the
    gradient is observed minus expected, the information a covariance.
    """
    n, low, high, total = counts.n, counts.low, counts.high, counts.total
    gradient = np.zeros_like(theta)
    information = np.zeros((n + 2, n + 2, theta.shape[1]))
    information[-2:, -2:] = np.eye(2)[:, :, None]  # of parameters that stay: a step of 0 / 1
    if counts.ties is None:
        up = np.exp((theta[low] - theta[high] + theta[-1]) / 2)
        share = 1.0 / (up + 1.0 / up)
        surplus = counts.wins - total * (up * share)
        spread = total * (share * share)  # variance of the points
    else:
        logs = _davidson(theta[low] - theta[high], theta[-2])
        win, loss, tie = (np.exp(log) for log in logs)
        surplus = counts.wins + counts.ties / 2 - total * (win + tie / 2)
        spread = total * (win * loss + tie * (win + loss) / 4)
        gradient[-2] = (counts.ties - total * tie).sum(axis=0)
        across = counts.signed @ (total * tie * (loss - win) / 2)
        information[:n, -2] = information[-2, :n] = across
        of_ties = (total * tie * (1 - tie)).sum(axis=0)
        information[-2, -2] = np.where(counts.ties.any(axis=0), of_ties, 1.0)
    gradient[:n] = counts.signed @ surplus
    information[low, high] -= spread
    information[high, low] -= spread
    diagonal = np.arange(n)
    information[diagonal, diagonal] = abs(counts.signed) @ spread
    information[:n, :n] += means
    if counts.mirror is not None:
        gradient[-1] = surplus.sum(axis=0)
        information[:n, -1] = information[-1, :n] = counts.signed @ spread
        # A resample may hold nothing but dropped ties.
        information[-1, -1] = spread.sum(axis=0) + ~total.any(axis=0)
    return gradient, information


def prior_remark(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    ties: Ties = "half",
    position: bool = False,
) -> str:
    """Note that a prior holds the strengths, or the position term; '' otherwise."""
    if not has_maximum(first, second, outcome, n=n, ties=ties):
        if (outcome == 0.5).all():
            return "Nobody won or lost: a weak prior makes all strengths equal."
        return (
            "Some systems won or lost everything against the rest: their strengths are "
            "finite only by a weak prior."
        )
    if position and not has_maximum(first, second, outcome, n=n, ties=ties, position=True):
        return OPEN_POSITION
    return ""


BRADLEY_TERRY = Method(
    "bradley-terry",
    "Bradley-Terry",
    "strengths that make the observed wins most likely, for any opponents",
    "Bradley-Terry strength (Elo scale, mean 1000)",
    bradley_terry,
    takes=("ties", "position"),
    weighable=True,
    pseudo=0.5,
    remark=prior_remark,
    position_effect=position_effect,
    cites=("bradley1952rank",),
)
BRADLEY_TERRY_SOFT = replace(
    BRADLEY_TERRY,
    name="bradley-terry-soft",
    label="Bradley-Terry on probabilities",
    help="strengths that fit a judge's probabilities best, which takes few comparisons",
    axis="Bradley-Terry strength from probabilities (Elo scale, mean 1000)",
    outcome="probabilities",
    takes=("position",),
    cites=("bradley1952rank", "liusie2024efficient"),
)
