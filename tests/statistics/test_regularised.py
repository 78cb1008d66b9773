"""Strengths with half a win and half a loss more: by hand, and against a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import log_expit

from core.statistics import regularised_bradley_terry
from core.statistics.columns import SCALE
from tests.statistics.votes import columns, simulated


def test_a_system_that_never_lost_by_hand() -> None:
    """0 beats 1 in all three comparisons. By symmetry the system besides stands halfway, at 0: with
    d half the gap, 3 (1 - s(2d)) + 1/2 - s(d) = 0.
    """
    rating = regularised_bradley_terry(*columns(*[(0, 1, 1)] * 3), n=2)
    d = (rating[0] - 1000) / SCALE
    assert rating.sum() == pytest.approx(2000)
    assert 3 / (1 + np.exp(2 * d)) + 0.5 == pytest.approx(1 / (1 + np.exp(-d)), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_a_general_optimiser(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second, outcome = simulated(rng, rng.normal(size=4), 40)

    def surprise(x: np.ndarray) -> float:
        gap = x[first] - x[second]
        seen = outcome * log_expit(gap) + (1 - outcome) * log_expit(-gap)
        more = (log_expit(x[:4] - x[4]) + log_expit(x[4] - x[:4])) / 2
        return -float(seen.sum() + more.sum()) + float(x.mean() ** 2)

    found = minimize(surprise, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x[:4]
    ours = (regularised_bradley_terry(first, second, outcome, n=4) - 1000) / SCALE
    assert_allclose(ours, found - found.mean(), atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(4)))
def test_relabelling_and_mirroring(seed: int, order: list[int]) -> None:
    first, second, outcome = simulated(np.random.default_rng(seed), np.zeros(4), 12)
    rating = regularised_bradley_terry(first, second, outcome, n=4)
    assert_allclose(regularised_bradley_terry(second, first, 1 - outcome, n=4), rating, atol=1e-5)
    place = np.array(order)
    renamed = regularised_bradley_terry(place[first], place[second], outcome, n=4)
    assert_allclose(renamed[place], rating, atol=1e-5)


def test_who_was_never_compared_has_none() -> None:
    rating = regularised_bradley_terry(*columns((0, 2, 1)), n=3)
    assert np.isnan(rating[1])
    assert rating[0] + rating[2] == pytest.approx(2000)
