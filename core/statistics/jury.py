"""A jury: Bradley-Terry strengths from judges of unequal worth, each with a discrimination that is
estimated from the answers alone. `judge` (m,) are codes 0..K-1.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from .bradley_terry import bradley_terry
from .bradley_terry import position_effect as bradley_terry_position
from .columns import (
    EACH_JUDGE,
    SCALE,
    START,
    Codes,
    Columns,
    Floats,
    Method,
    Weights,
    components,
    default_weights,
    sums,
    use_one_core,
)
from .drawing import MEMORY
from .logistic import climb
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
    being shown first on each judge, `position` (K,), or 0; and the log-likelihood.
    """

    strength: Floats
    discrimination: Floats
    position: Floats
    log_likelihood: float


class NoVerdictError(ArithmeticError):
    """Error for answers that give no discriminations, caused by `judge` if by one."""

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
    scale of the average answer. With one judge this is `bradley_terry`.

    Ratings are NaN in a resample, a row of several `weights`, that has no fit. Raises
    NoVerdictError as `fit_jury` does, and where more than half of the resamples have none.
    """
    if judge is None or not judge.any():
        return bradley_terry(first, second, outcome, n=n, weights=weights, position=position)
    w = np.atleast_2d(default_weights(weights, first))
    fits = _fits((first, second, outcome), n, judge, w, position)
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
    theta_second) + gamma_k (Xu, Tan, Wu & Zhou 2026, of decisions; of probabilities BT-sigma, Qian
    et al. 2026, with d_k = 1 / sigma_k). A tie counts as half a win. If not `position`, gamma is 0.

    `fixed_discrimination` (K,) gives the discriminations. Else their mean over the answers is 1,
    and they may be 0 or below, of a judge who answers at random, or prefers what the others reject.
    (The papers take logarithms, so that such judges have no estimate.) The highest of several
    maxima is taken, from starts at equal discriminations, and at the order of each of the busiest
    judges.

    Raises NoVerdictError where no maximum is finite, or nothing holds a parameter: fewer than three
    systems, systems not linked, a judge or a system that decides everything, judges who contradict
    each other evenly.
    """
    w = default_weights(weights, first).astype(float)[None]
    (fit,) = _fits((first, second, outcome), n, judge, w, position, fixed_discrimination)
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
    they stand out; all of them where the others are no jury either.
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
    items, by exponential weights, leaving out those without a fit; their `centre` are the
    estimates.
    """
    columns, base = (first, second, outcome), default_weights(weights, first).astype(float)
    cluster = np.unique(groups, return_inverse=True)[1]
    count = int(cluster.max()) + 1
    fits: list[Jury | None] = []
    at_once = int(MEMORY // (8 * max(len(first), 1))) + 1
    while len(fits) < resamples:
        drawn = rng.standard_exponential((min(resamples - len(fits), at_once), count))
        fits += _fits(columns, n, judge, base * drawn[:, cluster], position)
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


def _fits(
    columns: Columns,
    n: int,
    judge: Codes,
    weights: Weights,
    position: bool,
    fixed_discrimination: Floats | None = None,
) -> list[Jury | None]:
    """A fit for each row of `weights` (B, m), or None; raises if more than half have none."""
    first, second, outcome = columns
    turned = (first > second) & (not position)
    low, high = np.where(turned, second, first), np.where(turned, first, second)
    points = np.where(turned, 1.0 - outcome, outcome)
    codes, cell = np.unique((judge * np.int64(n) + low) * n + high, return_inverse=True)
    won, total = (sums(weights, cell, column, len(codes)) for column in (points, 1.0))
    fixed = None if fixed_discrimination is None else np.asarray(fixed_discrimination, dtype=float)
    count = int(judge.max()) + 1
    whole = _Answers(
        codes // n % n, codes % n, codes // n // n, n, count, won.mean(axis=0), total.mean(axis=0),
        position, fixed,
    )  # fmt: skip
    fits: list[Jury | None] = []
    errors: list[NoVerdictError] = []
    # OpenBLAS splits each small eigenvalue problem over all cores, which then wait for each other:
    # no gain, and on busy ones ten to twenty times the work.
    with use_one_core():
        start = _fit(whole) if len(weights) > 1 else None
        for wins, times in zip(won, total, strict=True):
            try:
                fits.append(_fit(whole._replace(wins=wins, total=times), start))
            except NoVerdictError as error:
                fits.append(None)
                errors.append(error)
    if 2 * len(errors) > len(fits):
        raise errors[0]
    return fits


class _Answers(NamedTuple):
    """Answers of K `judges` about pairs of `n` systems: of each judge and pair (c,), ordered with a
    `position` term, the `wins` of `low` among the `total`. Parameters x are strengths,
    discriminations and, with a position term, shifts.
    """

    low: Codes
    high: Codes
    judge: Codes
    n: int
    judges: int
    wins: Floats
    total: Floats
    position: bool
    fixed_discrimination: Floats | None

    @property
    def share(self) -> Floats:
        """Return each judge's share of the answers (K,)."""
        given_by = np.bincount(self.judge, self.total)
        return np.asarray(given_by / given_by.sum())

    def split(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        gamma = x[self.n + self.judges :] if self.position else np.zeros(self.judges)
        return x[: self.n], x[self.n : self.n + self.judges], gamma

    def odds(self, x: Floats) -> tuple[Floats, Floats]:
        """Compute the log-odds (c,), and the differences in strength."""
        theta, d, gamma = self.split(x)
        gap = theta[self.low] - theta[self.high]
        return d[self.judge] * gap + gamma[self.judge], gap

    def likelihood(self, x: Floats) -> float:
        odds, _ = self.odds(x)
        return float(self.wins @ log_expit(odds) + (self.total - self.wins) @ log_expit(-odds))

    def slope(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute the gradient, Fisher's information, and the observed one."""
        low, high, judge, n, count = self[:5]
        (odds, gap), d = self.odds(x), self.split(x)[1]
        p, steep = expit(odds), d[judge]
        surplus, weight = self.wins - self.total * p, self.total * p * (1 - p)

        def by_system(values: Floats) -> Floats:
            """(n, K) sums over the answers in which a system is `low`, less `high`."""
            both = np.concatenate([low, high]) * count + np.tile(judge, 2)
            found = np.bincount(both, np.concatenate([values, -values]), n * count)
            return np.asarray(found.reshape(n, count))

        across = by_system(surplus)
        parts = [across @ d, np.bincount(judge, surplus * gap, count)]
        met = np.bincount(low * n + high, weight * steep**2, n * n).reshape(n, n)
        met = met + met.T
        expected, of_d = np.zeros((len(x), len(x))), n + np.arange(count)
        expected[:n, :n] = np.diag(met.sum(axis=1)) - met
        expected[:n, of_d] = by_system(weight * steep * gap)
        expected[of_d, of_d] = np.bincount(judge, weight * gap**2, count)
        if self.position:
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
        return np.concatenate(parts), expected, observed

    def check_finite(self, x: Floats) -> None:
        odds = np.abs(self.odds(x)[0])
        if np.abs(self.split(x)[1]).max() > DIVIDED:
            raise NoVerdictError(
                "the judges contradict each other so evenly that they have no order in common"
            )
        if odds.max() > FAR:
            raise NoVerdictError(
                "some answers are so one-sided that strengths and discriminations have no finite "
                "estimate",
                int(self.judge[odds.argmax()]),
            )


_Fitted = tuple[Floats, Floats, Floats, float]


def _fit(whole: _Answers, start: Jury | None = None) -> Jury:
    """The fit of the systems and judges of one resample, from where a similar fit ended."""
    used = whole.total > 0
    systems = np.unique([whole.low[used], whole.high[used]])
    judges = np.unique(whole.judge[used])
    low, high = (np.searchsorted(systems, side[used]) for side in (whole.low, whole.high))
    n, own = len(systems), np.searchsorted(judges, whole.judge[used])
    if n < LEAST_SYSTEMS:
        raise NoVerdictError(
            "a jury needs three systems or more: of two, the answers tell no discriminations"
        )
    if (parts := components(low, high, n=n)) > 1:
        raise NoVerdictError(
            f"the systems fall into {parts} sets never compared with each other, so a jury has "
            "no scale: rank one set"
        )
    fixed = whole.fixed_discrimination
    model = _Answers(
        low, high, own, n, len(judges), whole.wins[used], whole.total[used], whole.position,
        None if fixed is None else fixed[judges],
    )  # fmt: skip
    fits: list[_Fitted] = []
    if start is not None and fixed is None:
        d = start.discrimination[judges]
        mean = d @ model.share
        with suppress(NoVerdictError):
            fits = [_climb(model, start.strength[systems] * mean, d / mean)]
    theta, d, gamma, likelihood = max(fits or _climb_from_orders(model), key=lambda fit: fit[3])
    strength, discrimination = np.full(whole.n, np.nan), np.full(whole.judges, np.nan)
    strength[systems], discrimination[judges] = theta - theta.mean(), d
    shown = np.zeros(whole.judges)
    shown[judges] = gamma
    return Jury(strength, discrimination, shown, likelihood)


def _climb_from_orders(model: _Answers) -> list[_Fitted]:
    """Climb from strengths by all answers and by each busy judge; raise the first error if none."""
    sides, fixed = (model.low, model.high), model.fixed_discrimination
    busiest = np.argsort(-model.share, kind="stable")[:STARTS]
    starts = [np.ones(len(model.wins), dtype=bool)]
    starts += [model.judge == judge for judge in busiest] if fixed is None else []
    found: list[_Fitted] = []
    errors: list[NoVerdictError] = []
    for place, mine in enumerate(starts):
        low, high = (np.tile(side[mine], 2) for side in sides)
        w = np.concatenate([model.wins[mine], (model.total - model.wins)[mine]])
        rating = bradley_terry(low, high, np.repeat([1.0, 0.0], mine.sum()), n=model.n, weights=w)
        theta, d = np.nan_to_num((rating - START) / SCALE), np.ones(model.judges)
        if place:  # each judge's slope on these strengths, by one Newton step from 0
            gap = theta[model.low] - theta[model.high]
            up = np.bincount(model.judge, (model.wins - model.total / 2) * gap)
            down = np.bincount(model.judge, model.total / 4 * gap**2)
            d = np.divide(up, down, out=np.zeros_like(up), where=down > 0)
        mean = d @ model.share
        if abs(mean) < 1 / DIVIDED:
            continue
        try:
            found.append(_climb(model, theta * mean, d / mean if fixed is None else fixed))
        except NoVerdictError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    return found


def _climb(model: _Answers, theta: Floats, d: Floats) -> _Fitted:
    """Newton's method with the steps held to the mean strength, and the mean discrimination or all
    of them; by Fisher's information wherever the likelihood is not concave.
    """
    start = np.concatenate([theta, d, np.zeros(len(d) * model.position)])
    of_d = model.share[None] if model.fixed_discrimination is None else np.eye(len(d))
    held = np.zeros((1 + len(of_d), len(start)))
    held[0, : len(theta)], held[1:, len(theta) : len(theta) + len(d)] = 1.0, of_d
    basis = np.linalg.svd(held)[2][len(held) :].T

    def slope(free: Floats) -> tuple[Floats, Floats]:
        x = start + basis @ free
        if free.any():
            model.check_finite(x)
        gradient, expected, observed = model.slope(x)
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
        value=lambda free: model.likelihood(start + basis @ free),
        gain=1e-15 * max(abs(model.likelihood(start)), 1.0),  # below, rounding hides it
        limit=STEPS,
    )
    if free is None:
        raise NoVerdictError(f"the jury did not converge in {STEPS} Newton steps")
    x = start + basis @ free
    model.check_finite(x)
    values = np.linalg.eigvalsh(basis.T @ model.slope(x)[1] @ basis)
    if len(values) and values[0] <= LOOSE * values[-1]:
        raise NoVerdictError(
            "these answers leave the discriminations of some judges open: the systems are level, "
            "or judges share too few of them"
        )
    return *model.split(x), model.likelihood(x)


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
JURY_SOFT = replace(
    JURY,
    name="jury-soft",
    label="jury on probabilities",
    help="the jury, with the probabilities of the judges that give them",
    axis="strength by the jury from probabilities (Elo scale, mean 1000)",
    outcome=EACH_JUDGE,
    cites=("qian2026who", "bradley1952rank"),
)
