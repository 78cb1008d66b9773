"""Reliability of the mean of several raters, which bounds any correlation with it, and reliability
of a leaderboard's ratings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .columns import Codes, Floats, Method, default_weights
from .drawing import rate_halves

SPLITS = 100  # of judges, or items, into halves (Kinnear, Jones & Davies 2025)
FEWEST_RATED = 3  # systems; two always correlate perfectly
FEWEST_PARTS = 4  # judges, or items, to be split: two in each half


def reliability(
    values: Floats, target: Codes, *, group: Codes | None = None, weights: Floats | None = None
) -> Floats:
    """ICC(1, k) of the targets' means: the share of their variance that other raters would find
    again (one-way analysis of variance; Shrout & Fleiss 1979; McGraw & Wong 1996).

    `values` (m,) are ratings of targets 0..T-1, `target` (m,); k is the harmonic mean of the raters
    of a target. With `group` (T,), of what differs within groups of targets. `weights` (B, T) are
    how often each target is in B resamples; the result is then (B,), else (). At most 1, or below
    0. NaN where no target has two ratings, or one is all.
    """
    k = np.bincount(target).astype(float)
    total, square = (np.bincount(target, column) for column in (values, values**2))
    code = np.zeros(len(k), dtype=np.int64) if group is None else np.unique_inverse(group)[1]
    member = sparse.csr_array((np.ones(len(k)), (np.arange(len(k)), code)))
    drawn = np.ones((1, len(k))) if weights is None else weights
    in_group, raters, sums, squares = (
        (drawn * column) @ member for column in (np.ones(len(k)), k, total, k**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        of_group = np.where(raters > 0, sums**2 / raters, 0.0).sum(axis=1)
        evened = np.where(raters > 0, squares / raters, 0.0).sum(axis=1)
        free_between = in_group.sum(axis=1) - (in_group > 0).sum(axis=1)
        free_within = drawn @ k - drawn.sum(axis=1)
        between = (drawn @ (total**2 / k) - of_group) / free_between
        within = drawn @ (square - total**2 / k) / free_within
        each = (drawn @ k - evened) / free_between  # raters of a target, where they are uneven
        variance = (between - within) / each
        found = variance / (variance + within * (drawn @ (1 / k)) / drawn.sum(axis=1))
    found = np.where((free_between > 0) & (free_within > 0), found, np.nan)
    return found[0] if weights is None else found


def estimate_reliability_of_means(
    values: Floats, target: Codes, mean: Codes, *, weights: Floats | None = None
) -> Floats:
    """The reliability of means of targets, such as a system's over its texts: as `reliability`,
    with `mean` (T,) the mean each target enters; its errors are those of its targets, averaged.
    """
    k = np.bincount(target).astype(float)
    total, square = (np.bincount(target, column) for column in (values, values**2))
    member = sparse.csr_array((np.ones(len(k)), (np.arange(len(k)), mean)))
    drawn = np.ones((1, len(k))) if weights is None else weights
    free = drawn @ (k - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        within = drawn @ (square - total**2 / k) / free
        n = drawn @ member
        means = np.where(n > 0, ((drawn * (total / k)) @ member) / n, np.nan)
        errors = np.where(n > 0, within[:, None] * ((drawn / k) @ member) / n**2, np.nan)
        count = (n > 0).sum(axis=1)
        away = np.nan_to_num(means - (np.nansum(means, axis=1) / count)[:, None])
        observed = (away**2).sum(axis=1) / (count - 1)
        found = 1 - np.nansum(errors, axis=1) / count / observed
    found = np.where((free > 0) & (count > 1) & (observed > 0), found, np.nan)
    return np.asarray(found[0] if weights is None else found)


def estimate_scale_separation(rating: Floats, variance: Floats) -> float:
    """Scale separation reliability of ratings (n,) with this error `variance` (n,), from 0 to 1: 1
    - mean error variance / variance of ratings (Verhavert, De Maeyer, Donche & Coertjens 2018). A
    rating without error is left out. NaN with fewer than two ratings, or where all are alike.
    """
    known = ~np.isnan(rating) & (variance > 0)
    if known.sum() < 2 or np.ptp(rating[known]) == 0:
        return float("nan")
    return max(0.0, float(1 - variance[known].mean() / rating[known].var(ddof=1)))


def estimate_split_half(
    how: Method,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    part: Codes,
    rng: np.random.Generator,
    times: Floats | None = None,
    weights: Floats | None = None,
    **settings: Any,
) -> float:
    """Split-half reliability of ratings by a method that `is_counted`, from -1 to 1: the median of
    Pearson's correlations between ratings by two random halves of the parts (m,) of the
    comparisons, judges or items, over SPLITS splits (Kinnear, Jones & Davies 2025), not stepped up
    to all of them. NaN with fewer than FEWEST_PARTS parts, or FEWEST_RATED systems in both halves.
    """
    if len(np.unique(part)) < FEWEST_PARTS:
        return float("nan")
    w, many = (default_weights(of, first).astype(float) for of in (weights, times))
    halves = rate_halves(how, (first, second, outcome), n, part, rng, SPLITS, w, many, settings)
    found = []
    for one, other in zip(*halves, strict=True):
        x, y = (half[~np.isnan(one + other)] for half in (one, other))
        if len(x) >= FEWEST_RATED and np.ptp(x) > 0 and np.ptp(y) > 0:
            found.append(float(np.corrcoef(x, y)[0, 1]))
    return float(np.median(found)) if found else float("nan")


def ceiling(reliability: Floats) -> Floats:
    """The highest correlation with means of that reliability: its root (Spearman 1904), or 0."""
    return np.asarray(np.sqrt(np.clip(reliability, 0.0, 1.0)))
