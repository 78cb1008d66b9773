from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from core.statistics.position_bias import length_effect

RNG = np.random.default_rng(4)
X = RNG.normal(0.2, 0.8, 400)
Y = (RNG.random(400) < expit(-0.4 + 1.3 * X)).astype(float)
ALONE = np.arange(400)


def test_the_slope_is_scikit_learns() -> None:
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X[:, None], Y)
    found = length_effect(Y, X, ALONE)
    assert found.slope == pytest.approx(model.coef_[0, 0], abs=1e-5)
    assert found.low < found.slope < found.high
    assert found.n == 400


def test_with_ties_it_is_the_likelihoods_maximum() -> None:
    points = np.where(ALONE % 3 == 0, 0.5, Y)

    def loss(beta: np.ndarray) -> float:
        p = expit(beta[0] + beta[1] * X)
        return float(-(points * np.log(p) + (1 - points) * np.log(1 - p)).sum())

    assert length_effect(points, X, ALONE).slope == pytest.approx(
        minimize(loss, [0, 0]).x[1], abs=1e-4
    )


def test_which_is_called_first_does_not_matter() -> None:
    assert_allclose(length_effect(1 - Y, -X, ALONE), length_effect(Y, X, ALONE), atol=1e-8)


def test_answers_repeated_within_an_item_tell_nothing_new() -> None:
    """Each answer four times: four times the n, the same interval but for the clusters."""
    once, four = (
        length_effect(Y, X, ALONE),
        length_effect(np.tile(Y, 4), np.tile(X, 4), np.tile(ALONE, 4)),
    )
    assert_allclose(four[:3], once[:3], rtol=1e-6)
    assert four.n == 1600


def test_always_the_longer() -> None:
    for sign in [1, -1]:
        x = np.array([-2.0, -1, 1, 2, 3])
        found = length_effect((sign * x > 0).astype(float), x, np.arange(5))
        assert found.slope == sign * np.inf
        assert np.isnan(found.low)


def test_nothing_to_fit() -> None:
    nan = np.nan
    for points, x in (
        ([], []),
        ([1.0, 0], [0.0, 0]),
        ([1.0, 1], [1.0, 2]),
        ([0.5, 0.5], [1.0, -2]),
        ([nan, 1], [1.0, nan]),
    ):
        found = length_effect(np.array(points), np.array(x), np.arange(len(x)))
        assert np.isnan(found[:3]).all()


def test_the_interval_holds_the_truth() -> None:
    """In 92-98% of 500 simulated studies of 40 items, six pairs each that share an effect."""
    rng, held = np.random.default_rng(5), 0
    groups = np.repeat(np.arange(40), 6)
    for _ in range(500):
        x = rng.normal(0, 0.7, 40)[groups] + rng.normal(0, 0.5, 240)
        y = (rng.random(240) < expit(0.3 + 0.9 * x)).astype(float)
        _, low, high, *_ = length_effect(y, x, groups)
        held += low <= 0.9 <= high
    assert 0.92 < held / 500 < 0.98


@given(
    answers=st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.5, 1.0, np.nan]),
            st.sampled_from([0.0, 1e-9, -1e-9, 1.0, -0.5, 20.0]),
        ),
        max_size=8,
    )
)
def test_any_few_answers_have_an_effect_or_none(answers: list[tuple[float, float]]) -> None:
    points, x = (
        np.array(column, dtype=float)
        for column in (zip(*answers, strict=True) if answers else ([], []))
    )
    slope, low, high, n, _ = length_effect(points, x, np.arange(len(x)) // 2)
    assert n == ((x != 0) & ~np.isnan(points)).sum()
    assert np.isnan(low) or low <= slope <= high


def test_the_unit_of_length_is_nothing() -> None:
    found, tiny = length_effect(Y, X, ALONE), length_effect(Y, X * 1e-6, ALONE)
    assert_allclose(np.array(tiny[:3]) * 1e-6, found[:3], rtol=1e-6)


def test_the_interval_is_as_wide_as_refits_without_each_item_say() -> None:
    """By statsmodels, refitted without each of 20 items; Student's t at as many items as count."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(20), rng.integers(2, 20, 20))
    doublings = rng.normal(size=len(groups))
    points = (rng.random(len(groups)) < expit(0.3 + 0.5 * doublings)).astype(float)
    design = statsmodels.api.add_constant(doublings)

    def slope(kept):
        fit = statsmodels.api.Logit(points[kept], design[kept]).fit(disp=0)
        return float(fit.params[1])

    every = slope(np.ones(len(points), dtype=bool))
    moved = np.array([slope(groups != item) - every for item in range(20)])
    error = np.sqrt(19 / 20 * (moved**2).sum())
    found = length_effect(points, doublings, groups)
    assert found.slope == pytest.approx(every, abs=1e-6)
    half = (found.high - found.low) / 2
    assert 2.05 * error < half < 2.3 * error  # t at 10 to 20 degrees of freedom, and one step
