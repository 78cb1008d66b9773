"""Win ratios and Bradley-Terry strengths from many judged pairs and few votes, and what each item
adds to their error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .columns import SCALE, START, Codes, Floats, average_within, link, share_pseudo_comparisons
from .logistic import climb


@dataclass(frozen=True)
class JudgedPairs:
    """m unordered pairs of texts: `first` and `second` (m,) are codes 0..n-1 of their systems,
    `item` (m,) is the cluster a pair belongs to.

    `judged` (m, J) is what each of J judges says, `voted` (m,) what people say, NaN where nobody
    voted: the points of the first, or the probability that it is better, in [0, 1], on average over
    both orders and all votes. `weights` (m,) are the numbers of pairs each represents, if judges
    were asked about a sample only; `inclusion` (m,) is the probability that people were asked about
    it.
    """

    first: Codes
    second: Codes
    item: Codes
    judged: Floats
    voted: Floats
    n: int
    weights: Floats | None = None
    inclusion: Floats | None = None

    def __post_init__(self) -> None:
        said = np.concatenate([self.judged.ravel(), self.voted[self.has_votes]])
        if not ((said >= 0) & (said <= 1)).all():
            raise ValueError(
                "an answer is not a number between 0 and 1; leave out pairs that a judge did "
                "not answer"
            )

    @property
    def has_votes(self) -> NDArray[np.bool_]:
        """Return whether people voted on each pair (m,)."""
        return ~np.isnan(self.voted)

    @property
    def judges(self) -> int:
        """Number of judges."""
        return int(self.judged.shape[1])

    def of_population(self) -> Floats:
        """Return the weight of each pair among all (m,)."""
        return np.ones(len(self.first)) if self.weights is None else self.weights.astype(float)

    def of_labelled(self) -> Floats:
        """Return the weight of each pair among those with votes (m,), 0 without: its weight / its
        inclusion probability (Horvitz & Thompson 1952).
        """
        asked = 1.0 if self.inclusion is None else self.inclusion
        return np.where(self.has_votes, self.of_population() / asked, 0.0)


class SolvedRatings(NamedTuple):
    """Ratings (n,), and what each item, and after these each pseudo-vote, adds to the error of each
    (I, n): the sum of the squares is the variance.
    """

    rating: Floats
    errors: Floats


def sum_by_code(codes: Codes, values: NDArray[Any], n: int) -> Floats:
    """The sum of the values of each code 0..n-1."""
    return np.asarray(np.bincount(codes, values, n), dtype=float)


class Rows(NamedTuple):
    """Each pair twice, once from the side of each system: `all_` and `asked` are what a row adds to
    its system's share among all pairs and among those with votes, `inflated` the latter as the
    variance takes it.
    """

    item: Codes
    system: Codes
    judged: Floats
    voted: Floats
    all_: Floats
    asked: Floats
    inflated: Floats


class Shares:
    """Win ratios: mean points of each system over the population of judged pairs, a tie being half.

    PPI++ for a mean (Angelopoulos, Duchi & Zrnic 2023, eq. 3): the mean of the votes, plus lambda
    times what the judges say of all pairs less what they say of those with votes. Every mean is a
    ratio of weighted sums (Hajek).
    """

    share = True

    def __init__(self, pairs: JudgedPairs) -> None:
        self.pairs, self.items = pairs, int(pairs.item.max(initial=-1)) + 1
        self._rows = _rows(pairs)

    def solve(self, tuning: Floats) -> SolvedRatings:
        """Solve with the judges weighted by `tuning` (J,) or, item by item, (I, J). NaN for a
        system without votes.
        """
        rows = self._rows
        trusted = np.broadcast_to(tuning, (self.items, self.pairs.judges))[rows.item]
        centred = [said - self._mean(said, rows.all_) for said in rows.judged.T]
        said = np.asarray((trusted * np.stack(centred, axis=1)).sum(axis=1))
        left = np.nan_to_num(rows.voted) - said
        value = self._by_system(rows.asked * left + rows.all_ * said)
        asked = self._errors(rows.inflated, left, rows.asked)
        everywhere = self._errors(rows.all_, said, rows.all_)
        is_rated = self._by_system(rows.asked) > 0
        return SolvedRatings(np.where(is_rated, value, np.nan), asked + everywhere)

    def rate_by_judges(self) -> SolvedRatings:
        """Rate the systems by the judges alone: their mean answer."""
        rows, said = self._rows, self._rows.judged.mean(axis=1)
        errors = self._errors(rows.all_, said, rows.all_)
        return SolvedRatings(self._by_system(rows.all_ * said), errors)

    def parts(self) -> tuple[Floats, Floats]:
        """Return what each item adds to the error from votes alone (I, n), and what each judge
        would add at lambda = 1 (I, n, J).
        """
        rows, rectifiers = self._rows, []
        for said in rows.judged.T:
            everywhere = self._errors(rows.all_, said, rows.all_)
            rectifiers.append(everywhere - self._errors(rows.asked, said, rows.asked))
        votes = self._errors(rows.asked, np.nan_to_num(rows.voted), rows.asked)
        return votes, np.stack(rectifiers, axis=2)

    def _errors(self, counts: Floats, values: Floats, weights: Floats) -> Floats:
        rows = self._rows
        place = rows.item * np.int64(self.pairs.n) + rows.system
        around = counts * (values - self._mean(values, weights))
        total = sum_by_code(place, around, self.items * self.pairs.n)
        return total.reshape(self.items, self.pairs.n)

    def _mean(self, values: Floats, weights: Floats) -> Floats:
        """The mean of the values of each row's system (2 m,); 0 without weight."""
        total, size = self._by_system(weights * values), self._by_system(weights)
        mean = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
        return np.asarray(mean[self._rows.system])

    def _by_system(self, values: Floats) -> Floats:
        return sum_by_code(self._rows.system, values, self.pairs.n)


