"""Newton's method for the logistic models of all ratings: one optimiser for a single fit and for
many resamples at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from .columns import Codes, Floats

NOTHING = 1e-12  # part of a cluster that stays: a fit that rests on it has an endless error


def damp(size: Floats | float) -> Floats:
    """Return the factor log(1 + d) / d of a step that changes log-odds by d, with which Newton's
    method converges from any start (Sun & Tran-Dinh 2019, nu = 2).
    """
    return np.asarray(np.log1p(size) / np.maximum(size, 1e-300))


def climb(
    start: Floats,
    slope: Callable[[Floats], tuple[Floats, Floats]],
    measure: Callable[[Floats], Floats | float],
    *,
    value: Callable[[Floats], float] | None = None,
    tolerance: float = 1e-7,
    gain: float = 1e-16,
    limit: int = 200,
) -> Floats | None:
    """Find the maximum of a log-likelihood (p,), or those of B resamples (p, B), by damped Newton
    steps; None where it is not reached in `limit` of them.

    `slope` returns the gradient (p,) or (p, B) and the information (p, p) or (p, p, B), positive
    definite; `measure` the greatest change of any log-odds by a step, () or (B,). The last step
    changes them by less than `tolerance`, which leaves an error near its square, or gains less than
    `gain`: loosely bound parameters move further by rounding. A likelihood that is not concave
    gives its `value`: steps are halved until it grows.
    """
    x = start
    for _ in range(limit):
        gradient, information = slope(x)
        square = np.moveaxis(information, (0, 1), (-2, -1))
        try:
            step = np.linalg.solve(square, gradient.T[..., None]).astype(float)[..., 0].T
        except np.linalg.LinAlgError:
            return None
        size = np.asarray(measure(step))
        length = damp(size)
        if ((size < tolerance) | ((gradient * step).sum(axis=0) < gain)).all():
            return np.asarray(x + step * length)
        while value is not None and length > 1e-12 and value(x + length * step) < value(x):
            length = length / 2
        x = np.asarray(x + step * length)
    return None


def fit_logistic(
    design: Floats, target: Floats, start: Floats, hold: Floats | float = 0.0
) -> Floats | None:
    """Fit logit p = design (m, p) @ beta to shares `target` (m,) by maximum likelihood; None where
    there is no finite maximum. `hold` (p, p) keeps what the design does not tell where it starts.
    """

    def slope(beta: Floats) -> tuple[Floats, Floats]:
        p = expit(design @ beta)
        information = (design * (p * (1 - p))[:, None]).T @ design
        return design.T @ (target - p), information + hold

    return climb(
        start, slope, lambda step: float(np.abs(design @ step).max(initial=0.0)), tolerance=1e-10
    )


def leave_clusters_out(
    design: Floats, residual: Floats, spread: Floats, cluster: Codes
) -> tuple[Floats, Floats]:
    """Return how far a fit moves without each cluster (G, p), by one Newton step (CV3: MacKinnon,
    Nielsen & Webb 2023), and the information in each (G, p, p). `spread` (m,) are the variances.
    """
    p, count = design.shape[1], int(cluster.max()) + 1
    scores, information = np.zeros((count, p)), np.zeros((count, p, p))
    np.add.at(scores, cluster, design * residual[:, None])
    weighted = design * spread[:, None]
    np.add.at(information, cluster, weighted[:, :, None] * design[:, None, :])
    left = information.sum(axis=0) - information * (1 - NOTHING)
    moved = np.linalg.pinv(left, hermitian=True) @ scores[:, :, None]
    return np.asarray(moved[:, :, 0]), information
