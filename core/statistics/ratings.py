"""The registry of rating methods, and leaderboards with intervals by any of them. To add a method,
write its file and name it here. The columns are those of `core.statistics.columns`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from .bradley_terry import BRADLEY_TERRY, BRADLEY_TERRY_SOFT
from .columns import (
    Codes,
    Columns,
    Floats,
    Method,
    default_weights,
    find_weakest_cut,
    meetings,
    sums,
)
from .drawing import Drawing, resample_ratings
from .elo import ELO, SEP_ELO
from .intervals import score
from .length_controlled import LENGTH_CONTROLLED
from .likelihood_ranking import LIKELIHOOD
from .product_of_experts import PRODUCT_OF_EXPERTS
from .style_control import CONTROLLED
from .uncertainty import (
    Uncertainty,
    bound_differences,
    choose_confidences,
    choose_tails,
    tail_together,
)
from .win_ratio import AVERAGE_PROBABILITY, MACRO_WIN_RATIO, PAIRS, WIN_RATIO

FIRM = 10  # comparisons from which a cut between groups is as firm as any (tests/coverage)
RATINGS: dict[str, Method] = {
    method.name: method
    for method in (
        WIN_RATIO,
        MACRO_WIN_RATIO,
        AVERAGE_PROBABILITY,
        BRADLEY_TERRY,
        BRADLEY_TERRY_SOFT,
        CONTROLLED,
        LENGTH_CONTROLLED,
        PRODUCT_OF_EXPERTS,
        LIKELIHOOD,
        ELO,
        SEP_ELO,
        PAIRS,
    )
}


def record(
    first: Codes, second: Codes, outcome: Floats, *, n: int, times: Floats | None = None
) -> NDArray[np.int64]:
    """Wins, losses and ties of each system (n, 3); `times` (m,) are comparisons in each row."""
    every = default_weights(times, first)
    won, lost, tied = outcome > 0.5, outcome < 0.5, outcome == 0.5
    counts = (
        np.bincount(first[a], every[a], n) + np.bincount(second[b], every[b], n)
        for a, b in ((won, lost), (lost, won), (tied, tied))
    )
    return np.stack([*counts], axis=1).astype(np.int64)


@dataclass(frozen=True)
class Leaderboard:
    """Ratings with intervals and ranks (1 is best), all (n,) floats or NaN; `beats` (n, n) is
    whether the row is better than the column, `weakest_cut` what `find_weakest_cut` finds, and
    `uncertainty` how the ratings vary together, None without resamples. Two methods with the same
    seed, clusters and pseudo-comparisons share their resamples.
    """

    rating: Floats
    low: Floats
    high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    connected: bool
    weakest_cut: tuple[NDArray[np.bool_], float] | None
    note: str
    beats: NDArray[np.bool_]
    uncertainty: Uncertainty | None


def leaderboard(
    method: str,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    drawing: Drawing,
    **settings: Any,
) -> Leaderboard:
    """Ratings by `method`, each with its interval, and ranks that hold for all systems together.

    Intervals of shares are Wilson's at the effective number of answers, others Student's, both with
    the variance of the resamples. Where `drawing.resolve` is "always" they and the ranks hold at
    every look together. A rank is at least 1 + the number of systems that are better, and at most n
    - the number of those that are worse (Mogstad, Romano, Shaikh & Wilhelm 2024, eq. 5). `settings`
    go to the method. Raises ValueError on an unknown method, on an outcome outside [0, 1], on
    weights or times of a method that is not `weighable`, and on both of them together.
    """
    how, columns = _check_input(method, outcome, drawing), (first, second, outcome)
    if drawing.weights is not None:  # mean 1: a prior is worth some comparisons of the usual weight
        drawing = replace(drawing, weights=drawing.weights / drawing.weights.mean())
    counted = drawing.weights if drawing.times is None else drawing.times
    rating, uncertainty = how.rate(*columns, n=n, weights=counted, **settings), None
    if len(first) and drawing.resamples:
        uncertainty = resample_ratings(how, columns, n, drawing, settings)
    used = outcome != 0.5 if settings.get("ties") == "drop" else slice(None)
    times = None if drawing.times is None else drawing.times[used]
    met = meetings(first[used], second[used], n=n, times=times)
    _, part = csgraph.connected_components(met)
    parts = len(np.unique(part[met.any(axis=0)]))
    apart = f"The systems fall into {parts} sets that were never compared with each other."
    remark = how.remark(*columns, n=n, **settings)
    note = " ".join(filter(None, [apart * (parts > 1), remark]))
    nothing, beats = np.full(n, np.nan), np.zeros((n, n), dtype=bool)
    if uncertainty is None:
        rank = ranks(rating)
        return Leaderboard(
            rating, nothing, nothing, rank, nothing, nothing, parts <= 1, None, note, beats, None
        )
    confidence = _choose_confidences(uncertainty, drawing, share=how.share)
    low, high = uncertainty.student(rating, confidence)
    if how.share:
        low, high = _score(how, columns, rating, uncertainty, drawing, confidence)
    wrong = 1 - drawing.confidence
    tail: Floats | float = wrong
    if drawing.resolve == "together":
        tail = tail_together(uncertainty, drawing.rng, 1 - wrong / drawing.boards)
    elif drawing.resolve == "always":
        rated = int((~np.isnan(uncertainty.centre)).sum())
        tail = choose_tails(uncertainty, rated, wrong / drawing.boards, share=how.share)
    beats = bound_differences(rating, uncertainty, tail=tail, share=how.share)[0] > 0
    beats &= np.equal.outer(part, part)
    known = ~np.isnan(rating)
    rank_low = np.where(known, 1.0 + beats.sum(axis=0), np.nan)
    rank_high = np.where(known, known.sum() - beats.sum(axis=1), np.nan)
    return Leaderboard(
        rating, low, high, ranks(rating), rank_low, rank_high, parts <= 1,
        find_weakest_cut(met, FIRM), note, beats, uncertainty,
    )  # fmt: skip


def _score(
    how: Method,
    columns: Columns,
    rating: Floats,
    uncertainty: Uncertainty,
    drawing: Drawing,
    confidence: Floats,
) -> tuple[Floats, Floats]:
    """Compute intervals of shares won, no narrower than if all answers were independent."""
    (first, second, outcome), n = columns, len(rating)
    alike = default_weights(drawing.times, first)
    one = other = default_weights(drawing.weights, first) * alike
    if how.counts:
        one, other = how.counts(first, second, n=n, weights=one)
    squares = sums(one, first, outcome**2, n) + sums(other, second, (1 - outcome) ** 2, n)
    times = sums(one, first, 1.0, n) + sums(other, second, 1.0, n)
    points = sums(one, first, outcome, n) + sums(other, second, 1 - outcome, n)
    mean, square = (
        np.divide(total, times, out=np.full(n, np.nan), where=times > 0)
        for total in (points, squares)
    )
    spread = square - mean**2  # of one answer, about what was answered
    # As many as answers that count alike would be (Kish 1965, 11.2)
    counted = sums(one, first, one / alike, n) + sums(other, second, other / alike, n)
    answers = np.divide(times**2, counted, out=np.zeros(n), where=times > 0)
    variance, freedom = uncertainty.variance()
    whole = answers * rating * (1 - rating)
    most = np.divide(whole, spread, where=spread > 1e-12, out=np.full(n, np.inf))
    return score(
        rating, np.maximum(variance, 0.0), freedom, most=most, alike=uncertainty.clusters[0],
        confidence=confidence,
    )  # fmt: skip


def estimate_change(
    board: Leaderboard, beside: Leaderboard, drawing: Drawing
) -> tuple[Floats, Floats, Floats]:
    """Compute the change of strengths from another leaderboard of the same resamples (n,), with
    Student's interval; NaN without resamples.
    """
    change = board.rating - beside.rating
    if board.uncertainty is None or beside.uncertainty is None:
        return change, np.full_like(change, np.nan), np.full_like(change, np.nan)
    away = board.uncertainty.minus(beside.uncertainty)
    return change, *away.student(change, _choose_confidences(away, drawing, share=False))


def _choose_confidences(uncertainty: Uncertainty, drawing: Drawing, *, share: bool) -> Floats:
    if drawing.resolve != "always":
        return np.full(len(uncertainty.centre), drawing.confidence)
    return choose_confidences(uncertainty, drawing.confidence, share=share)


def _check_input(method: str, outcome: Floats, drawing: Drawing) -> Method:
    if method not in RATINGS:
        raise ValueError(f"unknown rating method {method!r}; there are: {', '.join(RATINGS)}")
    if not ((outcome >= 0) & (outcome <= 1)).all():
        raise ValueError(
            "an outcome is not a number between 0 and 1; leave unanswered comparisons out"
        )
    given_times = drawing.times is not None
    if (drawing.weights is not None or given_times) and not RATINGS[method].weighable:
        raise ValueError(f"{method} takes no weights")
    if drawing.weights is not None and given_times:
        raise ValueError("comparisons have either weights or times")
    return RATINGS[method]


def find_unresolved(board: Leaderboard) -> NDArray[np.bool_]:
    """Return whether an order is open (n, n): without intervals, only of equal ratings."""
    apart = board.rating[:, None] - board.rating[None, :]
    open_ = np.abs(apart) < 1e-7 if board.uncertainty is None else ~(board.beats | board.beats.T)
    np.fill_diagonal(open_, False)
    return open_ & ~np.isnan(apart)


def ranks(rating: Floats) -> Floats:
    """Compute ranks, 1 + systems rated higher, along the last axis; NaN without a rating."""
    # Systems with the same record differ by rounding only, and share a rank.
    worst_last = -np.nan_to_num(np.round(rating, 7), nan=-np.inf)
    rows = worst_last.reshape(math.prod(rating.shape[:-1]), rating.shape[-1])
    best_first = [np.searchsorted(np.sort(row), row) + 1 for row in rows]
    return np.where(np.isnan(rating), np.nan, np.reshape(best_first, rating.shape))
