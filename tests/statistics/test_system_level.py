"""Intervals of correlations between systems; tests/coverage/correlations.py has their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from core.statistics import intervals, system_level
from core.statistics.system_level import Noise

NONE = np.zeros((2, 2))
NAMES = ("pearson", "spearman", "kendall", "pair_accuracy")


def without_noise(systems: int) -> Noise:
    return Noise(np.eye(2), NONE, systems)


def test_pearsons_is_scipys_where_items_add_no_noise() -> None:
    for r, systems in [(0.0, 6), (0.4, 16), (-0.8, 40)]:
        rng = np.random.default_rng(systems)
        x, e = rng.normal(size=(2, systems))
        x, e = x - x.mean(), e - e.mean()
        e -= x * (e @ x) / (x @ x)
        y = r * x / np.sqrt(x @ x) + np.sqrt(1 - r**2) * e / np.sqrt(e @ e)
        theirs = stats.pearsonr(x, y)
        assert theirs.statistic == pytest.approx(r, abs=1e-9)
        found = system_level.interval("pearson", r, without_noise(systems))
        assert_allclose(found, theirs.confidence_interval(), atol=1e-9)


def test_spearmans_and_kendalls_by_hand() -> None:
    """Of 16 systems. Bonett & Wright (2000): tanh(atanh(.6) +- 1.96 sqrt((1 + .18) / 13));
    Fieller et al. (1957): tanh(atanh(.5) +- 1.96 sqrt(.437 / 12)).
    """
    found = system_level.interval("spearman", 0.6, without_noise(16))
    assert_allclose(found, (0.10229, 0.85745), atol=1e-5)
    found = system_level.interval("kendall", 0.5, without_noise(16))
    assert_allclose(found, (0.17351, 0.72747), atol=1e-5)
    # A share of ordered pairs is (1 + tau) / 2 where nothing is tied.
    found = system_level.interval("pair_accuracy", 0.75, without_noise(16))
    assert_allclose(found, (0.58675, 0.86373), atol=1e-5)


def test_a_perfect_order_of_few_systems_is_not_certain() -> None:
    for name in NAMES:
        low, high = system_level.interval(name, 1.0, without_noise(6))
        assert low < 0.9 or name == "pearson"
        assert low < high <= 1


def test_too_few_systems_have_no_interval() -> None:
    for name in NAMES:
        rng = np.random.default_rng(1)
        for systems in (2, 4, 5):
            values, drawn = rng.normal(size=(2, systems)), rng.normal(size=(2, 50, systems))
            of = system_level.noise((values[0], values[1]), (drawn[0], drawn[1]), 10)
            known = not np.isnan(system_level.interval(name, 0.5, of)).any()
            assert known == (systems >= 5), systems


def test_relatives_count_as_many_bases() -> None:
    """Twelve systems; of pairs, the interval is that of six systems, and of three bases none."""
    for sizes, worth in [((1,) * 12, 12), ((2,) * 6, 6), ((7, 3, 2), 144 / 62)]:
        rng = np.random.default_rng(3)
        x, y, drawn = rng.normal(size=12), rng.normal(size=12), np.zeros((2, 50, 12))
        base = np.repeat(np.arange(len(sizes)), sizes)
        of = system_level.noise((x, y), (drawn[0], drawn[1]), 10, base)
        assert of.systems == pytest.approx(worth)
        found = system_level.interval("pearson", 0.4, of)
        half = 1.959964 / np.sqrt(max(worth - 3, 1e-9))
        by_hand = np.tanh([np.arctanh(0.4) - half, np.arctanh(0.4) + half])
        assert found == pytest.approx(by_hand if worth >= 5 else (np.nan, np.nan), nan_ok=True)


def test_the_noise_is_that_of_an_analysis_of_variance() -> None:
    """12 systems on 40 items without repeats: what is left of items x systems, by items."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(2, 12, 1)) + rng.normal(size=(2, 1, 40))
    values = values + rng.normal(size=(2, 12, 40))
    rest = values - values.mean(axis=2, keepdims=True) - values.mean(axis=1, keepdims=True)
    rest += values.mean(axis=(1, 2), keepdims=True)
    by_hand = np.einsum("ist,jst->ij", rest, rest) / (11 * 39) / 40
    counts = intervals.resample_counts(40, 20_000, rng)
    drawn = [np.einsum("bi,si->bs", counts, side) / 40 for side in values]
    found = system_level.noise(
        (values[0].mean(axis=1), values[1].mean(axis=1)), (drawn[0], drawn[1]), 40
    )
    assert_allclose(found.error, by_hand, atol=0.03 * by_hand[0, 0])
    assert_allclose(found.observed, np.cov(values.mean(axis=2)))


def test_what_few_items_may_have_hidden_is_held() -> None:
    """Half of the variance of both is noise of its own, so a correlation of .4 may be one of .8
    (Spearman 1904: .4 / sqrt(.5 x .5)), and either end is drawn out like that.
    """
    low, high = system_level.interval("pearson", 0.4, without_noise(30))
    noisy = system_level.interval("pearson", 0.4, Noise(np.eye(2), np.eye(2) / 2, 30))
    assert noisy == pytest.approx((low, min(1, 2 * high)))
    common = Noise(np.eye(2), np.full((2, 2), 0.5), 30)  # the same noise in both
    assert system_level.interval("pearson", 0.4, common)[0] == pytest.approx((low - 0.5) / 0.5)


def test_turning_the_values_mirrors_the_interval() -> None:
    for name in NAMES[:3]:
        error = np.array([[0.2, 0.1], [0.1, 0.4]])
        low, high = system_level.interval(name, 0.3, Noise(np.eye(2), error, 9))
        turned = Noise(np.eye(2), error * [[1, -1], [-1, 1]], 9)
        assert system_level.interval(name, -0.3, turned) == pytest.approx((-high, -low))
