"""Intervals of correlations between systems: for other systems like these, judged on other items.

Few systems are the larger part of the error, so resampling items alone claims too much; and few
items leave noise in the systems' means. Systems made of one base count as many bases as they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, ndtri

from .columns import Codes, Floats
from .intervals import percentiles

MOST = 3.0  # of the logarithm of a decisiveness: beyond, all win rates are 0, 1/2 or 1
FEWEST = 5  # systems: with fewer, Fisher's z of Kendall's tau has no standard error


class Noise(NamedTuple):
    """Noise of the systems' two values, predicted and truth: their covariance (2, 2) as observed,
    its part (2, 2) due to the choice of items, and how many `systems` without a common base.
    """

    observed: Floats
    error: Floats
    systems: float


class _Scale(NamedTuple):
    """Scale of a coefficient: to and from Pearson's r for bivariate normal values (Kruskal 1958),
    the standard error of its Fisher z with n systems, and its smallest step.
    """

    to_pearson: Callable[[float], float]
    of_pearson: Callable[[float], float]
    error: Callable[[float, float], float]
    step: Callable[[float], float]


_SCALES = {
    # Fisher 1921
    "pearson": _Scale(
        lambda r: r, lambda r: r, lambda r, n: float(1 / np.sqrt(n - 3)), lambda n: 1e-9
    ),
    # Bonett & Wright 2000
    "spearman": _Scale(
        lambda rho: float(2 * np.sin(np.pi * rho / 6)),
        lambda r: float(6 / np.pi * np.arcsin(r / 2)),
        lambda rho, n: float(np.sqrt((1 + rho**2 / 2) / (n - 3))),
        lambda n: 12 / (n * (n**2 - 1)),
    ),
    # Fieller, Hartley & Pearson 1957
    "kendall": _Scale(
        lambda tau: float(np.sin(np.pi * tau / 2)),
        lambda r: float(2 / np.pi * np.arcsin(r)),
        lambda tau, n: float(np.sqrt(0.437 / (n - 4))),
        lambda n: 4 / (n * (n - 1)),
    ),
}


def noise(
    values: tuple[Floats, Floats],
    drawn: tuple[Floats, Floats],
    items: int,
    base: Codes | None = None,
) -> Noise:
    """Estimate the noise in the systems' predicted and true `values` (S,) from the same `drawn` (B,
    S) on resamples of the `items`, each centred. `base` (S,) is each system's, or None.
    """
    there = ~(np.isnan(values[0]) | np.isnan(values[1]))
    systems = int(there.sum())
    bases = float(systems)
    if base is not None and systems:  # as many as of equal size (Kish 1965)
        size = np.bincount(base[there])
        bases = float(systems**2 / (size**2).sum())
    apart = np.stack([side[:, there] for side in drawn])
    apart = apart[:, ~np.isnan(apart).any(axis=(0, 2))]
    resamples = apart.shape[1]
    if bases < FEWEST or resamples < 2 or items < 2:
        return Noise(np.full((2, 2), np.nan), np.full((2, 2), np.nan), bases)
    apart = apart - apart.mean(axis=2, keepdims=True)
    away = apart - apart.mean(axis=1, keepdims=True)
    # (resamples - 1) and (systems - 1) are the degrees left; a bootstrap's variance of a mean of n
    # is (n - 1) / n of what it should be.
    degrees = (resamples - 1) * (systems - 1) * (items - 1) / items
    error = np.einsum("ibs,jbs->ij", away, away) / degrees
    return Noise(np.cov(np.stack([side[there] for side in values])), error, bases)


def mean_of(noises: Sequence[Noise]) -> Noise:
    """The mean of several, for the mean of their coefficients."""
    observed, error = (
        np.mean([getattr(noise, name) for noise in noises], axis=0)
        for name in ("observed", "error")
    )
    return Noise(observed, error, min(noise.systems for noise in noises))


def interval(name: str, value: float, of: Noise) -> tuple[float, float]:
    """Compute low and high of a coefficient between systems: `pearson`, `spearman`, `kendall`, or
    `pair_accuracy` in [0, 1]. NaN where systems count as fewer than FEWEST, and without resamples.

    Fisher's z over the systems, drawn out to what either end becomes without the noise of the items
    (Spearman 1904; Charles 2005), so that it also holds for the correlation of the systems
    themselves.
    """
    if name == "pair_accuracy":
        low, high = interval("kendall", 2 * value - 1, of)
        return (1 + low) / 2, (1 + high) / 2
    if np.isnan(value) or np.isnan(of.observed).any():
        return np.nan, np.nan
    scale = _SCALES[name]
    most = 1 - scale.step(of.systems) / 2
    z = np.arctanh(np.clip(value, -most, most))
    half = float(ndtri(0.975)) * scale.error(value, of.systems)
    ends = [float(np.tanh(z - half)), float(np.tanh(z + half))]
    ends += [scale.of_pearson(_remove_noise(of, scale.to_pearson(end))) for end in ends]
    return min(ends), max(ends)


def _remove_noise(of: Noise, r: float) -> float:
    variance = np.diag(of.observed) - np.diag(of.error)
    covariance = r * np.sqrt(np.prod(np.diag(of.observed))) - of.error[0, 1]
    if (variance <= 0).any():
        return float(np.sign(covariance))
    return float(np.clip(covariance / np.sqrt(np.prod(variance)), -1, 1))


class SystemBias(NamedTuple):
    """A judge's `decisiveness` with its interval `low` to `high`, and its `bias` for each of the
    systems (S,), in shares of comparisons.
    """

    decisiveness: float
    low: float
    high: float
    bias: Floats


def measure_system_bias(
    first: Codes, second: Codes, points: Floats, truth: Floats, groups: Codes, counts: Floats
) -> SystemBias:
    """Measure how a judge's win rates of systems differ from those of the truth (JuStRank: Gera et
    al. 2024, section 5): its decisiveness is the alpha by which the cumulative beta distribution
    I(truth; alpha, alpha) comes closest to them, its bias the mean over the other systems of what
    is left. `points` (m,) are a judge's for the `first` of two systems, codes 0 .. S - 1; `counts`
    (B, groups) the resamples of the `groups` of the interval.
    """
    systems = int(max(first.max(), second.max())) + 1
    pairs, place = np.unique(first * systems + second, return_inverse=True)
    sums = np.zeros((3, counts.shape[1], len(pairs)))
    for total, values in zip(sums, (np.ones(len(points)), truth, points), strict=True):
        np.add.at(total, (groups, place), values)
    number, right, given = sums.sum(axis=1)
    alpha = fit_decisiveness(number, right, given)
    drawn = np.array([fit_decisiveness(*(of @ total for total in sums)) for of in counts])
    low, high = percentiles(drawn, groups=counts.shape[1])
    beyond = given / number - betainc(alpha, alpha, right / number)
    sides = np.concatenate(np.divmod(pairs, systems))
    surplus = np.bincount(sides, np.concatenate([beyond, -beyond]), minlength=systems)
    bias = surplus / np.maximum(np.bincount(sides, minlength=systems), 1)
    return SystemBias(alpha, float(low), float(high), bias)


def fit_decisiveness(number: Floats, truth: Floats, points: Floats) -> float:
    """Fit the decisiveness to sums over so many comparisons of each pair of systems (P,): least
    squares, weighted by their number.
    """
    from scipy.optimize import minimize_scalar  # which takes a while to import

    there = number > 0
    n, x, y = number[there], truth[there] / number[there], points[there] / number[there]

    def miss(log_alpha: float) -> float:
        alpha = np.exp(log_alpha)
        return float(n @ (betainc(alpha, alpha, x) - y) ** 2)

    return float(np.exp(minimize_scalar(miss, bounds=(-MOST, MOST), method="bounded").x))
