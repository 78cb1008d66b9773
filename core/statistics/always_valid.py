"""Intervals that hold whenever somebody looks: confidence sequences.

A figure that is looked at after every vote, until it pleases, is wrong far more often than its 95%
interval says. A confidence sequence holds at all times together (Robbins 1970; Howard, Ramdas,
McAuliffe & Sekhon 2021). Here it is the normal mixture's, for estimates whose errors grow normal
(Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021), with Student's t for few clusters.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from core.statistics.columns import SCALE, Floats

TUNED = 15.0
"""Answers of which the mixture expects as much as of all its others: widths are then within a tenth
of the least there are from 40 answers to 4,000."""
ANSWER = 4 * SCALE**2
"""The variance of the difference of two equal systems' strengths by one answer."""


def critical_value(answers: Floats, alpha: Floats) -> Floats:
    """How many standard errors an estimate may be away from the truth at any time, so that it ever
    is farther with probability `alpha`: sqrt((1 + 1/r) (log(1 + r) - 2 log alpha)), where r is how
    many `answers` it is worth (its information, over that of one answer) / TUNED.

    Two-sided; at least 3.0 at 5%, where one look takes 1.96. Infinite without answers.
    """
    with np.errstate(divide="ignore"):
        ratio = np.asarray(answers, dtype=float) / TUNED
        square = (1 + 1 / ratio) * (np.log1p(ratio) - 2 * np.log(alpha))
    return np.asarray(np.sqrt(square))


def tail_at_every_look(answers: Floats, alpha: Floats) -> Floats:
    """The two-sided tail at which a single look is tested, so that no look is ever wrong with
    probability 1 - `alpha`.
    """
    return np.asarray(2 * ndtr(-critical_value(answers, alpha)))
