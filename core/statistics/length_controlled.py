"""Win rates against a baseline at equal length (Dubois, Galambosi, Liang & Hashimoto 2024)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from .columns import Codes, Floats, Method, Weights, default_weights, sums
from .logistic import damp

FEWEST_SYSTEMS = 3  # besides the baseline, for difficulties not to be chance
MANY = 20
"""Systems beside the baseline, from which on the answers about one of them hardly matter among all
about an item: in simulation rates move by 0.2 points. Difficulties are then as AlpacaEval has them.
"""
WEAK = 0.04  # precision of what nothing else holds: a standard deviation of 5 log-odds
CENTRE = np.array([0.0, 1.0])  # of the means of slopes and of weights, as weakly held
USUAL = np.array([1.0, 0.25])
"""Variances of slopes and weights that count as one system more, so that few systems, which can
hardly tell how much they differ, are not taken for equal."""
ROUNDS, CLOSE = 100, 1e-4  # of a prior, and the log-odds it then moves by
NEAR = 1e-3  # log-odds that difficulties move by when a resample has found them
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
    """Compute the share of items on which each system would be preferred to the baseline if their
    texts were equally long. In [0, 1]; 1/2 for the baseline.

    logit P(system k preferred on item x) = strength_k + slope_k tanh(d / sd_k) + weight_k
    difficulty_x, where d = `length` (m,) is how much longer the text of k is (None: no slopes), and
    sd_k its standard deviation. The rate is the mean over the system's comparisons at d = 0. `item`
    (m,) are codes 0, 1 .., and `baseline_first` (m,) is 1 where the baseline is shown first, else
    0.

    Difficulties are fitted to all systems together, normal with the variance that EM finds. With
    fewer than MANY systems their mean is what the mean length of the item's texts predicts (Mundlak
    1978), since texts may be longer on harder items, and each system gets those estimated from
    answers about the others. Slopes and weights of systems are normal about fitted means, with
    variances by EM again (empirical Bayes). Resamples keep these variances.
    """
    w = np.atleast_2d(default_weights(weights, first)).astype(float)
    rating = np.full((len(w), n), np.nan)
    if len(first):
        rows = _read(first, second, outcome, n, item, baseline_first, length)
        usual = w.mean(axis=0)
        common, start = _estimate_prior(rows, usual)
        for b, of_rows in enumerate(w):
            drawn = _refit_common(rows, of_rows, usual, common)
            known = _add_difficulty(rows, of_rows, drawn)
            theta = _fit(known, of_rows, start)
            odds = theta[known.system, 0] + theta[known.system, 2] * known.design[:, 2]
            won, times = (sums(of_rows, known.system, of, n) for of in (expit(odds), 1.0))
            np.divide(won, times, out=rating[b], where=times > 0)
        met = np.where(baseline_first == 1, first, second)
        rating[:, met[0]] = 0.5
    return rating if weights is not None and np.ndim(weights) == 2 else rating[0]


class _BaselineComparisons(NamedTuple):
    """Comparisons as the baseline's opponents see them: whose each is, as 0/1 (n, m) `of_system`,
    how often it is won, and what that depends on, (m, 3): 1, length and difficulty. `longer`
    (items,) is how much longer texts about an item are than usual; None of MANY systems.
    """

    system: Codes
    item: Codes
    of_system: sparse.csr_array
    wins: Floats
    design: Floats
    longer: Floats | None


class _Common(NamedTuple):
    """A fit as if all systems had the same slope and weight: strengths (n,), the slope,
    difficulties (items,), their prior means and variance, 0 if none are fitted, and how often each
    counts.
    """

    strength: Floats
    slope: float
    difficulty: Floats
    expected: Floats
    variance: float
    share: Floats


class _State(NamedTuple):
    """Theta (n, 3), means of slopes and weights (2,), and the variances about them (2,)."""

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
) -> _BaselineComparisons:
    of_second = baseline_first == 1
    system = np.where(of_second, second, first)
    won = np.where(of_second, 1.0 - outcome, outcome)
    m = len(system)
    of_system = sparse.csr_array((np.ones(m), (system, np.arange(m))), shape=(n, m))
    design = np.zeros((m, 3))
    design[:, 0] = 1.0
    if length is not None:
        # In standard deviations of the system, not centred; 0 where all are alike
        count = np.bincount(system, minlength=n).clip(1)
        away = length - (np.bincount(system, length, n) / count)[system]
        deviation = np.sqrt(np.bincount(system, away**2, n) / (count - 1).clip(1))[system]
        known = np.divide(length, deviation, out=np.zeros(m), where=deviation > 1e-9)
        design[:, 1] = np.tanh(known)
    longer = None
    if len(np.unique(system)) < MANY:
        usual = np.bincount(system, design[:, 1], n) / np.bincount(system, minlength=n).clip(1)
        longer = np.bincount(item, design[:, 1] - usual[system]) / np.bincount(item).clip(1)
    return _BaselineComparisons(system, item, of_system, won, design, longer)


def _estimate_prior(rows: _BaselineComparisons, w: Floats) -> tuple[_Common, _State]:
    common = _fit_common(rows, w)
    rows = _add_difficulty(rows, w, common)
    met = np.asarray(rows.of_system @ w) > 0
    mean = np.array([common.slope, 1.0])
    theta = np.column_stack([common.strength, np.tile(mean, (len(met), 1))])
    state = _State(theta, mean, USUAL.copy())
    for _ in range(ROUNDS):
        state, covariance, moved = _step(rows, w, state)
        own = np.diagonal(covariance[met], 0, 1, 2)[:, 1:]
        around = (state.theta[met, 1:] - state.mean) ** 2 + own
        variance = (USUAL + around.sum(axis=0)) / (1 + met.sum())
        moved = max(moved, float(np.abs(variance - state.variance).max()))
        state = state._replace(variance=variance)
        if moved < CLOSE:
            break
    return common, state


def _fit_common(rows: _BaselineComparisons, w: Floats) -> _Common:
    """The common fit, with the variance of difficulties; none of too few systems."""
    n, items = rows.of_system.shape[0], int(rows.item.max()) + 1
    several = len(np.unique(rows.system[w > 0])) >= FEWEST_SYSTEMS
    none = np.zeros(items)
    common = _Common(np.zeros(n), 0.0, none, none, float(several), np.ones(items))
    for _ in range(ROUNDS):
        before = common.variance
        common, known, moved = _step_common(rows, w, common)
        if several:
            away = common.difficulty - common.expected
            common = common._replace(variance=float((away**2 + 1 / known).mean()))
        if max(moved, abs(common.variance - before)) < CLOSE:
            break
    return common


def _refit_common(rows: _BaselineComparisons, w: Floats, usual: Floats, common: _Common) -> _Common:
    """The common fit to a resample; an item that counts twice is as two of the same difficulty."""
    if not common.variance or np.array_equal(w, usual):
        return common
    items = len(common.difficulty)
    times, every = (np.bincount(rows.item, of, items) for of in (w, usual))
    share = np.divide(times, every, out=np.ones(items), where=every > 0).clip(1e-9)
    common = common._replace(share=share)
    for _ in range(ROUNDS):
        common, _, moved = _step_common(rows, w, common)
        if moved < NEAR:
            break
    return common


def _step_common(
    rows: _BaselineComparisons, w: Floats, common: _Common
) -> tuple[_Common, Floats, float]:
    """A step in strengths and slope, then in difficulties; their precision, the greatest move."""
    strength, slope, difficulty, expected, variance, share = common
    system, tanh, n = rows.system, rows.design[:, 1], len(strength)
    left, spread = _common_residuals(rows, w, common)
    own = np.bincount(system, spread, n) + WEAK
    across, along = np.bincount(system, spread * tanh, n), spread @ tanh**2 + WEAK
    pull = np.bincount(system, left, n) - WEAK * strength
    steeper = left @ tanh - WEAK * slope - across / own @ pull
    steeper /= along - across**2 / own @ np.ones(n)
    step = np.append((pull - across * steeper) / own, steeper)
    step *= damp(np.abs(step).max())
    common = common._replace(strength=strength + step[:-1], slope=slope + float(step[-1]))
    moved = float(np.abs(step).max())
    if not variance:
        return common, share, moved
    left, spread = _common_residuals(rows, w, common)
    known = np.bincount(rows.item, spread, len(share)) + share / variance
    pull = np.bincount(rows.item, left, len(share)) - share * (difficulty - expected) / variance
    harder = pull / known
    difficulty = difficulty + harder * damp(np.abs(harder).max())
    if rows.longer is not None:
        along = share * rows.longer
        expected = rows.longer * (along @ difficulty / (along @ rows.longer + WEAK * variance))
    moved = max(moved, float(np.abs(harder).max()))
    return common._replace(difficulty=difficulty, expected=expected), known, moved


def _common_residuals(
    rows: _BaselineComparisons, w: Floats, common: _Common
) -> tuple[Floats, Floats]:
    of_text = common.strength[rows.system] + common.slope * rows.design[:, 1]
    return _residuals(rows, w, of_text + common.difficulty[rows.item])


def _add_difficulty(rows: _BaselineComparisons, w: Floats, common: _Common) -> _BaselineComparisons:
    """The rows with difficulties: of few systems less what their own answers add."""
    design = rows.design.copy()
    design[:, 2] = common.difficulty[rows.item]
    if common.variance and rows.longer is not None:
        items = len(common.share)
        left, spread = _common_residuals(rows, w, common)
        known = np.bincount(rows.item, spread, items) + common.share / common.variance
        own = rows.system * items + rows.item
        answered, told = (np.bincount(own, of)[own] for of in (left, spread))
        design[:, 2] -= answered / (known[rows.item] - told)
    return rows._replace(design=design)


def _fit(rows: _BaselineComparisons, w: Floats, state: _State) -> Floats:
    for _ in range(STEPS):
        state, _, moved = _step(rows, w, state)
        if moved < CONVERGED:
            return state.theta
    raise ArithmeticError("win rates at equal length have no finite estimate: use win-ratio")


def _step(rows: _BaselineComparisons, w: Floats, state: _State) -> tuple[_State, Floats, float]:
    """A damped step in all systems and means; covariances (n, 3, 3), the greatest move."""
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
    pull = rows.of_system @ (design * left[:, None]) - precision * away
    alone = np.einsum("nij,nj->ni", covariance, pull)
    # The means move with the systems: what is left of them once each system has answered
    hold = precision[1:]
    pulled = hold * (away[:, 1:] + alone[:, 1:]).sum(axis=0) - WEAK * (state.mean - CENTRE)
    taken = hold[:, None] * covariance[:, 1:, 1:].sum(axis=0) * hold
    means = np.linalg.solve(np.diag(len(theta) * hold + WEAK) - taken, pulled)
    step = alone + covariance[:, :, 1:] @ (hold * means)
    moved = float(max(np.abs(step).max(), np.abs(means).max()))
    short = damp(moved)
    state = state._replace(theta=theta + short * step, mean=state.mean + short * means)
    return state, covariance, moved


def _residuals(rows: _BaselineComparisons, w: Floats, odds: Floats) -> tuple[Floats, Floats]:
    p = expit(odds)
    return w * (rows.wins - p), w * p * (1 - p)


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
    left_out=True,
    cites=("dubois2024length",),
)
