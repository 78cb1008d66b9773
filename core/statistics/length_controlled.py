"""Win rates against a baseline at equal length (Dubois, Galambosi, Liang & Hashimoto 2024)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from core.statistics.columns import Codes, Floats, Weights, given, sums
from core.statistics.method import Method

FEWEST = 3
"""Systems beside the baseline, from which on items are told to be hard or easy: fewer cannot tell
an item's difficulty from chance."""
WEAK = 0.04  # precision of what nothing else holds: a standard deviation of 5 log-odds
CENTRE = np.array([0.0, 1.0])  # of the means of slopes and of weights, as weakly held
USUAL = np.array([1.0, 0.25])
"""Variances of slopes and weights that count as one system more, so that few systems, which can
hardly tell how much they differ, are not taken for equal."""
ROUNDS, CLOSE = 100, 1e-4  # of a prior, and the log-odds it then moves by
STEPS, CONVERGED = 100, 1e-7  # of Newton's method


def length_controlled(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    item: Codes,
    baseline_first: Floats,
    length: Floats | None = None,
    weights: Weights | None = None,
) -> Floats:
    """The share of items on which each system would be preferred to the baseline if their texts
    were equally long, in [0, 1]; that of the baseline is 1/2.

    logit P(system k preferred on item x) = strength_k + slope_k tanh(d / sd_k) + weight_k
    difficulty_x, where d = `length` (m,) is how much longer the text of k is, and sd_k its standard
    deviation. The rate is the mean over the system's comparisons at d = 0. `item` (m,) are codes
    0, 1 .., and `baseline_first` (m,) is 1 where the baseline is the first of a comparison, else 0.
    Without `length` the same model is fitted without slopes.

    Difficulties are fitted to all systems together, normal with the variance that EM finds. Slopes
    and weights of systems are normal about means that are fitted with them, with variances by EM
    again (empirical Bayes). Resamples keep the difficulties and variances of all answers.
    """
    w = np.atleast_2d(given(weights, first)).astype(float)
    rating = np.full((len(w), n), np.nan)
    if len(first):
        rows = _read(first, second, outcome, n, item, baseline_first, length)
        usual = w.mean(axis=0)
        rows, start = _estimate_prior(rows, usual)
        for b, of_rows in enumerate(w):
            rating[b] = _predict(rows, of_rows, _fit(rows, of_rows, start))
        met = np.where(baseline_first == 1, first, second)
        rating[:, met[0]] = 0.5
    return rating if weights is not None and np.ndim(weights) == 2 else rating[0]


class _AgainstBaseline(NamedTuple):
    """Comparisons as the baseline's opponents see them: whose each is, as 0/1 (n, m) `of_system`,
    how often it is won, and what that depends on, (m, 3): 1, length and difficulty.
    """

    system: Codes
    item: Codes
    of_system: sparse.csr_array
    won: Floats
    design: Floats


class _State(NamedTuple):
    """Where Newton's method stands: strength, slope and weight of each system (n, 3), means of
    slopes and weights (2,), and the variances about them (2,).
    """

    theta: Floats
    mean: Floats
    variance: Floats


def _read(
    first: Codes,
    second: Codes,
    outcome: Floats,
    n: int,
    item: Codes,
    baseline_first: Floats,
    length: Floats | None,
) -> _AgainstBaseline:
    of_second = baseline_first == 1
    system = np.where(of_second, second, first)
    won = np.where(of_second, 1.0 - outcome, outcome)
    m = len(system)
    of_system = sparse.csr_array((np.ones(m), (system, np.arange(m))), shape=(n, m))
    design = np.zeros((m, 3))
    design[:, 0] = 1.0
    if length is not None:
        design[:, 1] = np.tanh(_standardise(length, system, n))
    return _AgainstBaseline(system, item, of_system, won, design)


def _standardise(length: Floats, system: Codes, n: int) -> Floats:
    """Differences in standard deviations of their system, not centred; 0 where all are alike."""
    count = np.bincount(system, minlength=n).clip(1)
    away = length - (np.bincount(system, length, n) / count)[system]
    deviation = np.sqrt(np.bincount(system, away**2, n) / (count - 1).clip(1))[system]
    known = np.zeros(len(length))
    np.divide(length, deviation, out=known, where=deviation > 1e-9)
    return known


def _estimate_prior(rows: _AgainstBaseline, w: Floats) -> tuple[_AgainstBaseline, _State]:
    """The rows with the difficulties of their items, and the fit with the variances of slopes and
    weights.
    """
    strength, slope, difficulty = _fit_common(rows, w)
    design = rows.design.copy()
    design[:, 2] = difficulty[rows.item]
    rows = rows._replace(design=design)
    met = np.asarray(rows.of_system @ w) > 0
    mean = np.array([slope, 1.0])
    theta = np.column_stack([strength, np.tile(mean, (len(met), 1))])
    state = _State(theta, mean, USUAL.copy())
    for _ in range(ROUNDS):
        state, covariance, moved = _step(rows, w, state)
        around = (state.theta[met, 1:] - state.mean) ** 2 + np.diagonal(covariance[met], 0, 1, 2)[
            :, 1:
        ]
        variance = (USUAL + around.sum(axis=0)) / (1 + met.sum())
        moved = max(moved, float(np.abs(variance - state.variance).max()))
        state = state._replace(variance=variance)
        if moved < CLOSE:
            break
    return rows, state


