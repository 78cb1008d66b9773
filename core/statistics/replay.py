"""Compare rankings from part of the comparisons with the ranking from all: replays of a budget.

`position` (C, m) says how many each of C replays has asked before each of m comparisons, inf where
it never asks it; with a budget R it has asked those with a position below R. The columns are those
of `core.statistics.columns`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from .columns import CLIP, START, Codes, Columns, Floats, Method, Weights
from .correlation import rankdata
from .position_bias import reweight

FEWEST = 3  # values for a rank correlation: that of two is 1 or -1
FLIPS = 400  # random turns of the sides; the first is as they are
DIGITS = 7  # ratings that differ by less are level


@dataclass(frozen=True)
class Target:
    """An order to be held against: `values` (n,), NaN where not known, or None where only pairs
    are; and pairs of codes `one` and `other` (k,), with the `sign` (k,) of how much better the one
    is.
    """

    values: Floats | None
    one: Codes
    other: Codes
    sign: Floats

    @classmethod
    def from_values(cls, values: Floats, *, level: bool = False) -> Target:
        """Build a target from every two different values; with `level`, also from equal ones."""
        rounded = np.round(values, DIGITS)
        one, other = np.triu_indices(len(values), 1)
        sign = np.sign(rounded[one] - rounded[other])
        there = ~np.isnan(sign) & (level | (sign != 0))
        return cls(rounded, one[there], other[there], sign[there])

    @classmethod
    def of_pairs(cls, better: Codes, worse: Codes) -> Target:
        """Build a target from pairs with a known better one, without values."""
        return cls(None, better, worse, np.ones(len(better)))


def weights(position: Floats, budgets: Floats) -> Weights:
    """Return 1 where a comparison was asked within each of K `budgets`, by replay (C * K, m)."""
    asked = position[:, None, :] < budgets[None, :, None]
    return asked.reshape(-1, position.shape[1]).astype(float)


def thresholds(position: Floats, budgets: Floats, prob_a: Floats) -> Floats:
    """Compute tau (C, K), the median probability of the first text over the comparisons asked
    within each budget (Liusie et al. 2024, eq. 8); 1/2 without any.
    """
    order = np.argsort(position, axis=1, kind="stable")
    taus = np.full((len(position), len(budgets)), 0.5)
    for replay, places in enumerate(order):
        ends = np.searchsorted(position[replay, places], budgets)
        for place, end in enumerate(ends.tolist()):
            if end:
                taus[replay, place] = np.median(prob_a[places[:end]])
    return taus


def rate_draws(
    how: Method, columns: Columns, *, n: int, weights: Weights, decisions: bool
) -> Floats:
    """Rate the systems (B, n) from the comparisons that each row of `weights` (B, m) asked; without
    any they get the middle of the scale, 1/2 or 1000. The outcome is (m,), or (B, m) if each row
    has its own, as after a threshold; `decisions` says which kind it is.
    """
    first, second, outcome = columns
    own = {"decisions": decisions} if "decisions" in how.takes else {}
    if outcome.ndim > 1:
        # Every comparison twice, won and lost, so that the weights say what its outcome is.
        share = outcome
        if {"experts", "decisions"} & {*how.takes} and not decisions:
            # Log-odds between those of clipped probabilities: their mean is then one of shares.
            share = (1 + logit(np.clip(outcome, CLIP, 1 - CLIP)) / logit(1 - CLIP)) / 2
        weights = np.concatenate([weights * share, weights * (1 - share)], axis=1)
        outcome = np.repeat([1.0, 0.0], len(first))
        first, second = np.tile(first, 2), np.tile(second, 2)
    rating = how.rate(first, second, outcome, n=n, weights=weights, **own)
    return np.asarray(np.nan_to_num(rating, nan=0.5 if how.share else START))


def debias(prob_a: Floats, taus: Floats, *, decisions: bool) -> Floats:
    """Move the probabilities by each of the `taus` (B,) (Liusie et al. 2024, eq. 8 to 10). Returns
    (B, m), with `decisions` the points.
    """
    moved = np.stack([reweight(prob_a, tau) for tau in taus.tolist()])
    return (np.sign(moved - 0.5) + 1) / 2 if decisions else moved


def spearman(rating: Floats, target: Target) -> Floats:
    """Compute Spearman's rho of ratings (B, n) with a target's values (B,); 0 if all ratings are
    equal, NaN if the target has fewer than FEWEST values or only equal ones.
    """
    if target.values is None:
        return np.full(len(rating), np.nan)
    known = ~np.isnan(target.values)
    if known.sum() < FEWEST or np.ptp(target.values[known]) == 0:
        return np.full(len(rating), np.nan)
    x = rankdata(np.round(rating[:, known], DIGITS), axis=1)
    y = rankdata(target.values[known])
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean()
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum())
    return np.asarray(np.divide(x @ y, size, out=np.zeros(len(x)), where=size > 0))


def pair_accuracy(rating: Floats, target: Target) -> Floats:
    """Share of a target's pairs that ratings (B, n) order alike (B,), a tie in one half; or NaN."""
    if not len(target.sign):
        return np.full(len(rating), np.nan)
    return np.asarray(_score_order(np.round(rating, DIGITS), target).mean(axis=1))


