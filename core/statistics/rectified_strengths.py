"""Bradley-Terry strengths from many judged pairs and few votes, and what each item adds to their
error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .columns import SCALE, START, Codes, Floats, average_within, link
from .judged_pairs import JudgedPairs, SolvedRatings, sum_by_code
from .logistic import climb
from .opponents import share_pseudo_comparisons

PSEUDO = 0.5
"""How often each system is taken to have won and lost besides, as in the intervals of `rank`."""
FAR = 30.0  # log-odds that no finite maximum is found beyond


class _StrengthFit(NamedTuple):
    """Strengths (n,) in log-odds, and the inverse of the curvature (n, n) there."""

    theta: Floats
    inverse: Floats


class Strengths:
    """Bradley-Terry strengths as 1000 + 400/ln 10 * theta, mean 1000.

    PPI++ (Angelopoulos, Duchi & Zrnic 2023, eq. 4; for rankings Boyeau et al. 2024, section 4):
    theta is where lambda * L(judges, all pairs) - lambda * L(judges, pairs with votes) + L(votes)
    is least, L being the mean logistic loss, which is convex for lambda in [0, 1].

    Each system is taken to have won and lost `pseudo` votes more, on which judges and people
    agree: so a system that won all its votes has a finite strength, and with better judges these
    matter less. 0 gives plain PPI++, which raises ArithmeticError where strengths are infinite.
    """

    share = False

    def __init__(self, pairs: JudgedPairs, *, pseudo: float = PSEUDO) -> None:
        self.pairs, self.items = pairs, int(pairs.item.max(initial=-1)) + 1
        weights, asked = pairs.of_population(), pairs.of_labelled()
        self._everywhere = weights / weights.sum()
        total = asked.sum()
        self._asked = asked / total if total > 0 else asked
        self._low, self._high, self._prior, self._size = _pseudo(pairs, pseudo)
        self._votes = np.nan_to_num(pairs.voted)

    def rate_by_judges(self) -> SolvedRatings:
        """Rate the systems by the judges alone: their mean answer, plus as few pseudo-votes as with
        people.
        """
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
        means = average_within(link(*np.nonzero(size), n))  # only differences are known

        def slope(theta: Floats) -> tuple[Floats, Floats]:
            p = expit(theta[:, None] - theta[None, :])
            surplus, curve = points - size * p, size * p * (1 - p)
            curve = curve + curve.T
            information = np.diag(curve.sum(axis=1)) - curve + means
            return surplus.sum(axis=1) - surplus.sum(axis=0), information

        theta = climb(np.zeros(n), slope, np.ptp, tolerance=1e-11)
        if theta is None or np.ptp(theta) > FAR:
            raise ArithmeticError(
                "strengths did not converge: some system won or lost everything against the rest"
            )
        information = slope(theta)[1] - means
        return _StrengthFit(theta, np.linalg.pinv(information, hermitian=True))

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
        """Inflate the errors of items with votes by their leverage (I, n): (I - H)^(-1/2) (Bell &
        McCaffrey 2002, CR2).
        """
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

    def _pseudo_errors(self, fit: _StrengthFit, part: float) -> Floats:
        """Compute what the pseudo-votes, one won and one lost, add to the error (2 pairs of
        systems, n).
        """
        n, count = self.pairs.n, len(self._low)
        ways = np.zeros((count, n))
        ways[np.arange(count), self._low], ways[np.arange(count), self._high] = 1.0, -1.0
        p = expit(fit.theta[self._low] - fit.theta[self._high])
        weight = part * self._prior / np.sqrt(self._size)
        won, lost = ways * (weight * (1 - p))[:, None], ways * (-weight * p)[:, None]
        return np.concatenate([won, lost]) @ fit.inverse

    def _place_on_scale(self, fit: _StrengthFit, errors: Floats, pseudo: float) -> SolvedRatings:
        every = np.concatenate([errors, self._pseudo_errors(fit, pseudo)])
        return SolvedRatings(START + SCALE * fit.theta, SCALE * every)


def _pseudo(pairs: JudgedPairs, pseudo: float) -> tuple[Codes, Codes, Floats, Floats]:
    """Pairs of systems among the votes, and how much each won and each lost vote taken besides
    weighs, `pseudo` times its share, and is drawn: see `share_pseudo_comparisons`.
    """
    n = np.int64(pairs.n)
    there = np.flatnonzero(pairs.has_votes)
    low = np.minimum(pairs.first[there], pairs.second[there])
    high = np.maximum(pairs.first[there], pairs.second[there])
    cells, met = np.unique(low * n + high, return_counts=True)
    low, high = cells // n, cells % n
    share, size = share_pseudo_comparisons(low, high, met.astype(float), n=pairs.n)
    return low, high, pseudo * share / max(len(there), 1), size