def _rows(pairs: JudgedPairs) -> Rows:
    item = np.tile(pairs.item, 2)
    system = np.concatenate([pairs.first, pairs.second]).astype(np.int64)
    weights, asked = np.tile(pairs.of_population(), 2), np.tile(pairs.of_labelled(), 2)
    everywhere = weights / sum_by_code(system, weights, pairs.n)[system]
    total = sum_by_code(system, asked, pairs.n)[system]
    share = np.divide(asked, total, out=np.zeros_like(asked), where=total > 0)
    place = np.unique(item * np.int64(pairs.n) + system, return_inverse=True)[1]
    # What a cluster draws towards itself: Bell & McCaffrey (2002), CR2
    leverage = np.minimum(sum_by_code(place, share, len(place))[place], 1 - 1e-9)
    judged, voted = (np.concatenate([said, 1 - said]) for said in (pairs.judged, pairs.voted))
    inflated = share / np.sqrt(1 - leverage)
    return Rows(item, system, judged, voted, everywhere, share, inflated)


PSEUDO = 0.5  # wins and losses each system is taken to have besides, as in `rank`
FAR = 30.0  # log-odds that no finite maximum is found beyond


class _StrengthFit(NamedTuple):
    theta: Floats
    inverse: Floats


class Strengths:
    """Bradley-Terry strengths as 1000 + 400/ln 10 * theta, mean 1000.

    PPI++ (Angelopoulos, Duchi & Zrnic 2023, eq. 4; for rankings Boyeau et al. 2024, section 4):
    theta is where lambda * L(judges, all pairs) - lambda * L(judges, pairs with votes) + L(votes)
    is least, L being the mean logistic loss, which is convex for lambda in [0, 1].

    Each system is taken to have won and lost `pseudo` votes more, on which judges and people agree,
    so that strengths are finite. 0 gives plain PPI++, which raises ArithmeticError where they are
    not.
    """

    share = False

    def __init__(self, pairs: JudgedPairs, *, pseudo: float = PSEUDO) -> None:
        self.pairs, self.items = pairs, int(pairs.item.max(initial=-1)) + 1
        weights, asked = pairs.of_population(), pairs.of_labelled()
        self._everywhere = weights / weights.sum()
        total = asked.sum()
        self._asked = asked / total if total > 0 else asked
        self._votes = np.nan_to_num(pairs.voted)
        # Votes taken besides: the pairs of systems among the votes, how much each won and each lost
        # one weighs, and its size as a cluster (`share_pseudo_comparisons`)
        sides = np.stack([pairs.first, pairs.second])[:, pairs.has_votes]
        low, high = np.sort(sides, axis=0).astype(np.int64)
        cells, met = np.unique(low * pairs.n + high, return_counts=True)
        self._low, self._high = np.divmod(cells, pairs.n)
        share, self._size = share_pseudo_comparisons(
            self._low, self._high, met.astype(float), n=pairs.n
        )
        self._prior = pseudo * share / max(len(low), 1)

    def rate_by_judges(self) -> SolvedRatings:
        """Rate the systems by the judges alone, plus as few pseudo-votes as with people."""
        said, few = self.pairs.judged.mean(axis=1), float(self.pairs.has_votes.mean())
        fit = self._climb(self._everywhere, self._everywhere * said, few)
        scores = self._centre_scores(said - self._expect(fit.theta), self._everywhere)
        return self._place_on_scale(fit, scores @ fit.inverse, few)

    def parts(self) -> tuple[Floats, Floats]:
        """Return what each item adds to the error from votes alone (I, n), and what each judge
        would add at lambda = 1 (I, n, J), at the strengths by votes alone.
        """
        fit = self._fit(np.zeros(self.pairs.judges))
        expected = self._expect(fit.theta)
        votes = self._centre_scores(self._votes - expected, self._asked) @ fit.inverse
        rectifiers = []
        for said in self.pairs.judged.T:
            everywhere = self._centre_scores(said - expected, self._everywhere)
            scores = everywhere - self._centre_scores(said - expected, self._asked)
            rectifiers.append(scores @ fit.inverse)
        return votes, np.stack(rectifiers, axis=2)

    def solve(self, tuning: Floats) -> SolvedRatings:
        """Solve with the judges weighted by `tuning` (J,) or, item by item, (I, J). Raises
        ArithmeticError if strengths are not finite.
        """
        fit, trusted = self._fit(tuning), self._spread_tuning(tuning)
        expected = self._expect(fit.theta)
        said = (trusted * (self.pairs.judged - expected[:, None])).sum(axis=1)
        left = self._votes - expected - said
        asked = self._inflate(self._centre_scores(left, self._asked), fit, trusted.sum(axis=1))
        everywhere = self._centre_scores(said, self._everywhere) @ fit.inverse
        return self._place_on_scale(fit, asked + everywhere, 1 - self._overall(tuning))

    def _fit(self, tuning: Floats) -> _StrengthFit:
        trusted = self._spread_tuning(tuning)
        far = trusted.sum(axis=1)
        said = (trusted * self.pairs.judged).sum(axis=1)
        size = self._everywhere * far + self._asked * (1 - far)
        points = self._everywhere * said + self._asked * (self._votes - said)
        return self._climb(size, points, 1 - self._overall(tuning))

    def _climb(self, size: Floats, points: Floats, pseudo: float) -> _StrengthFit:
        n, pairs = self.pairs.n, self.pairs
        low = np.concatenate([pairs.first, self._low])
        high = np.concatenate([pairs.second, self._high])
        size = np.concatenate([size, 2 * pseudo * self._prior])
        points = np.concatenate([points, pseudo * self._prior])
        cell = low * np.int64(n) + high
        size, points = (sum_by_code(cell, part, n * n).reshape(n, n) for part in (size, points))
        first, second = np.nonzero(size)
        means = average_within(link(first, second, n))  # only differences are known

        def slope(theta: Floats) -> tuple[Floats, Floats]:
            p = expit(theta[:, None] - theta[None, :])
            surplus, curve = points - size * p, size * p * (1 - p)
            curve = curve + curve.T
            information = np.diag(curve.sum(axis=1)) - curve + means
            return surplus.sum(axis=1) - surplus.sum(axis=0), information

        theta = climb(np.zeros(n), slope, np.ptp, tolerance=1e-11, gain=0.0)
        if theta is None or not np.ptp(theta) <= FAR:
            raise ArithmeticError(
                "strengths did not converge: some system won or lost everything against the rest"
            )
        inverse = np.linalg.pinv(slope(theta)[1] - means, hermitian=True)
        return _StrengthFit(theta, np.asarray(inverse, dtype=float))

    def _spread_tuning(self, tuning: Floats) -> Floats:
        shape = (self.items, self.pairs.judges)
        return np.asarray(np.broadcast_to(tuning, shape)[self.pairs.item])

    def _overall(self, tuning: Floats) -> float:
        """Return the total weight of judges, averaged over the pairs with votes."""
        return float((self._spread_tuning(tuning).sum(axis=1) * self._asked).sum())

    def _expect(self, theta: Floats) -> Floats:
        return np.asarray(expit(theta[self.pairs.first] - theta[self.pairs.second]))

    def _centre_scores(self, surplus: Floats, weights: Floats) -> Floats:
        """Compute what each item adds to the slope, less the mean over items (I, n)."""
        mean = self._by_system(weights * surplus, np.zeros_like(self.pairs.item), 1)
        of_item = sum_by_code(self.pairs.item, weights, self.items)
        slope = self._by_system(weights * surplus, self.pairs.item, self.items)
        return np.asarray(slope - of_item[:, None] * mean)

    def _by_system(self, values: Floats, item: Codes, items: int) -> Floats:
        n = self.pairs.n
        place = np.concatenate([item * n + self.pairs.first, item * n + self.pairs.second])
        return sum_by_code(place, np.concatenate([values, -values]), items * n).reshape(items, n)

    def _inflate(self, scores: Floats, fit: _StrengthFit, far: Floats) -> Floats:
        """Inflate errors by their items' leverage (I, n): Bell & McCaffrey 2002, CR2."""
        pairs, n = self.pairs, self.pairs.n
        size = sum_by_code(pairs.item, self._asked, self.items)
        rows = np.flatnonzero(size > 0)
        place = np.searchsorted(rows, pairs.item[pairs.has_votes])
        expected = self._expect(fit.theta)
        curve = (self._asked * (1 - far) * expected * (1 - expected))[pairs.has_votes]
        first, second = pairs.first[pairs.has_votes], pairs.second[pairs.has_votes]
        own = np.zeros((len(rows), n, n))
        for row, column, sign in ((first, first, 1), (second, second, 1), (first, second, -1),
                                  (second, first, -1)):  # fmt: skip
            np.add.at(own, (place, row, column), sign * curve)
        values, vectors = np.linalg.eigh(fit.inverse)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        drawn, axes = np.linalg.eigh(root @ own @ root)
        raised = 1 / np.sqrt(np.maximum(1 - drawn, 1e-3))
        turned = np.einsum("ij,ijk->ik", scores[rows] @ root, axes) * raised
        found = scores @ fit.inverse
        found[rows] = np.einsum("ik,ijk->ij", turned, axes) @ root
        shared = sum_by_code(pairs.item, self._asked * far, self.items)
        return np.asarray(found / np.sqrt(np.maximum(1 - shared, 1e-3))[:, None])

    def _place_on_scale(self, fit: _StrengthFit, errors: Floats, pseudo: float) -> SolvedRatings:
        """With the errors of the pseudo-votes, one won and one lost (2 pairs of systems, n)."""
        count = len(self._low)
        ways = np.zeros((count, self.pairs.n))
        ways[np.arange(count), self._low], ways[np.arange(count), self._high] = 1.0, -1.0
        p = expit(fit.theta[self._low] - fit.theta[self._high])
        weight = pseudo * self._prior / np.sqrt(self._size)
        besides = np.concatenate(
            [ways * (weight * (1 - p))[:, None], ways * (-weight * p)[:, None]]
        )
        every = np.concatenate([errors, besides @ fit.inverse])
        return SolvedRatings(START + SCALE * fit.theta, SCALE * every)
