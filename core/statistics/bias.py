"""Positional bias: how often the text shown first is preferred, and how to take that out (DESIGN.md, "Debiasing").

`points` (m,) are those of the text shown first: 1 preferred, 0 the other one, 1/2 neither, NaN unanswered. `prob_a` (m,)
is the probability that it is the better one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.statistics.comparisons import Codes, Floats
from core.statistics.intervals import wilson


class FirstPosition(NamedTuple):
    """How often the first is preferred, in [0, 1], NaN where nothing was answered (or decided)."""

    p_first: float
    low: float
    high: float
    first_share: float


class BothOrders(NamedTuple):
    """Pairs answered in both orders, those of them with the same verdict in both, and pairs asked in both in vain."""

    answered: int
    consistent: int
    unanswered: int


def first_position(points: Floats, *, confidence: float = 0.95) -> FirstPosition:
    """`p_first`, the share of decisive answers that went to the first, with Wilson's interval (1927), and `first_share`
    of all answers (DESIGN.md, "p_first")."""
    answered = points[~np.isnan(points)]
    won, decisive = int((answered > 0.5).sum()), int((answered != 0.5).sum())
    share = won / len(answered) if len(answered) else np.nan
    if not decisive:
        return FirstPosition(np.nan, np.nan, np.nan, share)
    p = np.array(won / decisive)
    low, high = wilson(p, np.array(decisive), confidence=confidence)
    return FirstPosition(float(p), float(low), float(high), share)



def both_orders(pair: Codes, reverse: NDArray[np.bool_], points: Floats) -> BothOrders:
    """How the two orders of a pair compare. `reverse` (m,) tells one order of each `pair` (m,) from the other.

    An order asked several times has the verdict of its mean points: above 1/2, below, or neither.
    """
    forward, backward = (_mean_by(pair[rows], points[rows]) for rows in (~reverse, reverse))
    both = [(forward[key], backward[key]) for key in forward.keys() & backward.keys()]
    answered = [(np.sign(f - 0.5), np.sign(0.5 - b)) for f, b in both if not np.isnan(f + b)]
    return BothOrders(
        len(answered),
        sum(f == b for f, b in answered),
        sum(bool(np.isnan(f) and np.isnan(b)) for f, b in both),
    )


def _mean_by(pair: Codes, points: Floats) -> dict[int, float]:
    """pair -> mean of the answered points, NaN where none was."""
    pairs, code = np.unique(pair, return_inverse=True)
    answered = ~np.isnan(points)
    count = np.bincount(code[answered], minlength=len(pairs))
    total = np.bincount(code[answered], points[answered], minlength=len(pairs))
    mean = np.divide(total, count, out=np.full(len(pairs), np.nan), where=count > 0)
    return dict(zip(pairs.tolist(), mean.tolist(), strict=True))


def threshold(prob_a: Floats) -> float:
    """tau: the median probability (the midpoint of the middle two), above which the first is taken as preferred, so that
    both positions win equally often (Liusie et al. 2024, eq. 8). NaN without probabilities."""
    return float(np.median(prob_a)) if len(prob_a) else np.nan


def weight(tau: float) -> float:
    """alpha = (1 - tau) / tau, the weight of the first label that does the same as the threshold (Liusie et al. 2024,
    eq. 9-10). Infinite for tau = 0."""
    return (1 - tau) / tau if tau else np.inf


def reweighted(prob_a: Floats, tau: float) -> Floats:
    """p' = alpha p / (alpha p + 1 - p) with alpha = (1 - tau) / tau: 1/2 exactly where p = tau, and in p's order."""
    # Times tau, so that tau may be 0; written so that p = tau gives equal products, rounded alike.
    for_first, for_second = (1 - tau) * prob_a, tau * (1 - prob_a)
    either = for_first + for_second
    return np.divide(for_first, either, out=np.full_like(either, 0.5), where=either > 0)


def swap(i_first: Floats, j_first: Floats) -> Floats:
    """P(i is better) from both orders: the mean of p(i shown first) and 1 - p(j shown first)."""
    return (i_first + 1 - j_first) / 2
