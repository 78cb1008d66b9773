"""Calibration of a judge's probabilities for the text shown first against people's answers.

`prob` (m,) are the probabilities, `share` (m,) is the share of people who prefer that text, a tie
counting half, each in [0, 1]. `weights` (m,) are how often each row counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from .columns import CLIP, Codes, Floats
from .intervals import NOTHING, degrees_of_freedom
from .logistic import fit_logistic, leave_clusters_out

BINS = 10
ERRORS = 2  # of a variance that is not to be taken for too small
MOST = 30.0  # a slope or a shift beyond which a probability is 0 or 1 anyway

Map = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Logistic:
    """p' = 1 / (1 + exp(-(slope * logit p + shift))). `slope` is 1 / temperature, below 0 where the
    judge prefers what people reject; `shift` is negative where the judge favours the first.
    """

    slope: float
    shift: float

    def __call__(self, prob: Floats) -> Floats:
        return np.asarray(expit(self.slope * _logit(prob) + self.shift))


@dataclass(frozen=True)
class Steps:
    """A map that never falls: straight between the `at` (k,), level beyond them."""

    at: Floats
    value: Floats

    def __call__(self, prob: Floats) -> Floats:
        return np.asarray(np.interp(prob, self.at, self.value))


def temperature(prob: Floats, share: Floats, weights: Floats | None = None) -> Logistic:
    """One slope for the log-odds (temperature scaling: Guo et al. 2017, eq. 9); 1/2 stays 1/2."""
    return _logistic(prob, share, weights, shifted=False)


def platt(prob: Floats, share: Floats, weights: Floats | None = None) -> Logistic:
    """A slope and a shift of the log-odds (Platt 1999, 2.1); the shift is the position term."""
    return _logistic(prob, share, weights, shifted=True)


def slope_interval(
    fitted: Logistic,
    prob: Floats,
    share: Floats,
    groups: Codes,
    *,
    shifted: bool,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Compute Student's interval of the slope of a map that was `fitted` to all rows, `shifted` or
    not: with the variance of leaving out each of the clusters `groups` (m,), such as items (CV3:
    MacKinnon, Nielsen & Webb 2023), and their effective number. NaN of one cluster. It lies around
    the slope of the shares themselves, a step of Newton's away: those drawn in make slopes too
    small.
    """
    odds, p = _logit(prob), fitted(prob)
    design = np.column_stack([odds, np.ones(len(odds))])[:, : 1 + shifted]
    cluster = np.unique(groups, return_inverse=True)[1]
    count = int(cluster.max()) + 1
    if count < 2:
        return np.nan, np.nan
    moved, information = leave_clusters_out(design, share - p, p * (1 - p), cluster)
    variance = (moved[:, 0] ** 2).sum() * (count - 1) / count
    known = information[:, 0, 0]  # uneven: items on which the judge is in doubt tell little
    freedom = degrees_of_freedom(known.sum() ** 2 / max((known**2).sum(), NOTHING))
    half = float(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance))
    bread = np.linalg.pinv(information.sum(axis=0), hermitian=True)
    centre = fitted.slope + float((bread @ (design.T @ (share - p)))[0])
    return min(centre - half, fitted.slope), max(centre + half, fitted.slope)


def isotonic(prob: Floats, share: Floats, weights: Floats | None = None) -> Steps:
    """The map that never falls with the least squared error (Zadrozny & Elkan 2002)."""
    w = np.ones(len(prob)) if weights is None else weights
    from scipy.optimize import isotonic_regression  # which takes a while to import

    at, place = np.unique(prob, return_inverse=True)
    weight = np.bincount(place, w)
    mean = np.bincount(place, w * _targets(share, w)) / weight
    return Steps(at, isotonic_regression(mean, weights=weight).x)


METHODS: dict[str, Callable[[Floats, Floats, Floats | None], Map]] = {
    "temperature": temperature,
    "platt": platt,
    "isotonic": isotonic,
}


def cross_fitted(
    method: str, prob: Floats, share: Floats, fold: Codes, weights: Floats | None = None
) -> Floats:
    """Calibrate each row (m,) by a map fitted without its `fold` (m,), that of its item; rows
    without a share (NaN) by the map of all rows.
    """
    w = np.ones(len(prob)) if weights is None else weights
    known, found = ~np.isnan(share), np.full(len(prob), np.nan)
    for one in np.unique(fold[known]):
        rest, held = known & (fold != one), known & (fold == one)
        found[held] = METHODS[method](prob[rest], share[rest], w[rest])(prob[held])
    if not known.all():
        every = METHODS[method](prob[known], share[known], w[known])
        found[~known] = every(prob[~known])
    return found


def folds(groups: Codes, number: int, rng: np.random.Generator) -> Codes:
    """Assign each group (m,), such as an item, to one of so many folds of equal size (m,)."""
    units, unit = np.unique(groups, return_inverse=True)
    of_unit = rng.permutation(np.arange(len(units)) % max(min(number, len(units)), 1))
    return of_unit[unit].astype(np.int64)


