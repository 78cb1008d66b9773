"""Choose the next comparison: the posterior of scores given all answers, and the information of one
more.

A product of Gaussian experts with a position term (Liusie et al. 2024, "Efficient LLM comparative
assessment"), in closed form: an answer's logit is s_first - s_second + b plus Gaussian noise, and
scores and b have Gaussian priors. Columns: `first`, `second` (m,) codes 0..n-1 and `probability`
(m,) that the first is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtr

from .columns import Codes, Floats
from .logistic import climb

CERTAIN = 1e-6  # probabilities are taken to lie at least this far from 0 and 1
ROUNDS = 25  # always as many: to stop by a threshold would make a rounding error visible


@dataclass(frozen=True)
class Posterior:
    """Gaussian posterior of n scores and, last, the position term; `noise` is a variance."""

    mean: Floats  # (n + 1,)
    covariance: Floats  # (n + 1, n + 1)
    noise: float

    @property
    def n(self) -> int:
        """Number of systems."""
        return len(self.mean) - 1

    def condition_on(self, first: int, second: int) -> Posterior:
        """Return the posterior after an answer as expected: the same means, less variance."""
        column, variance = _answers(self, np.array([first]), np.array([second]))
        moves = column[:, 0] / np.sqrt(variance)
        return Posterior(self.mean, self.covariance - np.outer(moves, moves), self.noise)


def posterior(first: Codes, second: Codes, probability: Floats, *, n: int) -> Posterior:
    """The posterior of n scores and the position term, with the variances of scores and noise that
    maximise the evidence (MacKay 1992, "Bayesian interpolation"). Other codes keep their prior.
    """
    y = logit(np.clip(probability, CERTAIN, 1 - CERTAIN))
    design = np.zeros((len(y), n + 1))
    rows = np.arange(len(y))
    design[rows, first], design[rows, second], design[:, n] = 1.0, -1.0, 1.0
    gram, moment = design.T @ design, design.T @ y
    scale = float(np.mean(y**2)) or 1.0
    spread, noise = scale / 3, scale / 3
    mean: Floats = np.zeros(n + 1)
    covariance: Floats = np.eye(n + 1, dtype=np.float64)
    used = noise
    for _ in range(ROUNDS):
        prior = np.append(np.full(n, 1 / spread), 1 / (10 * scale))  # a wide prior for the position
        covariance = np.asarray(np.linalg.inv(gram / noise + np.diag(prior)), dtype=np.float64)
        mean = covariance @ moment / noise
        used = noise
        # How many of the scores the answers determine
        known = n - np.trace(covariance[:n, :n]) / spread
        left = max(len(y) - known - 1, 1.0)
        # Both are kept within a factor of the scale: few answers can look free of noise, or free of
        # any difference.
        spread = float(np.clip(mean[:n] @ mean[:n] / max(known, 1e-9), 0.02 * scale, 5 * scale))
        noise = float(np.clip(((y - design @ mean) ** 2).sum() / left, 0.05 * scale, 5 * scale))
    return Posterior(mean, covariance, used)


def expect_reduction(known: Posterior, first: Codes, second: Codes) -> Floats:
    """Compute the expected reduction in the summed variance of the ranks by each answer (m,): the
    variance of the expected rank, 1 + sum over j of P(s_j > s_i | answer), over the possible
    answers, with expected ranks linear in the scores.
    """
    n = known.n
    deviations = np.sqrt(_variances(known.covariance[:n, :n]))
    mean = known.mean[:n]
    density = np.exp(-0.5 * ((mean[None, :] - mean[:, None]) / deviations) ** 2) / (
        deviations * np.sqrt(2 * np.pi)
    )
    np.fill_diagonal(density, 0.0)
    slope = density - np.diag(density.sum(axis=1))  # of the expected ranks in the scores
    column, variance = _answers(known, first, second)
    return np.asarray(((slope @ column[:n]) ** 2).sum(axis=0) / variance)


def choose(known: Posterior, first: Codes, second: Codes, *, size: int) -> list[int]:
    """Choose `size` comparisons to ask next, each pair at most once, as indices: one after another,
    as if those before had been answered as expected.
    """
    chosen: list[int] = []
    order = np.argsort(-np.round(expect_reduction(known, first, second), 9), kind="stable")
    left = order[: max(64, 8 * size)]
    while len(left) and len(chosen) < size:
        at = int(left[np.argmax(np.round(expect_reduction(known, first[left], second[left]), 9))])
        chosen.append(at)
        known = known.condition_on(int(first[at]), int(second[at]))
        again = (first[left] == first[at]) & (second[left] == second[at])
        again |= (first[left] == second[at]) & (second[left] == first[at])
        left = left[~again]
    return chosen


def _answers(known: Posterior, first: Codes, second: Codes) -> tuple[Floats, Floats]:
    """Return covariances with the logits of m comparisons (n + 1, m), and their variances."""
    n, rows = known.n, np.arange(len(first))
    column = known.covariance[:, first] - known.covariance[:, second] + known.covariance[:, [n]]
    return column, column[first, rows] - column[second, rows] + column[n] + known.noise


def _variances(covariance: Floats) -> Floats:
    """Compute the variance of the difference of two scores (n, n); 1 on the diagonal."""
    own = np.diag(covariance)
    variances: Floats = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 1e-12)
    np.fill_diagonal(variances, 1.0)
    return variances


PRIOR_VARIANCE = 4.0  # of a strength, in squared logits: systems are usually less than 4 apart


def strengths(wins: Floats) -> tuple[Floats, Floats]:
    """Posterior mode (n,) and covariance (n, n) of Bradley-Terry strengths in logits, each with a
    normal prior (Laplace's approximation). `wins` (n, n): points of the row against the column, a
    tie half.
    """
    counts = wins + wins.T

    def slope(theta: Floats) -> tuple[Floats, Floats]:
        p = expit(theta[:, None] - theta[None, :])
        information = counts * p * (1 - p)
        curvature = np.diag(information.sum(axis=1) + 1 / PRIOR_VARIANCE) - information
        return (wins - counts * p).sum(axis=1) - theta / PRIOR_VARIANCE, curvature

    theta = climb(np.zeros(len(wins)), slope, np.ptp)
    assert theta is not None  # concave, with a prior
    return theta, np.asarray(np.linalg.inv(slope(theta)[1]))


def doubt(wins: Floats) -> Floats:
    """Probability (n, n) that the order of two systems is the other way round than it looks."""
    theta, covariance = strengths(wins)
    apart = np.abs(theta[:, None] - theta[None, :])
    return np.asarray(ndtr(-apart / np.sqrt(_variances(covariance))))


def worth_asking(wins: Floats) -> Floats:
    """Compute the value of one more vote between two systems (n, n): `doubt` about their order
    times the expected reduction in the variance of their difference, which falls with its square,
    so that equal systems do not take all votes; -inf on the diagonal.
    """
    theta, covariance = strengths(wins)
    apart, variance = np.abs(theta[:, None] - theta[None, :]), _variances(covariance)
    p = expit(apart)
    information = p * (1 - p)
    less = variance**2 * information / (1 + variance * information)
    worth: Floats = ndtr(-apart / np.sqrt(variance)) * less
    np.fill_diagonal(worth, -np.inf)
    return worth
