"""Models of ties beside Bradley-Terry strengths: two models, with the slopes that a maximum of
their likelihood needs.

`gap` (P, B) is the difference of two strengths in log-odds, `parameter` (B,) what a model has for
ties, and `won`, `lost` and `tied` (P, B) are counts of the system whose gap it is. Both
likelihoods are concave.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from .columns import Floats


class Slopes(NamedTuple):
    """The derivative of the log-likelihood by the gaps (P, B), its negative second ones by them and
    across, and the same by the parameter (B,).
    """

    gap: Floats
    curve: Floats
    across: Floats
    tie: Floats
    tie_curve: Floats


@dataclass(frozen=True)
class TieModel:
    """`start` is where the parameter is looked for from, `none` what it is without ties, and
    `positive` whether it is above 0.
    """

    name: str
    start: float
    none: float
    positive: bool
    slopes: Callable[[Floats, Floats, Floats, Floats, Floats], Slopes]
    # (gap, parameter) -> log-probabilities of a win, a loss and a tie
    logs: Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]


def _davidson(gap: Floats, parameter: Floats, won: Floats, lost: Floats, tied: Floats) -> Slopes:
    """An exponential family: what was seen less what was expected, and covariances."""
    total = won + lost + tied
    win, loss, tie = (np.exp(log) for log in _davidson_logs(gap, parameter))
    return Slopes(
        won + tied / 2 - total * (win + tie / 2),
        total * (win * loss + tie * (win + loss) / 4),
        total * tie * (loss - win) / 2,
        (tied - total * tie).sum(axis=0),
        (total * tie * (1 - tie)).sum(axis=0),
    )


def _davidson_logs(gap: Floats, parameter: Floats) -> tuple[Floats, Floats, Floats]:
    tie = np.broadcast_to(parameter, gap.shape)
    whole = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), tie)
    return gap / 2 - whole, -gap / 2 - whole, tie - whole


def _rao_kupper(gap: Floats, parameter: Floats, won: Floats, lost: Floats, tied: Floats) -> Slopes:
    """The log-probability of a tie is that of a win, plus that of a loss, plus log(nu^2 - 1)."""
    win, loss = expit(gap - parameter), expit(-gap - parameter)
    no_loss, no_win = won + tied, lost + tied
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.where(parameter > 0, -np.expm1(-2 * parameter), np.inf)
    up, down = no_loss * win * (1 - win), no_win * loss * (1 - loss)
    ties = tied.sum(axis=0)
    pushed = no_loss * (1 - win) + no_win * (1 - loss)
    return Slopes(
        no_loss * (1 - win) - no_win * (1 - loss),
        up + down,
        down - up,
        2 * ties / beyond - pushed.sum(axis=0),
        (up + down).sum(axis=0) + 4 * ties * np.exp(-2 * parameter) / beyond**2,
    )


def _rao_kupper_logs(gap: Floats, parameter: Floats) -> tuple[Floats, Floats, Floats]:
    win, loss = log_expit(gap - parameter), log_expit(-gap - parameter)
    with np.errstate(divide="ignore"):
        return win, loss, win + loss + np.log(np.expm1(2 * parameter))


TIE_MODELS = {
    model.name: model
    for model in (
        # A tie is as likely as nu times the geometric mean of the two strengths; log nu.
        TieModel("davidson", 0.0, -np.inf, False, _davidson, _davidson_logs),
        # A difference below a threshold is not noticed; the threshold, log nu.
        TieModel("rao-kupper", 0.5, 0.0, True, _rao_kupper, _rao_kupper_logs),
    )
}
