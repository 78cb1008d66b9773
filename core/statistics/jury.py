"""A jury: Bradley-Terry strengths from judges of unequal worth, each with a discrimination that is
estimated from the answers alone.

The columns are those of `core.statistics.columns`; `judge` (m,) are codes 0..K-1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from .bradley_terry import bradley_terry
from .bradley_terry import position_effect as bradley_terry_position
from .columns import SCALE, START, Codes, Floats, Weights, components, default_weights, sums
from .drawing import MEMORY
from .logistic import climb, use_one_core
from .method import EACH_JUDGE, Method
from .uncertainty import Uncertainty

LEAST_SYSTEMS = 3
STEPS = 200
FAR = 30.0  # log-odds no data of ours can tell from infinity
DIVIDED = 100.0  # a discrimination beside a mean of 1, beyond which there is no mean to speak of
LOOSE = 1e-9  # of an eigenvalue of the information beside the greatest: nothing holds a parameter
STARTS = 5  # judges whose own order is a start


class Jury(NamedTuple):
    """Fit of a jury, in log-odds: `strength` (n,), mean 0, NaN of a system that was never compared;
    `discrimination` (K,), 1 on average over the answers, NaN of a judge without any; the effect of
    being shown first on each judge, `position` (K,), 0 unless it was asked for; and the
    log-likelihood.
    """

    strength: Floats
    discrimination: Floats
    position: Floats
    log_likelihood: float


class NoVerdictError(ArithmeticError):
    """Error for answers that give no discriminations. `judge` is the judge who causes it, if one
    does.
    """

    def __init__(self, why: str, judge: int | None = None) -> None:
        super().__init__(why)
        self.judge = judge


def jury(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    judge: Codes | None = None,
    position: bool = False,
) -> Floats:
    """Rate systems by the strengths of `fit_jury`: 1000 + 400/ln 10 * theta, mean 1000, on the
    scale of the average answer. With one judge, whose discrimination is a convention, this is
    `bradley_terry`.

    Ratings are NaN in a resample, a row of several `weights`, that has no fit. Raises
    NoVerdictError as `fit_jury` does, and where more than half of the resamples have none.
    """
    if judge is None or not judge.any():
        return bradley_terry(first, second, outcome, n=n, weights=weights, position=position)
    w = np.atleast_2d(default_weights(weights, first))
    fits = _fits(first, second, outcome, n, judge, w, position)
    rating: Floats = START + SCALE * np.array(
        [fit.strength if fit else [np.nan] * n for fit in fits]
    )
    return rating if weights is not None and weights.ndim == 2 else np.asarray(rating[0])


def fit_jury(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    judge: Codes,
    weights: Floats | None = None,
    position: bool = False,
    fixed_discrimination: Floats | None = None,
) -> Jury:
    """Fit by maximum likelihood logit P(first preferred by judge k) = d_k (theta_first -
    theta_second) + gamma_k (Xu, Tan, Wu & Zhou 2026, of decisions; of probabilities as outcomes
    BT-sigma, Qian et al. 2026, with d_k = 1 / sigma_k). A tie counts as half a win.

    If not `position`, gamma is 0. `fixed_discrimination` (K,) gives the discriminations; all at 1
    is soft Bradley-Terry. Else their mean over the answers is 1, and they may be 0 or below: a
    judge who answers at random has about 0, and one who prefers what the others reject is below,
    and counts against what it says. (The papers take logarithms, so that such judges have no
    estimate.) The highest of several maxima is taken, from starts at equal discriminations, and at
    the order of each of the busiest judges.

    Raises NoVerdictError where there is no maximum among finite parameters, or nothing that holds
    one of them: fewer than three systems, systems no chain of comparisons links, a judge or a
    system that decides everything, judges who contradict each other evenly.
    """
    w = default_weights(weights, first).astype(float)[None]
    (fit,) = _fits(first, second, outcome, n, judge, w, position, fixed_discrimination)
    assert fit
    return fit


def find_one_sided_judges(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    judge: Codes,
    weights: Floats | None = None,
    position: bool = False,
) -> list[int]:
    """The judges whose answers leave `fit_jury` without a finite estimate, in the order in which
    they stand out when each is left out in turn; all of them where the others are no jury either.
    """
    w = default_weights(weights, first).astype(float)
    out: list[int] = []
    while len(left := np.setdiff1d(judge, out)) > 1:
        kept = np.isin(judge, left)
        mine = np.searchsorted(left, judge[kept])
        columns = (first[kept], second[kept], outcome[kept])
        try:
            fit_jury(*columns, n=n, judge=mine, weights=w[kept], position=position)
        except NoVerdictError as error:
            if error.judge is None:
                break
            out.append(int(left[error.judge]))
        else:
            return out
    return [*out, *left.tolist()]


def spread(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    judge: Codes,
    groups: Codes,
    rng: np.random.Generator,
    weights: Floats | None = None,
    position: bool = False,
    resamples: int = 100,
) -> Uncertainty:
    """Resample the discriminations (K,) of `fit_jury` over the clusters `groups` (m,), such as
    items, by the exponential weights of `drawing.resample_ratings`, leaving out those without a
    fit; their `centre` are the estimates.
    """
    columns, base = (first, second, outcome), default_weights(weights, first).astype(float)
    cluster = np.unique(groups, return_inverse=True)[1]
    count = int(cluster.max()) + 1
    fits: list[Jury | None] = []
    at_once = int(MEMORY // (8 * max(len(first), 1))) + 1
    while len(fits) < resamples:
        drawn = rng.standard_exponential((min(resamples - len(fits), at_once), count))
        fits += _fits(*columns, n, judge, base * drawn[:, cluster], position)
    centre = fit_jury(*columns, n=n, judge=judge, weights=base, position=position).discrimination
    samples = np.array([fit.discrimination for fit in fits if fit])
    scale = (count + 1) / max(count - 1, 1) / max(len(samples) - 1, 1)
    deviations = (samples - samples.mean(axis=0)) * np.sqrt(scale)
    seen = np.unique(judge * np.int64(count) + cluster) // count
    clusters = np.bincount(seen, minlength=len(centre)).astype(float)
    return Uncertainty(centre, (deviations,), (clusters,), len(samples))


def position_effect(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    judge: Codes | None = None,
    weights: Floats | None = None,
) -> float:
    """Estimate the mean effect of being shown first over the answers, in rating points."""
    columns, w = (first, second, outcome), default_weights(weights, first)
    if judge is None or not judge.any():
        return bradley_terry_position(*columns, n=n, weights=w)
    fit = fit_jury(*columns, n=n, judge=judge, weights=w, position=True)
    return float(SCALE * np.average(fit.position[judge], weights=w))


class _JudgeCells(NamedTuple):
    """Answers of each of so many `judges` about each pair of `n` systems; with a position term of
    each ordered pair.
    """

    low: Codes
    high: Codes
    judge: Codes
    n: int
    judges: int


def _fits(
    first: Codes,
    second: Codes,
    outcome: Floats,
    n: int,
    judge: Codes,
    weights: Weights,
    position: bool,
    fixed_discrimination: Floats | None = None,
) -> list[Jury | None]:
    """A fit for each row of `weights` (B, m), None where there is none; resamples start where their
    mean ends. Raises the error of the first where more than half have none.
    """
    count = int(judge.max()) + 1
    turned = (first > second) & (not position)
    low, high = np.where(turned, second, first), np.where(turned, first, second)
    points = np.where(turned, 1.0 - outcome, outcome)
    codes, cell = np.unique((judge * np.int64(n) + low) * n + high, return_inverse=True)
    cells = _JudgeCells(codes // n % n, codes % n, codes // n // n, n, count)
    won, total = (sums(weights, cell, column, len(codes)) for column in (points, 1.0))
    settings = (
        position,
        None if fixed_discrimination is None else np.asarray(fixed_discrimination, dtype=float),
    )
    start = None
    # OpenBLAS splits each small eigenvalue problem over all cores, which then wait for each other:
    # no gain, and on busy ones ten to twenty times the work.
    with use_one_core():
        if len(weights) > 1:
            start = _fit(cells, won.mean(axis=0), total.mean(axis=0), *settings)
        fits: list[Jury | None] = []
        errors: list[NoVerdictError] = []
        for row in zip(won, total, strict=True):
            try:
                fits.append(_fit(cells, *row, *settings, start))
            except NoVerdictError as error:
                fits.append(None)
                errors.append(error)
    if 2 * len(errors) > len(fits):
        raise errors[0]
    return fits


def _fit(
    cells: _JudgeCells,
    wins: Floats,
    total: Floats,
    position: bool,
    fixed_discrimination: Floats | None,
    start: Jury | None = None,
) -> Jury:
    """The fit of one resample, of the systems and judges that are in it."""
    n, count, used = cells.n, cells.judges, total > 0
    systems = np.unique([cells.low[used], cells.high[used]])
    judges = np.unique(cells.judge[used])
    low, high = (np.searchsorted(systems, side[used]) for side in (cells.low, cells.high))
    own = np.searchsorted(judges, cells.judge[used])
    kept = _JudgeCells(low, high, own, len(systems), len(judges))
    _check_linked(kept)
    fixed = None if fixed_discrimination is None else fixed_discrimination[judges]
    model = _JuryModel(kept, wins[used], total[used], position, fixed)
    fits = _continue_fit(model, start, systems, judges) or _climbs(model, _starts(model))
    theta, d, gamma, likelihood = max(fits, key=lambda fit: fit[3])
    strength, discrimination = np.full(n, np.nan), np.full(count, np.nan)
    strength[systems], discrimination[judges] = theta - theta.mean(), d
    shown = np.zeros(count)
    shown[judges] = gamma
    return Jury(strength, discrimination, shown, likelihood)


class _JuryModel(NamedTuple):
    cells: _JudgeCells
    wins: Floats
    total: Floats
    position: bool
    fixed_discrimination: Floats | None

    @property
    def share(self) -> Floats:
        """Return each judge's share of the answers (K,)."""
        given_by = np.bincount(self.cells.judge, self.total)
        return np.asarray(given_by / given_by.sum())


