from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binomtest, t, ttest_1samp, ttest_rel
from statsmodels.stats.multitest import multipletests

from core.statistics import intervals


def test_wilson_is_scipys() -> None:
    for won, of in [(0, 5), (5, 5), (3, 4), (346, 480)]:
        theirs = binomtest(won, of).proportion_ci(method="wilson")
        assert_allclose(
            intervals.wilson(np.array(won / of), np.array(of)),
            [theirs.low, theirs.high],
            atol=1e-12,
        )


def test_an_effective_number_by_hand() -> None:
    """40 items that always give both answers alike: 80 answers are worth 40, and a little less for
    estimating that.
    """
    points = np.repeat(np.arange(40) % 2, 2).astype(float)
    groups = np.repeat(np.arange(40), 2)
    p, low, high, n = intervals.share(points, groups)
    assert (p, n) == (0.5, 80)
    # variance = 40/39 * 40 * 1 / 80^2; t(39) = 2.0227; z = 1.95996
    effective = 0.25 / (40 / 39 * 40 / 80**2) * (1.959964 / 2.022691) ** 2
    assert_allclose((low, high), intervals.wilson(np.array(0.5), np.array(effective)), atol=1e-6)


def test_probabilities_are_as_certain_as_they_vary() -> None:
    """Far from 0 and 1 it is the t interval (scipy); near 1 that would leave [0, 1]."""
    prob = np.random.default_rng(8).beta(30, 30, size=60)
    _, low, high, _ = intervals.share(prob, np.arange(60))
    theirs = ttest_1samp(prob, 0).confidence_interval()
    assert_allclose((low, high), (theirs.low, theirs.high), atol=1e-4)
    sure = np.array([1.0, 1.0, 1.0, 1.0, 0.3])
    assert ttest_1samp(sure, 0).confidence_interval().high > 1
    p, low, high, _ = intervals.share(sure, np.arange(5))
    assert 0 < low < p < high < 1


def test_ties_make_a_share_surer() -> None:
    """100 answers, 80 of them ties: s^2 = 0.05, a fifth of what 10 wins of 20 would leave."""
    points = np.repeat([0.0, 0.5, 1.0], [10, 80, 10])
    _, low, high, _ = intervals.share(points, np.arange(100))
    # variance = 0.05 / 99; t(99) = 1.984217
    effective = 0.25 / (0.05 / 99) * (1.959964 / 1.984217) ** 2
    assert_allclose((low, high), intervals.wilson(np.array(0.5), np.array(effective)), atol=1e-6)


def test_differences_of_shares_are_the_paired_t_tests_within_their_range() -> None:
    one, other = np.random.default_rng(9).integers(0, 2, size=(2, 40)).astype(float)
    theirs = ttest_rel(one, other).confidence_interval()
    found = intervals.difference(one - other, np.arange(40))
    assert_allclose(found, ((one - other).mean(), theirs.low, theirs.high, 40))
    assert intervals.difference(np.array([1.0, 1.0, 0.0]), np.arange(3))[2] == 1.0
    assert np.isnan(intervals.difference(np.ones(3), np.arange(3))[1:3]).all()


def test_all_alike_and_nothing() -> None:
    p, low, high, n = intervals.share(np.ones(30), np.repeat([0, 1, 2], 10))
    assert (p, n) == (1.0, 30)
    assert_allclose((low, high), intervals.wilson(np.array(1.0), np.array(3)))
    nothing = intervals.share(np.array([np.nan]), np.array([0]))
    assert np.isnan(nothing[:3]).all()
    assert nothing[3] == 0


@given(
    points=st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=1, max_size=30).map(
        np.array
    ),
    data=st.data(),
)
def test_swapping_the_answers_mirrors_the_interval(points: np.ndarray, data: st.DataObject) -> None:
    groups = np.array(
        data.draw(st.lists(st.integers(0, 5), min_size=len(points), max_size=len(points)))
    )
    p, low, high, n = intervals.share(points, groups)
    mirrored = intervals.share(1 - points, groups)
    assert_allclose(mirrored, (1 - p, 1 - high, 1 - low, n), atol=1e-9)
    if n:
        assert 0 <= low <= p + 1e-12
        assert p - 1e-12 <= high <= 1


