"""Does the longer text win? A logistic fit of the answer on the difference in length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from .columns import Codes, Floats
from .intervals import NOTHING, degrees_of_freedom

STEPS = 50
FAR = 30.0  # log-odds per doubling beyond which no data of ours can tell the slope from infinity


class LengthEffect(NamedTuple):
    """`slope`: by how much the log-odds of being preferred grow when a text becomes twice as long
    as the other, with its interval; infinite where the longer (or shorter) text always wins. `n`
    answers about texts of different length; `p`, two-sided, of no effect.
    """

    slope: float
    low: float
    high: float
    n: int
    p: float = float("nan")


def length_effect(
    points: Floats, doublings: Floats, groups: Codes, *, confidence: float = 0.95
) -> LengthEffect:
    """Fit logit P(first preferred) = position + slope x doublings by maximum likelihood; a tie
    counts half.

    `points` (m,) of the text shown first and `doublings` (m,), log2 of its length over the other's,
    NaN among either left out. The intercept is what being shown first is worth, so that the slope
    does not take it in. Interval: Student's, with the variance over `groups` (m,) left out in turn.
    NaN where fewer than two lengths or one answer occur.
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
    spread = expit(design @ beta) * (1 - expit(design @ beta))
    error, freedom = _measure_error(design, y - expit(design @ beta), spread, row)
    error /= scale
    half = float(stdtrit(freedom, (1 + confidence) / 2) * error)
    p_value = float(2 * stdtr(freedom, -abs(slope) / error))
    return LengthEffect(slope, slope - half, slope + half, n, p_value)


def _measure_error(
    design: Floats, residual: Floats, spread: Floats, row: Codes
) -> tuple[float, float]:
    """The standard error of the slope, by what it moves by without each group (CV3: MacKinnon,
    Nielsen & Webb 2023), each by one step of Newton's method; and the degrees of freedom of
    Student's t, as many groups as count by what each says of the slope, less one. NaN of fewer than
    three groups.
    """
    of_group = np.zeros((int(row.max()) + 1, 2, 2))
    np.add.at(of_group, row, design[:, :, None] * design[:, None, :] * spread[:, None, None])
    sums = np.stack([np.bincount(row, column * residual) for column in design.T], axis=1)
    many, whole = len(sums), of_group.sum(axis=0)
    apart = design[:, 1] - whole[0, 1] / whole[0, 0]
    says = np.bincount(row, spread * apart**2)
    effective = float(says.sum() ** 2 / (says**2).sum())
    if many < 3:
        return float("nan"), 1.0
    left = whole - of_group * (1 - NOTHING)
    moved = np.linalg.solve(left, sums[:, :, None])[:, 1, 0]
    error = np.sqrt((many - 1) / many * (moved**2).sum())
    return float(error), float(degrees_of_freedom(np.array(effective)))
