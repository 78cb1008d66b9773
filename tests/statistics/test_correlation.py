"""Correlations by text, item and system: against SciPy, by hand, and their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import stats

from core.statistics import correlation, intervals, system_level
from core.statistics.correlation import (
    correlate_by_item,
    correlate_by_system,
    correlations,
    pair_accuracy,
    resample_correlations,
)
from core.statistics.system_level import Noise


def coefficients(found):
    return [found.pearson, found.spearman, found.kendall]


def test_a_constant_prediction_is_left_out_or_counts_as_zero() -> None:
    """By hand: item 0 is ordered rightly (1), items 1 and 2 are told nothing about, on item 3 the
    truth is constant, on item 4 both are, and item 5 has one text. So 1 of 1, or 1 / 3.
    """
    predicted = np.array([1, 2, 3, 7, 7, 7, 0, 0, 0, 1, 2, 3, 5, 5, 5, 4], dtype=float)
    truth = np.array([1, 2, 3, 1, 2, 3, 3, 1, 2, 4, 4, 4, 2, 2, 2, 1], dtype=float)
    items = np.repeat(np.arange(6), [3, 3, 3, 3, 3, 1])
    for how, counts, value in (("drop", (1, 5, 1, 2), 1), ("zero", (3, 3, 1, 2), 1 / 3)):
        found = correlate_by_item(items, predicted, truth, constant=how)
        assert (found.items, found.undefined, found.few, found.constant) == counts
        assert coefficients(found) == pytest.approx([value] * 3)
    alone = np.array([0, 0]), np.array([1.0, 1.0]), np.array([1.0, 2.0])
    assert np.isnan(correlate_by_item(*alone).spearman)
    assert correlate_by_item(*alone, constant="zero").spearman == 0


def test_resamples_count_a_constant_prediction_as_the_estimate_does() -> None:
    """Items 0 and 1 of the above, drawn (1, 1), (2, 0) and (0, 2) times."""
    of = np.repeat([0, 1], 3), np.array([1.0, 2, 3, 7, 7, 7]), np.array([1.0, 2, 3, 1, 2, 3])
    counts = np.array([[1.0, 1], [2, 0], [0, 2]])
    dropped = resample_correlations("item", *of, counts).spearman
    zero = resample_correlations("item", *of, counts, constant="zero").spearman
    np.testing.assert_allclose(dropped, [1, 1, np.nan])
    np.testing.assert_allclose(zero, [0.5, 1, 0])


@given(st.integers(0, 10**6))
def test_zero_is_what_scipy_gives_with_zero_for_nan_where_the_truth_differs(seed) -> None:
    rng = np.random.default_rng(seed)
    groups, x, y = np.repeat(np.arange(8), 4), rng.integers(0, 2, 32), rng.integers(0, 3, 32)
    each = []
    for group in range(8):
        of = groups == group
        if np.ptp(y[of]):
            each.append(stats.spearmanr(x[of], y[of]).statistic if np.ptp(x[of]) else 0.0)
    found = correlate_by_item(groups, x.astype(float), y.astype(float), constant="zero")
    if each:
        assert found.spearman == pytest.approx(np.mean(each))


# --- scipy, one call at a time


def test_agrees_with_scipy() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(5, size=40).astype(float), rng.normal(size=40)
        found = correlations(x, y)
        expected = [
            test(x, y).statistic for test in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
        ]
        assert_allclose(coefficients(found), expected, atol=1e-12)


def test_by_item_is_the_mean_over_items_of_any_size_in_any_order() -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(30, size=400)
    x, y = rng.integers(5, size=400).astype(float), rng.normal(size=400)
    found = correlate_by_item(groups, x, y)
    each = [
        stats.spearmanr(x[groups == group], y[groups == group]).statistic for group in range(30)
    ]
    assert found.spearman == pytest.approx(np.mean(each))
    assert found.items == 30


def test_items_that_cannot_be_correlated_are_told_by_why() -> None:
    """Item 0 is complete, 1 is constant, 2 has one text with both values, 3 has none."""
    groups = np.repeat(range(4), 2)
    predicted = np.array([1.0, 2, 3, 3, 4, *[np.nan] * 3])
    found = correlate_by_item(groups, predicted, np.array([1.0, 2] * 4))
    assert (found.items, found.undefined, found.few, found.missing) == (1, 3, 2, 3)
    assert found.pearson == pytest.approx(1)


def test_pair_accuracy_is_somers_d_on_another_scale() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(4, size=30).astype(float), rng.integers(6, size=30).astype(float)
        # somersd(y, x) divides by the pairs that its first argument does not tie.
        expected = (1 + stats.somersd(y, x).statistic) / 2
        assert pair_accuracy(np.zeros(30, int), x, y).accuracy == pytest.approx(expected)


# --- counted by hand


def test_pair_accuracy_by_hand() -> None:
    # Group 0, truth 1 < 2 < 3: (1, 2) right, (1, 3) right, (2, 3) predicted as a tie. Group 5: one
    # pair, wrong. Pairs across the groups, and the pair that the truth ties in group 7, are none.
    groups = np.array([0, 5, 0, 0, 5, 7, 7])
    truth = np.array([1.0, 1.0, 2.0, 3.0, 9.0, 4.0, 4.0])
    predicted = np.array([0.1, 0.8, 0.5, 0.5, 0.2, 0.3, 0.6])
    assert pair_accuracy(groups, predicted, truth) == (2.5 / 4, 4)
    # A constant prediction is at chance; and there may be no pair.
    assert pair_accuracy(np.zeros(3, int), np.ones(3), np.arange(3.0)) == (0.5, 3)
    accuracy, pairs = pair_accuracy(np.array([0, 1]), np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    assert (np.isnan(accuracy), pairs) == (True, 0)


def test_by_system_by_hand() -> None:
    # Means: predicted 2, 5, 3; truth 1, 3, 2. The row with NaN counts for neither mean.
    systems = np.array([4, 4, 9, 9, 1, 4])
    predicted = np.array([1.0, 3.0, 4.0, 6.0, 3.0, np.nan])
    truth = np.array([0.0, 2.0, 3.0, 3.0, 2.0, 100.0])
    found = correlate_by_system(systems, predicted, truth)
    assert found.spearman == found.kendall == pytest.approx(1)
    # Deviations (-4/3, 5/3, -1/3) and (-1, 1, 0): r = 3 / sqrt(42/9 * 2).
    assert found.pearson == pytest.approx(3 / np.sqrt(42 / 9 * 2))
    assert (found.n, found.missing) == (3, 1)


# --- missing and undefined


def test_missing_values_are_left_out_and_counted() -> None:
    x = np.array([1.0, np.nan, 2.0, 3.0, 7.0])
    y = np.array([2.0, 5.0, np.nan, 3.0, 1.0])
    found = correlations(x, y)
    assert (
        found.spearman == correlations(x[[0, 3, 4]], y[[0, 3, 4]]).spearman == pytest.approx(-0.5)
    )
    assert (found.n, found.missing) == (3, 2)
    assert pair_accuracy(np.zeros(5, int), x, y) == (1 / 3, 3)


@pytest.mark.filterwarnings("error")
def test_undefined_is_nan_without_a_warning() -> None:
    for x in [[], [1.0], [2.0, 2.0, 2.0], [np.nan, np.nan, 1.0]]:
        x = np.array(x)
        y = np.arange(len(x), dtype=float)
        groups = np.zeros(len(x), dtype=int)
        found = correlate_by_item(groups, x, y)
        by_system = correlate_by_system(np.arange(len(x)), x, y)
        for one in (correlations(x, y), correlations(y, x), by_system, found):
            assert np.isnan(coefficients(one)).all()
        assert (found.items, found.undefined) == (0, len(set(groups)))  # type: ignore[attr-defined]

    groups = np.array([0, 0, 1, 1, 2])
    found = correlate_by_item(
        groups, np.array([1.0, 2.0, np.nan, np.nan, 1.0]), np.array([3.0, 4.0, 1.0, 2.0, 5.0])
    )
    assert (found.items, found.undefined, found.missing) == (1, 2, 2)  # type: ignore[attr-defined]
    assert found.pearson == pytest.approx(1)


# --- properties

whole = arrays(float, 12, elements=st.integers(-4, 4).map(float))
anything = arrays(float, 12, elements=st.floats(-1e300, 1e300, allow_nan=False))
GROUPS = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2])


@given(x=whole, y=whole)
def test_monotone_transforms_keep_what_rests_on_order(x, y) -> None:
    assume(np.ptp(x) and np.ptp(y))
    before, after = correlations(x, y), correlations(np.exp(x), y**3)
    assert_allclose([after.spearman, after.kendall], [before.spearman, before.kendall], atol=1e-12)
    assert pair_accuracy(GROUPS, np.exp(x), y**3) == pair_accuracy(GROUPS, x, y)


@given(x=whole, y=whole)
def test_negation_mirrors(x, y) -> None:
    assume(np.ptp(x) and np.ptp(y))
    there, back = correlations(x, y), correlations(-x, y)
    assert_allclose(coefficients(back), np.negative(coefficients(there)), atol=1e-12)
    accuracy, pairs = pair_accuracy(GROUPS, x, y)
    mirrored = pair_accuracy(GROUPS, -x, y)
    assert mirrored.pairs == pairs
    assert mirrored.accuracy == pytest.approx(1 - accuracy, nan_ok=True)


@settings(deadline=None)
@given(x=whole, y=whole, order=st.permutations(range(12)))
def test_the_order_of_the_rows_is_nothing(x, y, order) -> None:
    order = np.array(order)
    rows, shuffled = (GROUPS, x, y), (GROUPS[order], x[order], y[order])
    assert pair_accuracy(*shuffled) == pytest.approx(pair_accuracy(*rows), nan_ok=True)
    before, after = correlate_by_item(*rows), correlate_by_item(*shuffled)
    assert (after.items, after.undefined) == (before.items, before.undefined)
    assert after.pearson == pytest.approx(before.pearson, nan_ok=True)


@pytest.mark.filterwarnings("error")
@given(x=anything, y=anything)
def test_coefficients_stay_in_range_for_any_numbers(x, y) -> None:
    found = correlations(x, y)
    for value in coefficients(found):
        assert np.isnan(value) if not (np.ptp(x) and np.ptp(y)) else -1 <= value <= 1


# --- resampling


def test_every_item_drawn_once_gives_the_figures_themselves() -> None:
    for level in ["item", "pool"]:
        rng = np.random.default_rng(9)
        items, nothing = np.repeat(np.arange(8), 5), np.zeros(40, dtype=np.int64)
        truth = rng.integers(1, 6, 40).astype(float)
        predicted = np.where(rng.random(40) < 0.1, np.nan, truth + rng.normal(0, 1, 40))
        drawn = correlation.resample_correlations(level, items, predicted, truth, np.ones((1, 8)))
        of_item = correlate_by_item(items, predicted, truth)
        found = of_item if level == "item" else correlations(predicted, truth)
        accuracy = pair_accuracy(items if level == "item" else nothing, predicted, truth)
        expected = (*coefficients(found), accuracy.accuracy)
        assert_allclose(np.concatenate(drawn), expected, atol=1e-12)


def test_an_item_drawn_twice_is_there_twice() -> None:
    rng = np.random.default_rng(10)
    items = np.repeat(np.arange(6), 4)
    truth, predicted = rng.normal(size=(2, 24))
    counts = np.array([[2.0, 0, 1, 3, 0, 0]])
    drawn = correlation.resample_correlations("pool", items, predicted, truth, counts)
    rows = np.repeat(np.arange(24), counts[0][items].astype(int))
    found = correlations(predicted[rows], truth[rows])
    assert_allclose(np.ravel(coefficients(drawn)), coefficients(found))


def test_the_systems_means_on_a_resample() -> None:
    """pandas on the rows written out; a text that one side has no value of is in neither mean."""
    rng = np.random.default_rng(10)
    items, systems = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    truth, predicted = rng.normal(size=(2, 24))
    predicted[3] = np.nan
    counts = np.array([[2.0, 0, 1, 3, 0, 0], [0, 1, 0, 0, 0, 0]])
    found = correlation.system_means(items, systems, predicted, truth, counts)
    for place, times in enumerate(counts):
        rows = np.repeat(np.arange(24), times[items].astype(int))
        frame = pd.DataFrame({"s": systems, "x": predicted, "y": truth}).iloc[rows].dropna()
        means = frame.groupby("s").mean()
        assert_allclose([side[place] for side in found], means[["x", "y"]].to_numpy().T)


def test_groups_large_and_small_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few texts are compared pair by pair, many are sorted."""
    rng = np.random.default_rng(11)
    groups, truth = rng.integers(0, 9, 80), rng.integers(0, 4, 80).astype(float)
    predicted = truth + rng.integers(-2, 3, 80)

    found = []
    for large in (correlation.LARGE, 1):
        monkeypatch.setattr(correlation, "LARGE", large)
        by_item = correlate_by_item(groups, predicted, truth)
        found.append([*vars(by_item).values(), *pair_accuracy(groups, predicted, truth)])
    assert_allclose(*found, atol=1e-12)


# ---- Intervals of correlations between systems; tests/coverage/correlations.py has their
# coverage


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
    Fieller et al. (1957): tanh(atanh(.5) +- 1.96 sqrt(.437 / 12)). A share of ordered pairs is
    (1 + tau) / 2 where nothing is tied.
    """
    for name, value, ends in (
        ("spearman", 0.6, (0.10229, 0.85745)),
        ("kendall", 0.5, (0.17351, 0.72747)),
        ("pair_accuracy", 0.75, (0.58675, 0.86373)),
    ):
        found = system_level.interval(name, value, without_noise(16))
        assert_allclose(found, ends, atol=1e-5)


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
    found = system_level.noise(tuple(values.mean(axis=2)), tuple(drawn), 40)
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