def _check_linked(cells: _JudgeCells) -> None:
    n = cells.n
    if n < LEAST_SYSTEMS:
        raise NoVerdictError(
            "a jury needs three systems or more: of two, the answers tell no discriminations"
        )
    parts = components(cells.low, cells.high, n=n)
    if parts > 1:
        raise NoVerdictError(
            f"the systems fall into {parts} sets never compared with each other, so a jury has "
            "no scale: rank one set"
        )


def _starts(model: _JuryModel) -> list[Floats]:
    """Strengths (n,) by all answers, and by those of each of the busiest judges."""
    cells, n = model.cells, model.cells.n
    everybody = np.ones(len(model.wins), dtype=bool)
    busiest = np.argsort(-model.share, kind="stable")[:STARTS]
    alone = (
        [cells.judge == judge for judge in busiest] if model.fixed_discrimination is None else []
    )
    found = []
    for mine in [everybody, *alone]:
        low, high = (np.tile(side[mine], 2) for side in (cells.low, cells.high))
        ends = np.repeat([1.0, 0.0], mine.sum())
        w = np.concatenate([model.wins[mine], model.total[mine] - model.wins[mine]])
        rating = bradley_terry(low, high, ends, n=n, weights=w)
        found.append(np.nan_to_num((rating - START) / SCALE))
    return found


