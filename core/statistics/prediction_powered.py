"""Prediction-powered estimates: people's ratings of systems from many judged pairs and few votes,
with intervals that hold however wrong the judges are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from .columns import Codes, Floats
from .drawing import Resolve
from .intervals import score
from .rectified_ratings import JudgedPairs, Shares, SolvedRatings, Strengths, sum_by_code
from .uncertainty import (
    FEWEST_ITEMS,
    Uncertainty,
    bound_differences,
    choose_confidences,
    choose_tails,
    tail_together,
)

NOTHING = 1e-15  # a variance that is rounding
FEWEST = 2  # items with votes about a system without which nothing is said of it

FOLDS = 200  # groups of items that are left out in turn, at most
STEPS = 400
SURE = 4.0  # how strongly judges are drawn towards equal weights: known to 1/2


class Tuning(NamedTuple):
    """Trust in each judge, `overall` (J,) and `by_item` (I, J) from all other items."""

    overall: Floats
    by_item: Floats


def tune(human: Floats, rectifiers: Floats, labelled: Codes) -> Tuning:
    """Find the lambda of each judge that minimises the variance of the figures (the power tuning of
    PPI++: Angelopoulos, Duchi & Zrnic 2023, section 6), for several judges at once; each >= 0, sum
    <= 1.

    `human` (I, n) is what each item adds to the error of n figures from votes alone, `rectifiers`
    (I, n, J) what it would add by each judge at lambda = 1; `labelled` are the items with votes.
    The variance, relative to that from votes alone and summed over the figures, is quadratic in
    lambda (prop. 2). For an item with votes it is found from the others (cross-fitted), so that no
    item chooses how its own votes are corrected. Several judges are drawn towards equal weights
    (ridge), the more the fewer items have votes.
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
    """Minimise B times x'Qx / 2 - g'x, x >= 0, sum <= 1 (accelerated: Beck & Teboulle 2009)."""
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


@dataclass(frozen=True)
class Estimate:
    """Ratings (n,) with intervals, all NaN where there is nothing to say; `uncertainty` is how they
    vary together, for `bound_differences`, and `variance` (n,) that of each over items.
    """

    rating: Floats
    low: Floats
    high: Floats
    variance: Floats
    uncertainty: Uncertainty


@dataclass(frozen=True)
class CombinedRatings:
    """The ratings people would give, by their votes alone (`human`) and by votes and judges
    (`combined`); and by the judges alone (`judges_only`), which need not be what people would say.

    `tuning` (J,) is lambda, how far each judge is trusted. `items` (n,) is the effective number of
    items with votes; `resolve` says whether intervals hold at every look.
    """

    human: Estimate
    judges_only: Estimate
    combined: Estimate
    tuning: Floats
    share: bool
    items: Floats
    resolve: Resolve

    @property
    def ratio(self) -> Floats:
        """Return the variance from votes alone / that of both (n,), NaN where undefined. With n
        votes, n * ratio is the effective number of human votes.
        """
        human, combined = self.human.variance, self.combined.variance
        return _divide(human, combined, np.full_like(human, np.nan), combined > NOTHING)

    @property
    def ratio_overall(self) -> float:
        """Return the same ratio for the sums over systems."""
        human, combined = np.nansum(self.human.variance), np.nansum(self.combined.variance)
        return float(human / combined) if combined > NOTHING else float("nan")


