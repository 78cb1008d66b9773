"""Find the two systems to compare next: where the ranking is least certain."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr

from .columns import Floats
from .logistic import climb

PRIOR_VARIANCE = 4.0
"""Prior variance of a strength, in squared logits: systems are usually less than 4 logits apart."""


def strengths(wins: Floats) -> tuple[Floats, Floats]:
    """Posterior mode (n,) and covariance (n, n) of Bradley-Terry strengths in logits, each with a
    normal prior (Laplace's approximation).

    `wins` (n, n): points of the row's system against the column's, a tie is half a point each.
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
    return np.asarray(ndtr(-_distances(theta) / np.sqrt(_variance(covariance))), dtype=np.float64)


def worth_asking(wins: Floats) -> Floats:
    """Compute the value of one more vote between two systems (n, n): `doubt` about their order
    times the expected reduction in the variance of their difference; -inf on the diagonal.

    Systems that are truly equal stay doubtful for ever; the second factor falls with the square of
    the variance, so that they do not take all votes.
    """
    theta, covariance = strengths(wins)
    apart, variance = _distances(theta), _variance(covariance)
    p = expit(apart)
    information = p * (1 - p)
    less = variance**2 * information / (1 + variance * information)
    worth: Floats = ndtr(-apart / np.sqrt(variance)) * less
    np.fill_diagonal(worth, -np.inf)
    return worth


def _distances(theta: Floats) -> Floats:
    return np.asarray(abs(theta[:, None] - theta[None, :]), dtype=np.float64)


def _variance(covariance: Floats) -> Floats:
    """Compute the variance of the difference of two strengths; 1 on the diagonal, where there is no
    difference.
    """
    own = np.diag(covariance)
    variance: Floats = own[:, None] + own[None, :] - 2 * covariance
    np.fill_diagonal(variance, 1.0)
    return np.maximum(variance, 1e-12)