_Fitted = tuple[Floats, Floats, Floats, float]


def _continue_fit(
    model: _JuryModel, start: Jury | None, systems: Codes, judges: Codes
) -> list[_Fitted]:
    """The maximum reached from where a fit to nearly the same answers ended; none where there is no
    such fit, or it leads nowhere.
    """
    if start is None or model.fixed_discrimination is not None:
        return []
    d = start.discrimination[judges]
    mean = d @ model.share
    try:
        return [_climb(model, start.strength[systems] * mean, d / mean)]
    except NoVerdictError:
        return []


def _climbs(model: _JuryModel, starts: list[Floats]) -> list[_Fitted]:
    """Return the maxima reached. If no start reaches one, raises the error of the first."""
    found: list[_Fitted] = []
    errors: list[NoVerdictError] = []
    for place, theta in enumerate(starts):
        d = np.ones(len(model.share)) if place == 0 else _slopes(model, theta)
        mean = d @ model.share
        if abs(mean) < 1 / DIVIDED:
            continue
        scaled = (
            (theta * mean, d / mean)
            if model.fixed_discrimination is None
            else (theta, model.fixed_discrimination)
        )
        try:
            found.append(_climb(model, *scaled))
        except NoVerdictError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    return found


def _slopes(model: _JuryModel, theta: Floats) -> Floats:
    """Approximate each judge's slope on these strengths (K,): one Newton step from 0."""
    gap = theta[model.cells.low] - theta[model.cells.high]
    up = np.bincount(model.cells.judge, (model.wins - model.total / 2) * gap)
    down = np.bincount(model.cells.judge, model.total / 4 * gap**2)
    return np.divide(up, down, out=np.zeros_like(up), where=down > 0)


