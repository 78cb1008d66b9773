"""Calibration of a judge's probabilities for the text shown first against people's answers.

`prob` (m,) are the probabilities, `share` (m,) is the share of people who prefer that text, a tie
counting half, each in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from .columns import CLIP, Codes, Floats
from .intervals import NOTHING
from .logistic import fit_logistic

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


def temperature(prob: Floats, share: Floats) -> Logistic:
    """One slope for the log-odds (temperature scaling: Guo et al. 2017, eq. 9); 1/2 stays 1/2."""
    return _logistic(prob, share, shifted=False)


def platt(prob: Floats, share: Floats) -> Logistic:
    """A slope and a shift of the log-odds (Platt 1999, 2.1); the shift is the position term."""
    return _logistic(prob, share, shifted=True)


def isotonic(prob: Floats, share: Floats) -> Steps:
    """The map that never falls with the least squared error (Zadrozny & Elkan 2002)."""
    from scipy.optimize import isotonic_regression  # which takes a while to import

    at, place = np.unique(prob, return_inverse=True)
    weight = np.bincount(place).astype(float)
    mean = np.bincount(place, _targets(share)) / weight
    return Steps(at, isotonic_regression(mean, weights=weight).x)


METHODS: dict[str, Callable[[Floats, Floats], Map]] = {
    "temperature": temperature,
    "platt": platt,
    "isotonic": isotonic,
}


def cross_fitted(method: str, prob: Floats, share: Floats, fold: Codes) -> Floats:
    """Calibrate each row (m,) by a map fitted without its `fold` (m,), that of its item; rows
    without a share (NaN) by the map of all rows.
    """
    known, found = ~np.isnan(share), np.full(len(prob), np.nan)
    for one in np.unique(fold[known]):
        rest, held = known & (fold != one), known & (fold == one)
        found[held] = METHODS[method](prob[rest], share[rest])(prob[held])
    if not known.all():
        found[~known] = METHODS[method](prob[known], share[known])(prob[~known])
    return found


def folds(groups: Codes, number: int, rng: np.random.Generator) -> Codes:
    """Assign each group (m,), such as an item, to one of so many folds of equal size (m,)."""
    units, unit = np.unique(groups, return_inverse=True)
    of_unit = rng.permutation(np.arange(len(units)) % max(min(number, len(units)), 1))
    return of_unit[unit].astype(np.int64)


def bin_of(prob: Floats) -> Codes:
    """Return the bin (m,) among BINS of equal width from 0 to 1; 1 is in the last."""
    return np.clip((prob * BINS).astype(np.int64), 0, BINS - 1)


def expected_error(prob: Floats, share: Floats) -> float:
    """The expected calibration error, in [0, 1] and biased upwards: sum over bins of equal width of
    n_b / n |mean prob - mean share| (Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017, eq. 3).
    """
    place = bin_of(prob)
    size = np.bincount(place).astype(float)
    means = (np.bincount(place, values) for values in (prob, share))
    p, o = (np.divide(total, size, out=np.zeros_like(size), where=size > 0) for total in means)
    return float(size @ np.abs(p - o) / len(prob))


def draw_errors_by_chance(
    prob: Floats,
    share: Floats,
    pair: Codes,
    turned: NDArray[np.bool_],
    groups: Codes,
    *,
    rng: np.random.Generator,
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
    place, away, n = bin_of(prob), share - prob, len(prob)
    squares = (away**2).mean() + ERRORS * (away**2).std() / np.sqrt(n)
    within = squares / max((prob * (1 - prob)).mean(), NOTHING)

    # Design effect: by clusters, over that of the answers about a pair
    cells = (np.unique(of * BINS + place, return_inverse=True)[1] for of in (groups, pair))
    together, alone = ((np.bincount(cell, away) ** 2).sum() for cell in cells)
    wider = max(float(together / max(alone, NOTHING)), 1.0)
    scale = np.sqrt(min(within, 1.0) * wider) / n
    found = np.empty(draws)
    for one in range(draws):
        drawn = rng.random(int(pair.max()) + 1)[pair]
        says = np.where(turned, drawn > 1 - prob, drawn < prob)
        found[one] = scale * np.abs(np.bincount(place, says - prob)).sum()
    return found


def _targets(share: Floats) -> Floats:
    """Shares drawn in from 0 and 1, so that no slope is infinite (Platt 1999, section 2.2)."""
    preferred, rejected = share.sum(), (1 - share).sum()
    low, high = 1 / (rejected + 2), (preferred + 1) / (preferred + 2)
    return np.asarray(low + (high - low) * share)


def _logit(prob: Floats) -> Floats:
    return np.asarray(logit(np.clip(prob, CLIP, 1 - CLIP)))


def _logistic(prob: Floats, share: Floats, *, shifted: bool) -> Logistic:
    """Fit by maximum likelihood; what no probability tells stays at a slope of 1, a shift of 0."""
    odds, target = _logit(prob), _targets(share)
    design = np.column_stack([odds, np.ones(len(odds))])[:, : 1 + shifted]
    start = np.array([1.0, 0.0])[: 1 + shifted]
    open_ = np.eye(len(start)) - np.linalg.pinv(design) @ design
    fit = fit_logistic(design, target, start, open_)
    slope, shift = np.clip([*(start if fit is None else fit), 0.0], -MOST, MOST)[:2]
    return Logistic(float(slope), float(shift))
