"""Uncertainty of figures over other items, or other items and judges, with simultaneous bounds, at
one look or at all.

Clusters are what could have been others: answers about one item, or by one judge, are not
independent. A figure that is looked at after every vote is wrong far more often than its 95%
interval says; a confidence sequence holds at all looks together (Robbins 1970; Howard, Ramdas,
McAuliffe & Sekhon 2021): here the normal mixture's (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas
2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit

from .columns import SCALE, Codes, Floats, use_one_core
from .intervals import FEWEST, NOTHING, Share, bound_shares, degrees_of_freedom, estimate_shares

DRAWS = 1000  # of all differences together
CELLS = 10**6  # numbers drawn at once
MOST_PAIRS = 5000  # of systems whose differences are drawn
LEAST_FREEDOM = 0.9  # degrees of freedom of two clusters of about one size
FARTHEST = 1e9  # standard errors beyond which an interval holds all differences
ENOUGH_JUDGES = 3  # to say anything of another


def two_way(
    of_items: Floats, of_judges: Floats, of_both: Floats, items: Floats, judges: Floats
) -> tuple[Floats, Floats]:
    """The variance of figures for new items and new judges, and its degrees of freedom: by items +
    by judges - by both (Cameron, Gelbach & Miller 2011, eq. 2.3; Miglioretti & Heagerty 2007), no
    less than by items alone (MacKinnon, Nielsen & Webb 2021), with the degrees of the judges for
    their part, of the items for the rest (Satterthwaite 1946). `items` and `judges` are how many
    there are.
    """
    variance = np.maximum(of_items + of_judges - of_both, of_items)
    part = np.minimum(of_judges, variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / ((variance - part) ** 2 / (items - 1) + part**2 / (judges - 1))
    return variance, np.where(variance > NOTHING, np.maximum(freedom, FEWEST), items - 1)


@dataclass(frozen=True)
class Uncertainty:
    """Variation of n figures: `centre` (n,) are the figures the resamples lie around, `deviations`
    (B, n) are resamples by items, or by items, judges and both, scaled so that the sum of their
    squares is a variance; `clusters` (n,) of each say how many of one size a figure rests on.
    `resamples` of the deviations were drawn; 0 = they are what each cluster adds. `unrated`
    resamples had no ratings.
    """

    centre: Floats
    deviations: tuple[Floats, ...]
    clusters: tuple[Floats, ...]
    resamples: int = 0
    unrated: int = 0

    def variance(self) -> tuple[Floats, Floats]:
        """Return the variances and degrees of freedom (n,)."""
        squares = [(part**2).sum(axis=0) for part in self.deviations]
        return self._combine_parts(squares, self.clusters)

    def of_differences(self) -> tuple[Floats, Floats]:
        """Return the variances and degrees of freedom of all differences of two figures (n, n)."""
        parts = [_compute_difference_variances(part.T @ part) for part in self.deviations]
        return self._combine_parts(parts, [np.minimum.outer(of, of) for of in self.clusters])

    def minus(self, other: Uncertainty) -> Uncertainty:
        """Return the uncertainty of the differences to other figures from the same resamples."""
        parts = zip(self.deviations, other.deviations, strict=True)
        deviations = tuple(one - another for one, another in parts)
        return Uncertainty(self.centre - other.centre, deviations, self.clusters, self.resamples)

    def student(self, estimate: Floats, confidence: Floats | float = 0.95) -> tuple[Floats, Floats]:
        """Student's intervals (n,) around the centre, which hold the estimate as well; NaN without
        variance, or where clusters count as one, which says nothing.
        """
        variance, freedom = self.variance()
        half = stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance)
        half = np.where((variance > NOTHING) & (freedom > LEAST_FREEDOM), half, np.nan)
        low, high = self.centre - half, self.centre + half
        return np.minimum(low, estimate), np.maximum(high, estimate)

    def _combine_parts(
        self, parts: list[Floats], clusters: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        if len(parts) == 1:
            variance, freedom = parts[0], degrees_of_freedom(clusters[0])
        else:
            least = 1 + FEWEST
            variance, freedom = two_way(*parts, *(np.maximum(of, least) for of in clusters[:2]))
        if not self.resamples:
            return variance, freedom
        # So many resamples tell a variance no better than as many clusters would.
        return variance, 1 / (1 / freedom + 1 / max(self.resamples - 1, 1))


def _compute_difference_variances(covariance: Floats) -> Floats:
    own = np.diagonal(covariance)
    return np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)


def tail_together(
    uncertainty: Uncertainty, rng: np.random.Generator, confidence: float = 0.95
) -> float:
    """Return the two-sided tail at which to test each difference of two figures, so that with the
    given confidence no pair at all is wrongly declared different: max-T (Romano & Wolf 2005), in
    draws of normal figures with the covariance of the resamples, estimated in each draw with as
    many degrees of freedom (Wishart 1928). With very many systems, Bonferroni.
    """
    _, freedom = uncertainty.of_differences()
    parts = uncertainty.deviations[:2]  # by items, and by judges where they are drawn
    covariance = sum((part.T @ part for part in parts[1:]), parts[0].T @ parts[0])
    n = len(covariance)
    one, other = np.triu_indices(n, 1)
    there = _compute_difference_variances(covariance)[one, other] > NOTHING
    one, other = one[there], other[there]
    if len(one) < 2:
        return 1 - confidence
    if len(one) > MOST_PAIRS:
        return (1 - confidence) / len(one)
    degrees = max(int(np.median(freedom[one, other])), 1)
    with use_one_core():  # several cores only wait for each other over small products
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        greatest: list[float] = []
        while len(greatest) < DRAWS:
            few = min(DRAWS - len(greatest), CELLS // (degrees * n) + 1)
            drawn = rng.standard_normal((few, degrees + 1, n)) @ root.T
            estimated = drawn[:, 1:].swapaxes(1, 2) @ drawn[:, 1:] / degrees
            own = np.diagonal(estimated, axis1=1, axis2=2)
            squares = own[:, one] + own[:, other] - 2 * estimated[:, one, other]
            apart = (drawn[:, 0, one] - drawn[:, 0, other]) ** 2
            greatest += (apart / squares).max(axis=1).tolist()
    return float(2 * stdtr(degrees, -np.sqrt(np.quantile(greatest, confidence))))


def bound_differences(
    estimate: Floats, uncertainty: Uncertainty, *, tail: Floats | float, share: bool
) -> tuple[Floats, Floats]:
    """Compute intervals of the difference of row and column (n, n), each at a two-sided tail with
    Student's t; NaN without a variance. Of shares the score test's, in [-1, 1], at the effective
    number of clusters (Wilson 1927, of (1 + difference) / 2).
    """
    variance, freedom = uncertainty.of_differences()
    centre = estimate if share else uncertainty.centre
    apart = centre[:, None] - centre[None, :]
    limit = stdtrit(freedom, 1 - tail / 2)
    if not share:
        half = limit * np.sqrt(np.where(variance > NOTHING, variance, np.nan))
        return apart - half, apart + half
    clusters = np.minimum.outer(uncertainty.clusters[0], uncertainty.clusters[0])
    number = count_apart(apart, variance, clusters)
    limit = np.minimum(limit, FARTHEST)
    half = limit * np.sqrt(number * np.maximum(1 - apart**2, 0.0) + limit**2)
    low, high = ((apart * number + end) / (number + limit**2) for end in (-half, half))
    return low, high


def count_apart(apart: Floats, variance: Floats, clusters: Floats) -> Floats:
    """The effective number of answers behind differences of shares: (1 - difference^2) / variance,
    and the `clusters` without variance.
    """
    left = np.maximum(1 - apart**2, 0.0)
    there = (left > NOTHING) & (variance > NOTHING)
    alike = np.broadcast_to(clusters, left.shape).astype(float)
    return np.asarray(np.divide(left, variance, out=alike, where=there))


TUNED = 15.0  # answers the mixture is tuned for: widths within 10% of the least from 40 to 4,000
FEWEST_ITEMS = 10
"""Items, or other clusters, of each of two systems from which on a lead has an interval at every
look: Student's t of fewer, at so small a tail, leaves it without a bound that says anything.
"""
SHARE = 0.25  # how one answer varies that is won half of the time
SMALLEST_TAIL = 1e-15  # of an interval; beyond, floats know no confidence below 1
ANSWER = 4 * SCALE**2  # variance of the difference of two equal systems' strengths by one answer


def critical_value(answers: Floats, alpha: Floats) -> Floats:
    """Return the critical value of an always-valid interval, in standard errors: sqrt((1 + 1/r)
    (log(1 + r) - 2 log alpha)), r being `answers` / TUNED. An estimate is ever farther from the
    truth with probability at most `alpha`, two-sided.
    """
    with np.errstate(divide="ignore"):
        ratio = np.asarray(answers, dtype=float) / TUNED
        square = (1 + 1 / ratio) * (np.log1p(ratio) - 2 * np.log(alpha))
    return np.asarray(np.sqrt(square))


def tail_at_every_look(answers: Floats, alpha: Floats) -> Floats:
    """The two-sided tail of a single look, so that all looks hold with 1 - `alpha`."""
    return np.asarray(2 * ndtr(-critical_value(answers, alpha)))


def choose_confidences(
    uncertainty: Uncertainty, confidence: Floats | float, *, share: bool
) -> Floats:
    """Choose each interval's confidence at this look (n,): `confidence` at all looks."""
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
    """Choose the tails of all differences (n, n): all looks hold with 1 - `wrong` (Bonferroni)."""
    each = np.array(wrong / max(systems * (systems - 1) // 2, 1))
    return tail_at_every_look(count_behind_differences(uncertainty, share=share), each)


def count_behind_differences(uncertainty: Uncertainty, *, share: bool) -> Floats:
    """Compute the number of answers each difference of two ratings is worth (n, n)."""
    variance, _ = uncertainty.of_differences()
    clusters = np.minimum.outer(uncertainty.clusters[0], uncertainty.clusters[0])
    return count_answers(variance, clusters, one=1.0 if share else None)


def count_answers(variance: Floats, clusters: Floats, *, one: float | None) -> Floats:
    """Compute the number of answers that figures of this variance are worth. `one` is the variance
    of a single share, or None of strengths; without any variance it is the clusters, or 0.
    """
    known = np.zeros_like(variance) if one is None else clusters.astype(float)
    each = ANSWER if one is None else one
    return np.asarray(np.divide(each, variance, out=known, where=variance > NOTHING))
