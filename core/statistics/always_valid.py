"""Confidence sequences: intervals that hold at any number of looks.

A figure that is looked at after every vote, until it pleases, is wrong far more often than its 95%
interval says. A confidence sequence holds at all times together (Robbins 1970; Howard, Ramdas,
McAuliffe & Sekhon 2021). Here it is the normal mixture's, for estimates whose errors grow normal
(Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021), with Student's t for few clusters.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from .columns import SCALE, Codes, Floats
from .intervals import NOTHING, Share, bound_shares, estimate_shares
from .uncertainty import Uncertainty

TUNED = 15.0
"""Number of answers the mixture is tuned for. Widths are then within 10% of the smallest possible
from 40 to 4,000 answers.
"""
FEWEST_ITEMS = 10
"""Items, or other clusters, of each of two systems from which on a lead has an interval at every
look: Student's t of fewer, at so small a tail, leaves it without a bound that says anything.
"""
SHARE = 0.25
"""How one answer varies that is won half of the time."""
SMALLEST_TAIL = 1e-15
"""The tail of an interval; beyond, floats know no confidence below 1."""
ANSWER = 4 * SCALE**2
"""The variance of the difference of two equal systems' strengths by one answer."""


def critical_value(answers: Floats, alpha: Floats) -> Floats:
    """Return the critical value of an always-valid interval, in standard errors: sqrt((1 + 1/r)
    (log(1 + r) - 2 log alpha)). An estimate is ever farther from the truth with probability at most
    `alpha`. r is `answers` / TUNED; `answers` is the information in units of one answer's.

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


def choose_confidences(
    uncertainty: Uncertainty, confidence: Floats | float, *, share: bool
) -> Floats:
    """Choose the confidence of each figure's interval at this look (n,), so that it holds at all
    looks together with `confidence`.
    """
    variance, _ = uncertainty.variance()
    answers = count_answers(variance, uncertainty.clusters[0], one=SHARE if share else None)
    return _confidence_at_every_look(answers, confidence)


def _confidence_at_every_look(answers: Floats, confidence: Floats | float) -> Floats:
    tail = tail_at_every_look(answers, np.asarray(1 - confidence))
    return np.asarray(1 - tail.clip(SMALLEST_TAIL))


def shares_at_every_look(
    points: Floats, groups: Codes, column: Codes, *, n: int, confidence: float = 0.95
) -> Share:
    """Compute `shares_by` with intervals that hold at every look."""
    found = estimate_shares(points, groups, column, n=n)
    answers = count_answers(found.variance, found.effective, one=SHARE)
    return bound_shares(found, _confidence_at_every_look(answers, confidence))


def choose_tails(uncertainty: Uncertainty, systems: int, wrong: float, *, share: bool) -> Floats:
    """Choose the tails of all differences of two systems (n, n), so that none is wrong at any look
    with probability 1 - `wrong` (Bonferroni).
    """
    each = np.array(wrong / max(systems * (systems - 1) // 2, 1))
    return tail_at_every_look(count_behind_differences(uncertainty, share=share), each)


def count_behind_differences(uncertainty: Uncertainty, *, share: bool) -> Floats:
    """Compute the number of answers each difference of two ratings is worth (n, n)."""
    variance, _ = uncertainty.of_differences()
    clusters = np.minimum.outer(uncertainty.clusters[0], uncertainty.clusters[0])
    return count_answers(variance, clusters, one=1.0 if share else None)


def count_answers(variance: Floats, clusters: Floats, *, one: float | None) -> Floats:
    """Compute the number of answers that figures of this variance are worth. `one` is the variance
    of a single share; without any variance it is the number of clusters. For strengths (`one` is
    None) it is 0 then.
    """
    known = np.zeros_like(variance) if one is None else clusters.astype(float)
    each = ANSWER if one is None else one
    return np.asarray(np.divide(each, variance, out=known, where=variance > NOTHING))
