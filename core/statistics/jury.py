"""A jury: how far each judge follows what all judges say, by their answers alone. `judge` (m,) are
codes 0..K-1, and every code occurs, of systems too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from .bradley_terry import bradley_terry
from .columns import SCALE, START, Codes, Floats, components, default_weights, use_one_core
from .logistic import climb

LEAST_SYSTEMS = 3
STEPS = 200
FAR = 30.0  # log-odds no data of ours can tell from infinity
DIVIDED = 100.0  # a discrimination beside a mean of 1, beyond which there is no mean to speak of
LOOSE = 1e-9  # of an eigenvalue of the information beside the greatest: nothing holds a parameter


class Jury(NamedTuple):
    """Fit of a jury, in log-odds: `strength` (n,), mean 0; `discrimination` (K,), 1 on average over
    the answers; and the log-likelihood.
    """

    strength: Floats
    discrimination: Floats
    log_likelihood: float


class NoVerdictError(ArithmeticError):
    """Error for answers that give no discriminations."""


def fit_jury(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    judge: Codes,
    weights: Floats | None = None,
) -> Jury:
    """Fit by maximum likelihood logit P(first preferred by judge k) = d_k (theta_first -
    theta_second) (Xu, Tan, Wu & Zhou 2026, of decisions; of probabilities BT-sigma, Qian et al.
    2026, with d_k = 1 / sigma_k). A tie counts as half a win.

    A discrimination is 0 or below of a judge who answers at random, or prefers what the others
    reject. (The papers take logarithms, so that such judges have no estimate.) It starts at equal
    discriminations: in 840 simulated juries, orders of single judges led to no higher maximum.

    Raises NoVerdictError where no maximum is finite, or nothing holds a parameter: fewer than three
    systems, systems not linked, a judge or a system that decides everything, judges who contradict
    each other evenly.
    """
    if n < LEAST_SYSTEMS:
        raise NoVerdictError(
            "a jury needs three systems or more: of two, the answers tell no discriminations"
        )
    if (parts := components(first, second, n=n)) > 1:
        raise NoVerdictError(
            f"the systems fall into {parts} sets never compared with each other, so a jury has "
            "no scale"
        )
    w = default_weights(weights, first)
    turned = first > second
    low, high = np.minimum(first, second), np.maximum(first, second)
    codes, cell = np.unique((judge * np.int64(n) + low) * n + high, return_inverse=True)
    points = np.where(turned, 1.0 - outcome, outcome)
    won, total = (np.asarray(np.bincount(cell, w * of), float) for of in (points, 1.0))
    answers = _Answers(
        codes // n % n, codes % n, codes // n // n, n, int(judge.max()) + 1, won, total
    )  # fmt: skip
    # OpenBLAS splits each small eigenvalue problem over all cores, which then wait for each other.
    with use_one_core():
        low, high = (np.tile(side, 2) for side in (answers.low, answers.high))
        given = np.concatenate([won, total - won])
        rating = bradley_terry(low, high, np.repeat([1.0, 0.0], len(won)), n=n, weights=given)
        theta = np.nan_to_num((rating - START) / SCALE)
        fit = _climb(answers, np.concatenate([theta, np.ones(answers.judges)]))
    return fit._replace(strength=fit.strength - fit.strength.mean())


class _Answers(NamedTuple):
    """Answers in cells: what judge `judge` said of the systems `low` < `high`, won and in all."""

    low: Codes
    high: Codes
    judge: Codes
    n: int
    judges: int
    wins: Floats
    total: Floats

    @property
    def share(self) -> Floats:
        """Each judge's share of the answers (K,), by which discriminations are averaged."""
        given_by = np.bincount(self.judge, self.total, self.judges)
        return np.asarray(given_by / given_by.sum())

    def odds(self, x: Floats) -> tuple[Floats, Floats]:
        """Compute the log-odds (c,), and the differences in strength."""
        gap = x[self.low] - x[self.high]
        return x[self.n + self.judge] * gap, gap

    def likelihood(self, x: Floats) -> float:
        odds, _ = self.odds(x)
        return float(self.wins @ log_expit(odds) + (self.total - self.wins) @ log_expit(-odds))

    def slope(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute the gradient, Fisher's information, and the observed one."""
        low, high, judge, n, count = self[:5]
        (odds, gap), d = self.odds(x), x[n:]
        p, steep = expit(odds), d[judge]
        surplus, weight = self.wins - self.total * p, self.total * p * (1 - p)

        def by_system(values: Floats) -> Floats:
            """(n, K) sums over the answers in which a system is `low`, less `high`."""
            both = np.concatenate([low, high]) * count + np.tile(judge, 2)
            summed = np.bincount(both, np.concatenate([values, -values]), n * count)
            return np.asarray(summed.reshape(n, count))

        across = by_system(surplus)
        gradient = np.concatenate([across @ d, np.bincount(judge, surplus * gap, count)])
        met = np.bincount(low * n + high, weight * steep**2, n * n).reshape(n, n)
        met = met + met.T
        expected, of_d = np.zeros((len(x), len(x))), n + np.arange(count)
        expected[:n, :n] = np.diag(met.sum(axis=1)) - met
        expected[:n, n:] = by_system(weight * steep * gap)
        expected[n:, :n] = expected[:n, n:].T
        expected[of_d, of_d] = np.bincount(judge, weight * gap**2, count)
        observed = expected.copy()
        observed[:n, n:] -= across
        observed[n:, :n] -= across.T
        return gradient, expected, observed

    def check_finite(self, x: Floats) -> None:
        if np.abs(x[self.n :]).max() > DIVIDED:
            raise NoVerdictError(
                "the judges contradict each other so evenly that they have no order in common"
            )
        if np.abs(self.odds(x)[0]).max() > FAR:
            raise NoVerdictError(
                "some answers are so one-sided that strengths and discriminations have no finite "
                "estimate"
            )


def _climb(model: _Answers, start: Floats) -> Jury:
    """Newton's method with the steps held to the mean strength and the mean discrimination; by
    Fisher's information wherever the likelihood is not concave.
    """
    held = np.zeros((2, len(start)))
    held[0, : model.n], held[1, model.n :] = 1.0, model.share
    basis = np.linalg.svd(held)[2][2:].T

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
    return Jury(x[: model.n], x[model.n :], model.likelihood(x))
