"""Intervals of shares and of resampled figures.

`groups` (m,) are what could have been others, the items: answers about one item are not
independent. The points of an answer are 1, 0, or 1/2 where it is neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from .columns import Codes, Floats

FEWEST = 0.2  # degrees of freedom of a figure that rests on one group, which says nothing
NOTHING = 1e-12  # a variance, or a share, that is rounding
TAIL = (1 - 0.95) / 2  # beyond either end of an interval


class Share(NamedTuple):
    """Shares in [0, 1] with intervals, of `n` answers each; NaN without answers."""

    share: Floats
    low: Floats
    high: Floats
    n: NDArray[np.int64]


def spread(name: str, estimate: Sequence[Any], ends: str | None = None) -> dict[str, Any]:
    """Return an estimate as columns NAME, ENDS_low and ENDS_high; `ends` '' is plain low, high."""
    before = f"{name}_" if ends is None else f"{ends}_" if ends else ""
    return {name: estimate[0], f"{before}low": estimate[1], f"{before}high": estimate[2]}


def wilson(share: Floats, n: Floats, *, confidence: Floats | float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's interval (1927) of shares of n independent answers; NaN where n is 0."""
    p, z = np.asarray(share, dtype=float), ndtri((1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1 + z**2 / n
        centre = (p + z**2 / (2 * n)) / scale
        half = z / scale * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        # At an end the two are equal, which rounding would leave a hair apart; 0 answers have no
        # interval either way.
        low, high = np.where(p <= 0, 0 / n, centre - half), np.where(p >= 1, n / n, centre + half)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def score(
    share: Floats,
    variance: Floats,
    freedom: Floats,
    *,
    most: Floats,
    alike: Floats,
    confidence: Floats | float = 0.95,
) -> tuple[Floats, Floats]:
    """Wilson's interval at the effective number of answers, share (1 - share) / variance, at most
    `most` and `alike` without variance, with Student's t for z (Dean & Pagano 2015).
    """
    upper = (1 + confidence) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        few = (ndtri(upper) / stdtrit(freedom, upper)) ** 2
        number = np.fmin(share * (1 - share) / variance * few, most)
        number = np.where((share * (1 - share) < 1e-12) | (variance < 1e-12), alike, number)
    return wilson(share, number, confidence=confidence)


def shares_by(
    points: Floats,
    groups: Codes,
    column: Codes,
    *,
    n: int,
    times: Floats | None = None,
) -> Share:
    """Compute the mean of the points (m,) in [0, 1] in each column 0..n-1, with Wilson's interval
    at the effective number of answers, share (1 - share) / variance.

    The variance is that of leaving out one group at a time (CV3: MacKinnon, Nielsen & Webb 2023),
    and no less than that of as many independent answers; Student's t has as many degrees of freedom
    as there are effective groups, less one (Dean & Pagano 2015). Where all points of a column are
    alike each effective group counts as one answer. `times` (m,) is the number of answers in each
    row.
    """
    return bound_shares(estimate_shares(points, groups, column, n=n, times=times), 0.95)


class SharesFound(NamedTuple):
    """Shares (n,), variances, effective groups, most independent answers, and answers."""

    share: Floats
    variance: Floats
    effective: Floats
    most: Floats
    n: Floats


def bound_shares(found: SharesFound, confidence: Floats | float) -> Share:
    """Shares with their intervals, as `shares_by` gives them."""
    low, high = score(
        found.share, found.variance, degrees_of_freedom(found.effective), most=found.most,
        alike=found.effective, confidence=confidence,
    )  # fmt: skip
    return Share(found.share, low, high, found.n.astype(np.int64))


def estimate_shares(
    points: Floats, groups: Codes, column: Codes, *, n: int, times: Floats | None = None
) -> SharesFound:
    """Estimate the shares that `shares_by` bounds, and their variance."""
    every = np.ones(len(points)) if times is None else times
    of_cell, in_column = _cells(groups, column)
    total, count = (
        np.asarray(np.bincount(of_cell, part), dtype=float) for part in (points * every, every)
    )
    y, m = (np.bincount(in_column, sums, minlength=n) for sums in (total, count))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = y / m
        squares = np.bincount(column, points**2 * every, minlength=n)
        alone = squares / m - p**2  # variance of one answer
        most = np.where(alone > NOTHING, m * p * (1 - p) / alone, np.inf)
        variance = _leave_groups_out(total - p[in_column] * count, count, in_column, n=n)
    effective = effective_groups(count, in_column, n=n)
    return SharesFound(p, variance, effective, most, np.asarray(m, dtype=float))


def score_test_half(points: Floats, groups: Codes) -> float:
    """The two-sided p-value of a share of one half, of the points (m,) that are not NaN: one less
    the confidence at which the interval of `share` ends there. NaN without answers.
    """
    known = ~np.isnan(points)
    if not known.any():
        return float("nan")
    nothing = np.zeros(int(known.sum()), dtype=np.int64)
    found = estimate_shares(points[known], groups[known], nothing, n=1)
    share, variance, effective, most, _ = (float(part[0]) for part in found)
    spread, away = share * (1 - share), 2 * abs(share - 0.5)
    if min(spread, variance) < NOTHING:
        return float(2 * ndtr(-away * np.sqrt(effective)))
    freedom = degrees_of_freedom(np.array(effective))
    clustered = 2 * stdtr(freedom, -away * np.sqrt(spread / variance))
    return float(max(clustered, 2 * ndtr(-away * np.sqrt(most))))


ALPHA = 0.05  # p-value, adjusted where several are tested, up to which something is said


def holm(p: Floats) -> Floats:
    """Adjust p-values (m,) for multiple testing (Holm 1979); NaN stays and does not count."""
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def effective_groups(size: Floats, column: Codes, *, n: int) -> Floats:
    """Compute the effective groups of each column (n,): (sum size)^2 / sum size^2 (Kish 1965)."""
    total, squares = (np.bincount(column, part, minlength=n) for part in (size, size**2))
    return np.divide(total**2, squares, out=np.zeros(n), where=squares > 0)


def _leave_groups_out(away: Floats, size: Floats, column: Codes, *, n: int) -> Floats:
    """The jackknife's variance of means (n,), from each group's sum of deviations `away`."""
    many, whole = np.bincount(column, minlength=n), np.bincount(column, size, minlength=n)
    moved = away / (whole[column] - size).clip(NOTHING)
    squares = np.bincount(column, moved**2, minlength=n)
    return np.asarray(squares * (many - 1) / many.clip(1))


def degrees_of_freedom(effective: Floats) -> Floats:
    """Return the degrees of freedom of Student's t for so many effective groups."""
    return np.maximum(effective - 1.0, FEWEST)


def _cells(groups: Codes, column: Codes) -> tuple[Codes, Codes]:
    """The cell (m,) of each value, which is a group in a column, and the column of each cell."""
    names, row = np.unique(groups, return_inverse=True)
    cell, of_cell = np.unique(column * len(names) + row, return_inverse=True)
    return of_cell, cell // max(len(names), 1)


def share(points: Floats, groups: Codes) -> tuple[float, float, float, int]:
    """Compute one share, low, high and n of the points that are not NaN, as `shares_by` does."""
    return _estimate_one_column(shares_by, points, groups)


def means_by(
    values: Floats, groups: Codes, column: Codes, *, n: int, confidence: float = 0.95
) -> Share:
    """Compute the mean of the values (m,) in each column 0..n-1, with Student's interval: the
    variance of leaving out one group at a time. None with fewer than two groups, or of equal
    values.
    """
    of_cell, in_column = _cells(groups, column)
    m, size = np.bincount(column, minlength=n), np.bincount(of_cell).astype(float)
    many = np.bincount(in_column, minlength=n)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.bincount(column, values, minlength=n) / m
        away = values - means[column]
        of_group = np.asarray(np.bincount(of_cell, away), dtype=float)
        variance = _leave_groups_out(of_group, size, in_column, n=n)
        freedom = degrees_of_freedom(effective_groups(size, in_column, n=n))
        half = stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance)
    alike = np.bincount(column, np.abs(away) > 1e-12, minlength=n) == 0
    half[(many < 2) | alike] = np.nan
    return Share(means, means - half, means + half, m)


def mean(
    values: Floats, groups: Codes, *, confidence: float = 0.95
) -> tuple[float, float, float, int]:
    """Compute one mean, low, high and n of the values that are not NaN, as `means_by` does."""
    return _estimate_one_column(means_by, values, groups, confidence=confidence)


def _estimate_one_column(
    by: Callable[..., Share], values: Floats, groups: Codes, **settings: float
) -> tuple[float, float, float, int]:
    known = ~np.isnan(values)
    column = np.zeros(int(known.sum()), dtype=np.int64)
    found = by(values[known], groups[known], column, n=1, **settings)
    return float(found.share[0]), float(found.low[0]), float(found.high[0]), int(found.n[0])


def difference(
    values: Floats, groups: Codes, *, confidence: float = 0.95
) -> tuple[float, float, float, int]:
    """The mean of differences of two shares on the same units, by `mean`, within [-1, 1]."""
    value, low, high, n = mean(values, groups, confidence=confidence)
    return value, max(low, -1.0), min(high, 1.0), n


class PairedChange(NamedTuple):
    """The mean of paired differences in [-1, 1] of so many `groups`, its 95% interval, the p-value
    of 0, and the smallest mean that would have been found with 80%. NaN without values.
    """

    mean: float
    low: float
    high: float
    p: float
    detectable: float
    n: int
    groups: int


POWER = 0.8


def measure_change(values: Floats, groups: Codes, *, tests: int = 1) -> PairedChange:
    """Measure a change from the differences (m,) of the same units, NaN where there is none.

    Student's test over groups. `detectable` is (t at 1 - ALPHA / (2 tests) + t at POWER) standard
    errors (Cohen 1988, 2.4), with Bonferroni's correction as a bound of Holm's. Where all groups
    are alike, there is no variance to be seen. Then groups unlike these are a share of at most
    z^2 / (n + z^2) (Wilson 1927), whose differences are 1 or -1 at worst, and p is the sign test's.
    """
    value, low, high, n = mean(values, groups)
    size = np.unique(groups[~np.isnan(values)], return_counts=True)[1].astype(float)
    if not n:
        nothing = float("nan")
        return PairedChange(nothing, nothing, nothing, nothing, nothing, 0, 0)
    sure = 1 - ALPHA / (2 * tests)
    if np.isnan(low) or value - low < NOTHING:
        rare, missed = (
            float(z**2 / (len(size) + z**2)) for z in (ndtri(0.975), ndtri(sure) + ndtri(POWER))
        )
        p = 0.5 ** (len(size) - 1) if abs(value) > NOTHING else 1.0
        ends = (value - rare * (1 + value), value + rare * (1 - value))
        return PairedChange(value, *ends, p, missed, n, len(size))
    nowhere = np.zeros(len(size), dtype=np.int64)
    freedom = degrees_of_freedom(effective_groups(size, nowhere, n=1))[0]
    error = (value - low) / stdtrit(freedom, 0.975)
    p = float(2 * stdtr(freedom, -abs(value) / error))
    detectable = float(error * (stdtrit(freedom, sure) + stdtrit(freedom, POWER)))
    return PairedChange(value, max(low, -1.0), min(high, 1.0), p, detectable, n, len(size))


def mean_of_shares(points: Floats, groups: Codes, column: Codes) -> tuple[float, float, float]:
    """The mean over the columns (each alike, none empty) of the mean of the points (m,) in them,
    with the interval of `shares_by` from the groups' sums over all columns, which err together.
    """
    _, row = np.unique(groups, return_inverse=True)
    m = np.bincount(column)
    shares, weight = np.bincount(column, points) / m, 1 / m[column] / len(m)
    p, nothing = float(shares.mean()), np.zeros(int(row.max(initial=-1)) + 1, dtype=np.int64)
    away, size = (
        np.asarray(np.bincount(row, part), dtype=float)
        for part in ((points - shares[column]) * weight, weight)
    )
    variance = _leave_groups_out(away, size, nothing, n=1)[0]
    effective = effective_groups(size, nothing, n=1)[0]
    alone = float((np.bincount(column, points**2) / m).mean()) - p**2  # variance of one answer
    most = np.array(len(points) * p * (1 - p) / alone if alone > 1e-12 else np.inf)
    freedom = degrees_of_freedom(effective)
    low, high = score(np.array(p), variance, freedom, most=most, alike=effective)
    return p, float(low), float(high)


def resample_counts(groups: int, times: int, rng: np.random.Generator) -> Floats:
    """Draw resamples with replacement: the count of each group in each (times, groups)."""
    drawn = np.empty((times, groups))
    for row in drawn:
        row[:] = np.bincount(rng.integers(groups, size=groups), minlength=groups)
    return drawn


def bound_resampled(
    estimate: float, samples: Floats, *, groups: int, confidence: float
) -> tuple[float, float]:
    """Compute Student's interval of a figure from the variance of its resamples (B,), for a
    `confidence` too high for their percentiles. NaN where `percentiles` is, and of one of `groups`.
    """
    known = samples[~np.isnan(samples)]
    if groups < 2 or len(known) < 2 or np.ptp(known) < NOTHING:
        return float("nan"), float("nan")
    freedom = 1 / (1 / (groups - 1) + 1 / (len(known) - 1))
    error = float(known.std(ddof=1)) * np.sqrt(groups / (groups - 1))
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return estimate - half, estimate + half


def percentiles(samples: Floats, *, groups: int) -> tuple[Floats, Floats]:
    """Compute percentile intervals of figures (B, ...) over the resamples in which they are defined
    (Efron & Tibshirani 1993, ch. 13), with smaller tails for few `groups` (Hesterberg 2015, section
    5.3). NaN if a figure is undefined, or the same, in all resamples.
    """
    low, high = np.full(samples.shape[1:], np.nan), np.full(samples.shape[1:], np.nan)
    known = (~np.isnan(samples)).any(axis=0)
    if known.any():
        of = samples[:, known]
        n = max(groups, 2)
        tail = float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, TAIL)))
        # "weibull": of B resamples the interval holds 95% of B + 1, so that one more falls in as
        # often.
        bounds = np.nanquantile(of, [tail, 1 - tail], axis=0, method="weibull")
        bounds[:, np.nanmax(of, axis=0) - np.nanmin(of, axis=0) < 1e-12] = np.nan
        low[known], high[known] = bounds
    return low, high
