"""Test whether an order of systems is settled, and estimate the answers still needed.

Two rules. *Apart*: every two neighbours in the order differ, with the given familywise confidence
over all pairs of systems, at one look (`core.statistics.uncertainty`) or at every one
(`core.statistics.always_valid`). *Certain*: the whole order is right with the given probability, as
ratings vary over resamples, by a flat prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from core.statistics.always_valid import ANSWER, tail_at_every_look
from core.statistics.columns import Codes, Floats
from core.statistics.intervals import NOTHING
from core.statistics.single_core import use_one_core
from core.statistics.uncertainty import Uncertainty, tail_together

DRAWS = 4000  # of what the strengths may truly be
RANGE = (0.1, 0.5, 0.9)  # of what is expected: an 80% range around the median
FARTHEST = 1e9  # a growth beyond this is practically never


class SystemOrder(NamedTuple):
    """Systems, best first, and for each two neighbours (n - 1,): `gap` of their ratings, its
    standard `error`, whether it `is_significant`, and the probability `p_better` that the first
    truly is better; `p_order` is the probability that the whole order is right.
    """

    systems: Codes
    gap: Floats
    error: Floats
    is_significant: NDArray[np.bool_]
    p_better: Floats
    p_order: float


class RequiredGrowth(NamedTuple):
    """Factor by which the answers must grow to settle the order: its 10%, 50% and 90% quantiles, at
    least 1, infinite where no growth is enough; and `times`, draws of it (DRAWS,).
    """

    low: float
    median: float
    high: float
    times: Floats

    def probability_within(self, times: float) -> float:
        """Compute the probability that this multiple of the answers so far is enough."""
        return float((self.times <= times).mean())


@dataclass(frozen=True)
class Rule:
    """Rule for a settled order. Neighbours differ at one look, or at every look together
    (`always`); or the whole order is right with probability `level` (`certain`).
    """

    level: float = 0.95
    certain: bool = False
    always: bool = False


def estimate_order(
    uncertainty: Uncertainty, beats: NDArray[np.bool_], rng: np.random.Generator
) -> SystemOrder:
    """Order the systems that have a rating by the centre of their resamples. `beats[i, j]`: system
    i is significantly better than system j.

    Neighbours are right with Student's probability of their gap. The whole order is right where all
    neighbours are: the share of draws of the ratings, normal with the resamples' covariance.
    """
    rating = uncertainty.centre
    systems = np.argsort(-rating, kind="stable")[: int((~np.isnan(rating)).sum())]
    variance, freedom = uncertainty.of_differences()
    one, other = systems[:-1], systems[1:]
    gap, error = rating[one] - rating[other], np.sqrt(variance[one, other])
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(error > 0, stdtr(freedom[one, other], gap / error), 0.5)
    drawn = _draw_ratings(uncertainty, rng)[:, systems]
    whole = float((np.diff(drawn, axis=1) < 0).all(axis=1).mean())
    return SystemOrder(systems, gap, error, beats[one, other], right, whole)


def estimate_growth(
    uncertainty: Uncertainty, rule: Rule, rng: np.random.Generator
) -> RequiredGrowth:
    """Estimate the growth of the answers that settles the order by a rule. New answers are assumed
    to come like these: on new items, evenly over the pairs. Standard errors then shrink with the
    square root of their number.

    True strengths are drawn (DRAWS) around the ratings, with the covariance of the resamples. Each
    draw has its own order, gaps and growth. Truly equal systems never differ: the fewer the
    answers, the more draws have nearly equal ones.
    """
    variance, freedom = uncertainty.of_differences()
    known = np.flatnonzero(~np.isnan(uncertainty.centre))
    drawn = -_draw_ratings(uncertainty, rng)[:, known]
    place = known[np.argsort(drawn, axis=1)]
    gap = np.diff(np.sort(drawn, axis=1), axis=1)
    error = np.sqrt(np.maximum(variance[place[:, :-1], place[:, 1:]], NOTHING))
    score = gap / error
    if rule.certain:
        times = _find_certain_growth(score, rule.level)
    elif rule.always:
        freely = float(np.median(freedom[np.ix_(known, known)]))
        times = _find_times_at_every_look(score, ANSWER / error**2, freely, 1 - rule.level)
    else:
        tail = tail_together(uncertainty, rng, rule.level)
        limit = stdtrit(float(np.median(freedom[np.ix_(known, known)])), 1 - tail / 2)
        with np.errstate(divide="ignore"):
            times = ((limit / score) ** 2).max(axis=1, initial=0.0)
    times = np.where(times > FARTHEST, np.inf, np.maximum(times, 1.0))
    low, median, high = np.quantile(times, RANGE, method="inverted_cdf")
    return RequiredGrowth(float(low), float(median), float(high), times)


def _find_certain_growth(score: Floats, level: float) -> Floats:
    """Return the growth (B,) at which the neighbours' error probabilities add up to 1 - level
    (Bonferroni). Bisection on the log, to a hundredth.
    """
    low, high = np.full(len(score), -12.0), np.full(len(score), np.log(FARTHEST) + 1)
    while (high - low).max() > 0.01:
        middle = (low + high) / 2
        wrong = ndtr(-score * np.exp(middle / 2)[:, None]).sum(axis=1)
        enough = wrong <= 1 - level
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.exp(high))


def _find_times_at_every_look(
    score: Floats, answers: Floats, freedom: float, wrong: float
) -> Floats:
    """Return the growth (B,) at which each gap is significant, at all looks together. `score` (B, n
    - 1) is the gap in standard errors, worth `answers` now; `wrong` is the familywise error over
    pairs and looks. Bisection on the log, to a hundredth.
    """
    systems = score.shape[1] + 1
    each = np.array(wrong / max(systems * (systems - 1) // 2, 1))
    low, high = np.zeros(len(score)), np.full(len(score), np.log(FARTHEST) + 1)
    while (high - low).max(initial=0.0) > 0.01:
        middle = (low + high) / 2
        times = np.exp(middle)[:, None]
        limit = stdtrit(freedom, 1 - tail_at_every_look(answers * times, each) / 2)
        enough = (score * np.sqrt(times) >= limit).all(axis=1)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.exp(high))


def _draw_ratings(uncertainty: Uncertainty, rng: np.random.Generator) -> Floats:
    """Draw true ratings (DRAWS, n): normal with the covariance of the resamples."""
    parts = uncertainty.deviations[:2]  # by items, and by judges where they are drawn
    total = uncertainty.centre + np.zeros((DRAWS, len(uncertainty.centre)))
    for part in parts:
        with use_one_core():
            root = np.linalg.qr(part, mode="r")  # root.T @ root is the covariance
            total += rng.standard_normal((DRAWS, len(root))) @ root
    return total