def test_intervals_of_shares_hold_the_truth() -> None:
    """95% intervals hold the true share in 93-98% of 2,000 studies of 30 items, ten answers each,
    independent or not.
    """
    for alike in [0.0, 0.6]:
        rng = np.random.default_rng(3)
        groups = np.repeat(np.arange(30), 10)
        held = 0
        for _ in range(2000):
            of_item = (rng.random(30) < 0.7)[groups]
            own = rng.random(300) < 0.7
            points = np.where(rng.random(300) < alike, of_item, own).astype(float)
            _, low, high, _ = intervals.share(points, groups)
            held += low <= 0.7 <= high
        assert 0.93 < held / 2000 < 0.98


def test_percentiles() -> None:
    samples = np.column_stack([np.arange(1.0, 40.0), np.full(39, np.nan), np.full(39, 2.0)])
    low, high = intervals.percentiles(samples, groups=10**6)
    # Of 39 resamples, 95% of 40 lie between the first and the last.
    assert (low[0], high[0]) == pytest.approx((1, 39))
    assert np.isnan([low[1], high[1], low[2], high[2]]).all()
    assert np.isnan(intervals.percentiles(np.empty((0, 2)), groups=9)).all()


def test_a_mean_is_scipys_where_all_are_independent() -> None:
    values = np.random.default_rng(6).normal(2, 1, 25)
    mean, low, high, n = intervals.mean(np.append(values, np.nan), np.arange(26))
    theirs = ttest_1samp(values, 0).confidence_interval()
    assert_allclose((mean, low, high, n), (values.mean(), theirs.low, theirs.high, 25))
    # Each value three times over in its group tells nothing new.
    again = intervals.mean(np.repeat(values, 3), np.repeat(np.arange(25), 3))
    assert_allclose(again, (mean, low, high, 75))
    assert np.isnan(intervals.mean(np.ones(3), np.arange(3))[1])
    assert intervals.mean(np.array([]), np.array([]))[3] == 0


def test_means_by_column_are_those_of_each_column_alone() -> None:
    rng = np.random.default_rng(7)
    values, groups, column = (
        rng.normal(size=60),
        rng.integers(9, size=60),
        rng.choice([0, 1, 3], size=60),
    )
    values[column == 3] = 0.25
    found = intervals.means_by(values, groups, column, n=5)
    for place in range(5):
        alone = intervals.mean(values[column == place], groups[column == place])
        assert_allclose([part[place] for part in found], alone)
    assert np.isnan(found.low[[2, 3, 4]]).all()
    assert found.n.tolist()[2::2] == [0, 0]


def test_the_mean_of_shares_by_hand() -> None:
    """Two judges on 40 items: one right on every second item, the other on every item. Each item's
    sum of (points - share) / 40, over two judges, is +-1/160, so the variance is 40/39 * 40 /
    160^2.
    """
    right = np.concatenate([np.arange(40) % 2, np.ones(40)]).astype(float)
    item, judge = np.tile(np.arange(40), 2), np.repeat([0, 1], 40)
    effective = min(0.75 * 0.25 / (40 / 39 * 40 / 160**2) * (1.959964 / 2.022691) ** 2, 80)
    found = intervals.mean_of_shares(right, item, judge)
    assert_allclose(
        found, (0.75, *intervals.wilson(np.array(0.75), np.array(effective))), atol=1e-6
    )


def test_the_mean_of_shares_of_one_judge_is_its_share() -> None:
    points = np.random.default_rng(4).choice([0.0, 0.5, 1.0], size=50)
    item = np.arange(50) // 4
    assert_allclose(
        intervals.mean_of_shares(points, item, np.zeros(50, int)), intervals.share(points, item)[:3]
    )
    once = intervals.mean_of_shares(np.ones(4), np.zeros(4, int), np.arange(4) % 2)
    assert_allclose(once, (1.0, *intervals.wilson(np.array(1.0), np.array(1))))


def test_judges_asked_alike_are_no_more_certain_than_one() -> None:
    """Three judges who say the same are one."""
    points = np.random.default_rng(5).choice([0.0, 1.0], size=30)
    one = intervals.share(points, np.arange(30))[:3]
    same = intervals.mean_of_shares(
        np.tile(points, 3), np.tile(np.arange(30), 3), np.repeat(np.arange(3), 30)
    )
    assert_allclose(same, one, rtol=0.02)