def _score_order(level: Floats, target: Target) -> Floats:
    """Return whether each pair is ordered alike (B, k): 1, 0, or 1/2."""
    sign = np.sign(level[:, target.one] - level[:, target.other])
    return np.asarray(1 - np.abs(sign - target.sign) / 2)


def find_least_budget(comparisons: Floats, value: Floats, goal: float) -> float:
    """Find the least of the budgets `comparisons` (K,) from which a figure (K,) stays at `goal` or
    above; NaN if none.
    """
    below = np.flatnonzero(~(value >= goal))
    place = int(below[-1]) + 1 if len(below) else 0
    return float(comparisons[place]) if place < len(value) else np.nan


def drawn_candidates(n: int, size: int, draws: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw `size` of n candidates, as a mask (draws, n)."""
    places = np.argsort(rng.random((draws, n)), axis=1)[:, :size]
    chosen = np.zeros((draws, n), dtype=bool)
    np.put_along_axis(chosen, places, True, axis=1)
    return chosen


def count_ordered_in_subsets(
    points: Floats, times: Floats, chosen: NDArray[np.bool_], target: Target
) -> tuple[Floats, Floats]:
    """Count the target's pairs ordered alike by the win ratio among each draw's candidates,
    `chosen` (D, n), and the pairs in all: both (D,) (Liusie et al. 2024, table 8). `points` (n, n)
    are what the row has won against the column, in `times` (n, n) comparisons.
    """
    won, met = (chosen @ matrix.T for matrix in (points, times))
    ratio = np.divide(won, met, out=np.full(won.shape, 0.5), where=met > 0)
    level = np.round(ratio, DIGITS)
    there = chosen[:, target.one] & chosen[:, target.other]
    return (_score_order(level, target) * there).sum(axis=1), there.sum(axis=1).astype(float)


def points_and_times(
    first: Codes, second: Codes, outcome: Floats, *, n: int
) -> tuple[Floats, Floats]:
    """Sum the points of the row against the column, and their comparisons, both (n, n)."""
    points, times = np.zeros((2, n, n))
    np.add.at(points, (first, second), outcome)
    np.add.at(points, (second, first), 1.0 - outcome)
    np.add.at(times, (first, second), 1.0)
    return points, times + times.T


def compute_chance_p(
    first: Codes, second: Codes, outcome: Floats, groups: Codes, rng: np.random.Generator
) -> float:
    """The p-value of the hypothesis that answers do not depend on what is compared: of the sum of
    squares of what each wins, where the sides of each group of answers (m,), such as an item, are
    turned at random (Fisher 1935; clusters: Canay, Romano & Shaikh 2017).
    """
    surplus = np.tile(outcome - outcome.mean(), 2) * np.repeat([1.0, -1.0], len(outcome))
    codes, both = np.concatenate([first, second]), np.tile(groups, 2)
    signs = 2 * rng.integers(2, size=(FLIPS, int(groups.max(initial=-1)) + 1)) - 1
    signs[0] = 1
    sums = [float((np.bincount(codes, surplus * sign[both]) ** 2).sum()) for sign in signs]
    return float(np.mean(np.array(sums) >= sums[0] - 1e-9))
