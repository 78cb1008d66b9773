"""Test whether an order of systems is settled, and estimate the answers still needed.

An order is settled where every two neighbours in it differ, and a leader where the first system
differs from all others, with familywise confidence over all pairs of systems, at every look
(`core.statistics.uncertainty`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from .columns import Codes, Floats, use_one_core
from .intervals import NOTHING
from .uncertainty import (
    ANSWER,
    Uncertainty,
    count_answers,
    count_apart,
    tail_at_every_look,
)

DRAWS = 4000  # of what the strengths may truly be
RANGE = (0.1, 0.5, 0.9)  # of what is expected: an 80% range around the median
NEAREST = 3  # gaps, in standard errors, of which one is the last to be told apart
FARTHEST = 1e9  # a growth beyond this is practically never


class SystemOrder(NamedTuple):
    """Systems, best first, and for each two neighbours (n - 1,): `gap` of their ratings, in
    standard errors `score`, and whether it `is_significant`. `rivals` may be as good as the first.
    """

    systems: Codes
    gap: Floats
    score: Floats
    is_significant: NDArray[np.bool_]
    rivals: Codes


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


def estimate_order(uncertainty: Uncertainty, beats: NDArray[np.bool_]) -> SystemOrder:
    """Order the systems that have a rating by the centre of their resamples. `beats[i, j]`: system
    i is significantly better than system j; so is a system that beats one that beats j.
    """
    rating = uncertainty.centre
    systems = np.argsort(-rating, kind="stable")[: int((~np.isnan(rating)).sum())]
    beats = beats.copy()
    for middle in range(len(beats)):  # who beats somebody who beats j (Warshall 1962)
        beats |= np.outer(beats[:, middle], beats[middle])
    one, other = systems[:-1], systems[1:]
    variance = uncertainty.of_differences()[0][one, other]
    gap = rating[one] - rating[other]
    rivals = systems[1:][~beats[systems[0], systems[1:]]]
    score = gap / np.sqrt(np.maximum(variance, NOTHING))
    return SystemOrder(systems, gap, score, beats[one, other], rivals)


def estimate_growth(
    uncertainty: Uncertainty,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    leader_only: bool = False,
    share: bool = False,
) -> RequiredGrowth:
    """Estimate the growth of the answers that settles the order: neighbours differ with familywise
    confidence `level`, at every look together; with `leader_only` the first two are enough. New
    answers come like these: on new items, evenly over the pairs, so standard errors shrink with the
    square root of their number. Ratings are strengths, or shares (`share`). True ones are drawn
    (DRAWS) around them, with the covariance of the resamples; each draw has its own order, gaps and
    growth.
    """
    variance, freedom = uncertainty.of_differences()
    known = np.flatnonzero(~np.isnan(uncertainty.centre))
    drawn = -_draw_ratings(uncertainty, rng)[:, known]
    place = known[np.argsort(drawn, axis=1)]
    gap = np.diff(np.sort(drawn, axis=1), axis=1)
    spread = variance[place[:, :-1], place[:, 1:]]
    clusters = uncertainty.clusters[0]
    fewest = np.minimum(clusters[place[:, :-1]], clusters[place[:, 1:]])
    if share:  # a score test's interval begins above 0; see `bound_differences`
        answers = count_answers(spread, fewest, one=1.0)
        score = gap * np.sqrt(count_apart(gap, spread, fewest))
    else:
        error = np.sqrt(np.maximum(spread, NOTHING))
        answers, score = ANSWER / error**2, gap / error
    if leader_only:
        score, answers = score[:, :1], answers[:, :1]
    nearest = np.argsort(score, axis=1)[:, :NEAREST]
    score, answers = (np.take_along_axis(of, nearest, axis=1) for of in (score, answers))
    freely = float(np.median(freedom[np.ix_(known, known)]))
    each = np.array((1 - level) / max(len(known) * (len(known) - 1) // 2, 1))
    # By bisection on the log of the growth, to a hundredth
    few, many = np.zeros(len(score)), np.full(len(score), np.log(FARTHEST) + 1)
    while (many - few).max(initial=0.0) > 0.01:
        middle = (few + many) / 2
        grown = np.exp(middle)[:, None]
        limit = stdtrit(freely, 1 - tail_at_every_look(answers * grown, each) / 2)
        enough = (score * np.sqrt(grown) >= limit).all(axis=1)
        few, many = np.where(enough, few, middle), np.where(enough, middle, many)
    times = np.exp(many)
    times = np.where(times > FARTHEST, np.inf, np.maximum(times, 1.0))
    low, median, high = np.quantile(times, RANGE, method="inverted_cdf").tolist()
    return RequiredGrowth(low, median, high, times)


def _draw_ratings(uncertainty: Uncertainty, rng: np.random.Generator) -> Floats:
    """Draw true ratings (DRAWS, n): normal with the covariance of the resamples."""
    total = uncertainty.centre + np.zeros((DRAWS, len(uncertainty.centre)))
    for part in uncertainty.deviations[:2]:  # by items, and by judges where they are drawn
        with use_one_core():
            root = np.linalg.qr(part, mode="r")  # root.T @ root is the covariance
            total += rng.standard_normal((DRAWS, len(root))) @ root
    return total