def test_intervals_of_means_of_shares_hold_the_truth() -> None:
    """As above, of 1,000 studies: three judges, right on 60%, 70% and 80%, or all on what is easy,
    twice an item.
    """
    for alike in [0.0, 0.6]:
        rng = np.random.default_rng(19)
        groups, column = np.tile(np.repeat(np.arange(30), 2), 3), np.repeat([0, 1, 2], 60)
        held = 0
        for _ in range(1000):
            easy = rng.random(30) < 0.7
            own = rng.random(180) < np.array([0.6, 0.7, 0.8])[column]
            points = np.where(rng.random(180) < alike, easy[groups], own).astype(float)
            _, low, high = intervals.mean_of_shares(points, groups, column)
            held += low <= 0.7 <= high
        assert 0.93 < held / 1000 < 0.98


def test_percentiles_of_few_groups_are_as_wide_as_students() -> None:
    """The mean of 8 values by 20,000 resamples: as wide as scipy's t-interval, which 95% of the
    bootstrap's own spread is not.
    """
    rng = np.random.default_rng(12)
    values = rng.normal(size=8)
    means = intervals.resample_counts(8, 20_000, rng) @ values / 8
    theirs = ttest_1samp(values, 0).confidence_interval()
    low, high = intervals.percentiles(means, groups=8)
    assert high - low == pytest.approx(theirs.high - theirs.low, rel=0.06)
    low, high = intervals.percentiles(means, groups=10**6)
    assert high - low < 0.85 * (theirs.high - theirs.low)


def test_uneven_items_count_by_what_they_carry() -> None:
    """Three items of 8, 1 and 1 answers: 100 / 66 effective ones. Left out in turn, the share is 1,
    6/9 and 7/9 instead of 7/10; the variance is 2/3 of the sum of these squares.
    """
    points = np.array([1.0] * 6 + [0.0] * 2 + [1.0, 0.0])
    items = np.array([0] * 8 + [1, 2])
    assert intervals.effective_groups(
        np.array([8.0, 1, 1]), np.zeros(3, int), n=1
    ) == pytest.approx([100 / 66])
    assert points.mean() == 0.7
    left_out = np.array([1 / 2, 6 / 9, 7 / 9])
    variance = 2 / 3 * ((left_out - 0.7) ** 2).sum()
    ours = intervals.share(points, items)[1:3]
    freedom = 100 / 66 - 1
    effective = min(0.21 / variance * (1.959964 / t.ppf(0.975, freedom)) ** 2, 10)
    assert ours == pytest.approx(intervals.wilson(np.array(0.7), np.array(effective)), abs=1e-5)


def test_an_item_with_most_answers_leaves_a_share_open() -> None:
    """200 of 255 answers are about one item, which says the same each time."""
    points, items = np.repeat([1.0, 0.0], [200, 55]), np.repeat(np.arange(12), [200] + [5] * 11)
    _, low, high, n = intervals.share(points, items)
    assert n == 255
    assert high - low > 0.9


def test_the_p_value_of_one_half_is_where_the_interval_ends() -> None:
    """At the confidence 1 - p the interval ends at one half; alone, it is the score test."""
    for share in [0.5, 0.62, 0.3]:
        rng = np.random.default_rng(int(100 * share))
        items = np.repeat(np.arange(25), rng.integers(1, 9, 25))
        points = (rng.random(len(items)) < share).astype(float)
        p = intervals.score_test_half(points, items)
        found = intervals.estimate_shares(points, items, np.zeros(len(items), dtype=int), n=1)
        for wider, holds in ((0.98, True), (1.02, False)):
            _, low, high, _ = intervals.bound_shares(found, 1 - min(p * wider, 1 - 1e-9))
            assert (low <= 0.5 <= high) == holds or p > 0.97
        assert np.isnan(intervals.score_test_half(np.array([np.nan]), np.array([0])))


def test_holm_by_hand() -> None:
    """Of 0.01, 0.04, 0.03: 3 x 0.01, then 2 x 0.03, then no less than that."""
    adjusted = intervals.holm(np.array([0.01, 0.04, 0.03, np.nan]))
    assert adjusted[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert np.isnan(adjusted[3])
    theirs = multipletests([0.2, 0.001, 0.03, 0.5], method="holm")[1]
    assert intervals.holm(np.array([0.2, 0.001, 0.03, 0.5])) == pytest.approx(theirs)
