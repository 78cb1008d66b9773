"""Weight of judges that stand in for people: the power tuning of PPI++ (Angelopoulos, Duchi & Zrnic
2023, section 6), for several judges at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .columns import Codes, Floats

FOLDS = 200  # groups of items that are left out in turn, at most
STEPS = 400
SURE = 4.0
"""How strongly several judges are drawn towards equal weights: as if these were known to 1/2."""


class Tuning(NamedTuple):
    """`overall` (J,) is how far each judge is trusted, `by_item` (I, J) the same from all other
    items, which is what each item's own answers are taken with.
    """

    overall: Floats
    by_item: Floats


def tune(human: Floats, rectifiers: Floats, labelled: Codes) -> Tuning:
    """Find the lambda of each judge that minimises the variance of the figures; each >= 0, sum <=
    1.

    `human` (I, n) is what each item adds to the error of n figures from votes alone, `rectifiers`
    (I, n, J) what it would add by each judge at lambda = 1; `labelled` are the items with votes.
    The variance is a quadratic function of lambda, relative to that from votes alone and summed
    over the figures (Angelopoulos et al. 2023, prop. 2, for clusters that may hold both parts; for
    several judges a least squares regression). For an item with votes it is found from the others
    (cross-fitted), so that no item chooses how its own votes are corrected.

    Several judges are drawn towards equal weights (ridge), the more the fewer items have votes: so
    a copy of a judge changes nothing, and many judges of few items do not overfit.
    """
    judges = rectifiers.shape[2]
    spread = (human**2).sum(axis=0)
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-18)
    weighted = rectifiers * scale[:, None]
    square = np.einsum("inj,ink->ijk", weighted, rectifiers)
    gain = -np.einsum("inj,in->ij", weighted, human)
    ridge = SURE / max(len(labelled), 1) * (np.eye(judges) - 1 / judges)
    fold = np.arange(len(labelled)) % min(FOLDS, max(len(labelled), 1))
    folds = int(fold.max(initial=-1)) + 1
    out_square, out_gain = np.zeros((folds, judges, judges)), np.zeros((folds, judges))
    np.add.at(out_square, fold, square[labelled])
    np.add.at(out_gain, fold, gain[labelled])
    every = _minimize_quadratic(
        np.concatenate([[square.sum(axis=0)], square.sum(axis=0) - out_square]) + ridge,
        np.concatenate([[gain.sum(axis=0)], gain.sum(axis=0) - out_gain]),
    )
    by_item = np.tile(every[0], (len(human), 1))
    by_item[labelled] = every[1:][fold]
    return Tuning(every[0], by_item)


def _minimize_quadratic(square: Floats, gain: Floats) -> Floats:
    """(B, J) the minimum of x'Qx / 2 - g'x over x >= 0 that sum to at most 1, for each of B: by
    accelerated projected gradient (Beck & Teboulle 2009).
    """
    if square.shape[1] == 1:
        q, g = square[:, 0], gain
        return np.clip(np.divide(g, q, out=np.zeros_like(g), where=q > 1e-18), 0.0, 1.0)
    bound = np.linalg.eigvalsh(square)[:, -1:]
    step = np.divide(1.0, bound, out=np.zeros_like(bound), where=bound > 1e-18)
    now = ahead = np.zeros_like(gain)
    pace = 1.0
    for _ in range(STEPS):
        slope = np.einsum("bjk,bk->bj", square, ahead) - gain
        then, now = now, _onto_simplex(ahead - step * slope)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = now + (pace - 1) / faster * (now - then)
        pace = faster
    return now


def _onto_simplex(x: Floats) -> Floats:
    """The nearest points (B, J) with parts >= 0 that sum to at most 1 (Duchi et al. 2008)."""
    positive = np.maximum(x, 0.0)
    ordered = -np.sort(-x, axis=1)
    over = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, x.shape[1] + 1)
    last = (ordered > over).sum(axis=1, keepdims=True) - 1
    onto = np.maximum(x - np.take_along_axis(over, np.maximum(last, 0), axis=1), 0.0)
    return np.where(positive.sum(axis=1, keepdims=True) <= 1, positive, onto)