class Brier(NamedTuple):
    """The mean of (prob - share)^2, and its parts: score = reliability - resolution + uncertainty +
    within_variance - within_covariance, exactly.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float


def brier(prob: Floats, share: Floats, *, bins: int = BINS, weights: Floats | None = None) -> Brier:
    """Compute the Brier score (1950) with Murphy's parts (1973): `reliability`, how far the bins'
    shares are from their probabilities (0 is best); `resolution`, how far from each other;
    `uncertainty`, how far people differ; and those within bins (Stephenson, Coelho & Jolliffe
    2008).
    """
    w = np.ones(len(prob)) if weights is None else weights
    place, total = bin_of(prob, bins), w.sum()
    size, p, o = _bin_means(place, prob, share, w, bins)
    inside_p, inside_o = prob - p[place], share - o[place]
    mean = w @ share / total
    there = size > 0
    size, p, o = size[there] / total, p[there], o[there]
    return Brier(
        float(w @ (prob - share) ** 2 / total),
        float(size @ (p - o) ** 2),
        float(size @ (o - mean) ** 2),
        float(w @ (share - mean) ** 2 / total),
        float(w @ inside_p**2 / total),
        float(2 * (w @ (inside_p * inside_o)) / total),
    )


def bin_of(prob: Floats, bins: int = BINS) -> Codes:
    """Return the bin (m,) among so many of equal width from 0 to 1; 1 is in the last."""
    return np.clip((prob * bins).astype(np.int64), 0, bins - 1)


def expected_error(
    prob: Floats, share: Floats, *, bins: int = BINS, weights: Floats | None = None
) -> float:
    """The expected calibration error, in [0, 1] and biased upwards: sum over bins of equal width of
    n_b / n |mean prob - mean share| (Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017, eq. 3).
    """
    w = np.ones(len(prob)) if weights is None else weights
    size, p, o = _bin_means(bin_of(prob, bins), prob, share, w, bins)
    there = size > 0
    return float(size[there] @ np.abs(p[there] - o[there]) / w.sum())


def draw_errors_by_chance(
    prob: Floats,
    share: Floats,
    pair: Codes,
    turned: NDArray[np.bool_],
    groups: Codes,
    *,
    rng: np.random.Generator,
    bins: int = BINS,
    draws: int = 1000,
) -> Floats:
    """Draw the expected calibration errors (draws,) that chance alone makes of a calibrated judge:
    on each pair the first is preferred with exactly the judge's probability (consistency
    resampling: Broecker & Smith 2007).

    Answers about one `pair` (m,) are held against the same people, in either order (`turned`), who
    say the same of a pair. Their surplus is scaled: down to how far shares are from the
    probabilities (ERRORS standard errors more, never up), and up by the design effect of the
    clusters `groups` (m,).
    """
    place, away, n = bin_of(prob, bins), share - prob, len(prob)
    squares = (away**2).mean() + ERRORS * (away**2).std() / np.sqrt(n)
    within = squares / max((prob * (1 - prob)).mean(), NOTHING)

    # Design effect: by clusters, over that of the answers about a pair
    cells = (np.unique(of * bins + place, return_inverse=True)[1] for of in (groups, pair))
    together, alone = ((np.bincount(cell, away) ** 2).sum() for cell in cells)
    wider = max(float(together / max(alone, NOTHING)), 1.0)
    scale = np.sqrt(min(within, 1.0) * wider) / n
    found = np.empty(draws)
    for one in range(draws):
        drawn = rng.random(int(pair.max()) + 1)[pair]
        says = np.where(turned, drawn > 1 - prob, drawn < prob)
        found[one] = scale * np.abs(np.bincount(place, says - prob)).sum()
    return found


def _bin_means(
    place: Codes, prob: Floats, share: Floats, w: Floats, bins: int
) -> tuple[Floats, Floats, Floats]:
    size: Floats = np.bincount(place, w, minlength=bins).astype(float)
    means = (np.bincount(place, w * values, minlength=bins) for values in (prob, share))
    p, o = (np.divide(total, size, out=np.zeros(bins), where=size > 0) for total in means)
    return size, p, o


def _targets(share: Floats, w: Floats) -> Floats:
    """Shares drawn in from 0 and 1, so that no slope is infinite (Platt 1999, section 2.2)."""
    preferred, rejected = w @ share, w @ (1 - share)
    low, high = 1 / (rejected + 2), (preferred + 1) / (preferred + 2)
    return np.asarray(low + (high - low) * share)


def _logit(prob: Floats) -> Floats:
    return np.asarray(logit(np.clip(prob, CLIP, 1 - CLIP)))


def _logistic(prob: Floats, share: Floats, weights: Floats | None, *, shifted: bool) -> Logistic:
    """Fit by maximum likelihood; what no probability tells stays at a slope of 1, a shift of 0."""
    w = np.ones(len(prob)) if weights is None else weights
    odds, target = _logit(prob), _targets(share, w)
    design = np.column_stack([odds, np.ones(len(odds))])[:, : 1 + shifted]
    start = np.array([1.0, 0.0])[: 1 + shifted]
    open_ = np.eye(len(start)) - np.linalg.pinv(design) @ design
    fit = fit_logistic(design, target, w, start, open_)
    slope, shift = np.clip([*(start if fit is None else fit), 0.0], -MOST, MOST)[:2]
    return Logistic(float(slope), float(shift))
