"""Reliability of means of raters, against pingouin and a hand count."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.statistics.reliability import (
    ceiling,
    estimate_reliability_of_means,
    estimate_scale_separation,
    reliability,
)


def ratings() -> np.ndarray:
    rng = np.random.default_rng(4)
    return rng.normal(size=(30, 1)) + rng.normal(size=(30, 3))


TARGET = np.repeat(np.arange(30), 3)


def test_it_is_pingouins_icc() -> None:
    """pingouin 0.7.0: intraclass_corr(...), ICC(1,k) of 30 targets by three raters each."""
    values = ratings().ravel()
    assert reliability(values, TARGET) == pytest.approx(0.881293, abs=1e-6)
    once = reliability(values, TARGET, weights=np.ones((2, 30)))
    assert_allclose(once, [0.881293] * 2, atol=1e-6)


def test_within_groups_by_hand() -> None:
    """Three groups of ten: mean squares with 27 and 60 degrees of freedom."""
    values = ratings()
    by_group = values.reshape(3, 10, 3)
    means = by_group.mean(axis=2)
    between = 3 * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum() / 27
    within = ((by_group - means[:, :, None]) ** 2).sum() / 60
    found = reliability(values.ravel(), TARGET, group=np.repeat(np.arange(3), 10))
    assert found == pytest.approx((between - within) / between)


def test_a_target_drawn_twice_is_there_twice() -> None:
    values, times = ratings(), np.random.default_rng(5).integers(0, 3, size=30)
    rows = np.repeat(np.arange(30), times)
    found = reliability(values.ravel(), TARGET, weights=times[None].astype(float))
    again = reliability(values[rows].ravel(), np.repeat(np.arange(len(rows)), 3))
    assert found[0] == pytest.approx(float(again))


def test_a_ceiling_is_what_a_perfect_prediction_reaches() -> None:
    """20,000 targets, whose truth is known; some have two raters and some four."""
    rng = np.random.default_rng(6)
    truth = rng.normal(size=20_000)
    raters = np.where(rng.random(20_000) < 0.5, 2, 4)
    target = np.repeat(np.arange(20_000), raters)
    values = truth[target] + rng.normal(0, 1.5, size=len(target))
    means = np.bincount(target, values) / raters
    reached = np.corrcoef(truth, means)[0, 1]
    assert ceiling(reliability(values, target)) == pytest.approx(reached, abs=0.01)


def test_means_of_one_target_each_are_the_targets() -> None:
    """pingouin's ICC(1,k), as above."""
    values = ratings().ravel()
    assert estimate_reliability_of_means(values, TARGET, np.arange(30)) == pytest.approx(
        0.881293, abs=1e-6
    )


def test_what_is_left_of_the_variance_of_means() -> None:
    """2,000 systems on 20 items, 1 or 3 raters a text; the truth is known, and so is how well the
    systems' true means follow those of the raters.
    """
    rng = np.random.default_rng(8)
    system = np.repeat(np.arange(2000), 20)
    raters = np.where(np.arange(len(system)) % 2, 1, 3)
    target = np.repeat(np.arange(len(system)), raters)
    truth = rng.normal(size=2000)[system] * 0.5 + rng.normal(size=len(system))
    values = truth[target] + rng.normal(0, 2, size=len(target))
    true = np.bincount(system, truth) / 20
    seen = np.bincount(system, np.bincount(target, values) / raters) / 20
    reached = np.corrcoef(true, seen)[0, 1]
    assert ceiling(estimate_reliability_of_means(values, target, system)) == pytest.approx(
        reached, abs=0.02
    )


def test_a_mean_whose_targets_are_drawn_twice_has_them_twice() -> None:
    values, times = ratings(), np.random.default_rng(5).integers(1, 3, size=30)
    mean = np.arange(30) % 6
    rows = np.repeat(np.arange(30), times)
    found = estimate_reliability_of_means(
        values.ravel(), TARGET, mean, weights=times[None].astype(float)
    )
    again = estimate_reliability_of_means(
        values[rows].ravel(), np.repeat(np.arange(len(rows)), 3), mean[rows]
    )
    assert found[0] == pytest.approx(float(again))
    assert np.isnan(estimate_reliability_of_means(values.ravel(), TARGET, np.zeros(30, int))), (
        "one mean does not vary"
    )


def test_nothing_to_say() -> None:
    once = np.arange(4)
    assert np.isnan(reliability(once.astype(float), once))
    assert np.isnan(reliability(np.array([1.0, 2.0]), np.array([0, 0])))
    other = np.tile([1.0, 0.0], 10) + np.repeat(np.arange(10) % 2, 2) * 0.1
    assert reliability(other, np.repeat(np.arange(10), 2)) < 0, "raters differ, targets hardly do"
    assert ceiling(np.array(-0.5)) == 0


def test_scale_separation_by_hand() -> None:
    """Ratings 1, 2, 3 have variance 1; a system that was never compared is left out."""
    rating, variance = np.array([1.0, 2.0, 3.0, np.nan]), np.array([0.1, 0.2, 0.3, np.nan])
    assert estimate_scale_separation(rating, variance) == pytest.approx(0.8)
    assert estimate_scale_separation(rating, 10 * variance) == 0, "a share is never below 0"
    # A baseline, whose rating has no error by definition, is none of the systems that are compared
    with_baseline = np.append(rating, 0.5), np.append(variance, 0.0)
    assert estimate_scale_separation(*with_baseline) == pytest.approx(0.8)
    assert np.isnan(estimate_scale_separation(np.array([2.0, 2.0]), np.ones(2)))
    assert np.isnan(estimate_scale_separation(np.array([2.0]), np.ones(1)))


def test_scale_separation_is_the_squared_correlation_with_the_truth() -> None:
    """Of 20,000 systems with variance 4 and errors of variance 1, 4 / 5."""
    rng = np.random.default_rng(0)
    truth = 2 * rng.normal(size=20_000)
    rating = truth + rng.normal(size=20_000)
    found = estimate_scale_separation(rating, np.ones(20_000))
    assert found == pytest.approx(0.8, abs=0.01)
    assert found == pytest.approx(np.corrcoef(truth, rating)[0, 1] ** 2, abs=0.01)
