"""Does the longer text win? A logistic fit of the answer on the difference in length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from core.statistics.columns import Codes, Floats

STEPS = 50
FAR = 30.0  # log-odds per doubling beyond which no data of ours can tell the slope from infinity


class LengthEffect(NamedTuple):
    """`slope`: by how much the log-odds of being preferred grow when a text becomes twice as long
    as the other, with its interval; infinite where the longer (or shorter) text always wins. `n`
    answers about texts of different length.
    """

    slope: float
    low: float
    high: float
    n: int


def length_effect(
    points: Floats, doublings: Floats, groups: Codes, *, confidence: float = 0.95
) -> LengthEffect:
    """logit P(first preferred) = position + slope x doublings, by maximum likelihood; a tie counts
    half.

    `points` (m,) of the text shown first and `doublings` (m,), log2 of its length over the other's,
    NaN among either left out. The intercept is what being shown first is worth, so that the slope
    does not take it in. Interval: Wald's, with the cluster-robust covariance over `groups` (m,)
    (Liang & Zeger 1986). NaN where fewer than two lengths or one answer occur.
    """
    known = ~(np.isnan(points) | np.isnan(doublings))
    y, x = points[known], doublings[known]
    n = int((x != 0).sum())
    scale = np.abs(x).max(
        initial=0.0
    )  # so that lengths that hardly differ do not make the equations singular
    if not n or np.ptp(x) < 1e-9 * scale or np.ptp(y) == 0:
        return LengthEffect(np.nan, np.nan, np.nan, n)
    design = np.column_stack([np.ones_like(x), x / scale])
    beta = np.zeros(2)
    for _ in range(STEPS):
        p = expit(design @ beta)
        curvature = design.T @ (design * (p * (1 - p))[:, None])
        try:
            step = np.linalg.solve(curvature, design.T @ (y - p))
        except np.linalg.LinAlgError:
            step = np.full(2, np.inf)
            break
        beta = beta + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-10:
            break
    slope = float(beta[1] / scale)
    if (
        abs(slope) * np.ptp(x) > FAR or np.abs(step).max() > 1e-6
    ):  # separated answers: the likelihood has no maximum
        return LengthEffect(float(np.copysign(np.inf, slope)), np.nan, np.nan, n)
    _, row = np.unique(groups[known], return_inverse=True)
    scores = design * (y - expit(design @ beta))[:, None]
    sums = np.column_stack([np.bincount(row, column) for column in scores.T])
    many = len(sums)
    if many < 3:
        return LengthEffect(slope, np.nan, np.nan, n)
    inverse = np.linalg.inv(curvature)
    covariance = inverse @ (sums.T @ sums) @ inverse * many / (many - 1)
    half = float(ndtri((1 + confidence) / 2) * np.sqrt(covariance[1, 1]) / scale)
    return LengthEffect(slope, slope - half, slope + half, n)
