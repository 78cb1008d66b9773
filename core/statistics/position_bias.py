"""Positional bias: how often the text shown first is preferred, and how to correct it
(docs/statistics/bias.md, "Debiasing").

`points` (m,) are those of the text shown first: 1 preferred, 0 the other one, 1/2 neither, NaN
unanswered. `prob_a` (m,) is the probability that it is the better one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr, stdtrit

from .columns import Codes, Floats
from .intervals import degrees_of_freedom, share
from .logistic import fit_logistic, leave_clusters_out


class FirstPosition(NamedTuple):
    """Share of answers that prefer the first text, in [0, 1]; NaN without any."""

    p_first: float
    low: float
    high: float
    first_share: float


class BothOrders(NamedTuple):
    """Pairs answered in both orders, those with the same verdict in both, and pairs asked in both
    in vain; whether each pair (by code) is the `same`, 1 or 0, NaN unless answered in both.
    """

    answered: int
    consistent: int
    unanswered: int
    same: Floats


def first_position(points: Floats, groups: Codes) -> FirstPosition:
    """Compute `p_first`, the share of decisive answers that went to the first, with the interval of
    `intervals.share` over `groups` (m,), the items, and `first_share` of all answers.
    """
    answered = ~np.isnan(points)
    decisive = answered & (points != 0.5)
    first = points > 0.5
    p, low, high, _ = share(first[decisive].astype(float), groups[decisive])
    of_all = float(first[answered].mean()) if answered.any() else np.nan
    return FirstPosition(p, low, high, of_all)


def compare_orders(pair: Codes, reverse: NDArray[np.bool_], points: Floats) -> BothOrders:
    """Compare the two orders of a pair. `reverse` (m,) marks one of the orders of each `pair` (m,),
    whose verdict is that of its mean points: above 1/2, below, or neither.
    """
    asked, (forward, backward) = order_means(pair, reverse, points)
    answered = ~np.isnan(forward + backward)
    same = np.where(answered, np.sign(forward - 0.5) == np.sign(0.5 - backward), np.nan)
    in_vain = asked & np.isnan(forward) & np.isnan(backward)
    return BothOrders(int(answered.sum()), int(np.nansum(same)), int(in_vain.sum()), same)


def order_means(
    pair: Codes, reverse: NDArray[np.bool_], values: Floats
) -> tuple[NDArray[np.bool_], Floats]:
    """Return which `pair` (m,), codes 0..n-1, was asked in both orders, and the means of the
    answers (2, n) in the one order and in `reverse`, of the text shown first; NaN without any.
    """
    pairs = int(pair.max(initial=-1)) + 1
    order = reverse.astype(np.int64) * pairs + pair
    known = ~np.isnan(values)
    count = np.bincount(order[known], minlength=2 * pairs)
    total = np.bincount(order[known], values[known], minlength=2 * pairs)
    mean = np.divide(total, count, out=np.full(2 * pairs, np.nan), where=count > 0)
    times = np.bincount(order, minlength=2 * pairs).reshape(2, pairs)
    return times.min(axis=0) > 0, mean.reshape(2, pairs)


def fairness(mean: float, low: float, high: float) -> tuple[float, float, float]:
    """Fairness of a mean preference for the first text, 1 - 2 |mean - 1/2|, with its interval from
    that of the mean: 1 is even (ZEPO: Zhou et al. 2024, for two classes).
    """
    value, *ends = (1 - 2 * abs(end - 0.5) for end in (mean, low, high))
    return value, min(ends), 1.0 if low <= 0.5 <= high else max(ends)


def threshold(prob_a: Floats) -> float:
    """Compute tau, the median probability, above which the first is taken as preferred, so that
    both positions win equally often (Liusie et al. 2024, eq. 8). NaN without probabilities.
    """
    return float(np.median(prob_a)) if len(prob_a) else np.nan


def threshold_interval(prob_a: Floats, groups: Codes) -> tuple[float, float]:
    """The interval of `threshold` (Woodruff 1952): the quantiles at the ends of the interval over
    `groups` (m,) of the share up to it. NaN with fewer than two groups, or where all are alike.
    """
    if len(prob_a) == 0 or np.ptp(prob_a) == 0 or np.ptp(groups) == 0:
        return np.nan, np.nan
    tau = threshold(prob_a)
    below = np.where(prob_a == tau, 0.5, (prob_a < tau).astype(float))
    _, low, high, _ = share(below, groups)
    bounds = np.quantile(prob_a, [low, high], method="averaged_inverted_cdf")
    return float(min(bounds[0], tau)), float(max(bounds[1], tau))


def weight(tau: float) -> float:
    """Compute alpha = (1 - tau) / tau, the weight of the first label equivalent to the threshold
    (Liusie et al. 2024, eq. 9-10). Infinite for tau = 0.
    """
    return (1 - tau) / tau if tau else np.inf


def reweight(prob_a: Floats, tau: float) -> Floats:
    """Compute alpha p / (alpha p + 1 - p), alpha = (1 - tau) / tau: 1/2 exactly at tau."""
    # Times tau, so that tau may be 0; written so that p = tau gives equal products, rounded alike.
    for_first, for_second = (1 - tau) * prob_a, tau * (1 - prob_a)
    either = for_first + for_second
    return np.divide(for_first, either, out=np.full_like(either, 0.5), where=either > 0)


def swap(i_first: Floats, j_first: Floats) -> Floats:
    """P(i is better) from both orders: the mean of p(i shown first) and 1 - p(j shown first)."""
    return (i_first + 1 - j_first) / 2


FAR = 30.0  # log-odds per doubling beyond which no data of ours can tell the slope from infinity


class LengthEffect(NamedTuple):
    """`slope`: growth of the log-odds of being preferred when a text becomes twice as long, with
    its interval, or infinite; `n` answers about different lengths; `p`, two-sided, of no effect.
    """

    slope: float
    low: float
    high: float
    n: int
    p: float = float("nan")


def length_effect(points: Floats, doublings: Floats, groups: Codes) -> LengthEffect:
    """Fit logit P(first preferred) = position + slope x doublings by maximum likelihood; a tie
    counts half.

    `points` (m,) of the text shown first and `doublings` (m,), log2 of its length over the other's,
    NaN among either left out. The intercept takes in what being shown first is worth. Interval:
    Student's, with the variance over `groups` (m,) left out in turn. NaN where fewer than two
    lengths or one answer occur.
    """
    known = ~(np.isnan(points) | np.isnan(doublings))
    y, x = points[known], doublings[known]
    n = int((x != 0).sum())
    # Lengths that hardly differ would make the equations singular.
    scale = np.abs(x).max(initial=0.0)
    if not n or np.ptp(x) < 1e-9 * scale or np.ptp(y) == 0:
        return LengthEffect(np.nan, np.nan, np.nan, n)
    design = np.column_stack([np.ones_like(x), x / scale])
    beta = fit_logistic(design, y, np.zeros(2))
    if beta is None or abs(beta[1] / scale) * np.ptp(x) > FAR:  # separated: there is no maximum
        endless = float(np.copysign(np.inf, (x - x.mean()) @ y))
        return LengthEffect(endless, np.nan, np.nan, n)
    slope, p = float(beta[1] / scale), expit(design @ beta)
    _, row = np.unique(groups[known], return_inverse=True)
    moved, information = leave_clusters_out(design, y - p, p * (1 - p), row)
    many, whole = len(moved), information.sum(axis=0)
    if many < 3:
        return LengthEffect(slope, np.nan, np.nan, n)
    # As many groups as count by what each says of the slope
    says = np.bincount(row, p * (1 - p) * (design[:, 1] - whole[0, 1] / whole[0, 0]) ** 2)
    freedom = degrees_of_freedom(says.sum() ** 2 / (says**2).sum())
    error = float(np.sqrt((many - 1) / many * (moved[:, 1] ** 2).sum()) / scale)
    half = float(stdtrit(freedom, 0.975) * error)
    # A smaller error than 1e-9 of the lengths' scale is rounding's alone
    p_value = float(2 * stdtr(freedom, -abs(slope) / max(error, 1e-9 / scale)))
    return LengthEffect(slope, slope - half, slope + half, n, p_value)
