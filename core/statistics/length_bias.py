"""Does the longer text win? A logistic fit of the answer on the difference in length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from .columns import Codes, Floats
from .intervals import degrees_of_freedom
from .logistic import fit_logistic, leave_clusters_out

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
    NaN among either left out. The intercept takes in what being shown first is worth. Interval:
    Student's, with the variance over `groups` (m,) left out in turn. NaN where fewer than two
    lengths or one answer occur.
    """
    known = ~(np.isnan(points) | np.isnan(doublings))
    y, x = points[known], doublings[known]
    n = int((x != 0).sum())
    # Lengths that hardly differ would make the equations singular.
    scale = np.abs(x).max(initial=0.0)
    if not n or np.ptp(x) < 1e-9 * scale or np.ptp(y) == 0:
        return LengthEffect(np.nan, np.nan, np.nan, n)
    design = np.column_stack([np.ones_like(x), x / scale])
    beta = fit_logistic(design, y, np.ones_like(y), np.zeros(2))
    if beta is None or abs(beta[1] / scale) * np.ptp(x) > FAR:  # separated: there is no maximum
        endless = float(np.copysign(np.inf, (x - x.mean()) @ y))
        return LengthEffect(endless, np.nan, np.nan, n)
    slope, p = float(beta[1] / scale), expit(design @ beta)
    _, row = np.unique(groups[known], return_inverse=True)
    moved, information = leave_clusters_out(design, y - p, p * (1 - p), row)
    many, whole = len(moved), information.sum(axis=0)
    if many < 3:
        return LengthEffect(slope, np.nan, np.nan, n)
    # As many groups as count by what each says of the slope
    apart = design[:, 1] - whole[0, 1] / whole[0, 0]
    says = np.bincount(row, p * (1 - p) * apart**2)
    freedom = degrees_of_freedom(says.sum() ** 2 / (says**2).sum())
    error = float(np.sqrt((many - 1) / many * (moved[:, 1] ** 2).sum()) / scale)
    half = float(stdtrit(freedom, (1 + confidence) / 2) * error)
    p_value = float(2 * stdtr(freedom, -abs(slope) / error))
    return LengthEffect(slope, slope - half, slope + half, n, p_value)