def find_significant_leads(found: CombinedRatings, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return whether the row is better than the column by votes and judges (n, n), with 95%
    confidence for all pairs together, at this look or at every one.
    """
    at_one = found.resolve != "always"
    tail = tail_together(found.combined.uncertainty, rng) if at_one else None
    return np.asarray(_bound(found, tail)[0] > 0)


def estimate_lead(found: CombinedRatings, one: int, other: int) -> tuple[float, float, float]:
    """Return the lead of a system over another by votes and judges, with Student's 95% interval; at
    every look, of all pairs together. NaN until both have FEWEST_ITEMS with votes.
    """
    rating, uncertainty = found.combined.rating, found.combined.uncertainty
    apart = float(rating[one] - rating[other])
    if found.resolve == "always":
        low, high = _bound(found)
        return apart, float(low[one, other]), float(high[one, other])
    if found.items[[one, other]].min() < FEWEST_ITEMS - NOTHING:
        return apart, float("nan"), float("nan")
    variance, freedom = uncertainty.of_differences()
    half = float(stdtrit(freedom[one, other], 0.975) * np.sqrt(variance[one, other]))
    return apart, apart - half, apart + half


def _bound(found: CombinedRatings, tail: Floats | float | None = None) -> tuple[Floats, Floats]:
    """Compute intervals of the row's lead over the column (n, n); NaN until both have FEWEST_ITEMS
    with votes, as a judge that is right on a few may be wrong on many others.
    """
    rating, uncertainty = found.combined.rating, found.combined.uncertainty
    if tail is None:  # at every look
        known = int((~np.isnan(rating)).sum())
        tail = choose_tails(uncertainty, known, 0.05, share=found.share)
    low, high = bound_differences(rating, uncertainty, tail=tail, share=found.share)
    few = np.minimum.outer(found.items, found.items) < FEWEST_ITEMS - NOTHING
    return np.where(few, np.nan, low), np.where(few, np.nan, high)


def compute_shift_p(pairs: JudgedPairs) -> float:
    """Compute the p-value of equal answers of judges on pairs with votes and on all pairs: the
    smallest of Student's t tests of each system's win ratio (Bonferroni). 1 if all pairs have
    votes.
    """
    shares, freedom = Shares(pairs), Freedom.from_pairs(pairs)
    none, all_ = (shares.solve(np.full(pairs.judges, far / pairs.judges)) for far in (0.0, 1.0))
    apart, errors = all_.rating - none.rating, all_.errors - none.errors
    spread = np.sqrt((errors**2).sum(axis=0))
    told = (spread > NOTHING) & ~np.isnan(apart) & (freedom.clusters >= FEWEST)
    if not told.any():
        return 1.0
    t = np.abs(apart[told]) / spread[told]
    tails = 2 * stdtr(np.maximum(freedom.clusters[told] - 1, 1.0), -t)
    return float(min(1.0, tails.min() * told.sum()))


RATED: dict[str, Callable[[JudgedPairs], Shares | Strengths]] = {
    "win-ratio": Shares,
    "bradley-terry": Strengths,
}
"""method -> what is estimated."""


def combine(
    pairs: JudgedPairs,
    method: str,
    *,
    resolve: Resolve = "together",
    people: Uncertainty | None = None,
) -> CombinedRatings:
    """Ratings by votes, by judges, and by both (PPI++: Angelopoulos, Duchi & Zrnic 2023; for
    rankings Boyeau et al. 2024, "AutoEval done right").

    Estimated is what all people's votes on all judged pairs would give, the items being a sample of
    those there could be. Valid if the pairs with votes are a random sample of the judged ones, or
    their probabilities of `inclusion` are known. Nothing is assumed of the judges.

    Errors are added up by item, so answers about an item may depend on each other; with Student's t
    at the effective number of items with votes (Satterthwaite 1946), and lambda of each item from
    the others (`tune`). A system that the judges' correction would make less certain keeps the part
    of it that is best for it. With `resolve` always, intervals hold at every look: errors are those
    of a sum that is looked at as it grows.

    `people` is the uncertainty of ratings by votes alone, by items, people and both: what people
    add to the variance of the votes alone they add to that of both. Raises ValueError on an unknown
    method, and ArithmeticError where strengths are not finite.
    """
    if method not in RATED:
        raise ValueError(f"unknown method {method!r}; there are: {', '.join(RATED)}")
    rated, freedom = RATED[method](pairs), Freedom.from_pairs(pairs)
    alone = partial(_estimate, share=rated.share, resolve=resolve)
    interval = partial(alone, people=people)
    tuning = tune(*rated.parts(), np.unique(pairs.item[pairs.has_votes]))
    by_votes = rated.solve(np.zeros(pairs.judges))
    for part in (1.0, 0.5, 0.25, 0.0):  # until ratings are finite
        try:
            by_both = rated.solve(part * tuning.by_item)
            break
        except ArithmeticError:
            if not part:
                raise
    # The part of the judges that leaves the least variance: all where it is that of votes alone
    apart = by_both.errors - by_votes.errors
    across, square = (by_votes.errors * apart).sum(axis=0), (apart**2).sum(axis=0)
    best = _divide(-across, square, np.zeros_like(across), square > NOTHING)
    kept = np.where(2 * across + square <= 0, 1.0, np.clip(best, 0.0, 1.0))
    human = interval(by_votes, freedom)
    combined = interval(_interpolate_solutions(by_votes, by_both, kept), freedom)
    wider = combined.high - combined.low > human.high - human.low
    if wider.any():  # as intervals of shares near 0 or 1 can be though the variance is smaller
        kept = np.where(wider, 0.0, kept)
        combined = interval(_interpolate_solutions(by_votes, by_both, kept), freedom)
    judged = alone(rated.rate_by_judges(), Freedom(freedom.everywhere, freedom.everywhere))
    return CombinedRatings(
        human, judged, combined, part * tuning.overall, rated.share, freedom.clusters, resolve
    )


def _interpolate_solutions(
    votes: SolvedRatings, both: SolvedRatings, part: Floats
) -> SolvedRatings:
    pairs = zip(votes, both, strict=True)
    return SolvedRatings(*(one + part * (other - one) for one, other in pairs))


@dataclass(frozen=True)
class Freedom:
    """Weight of each item for each system, among pairs with votes, `asked` (I, n), and all."""

    asked: Floats
    everywhere: Floats

    @classmethod
    def from_pairs(cls, pairs: JudgedPairs) -> Freedom:
        """Sum the weights of each system's pairs by item, among pairs with votes and among all."""
        items = int(pairs.item.max(initial=-1)) + 1
        sides = [pairs.item * np.int64(pairs.n) + side for side in (pairs.first, pairs.second)]

        def by_item(weights: Floats) -> Floats:
            total = sum_by_code(np.concatenate(sides), np.tile(weights, 2), items * pairs.n)
            return total.reshape(items, pairs.n)

        return cls(by_item(pairs.of_labelled()), by_item(pairs.of_population()))

    @property
    def clusters(self) -> Floats:
        """Return the effective number of items with votes (n,) (Kish 1965, of squares)."""
        squares, fourths = (self.asked**2).sum(axis=0), (self.asked**4).sum(axis=0)
        return _divide(squares**2, fourths, np.zeros_like(squares), fourths > 0)

    def degrees(self, errors: Floats) -> Floats:
        """Return the degrees of freedom (n,) of the variance, the sum of the squares of `errors` (I
        or more, n): Satterthwaite (1946) for its parts from items with votes and from others.
        """
        items, squares = len(self.asked), errors**2
        voted = self.asked > 0
        part = np.where(voted, squares[:items], 0.0).sum(axis=0) + squares[items:].sum(axis=0)
        rest = np.where(voted, 0.0, squares[:items]).sum(axis=0)
        other = np.maximum((~voted & (self.everywhere > 0)).sum(axis=0) - 1.0, 1.0)
        own = np.maximum(self.clusters - 1, 1.0)
        below = part**2 / own + rest**2 / other
        total = (part + rest) ** 2
        return _divide(total, below, own, below > NOTHING**2)


def _estimate(
    solved: SolvedRatings,
    freedom: Freedom,
    *,
    share: bool,
    resolve: Resolve,
    people: Uncertainty | None = None,
) -> Estimate:
    rating, errors = solved.rating, np.nan_to_num(solved.errors)
    rating = np.where(freedom.clusters < FEWEST, np.nan, np.clip(rating, 0, 1) if share else rating)
    degrees = freedom.degrees(errors)
    uncertainty = by_items = Uncertainty(rating, (errors,), (degrees + 1,))
    if people is not None:
        deviations = (errors, *map(np.nan_to_num, people.deviations[1:]))
        clusters = (degrees + 1, *people.clusters[1:])
        uncertainty = Uncertainty(rating, deviations, clusters, people.resamples)
    variance, degrees = uncertainty.variance()
    confidence: Floats | float = 0.95
    if resolve == "always":
        confidence = choose_confidences(uncertainty, confidence, share=share)
    if share:
        most, alike = np.full(len(rating), np.inf), freedom.clusters
        low, high = score(rating, variance, degrees, most=most, alike=alike, confidence=confidence)
    else:
        low, high = uncertainty.student(rating, confidence)
    own, _ = by_items.variance()
    return Estimate(rating, low, high, np.where(np.isnan(rating), np.nan, own), uncertainty)


def _divide(above: Floats, below: Floats, otherwise: Floats, where: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.divide(above, below, out=otherwise.copy(), where=where))
