"""Intervals of shares and of resampled figures.

`groups` (m,) are what could have been others, the items: answers about one item are not independent. The points of an answer
are 1, 0, or 1/2 where it is neither.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri, stdtrit

from core.statistics.comparisons import Codes, Floats


class Share(NamedTuple):
    """Shares in [0, 1] with their intervals, and of how many answers; NaN where there are none."""

    share: Floats
    low: Floats
    high: Floats
    n: NDArray[np.int64]


def wilson(share: Floats, n: Floats, *, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's interval (1927) of shares of n independent answers; NaN where n is 0."""
    p, z = np.asarray(share, dtype=float), float(ndtri((1 + confidence) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1 + z**2 / n
        centre = (p + z**2 / (2 * n)) / scale
        half = z / scale * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def shares_by(points: Floats, groups: Codes, column: Codes, *, n: int, confidence: float = 0.95) -> Share:
    """The mean of the points (m,) in each column 0..n-1: Wilson's interval at the effective number of answers.

    That is their number divided by the design effect (Kish 1965), which is the ratio estimator's over groups and at least 1,
    with Student's t for few groups (Dean & Pagano 2015). Where all points of a column are alike there is no variance to
    be seen, and each group counts as one answer.
    """
    _, row = np.unique(groups, return_inverse=True)
    shape = (int(row.max(initial=-1)) + 1, n)
    total = sparse.csr_array((points, (row, column)), shape=shape)
    count = sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)
    in_groups = np.bincount(sparse.csc_array(count).nonzero()[1], minlength=n)
    y, m, yy, yn, nn = (
        np.asarray(table.sum(axis=0), dtype=float)
        for table in (total, count, total.power(2), total.multiply(count), count.power(2))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        p = y / m
        residual = np.maximum(yy - 2 * p * yn + p**2 * nn, 0.0)
        variance = in_groups / (in_groups - 1) * residual / m**2
        few = (ndtri((1 + confidence) / 2) / stdtrit(np.maximum(in_groups - 1.0, 1.0), (1 + confidence) / 2)) ** 2
        effective = np.fmin(p * (1 - p) / variance, m) * few
        effective = np.where((p * (1 - p) < 1e-12) | (in_groups < 2), in_groups, effective)
    low, high = wilson(p, effective, confidence=confidence)
    return Share(p, low, high, m.astype(np.int64))


def share(points: Floats, groups: Codes, *, confidence: float = 0.95) -> tuple[float, float, float, int]:
    """One share, low, high and n of the points that are not NaN, as `shares_by` gives them."""
    known = ~np.isnan(points)
    nothing = np.zeros(int(known.sum()), dtype=np.int64)
    found = shares_by(points[known], groups[known], nothing, n=1, confidence=confidence)
    return float(found.share[0]), float(found.low[0]), float(found.high[0]), int(found.n[0])


def mean(values: Floats, groups: Codes, *, confidence: float = 0.95) -> tuple[float, float, float, int]:
    """Mean, low, high and n of the values that are not NaN: Student's interval from the groups' sums (the linearised ratio
    estimator, Cochran 1977, ch. 6). No interval with fewer than two groups, or where all values are alike."""
    known = ~np.isnan(values)
    x = values[known]
    if not len(x):
        return np.nan, np.nan, np.nan, 0
    _, row = np.unique(groups[known], return_inverse=True)
    residual = np.bincount(row, x - x.mean())
    if len(residual) < 2 or np.ptp(x) == 0:
        return float(x.mean()), np.nan, np.nan, len(x)
    spread = np.sqrt(len(residual) / (len(residual) - 1) * (residual**2).sum()) / len(x)
    half = float(stdtrit(len(residual) - 1, (1 + confidence) / 2) * spread)
    return float(x.mean()), float(x.mean()) - half, float(x.mean()) + half, len(x)


def resample_counts(groups: int, times: int, rng: np.random.Generator) -> Floats:
    """(times, groups) how often each group is in a resample of as many, drawn with replacement."""
    drawn = np.empty((times, groups))
    for row in drawn:
        row[:] = np.bincount(rng.integers(groups, size=groups), minlength=groups)
    return drawn


def percentiles(samples: Floats, *, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Bounds of figures (B, ...) over the resamples in which they are defined (Efron & Tibshirani 1993, ch. 13).

    NaN where there are none, and where all resamples are alike: an interval of no width would claim to be certain.
    """
    low, high = np.full(samples.shape[1:], np.nan), np.full(samples.shape[1:], np.nan)
    known = (~np.isnan(samples)).any(axis=0)
    if known.any():
        of = samples[:, known]
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        # "weibull": of B resamples the interval holds the share `confidence` of B + 1, so that one more falls in as often.
        bounds = np.nanquantile(of, tails, axis=0, method="weibull")
        bounds[:, np.nanmax(of, axis=0) - np.nanmin(of, axis=0) < 1e-12] = np.nan
        low[known], high[known] = bounds
    return low, high
