"""Ranks beside those of SciPy."""

from __future__ import annotations

import numpy as np
from scipy import stats

from core.statistics import rankdata


def test_ranks_are_those_of_scipy() -> None:
    for method in ["average", "min"]:
        for axis in [None, 0, 1, -1]:
            rng = np.random.default_rng(3)
            tied = rng.integers(0, 4, (7, 6)).astype(float)
            tied[1, 2], tied[3, 4] = np.inf, -np.inf
            lacking = tied.copy()
            lacking[2, 3] = np.nan
            for values in (
                tied,
                lacking,
                rng.normal(size=(5, 3)),
                np.empty((0, 3)),
                np.empty((3, 0)),
            ):
                expected = stats.rankdata(values, method=method, axis=axis)
                ranks = rankdata(values, method=method, axis=axis)
                np.testing.assert_array_equal(ranks, np.asarray(expected, dtype=float))


def test_ranks_of_a_row_and_of_a_box() -> None:
    np.testing.assert_array_equal(rankdata(np.array([3.0, 1.0, 3.0])), [2.5, 1.0, 2.5])
    box = np.random.default_rng(5).integers(0, 3, (2, 4, 5)).astype(float)
    np.testing.assert_array_equal(rankdata(box, axis=-1), stats.rankdata(box, axis=-1))