def _climb(model: _JuryModel, theta: Floats, d: Floats) -> _Fitted:
    """Newton's method with the steps held to the two normalisations, halved until the likelihood
    grows; by Fisher's information wherever the likelihood is not concave.
    """
    start = np.concatenate([theta, d, np.zeros(len(d) * model.position)])
    basis = _free_steps(model, len(theta))

    def slope(free: Floats) -> tuple[Floats, Floats]:
        x = start + basis @ free
        if free.any():
            _check_finite(model, x)
        gradient, expected, observed = _slope(model, x)
        for information in (observed, expected):
            values, vectors = np.linalg.eigh(basis.T @ information @ basis)
            if values[0] > LOOSE * values[-1]:
                break
        values = np.maximum(values, LOOSE * max(values[-1], 1e-300))
        return basis.T @ gradient, (vectors * values) @ vectors.T

    free = climb(
        np.zeros(basis.shape[1]),
        slope,
        lambda step: np.abs(basis @ step).max(initial=0.0),
        value=lambda free: _likelihood(model, start + basis @ free),
        limit=STEPS,
    )
    if free is None:
        raise NoVerdictError(f"the jury did not converge in {STEPS} Newton steps")
    x = start + basis @ free
    _check_finite(model, x)
    values = np.linalg.eigvalsh(basis.T @ _slope(model, x).expected @ basis)
    if len(values) and values[0] <= LOOSE * values[-1]:
        raise NoVerdictError(
            "these answers leave the discriminations of some judges open: the systems are level, "
            "or judges share too few of them"
        )
    return *_parts(model, x), _likelihood(model, x)


class _Slope(NamedTuple):
    gradient: Floats
    expected: Floats  # Fisher's information
    observed: Floats


def _parts(model: _JuryModel, x: Floats) -> tuple[Floats, Floats, Floats]:
    n, count = model.cells.n, model.cells.judges
    gamma = x[n + count :] if model.position else np.zeros(count)
    return x[:n], x[n : n + count], gamma


def _odds(model: _JuryModel, x: Floats) -> tuple[Floats, Floats]:
    """Compute the log-odds (c,), and the differences in strength."""
    theta, d, gamma = _parts(model, x)
    gap = theta[model.cells.low] - theta[model.cells.high]
    return d[model.cells.judge] * gap + gamma[model.cells.judge], gap


