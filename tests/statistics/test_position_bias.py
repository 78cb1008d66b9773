from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import binomtest

from core.statistics import intervals, position_bias

probability = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def test_first_position_by_hand() -> None:
    # 3 for the first, 1 for the second, 2 ties, 1 unanswered.
    points = np.array([1, 1, 0, 1, 0.5, 0.5, np.nan])
    found = position_bias.first_position(points, np.arange(7))
    assert (found.p_first, found.first_share) == (3 / 4, 3 / 6)


def test_the_interval_of_p_first_takes_items_into_account() -> None:
    """300 decisive answers on 60 items. The standard error of their mean by statsmodels 0.15.0,
    OLS(points, 1).fit(cov_type="cluster", groups=items), and Student's t with 59 degrees, in
    Wilson's equation.
    """
    rng = np.random.default_rng(2)
    items = np.repeat(np.arange(60), 5)
    points = (rng.random(300) < rng.beta(2, 1, size=60)[items]).astype(float)
    found = position_bias.first_position(points, items)
    p, error = 211 / 300, 0.03934253
    n = p * (1 - p) / (error * stdtrit(59, 0.975) / ndtri(0.975)) ** 2
    theirs = binomtest(211, 300).proportion_ci(method="wilson")
    assert found.p_first == p
    assert_allclose((found.low, found.high), intervals.wilson(np.array(p), np.array(n)), rtol=1e-6)
    assert found.high - found.low > 1.4 * (theirs.high - theirs.low)


def test_the_interval_of_p_first_holds_where_position_matters_on_some_items_only() -> None:
    """In 800 studies of 40 items, 15 pairs each in both orders; each answer for itself: 0.61."""
    rng = np.random.default_rng(11)
    items = np.repeat(np.arange(40), 30)
    held = 0
    for _ in range(800):
        first = rng.beta(1.5, 1.0, size=40)[items]
        points = (rng.random(len(items)) < first).astype(float)
        found = position_bias.first_position(points, items)
        held += found.low <= 0.6 <= found.high
    assert 0.92 <= held / 800 <= 0.98


def test_first_position_of_nothing() -> None:
    nothing, one = np.array([], dtype=int), np.array([0])
    assert np.isnan(position_bias.first_position(np.array([]), nothing)).all()
    assert np.isnan(position_bias.first_position(np.array([np.nan]), one)).all()
    only_ties = position_bias.first_position(np.array([0.5]), one)
    assert np.isnan(only_ties[:3]).all()
    assert only_ties.first_share == 0


def test_both_orders_by_hand() -> None:
    pair = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6])
    back = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1], dtype=bool)
    nan = np.nan
    # same   | bias | ties     | in vain | one | half   | twice: tie, then the same verdict
    points = np.array([1, 0, 1, 1, 0.5, 0.5, nan, nan, 1, 1, nan, 1, 0.5, 0])
    found = position_bias.compare_orders(pair, back, points)
    assert found[:3] == (4, 3, 1)
    assert_array_equal(found.same, [1, 0, 1, nan, nan, nan, 1])
    assert position_bias.compare_orders(pair[:0], back[:0], points[:0])[:3] == (0, 0, 0)


def test_threshold_and_weight_by_hand() -> None:
    assert position_bias.threshold(np.array([0.9, 0.2, 0.6])) == 0.6
    tau = position_bias.threshold(np.array([0.9, 0.2, 0.6, 0.8]))
    assert tau == pytest.approx(0.7)
    assert position_bias.weight(tau) == pytest.approx(3 / 7)
    # alpha p / (alpha p + 1 - p) at p = 0.9: (27/70) / (27/70 + 7/70)
    assert position_bias.reweight(np.array([0.9]), tau)[0] == pytest.approx(27 / 34)
    assert np.isnan(position_bias.threshold(np.array([])))


def test_a_judge_that_is_certain_of_one_side() -> None:
    assert_array_equal(position_bias.reweight(np.array([1.0, 0.9, 0.0]), 1.0), [0.5, 0, 0])
    assert_array_equal(position_bias.reweight(np.array([1.0, 0.1, 0.0]), 0.0), [1, 1, 0.5])
    assert (position_bias.weight(1.0), position_bias.weight(0.0)) == (0, np.inf)


def test_swap_by_hand() -> None:
    assert_allclose(position_bias.swap(np.array([0.9, 1.0]), np.array([0.6, 1.0])), [0.65, 0.5])


@given(p=st.lists(probability, min_size=1, max_size=30).map(np.array))
def test_after_the_threshold_both_positions_win_alike(p) -> None:
    tau = position_bias.threshold(p)
    after = position_bias.reweight(p, tau)
    # At most half on either side; not exactly half only where several probabilities equal the
    # median.
    assert (after > 0.5).sum() <= len(p) / 2
    assert (after < 0.5).sum() <= len(p) / 2
    assert (after[p == tau] == 0.5).all()


@given(p=probability, tau=st.floats(0.01, 0.99))
def test_the_weight_does_what_the_threshold_does(p, tau) -> None:
    alpha, after = position_bias.weight(tau), position_bias.reweight(np.array([p]), tau)[0]
    assert after == pytest.approx(alpha * p / (alpha * p + 1 - p))
    assert (after > 0.5) == (p > tau) or after == pytest.approx(0.5)


@given(p=st.lists(probability, min_size=1, max_size=20).map(np.array))
def test_naming_the_sides_the_other_way_mirrors_it(p) -> None:
    mirrored = position_bias.reweight(1 - p, position_bias.threshold(1 - p))
    assert_allclose(mirrored, 1 - position_bias.reweight(p, position_bias.threshold(p)), atol=1e-6)


@given(i=probability, j=probability)
def test_swap_does_not_depend_on_which_is_called_i(i, j) -> None:
    one, other = (
        position_bias.swap(np.array([i]), np.array([j])),
        position_bias.swap(np.array([j]), np.array([i])),
    )
    assert_allclose(one, 1 - other, atol=1e-12)


def test_the_interval_of_a_threshold_holds_the_median() -> None:
    """Woodruff (1952): intervals hold the median in 93-98% of 1,000 studies of 40 items."""
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(40), 5)
    for alike in (0.0, 0.8):
        held = 0
        for _ in range(1000):
            normal = np.sqrt(alike) * rng.normal(size=40)[groups] + np.sqrt(1 - alike) * rng.normal(
                size=200
            )
            low, high = position_bias.threshold_interval(ndtr(normal + 0.3), groups)
            held += low <= ndtr(0.3) <= high
        assert 0.93 < held / 1000 < 0.985


def test_a_threshold_without_an_interval() -> None:
    for prob, groups in (([], []), ([0.4, 0.4], [0, 1]), ([0.4, 0.6], [0, 0])):
        assert np.isnan(
            position_bias.threshold_interval(np.array(prob), np.array(groups, dtype=int))
        ).all()
    low, high = position_bias.threshold_interval(np.array([0.2, 0.9]), np.array([0, 1]))
    assert (low, high) == (0.2, 0.9)
