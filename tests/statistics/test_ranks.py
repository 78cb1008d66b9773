"""Ranks beside those of SciPy."""

from __future__ import annotations

import numpy as np
from scipy import stats

from core.statistics import rankdata
from core.statistics.ratings import ranks


def test_ranks_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    tied = rng.integers(0, 4, (7, 6)).astype(float)
    tied[1, 2], tied[3, 4] = np.inf, -np.inf
    lacking = tied.copy()
    lacking[2, 3] = np.nan
    several = (tied, lacking, rng.normal(size=(5, 3)), np.empty((0, 3)), np.empty((3, 0)))
    for axis in [None, 0, 1, -1]:
        for values in several:
            expected = stats.rankdata(values, axis=axis)
            found = rankdata(values, axis=axis)
            np.testing.assert_array_equal(found, np.asarray(expected, dtype=float))
    box = rng.integers(0, 3, (2, 4, 5)).astype(float)
    np.testing.assert_array_equal(rankdata(box, axis=-1), stats.rankdata(box, axis=-1))


def test_ranks_of_systems_are_the_best_of_ties_and_none_without_a_rating() -> None:
    rng = np.random.default_rng(5)
    for shape in [(6,), (4, 6), (2, 3, 6), (0,), (0, 3), (3, 0)]:
        rating = rng.integers(0, 4, shape).astype(float)
        lacking = rng.random(shape) < 0.2
        rating[lacking] = np.nan
        low = np.where(lacking, -np.inf, rating)
        expected = stats.rankdata(-low, "min", axis=-1) if rating.size else rating
        np.testing.assert_array_equal(ranks(rating), np.where(lacking, np.nan, expected))
    assert ranks(np.array([1.0, 3.0, 3.0 + 1e-9])).tolist() == [3.0, 1.0, 1.0]