def _fit_common(rows: _AgainstBaseline, w: Floats) -> tuple[Floats, float, Floats]:
    """Strengths (n,), a slope and difficulties of items, as if all systems had the same slope and
    weight; difficulties are 0 where there are fewer than FEWEST systems.
    """
    system, item, tanh = rows.system, rows.item, rows.design[:, 1]
    n, items = rows.of_system.shape[0], int(rows.item.max()) + 1
    strength, slope, difficulty, variance = np.zeros(n), 0.0, np.zeros(items), 1.0
    several = len(np.unique(system[w > 0])) >= FEWEST
    for _ in range(ROUNDS):
        left, spread = _residuals(rows, w, strength[system] + slope * tanh + difficulty[item])
        own = np.bincount(system, spread, n) + WEAK
        across, along = np.bincount(system, spread * tanh, n), spread @ tanh**2 + WEAK
        pull = np.bincount(system, left, n) - WEAK * strength
        steeper = (left @ tanh - WEAK * slope - across / own @ pull) / (
            along - across**2 / own @ np.ones(n)
        )
        step = np.append((pull - across * steeper) / own, steeper)
        step *= _shorten(np.abs(step).max())
        strength, slope, moved = strength + step[:-1], slope + float(step[-1]), np.abs(step).max()
        if several:
            left, spread = _residuals(rows, w, strength[system] + slope * tanh + difficulty[item])
            known = np.bincount(item, spread, items) + 1 / variance
            harder = (np.bincount(item, left, items) - difficulty / variance) / known
            difficulty = difficulty + harder * _shorten(np.abs(harder).max())
            before, variance = variance, float((difficulty**2 + 1 / known).mean())
            moved = max(moved, np.abs(harder).max(), abs(variance - before))
        if moved < CLOSE:
            break
    return strength, slope, difficulty


def _fit(rows: _AgainstBaseline, w: Floats, state: _State) -> Floats:
    """(n, 3) strength, slope and weight of each system, most probable with these variances."""
    for _ in range(STEPS):
        state, _, moved = _step(rows, w, state)
        if moved < CONVERGED:
            return state.theta
    raise ArithmeticError("win rates at equal length have no finite estimate: use win-ratio")


def _step(rows: _AgainstBaseline, w: Floats, state: _State) -> tuple[_State, Floats, float]:
    """A step of Newton's method, shortened as in `bradley_terry`, in all systems and the means
    together; covariances (n, 3, 3) of the systems, and the greatest move.
    """
    design, theta = rows.design, state.theta
    away = theta - np.array([0.0, *state.mean])
    precision = np.array([WEAK, *(1 / state.variance)])
    left, spread = _residuals(rows, w, (design * theta[rows.system]).sum(axis=1))
    i, j = np.triu_indices(3)
    information = np.empty((len(theta), 3, 3))
    information[:, i, j] = information[:, j, i] = rows.of_system @ (
        design[:, i] * design[:, j] * spread[:, None]
    )
    covariance = np.linalg.inv(information + np.diag(precision)).astype(float)
    alone = np.einsum(
        "nij,nj->ni", covariance, rows.of_system @ (design * left[:, None]) - precision * away
    )
    # The means move with the systems: what is left of them once each system has answered
    hold = precision[1:]
    pulled = hold * (away[:, 1:] + alone[:, 1:]).sum(axis=0) - WEAK * (state.mean - CENTRE)
    among = (
        np.diag(len(theta) * hold + WEAK) - hold[:, None] * covariance[:, 1:, 1:].sum(axis=0) * hold
    )
    means = np.linalg.solve(among, pulled)
    step = alone + covariance[:, :, 1:] @ (hold * means)
    moved = float(max(np.abs(step).max(), np.abs(means).max()))
    short = _shorten(moved)
    state = state._replace(theta=theta + short * step, mean=state.mean + short * means)
    return state, covariance, moved


def _residuals(rows: _AgainstBaseline, w: Floats, odds: Floats) -> tuple[Floats, Floats]:
    """What each answer is above its expectation, and its variance, as often as it counts."""
    p = expit(odds)
    return w * (rows.won - p), w * p * (1 - p)


def _shorten(size: Floats | float) -> Floats:
    """What a step of this size is multiplied by, so that a far one does not go too far."""
    return np.asarray(np.log1p(size) / np.maximum(size, 1e-300))


def _predict(rows: _AgainstBaseline, w: Floats, theta: Floats) -> Floats:
    """(n,) the mean over its comparisons of how often a system would be preferred at equal length;
    NaN without any.
    """
    n = len(theta)
    odds = theta[rows.system, 0] + theta[rows.system, 2] * rows.design[:, 2]
    times = sums(w, rows.system, 1.0, n)
    rate = np.full(n, np.nan)
    np.divide(sums(w, rows.system, expit(odds), n), times, out=rate, where=times > 0)
    return rate


LENGTH_CONTROLLED = Method(
    "length-controlled",
    "length-controlled win rate",
    "the share won against a baseline, if the texts of both were equally long",
    "share won against the baseline at equal length",
    length_controlled,
    share=True,
    outcome="either",
    needs=("length",),
    learns="what length does",
    weighable=True,
    cites=("dubois2024length",),
)
