"""Pairs of texts that judges answered, with people's votes on some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Codes, Floats


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
    """Ratings (n,), and what each item adds to the error of each, (I, n): the sum of the squares is
    the variance. Rows after those of the items are of votes that are taken besides.
    """

    rating: Floats
    errors: Floats


def sum_by_code(codes: Codes, values: NDArray[Any], n: int) -> Floats:
    """The sum of the values of each code 0..n-1."""
    return np.asarray(np.bincount(codes, values, n), dtype=float)