def _likelihood(model: _JuryModel, x: Floats) -> float:
    odds, _ = _odds(model, x)
    return float(model.wins @ log_expit(odds) + (model.total - model.wins) @ log_expit(-odds))


def _slope(model: _JuryModel, x: Floats) -> _Slope:
    (low, high, judge, n, count), d = model.cells, _parts(model, x)[1]
    odds, gap = _odds(model, x)
    p = expit(odds)
    surplus, weight = model.wins - model.total * p, model.total * p * (1 - p)
    steep = d[judge]

    def by_system(values: Floats) -> Floats:
        """(n, K) sums over the answers in which a system is `low`, less those in which `high`."""
        both = np.concatenate([low, high]) * count + np.tile(judge, 2)
        found = np.bincount(both, np.concatenate([values, -values]), n * count)
        return np.asarray(found.reshape(n, count))

    across = by_system(surplus)
    parts = [across @ d, np.bincount(judge, surplus * gap, count)]
    met = np.bincount(low * n + high, weight * steep**2, n * n).reshape(n, n)
    met = met + met.T
    size = n + count * (1 + model.position)
    expected, of_d = np.zeros((size, size)), n + np.arange(count)
    expected[:n, :n] = np.diag(met.sum(axis=1)) - met
    expected[:n, of_d] = by_system(weight * steep * gap)
    expected[of_d, of_d] = np.bincount(judge, weight * gap**2, count)
    if model.position:
        of_shift = of_d + count
        parts.append(np.bincount(judge, surplus, count))
        expected[:n, of_shift] = by_system(weight * steep)
        expected[of_d, of_shift] = np.bincount(judge, weight * gap, count)
        expected[of_shift, of_shift] = np.bincount(judge, weight, count)
    upper = np.triu(expected, 1)
    expected = upper + upper.T + np.diag(np.diagonal(expected))
    observed = expected.copy()
    observed[:n, of_d] -= across
    observed[np.ix_(of_d, np.arange(n))] -= across.T
    return _Slope(np.concatenate(parts), expected, observed)


def _free_steps(model: _JuryModel, n: int) -> Floats:
    """Return a basis (size, free) of the steps that keep the mean strength, and the mean
    discrimination or all discriminations.
    """
    count = len(model.share)
    of_d = model.share[None] if model.fixed_discrimination is None else np.eye(count)
    size = n + count * (1 + model.position)
    rows = np.zeros((1 + len(of_d), size))
    rows[0, :n] = 1.0
    rows[1:, n : n + count] = of_d
    basis: Floats = np.linalg.svd(rows)[2][len(rows) :].T
    return basis


def _check_finite(model: _JuryModel, x: Floats) -> None:
    odds, (_, d, _) = _odds(model, x)[0], _parts(model, x)
    if np.abs(d).max() > DIVIDED:
        raise NoVerdictError(
            "the judges contradict each other so evenly that they have no order in common"
        )
    if np.abs(odds).max() > FAR:
        worst = int(model.cells.judge[np.abs(odds).argmax()])
        raise NoVerdictError(
            "some answers are so one-sided that strengths and discriminations have no finite "
            "estimate",
            worst,
        )


JURY = Method(
    "jury",
    "jury",
    "strengths by several judges, each counting as much as its answers follow the common order",
    "strength by the jury (Elo scale, mean 1000)",
    jury,
    takes=("position",),
    needs=("judge",),
    learns="whom to rely on",
    weighable=True,
    position_effect=position_effect,
    cites=("xu2026judge", "bradley1952rank"),
)
JURY_SOFT = Method(
    "jury-soft",
    "jury on probabilities",
    "the jury, with the probabilities of the judges that give them",
    "strength by the jury from probabilities (Elo scale, mean 1000)",
    jury,
    outcome=EACH_JUDGE,
    takes=("position",),
    needs=("judge",),
    learns="whom to rely on",
    weighable=True,
    position_effect=position_effect,
    cites=("qian2026who", "bradley1952rank"),
)
