""""""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import binomtest, norm, studentized_range, t, ttest_1samp, ttest_rel
from statsmodels.stats.multitest import multipletests

from core.statistics import intervals, ratings
from core.statistics.drawing import Drawing
from core.statistics.uncertainty import (
    TUNED,
    Uncertainty,
    bound_differences,
    critical_value,
    tail_at_every_look,
    tail_together,
    two_way,
)
from tests.statistics.votes import leaderboard, meet, of_two


def wilson(p, n):
    return intervals.wilson(np.array(p), np.array(n))


def test_wilson_is_scipys() -> None:
    for won, of in [(0, 5), (5, 5), (3, 4), (346, 480)]:
        theirs = binomtest(won, of).proportion_ci(method="wilson")
        assert_allclose(wilson(won / of, of), [theirs.low, theirs.high], atol=1e-12)


def test_an_effective_number_by_hand() -> None:
    """40 items that always give both answers alike: 80 answers are worth 40, and a little less for
    estimating that.
    """
    groups = np.repeat(np.arange(40), 2)
    p, low, high, n = intervals.share(groups % 2.0, groups)
    assert (p, n) == (0.5, 80)
    # variance = 40/39 * 40 * 1 / 80^2; t(39) = 2.0227; z = 1.95996
    effective = 0.25 / (40 / 39 * 40 / 80**2) * (1.959964 / 2.022691) ** 2
    assert_allclose((low, high), wilson(0.5, effective), atol=1e-6)


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
    assert_allclose((low, high), wilson(0.5, effective), atol=1e-6)


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
    assert_allclose((low, high), wilson(1.0, 3))
    nothing = intervals.share(np.array([np.nan]), np.array([0]))
    assert np.isnan(nothing[:3]).all()
    assert nothing[3] == 0


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, np.nan]), st.integers(0, 5)),
                min_size=1, max_size=30))  # fmt: skip
def test_swapping_the_answers_mirrors_the_interval(answers) -> None:
    points, groups = np.array(answers).T
    p, low, high, n = intervals.share(points, groups.astype(int))
    mirrored = intervals.share(1 - points, groups.astype(int))
    assert_allclose(mirrored, (1 - p, 1 - high, 1 - low, n), atol=1e-9)
    if n:
        assert 0 <= low <= p + 1e-12
        assert p - 1e-12 <= high <= 1


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
    values, groups = rng.normal(size=60), rng.integers(9, size=60)
    column = rng.choice([0, 1, 3], size=60)
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
    assert_allclose(found, (0.75, *wilson(0.75, effective)), atol=1e-6)


def test_the_mean_of_shares_of_one_judge_is_its_share() -> None:
    points = np.random.default_rng(4).choice([0.0, 0.5, 1.0], size=50)
    item = np.arange(50) // 4
    assert_allclose(
        intervals.mean_of_shares(points, item, np.zeros(50, int)), intervals.share(points, item)[:3]
    )
    once = intervals.mean_of_shares(np.ones(4), np.zeros(4, int), np.arange(4) % 2)
    assert_allclose(once, (1.0, *wilson(1.0, 1)))


def test_judges_asked_alike_are_no_more_certain_than_one() -> None:
    """Three judges who say the same are one."""
    points, item = np.random.default_rng(5).choice([0.0, 1.0], size=30), np.arange(30)
    same = intervals.mean_of_shares(np.tile(points, 3), np.tile(item, 3), np.repeat([0, 1, 2], 30))
    assert_allclose(same, intervals.share(points, item)[:3], rtol=0.02)


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
    assert ours == pytest.approx(wilson(0.7, effective), abs=1e-5)


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


def spread(covariance: np.ndarray, clusters: float, resamples: int = 10**4) -> Uncertainty:
    """Figures at 0 with exactly this covariance."""
    n = len(covariance)
    root = np.linalg.cholesky(covariance).T
    deviations = np.zeros((resamples, n))
    deviations[:n] = root
    return Uncertainty(np.zeros(n), (deviations,), (np.full(n, clusters),), resamples)


def test_two_ways_by_hand() -> None:
    """4 by items, 3 by judges and 1 by both, of 11 items and 4 judges: 4 + 3 - 1 = 6, of which 3 by
    3 degrees of freedom and 3 by 10: 36 / (9/10 + 9/3).
    """
    assert two_way(*map(np.array, (4.0, 3.0, 1.0, 11.0, 4.0))) == pytest.approx((6, 36 / 3.9))
    # Never less than by items alone, whose degrees of freedom it then has.
    assert two_way(*map(np.array, (4.0, 0.0, 1.0, 11.0, 4.0))) == pytest.approx((4, 10))


def test_two_way_variance_of_a_mean_by_hand() -> None:
    """30 items x 20 judges, one comparison each: sums of squares of row, column and cell totals,
    each with its G / (G - 1), as Cameron, Gelbach & Miller (2011) define them.
    """
    rng = np.random.default_rng(3)
    p = 1 / (1 + np.exp(-rng.normal(size=(30, 1)) - rng.normal(size=(1, 20))))
    points = (rng.random((30, 20)) < p).astype(float)
    item, judge = np.indices(points.shape).reshape(2, -1)
    residual = points - points.mean()
    parts = (residual.sum(axis=1), residual.sum(axis=0), residual.ravel())
    of = [(part**2).sum() * len(part) / (len(part) - 1) / 600**2 for part in parts]
    board = of_two(points.ravel(), rng=rng, groups=item, judges=judge, resamples=20_000)
    assert board.uncertainty is not None
    found = [(part**2).sum(axis=0)[0] for part in board.uncertainty.deviations]
    assert_allclose(found, of, rtol=0.05)
    assert board.uncertainty.variance()[0][0] == pytest.approx(of[0] + of[1] - of[2], rel=0.06)


def test_students_interval_is_scipys_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(2, 1, 12)
    deviations = ((values - values.mean()) / np.sqrt(12 * 11))[:, None]
    found = Uncertainty(np.array([values.mean()]), (deviations,), (np.array([12.0]),))
    theirs = ttest_1samp(values, 0).confidence_interval()
    low, high = found.student(found.centre)
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high))
    # Twelve resamples tell it no better than as many clusters: 1 / (1/11 + 1/11) degrees.
    few = Uncertainty(found.centre, (deviations,), (np.array([12.0]),), 12)
    half = t.ppf(0.975, 5.5) * values.std(ddof=1) / np.sqrt(12)
    assert few.student(few.centre)[1][0] == pytest.approx(values.mean() + half)


def test_no_variance_is_no_interval() -> None:
    low, high = Uncertainty(np.ones(2), (np.zeros((9, 2)),), (np.full(2, 5.0),)).student(np.ones(2))
    assert np.isnan([low, high]).all()


def test_the_tail_is_tukeys_where_all_are_alike() -> None:
    """Of n alike figures the greatest difference is Tukey's studentised range (1949), by scipy."""
    for n in [3, 10]:
        found = tail_together(spread(np.eye(n), 10**4, 3000), np.random.default_rng(0))
        theirs = 2 * norm.sf(studentized_range.ppf(0.95, n, np.inf) / np.sqrt(2))
        assert found == pytest.approx(theirs, rel=0.25)


def test_one_difference_is_tested_alone_and_very_many_by_bonferroni() -> None:
    rng = np.random.default_rng(0)
    assert tail_together(spread(np.eye(2), 50), rng) == pytest.approx(0.05)
    assert tail_together(spread(np.eye(120), 50), rng) == pytest.approx(0.05 / (120 * 119 / 2))


def test_a_difference_can_be_certain_where_neither_figure_is() -> None:
    """0 is above 1 in every resample, though both move by twenty; of 2 it is open."""
    covariance = np.array([[100.0, 99.99, -99], [99.99, 100, -99], [-99, -99, 100]])
    figures = np.array([1001.0, 1000, 1000.5])
    uncertainty = Uncertainty(figures, spread(covariance, 10**4).deviations, (np.full(3, 1e4),))
    beats = bound_differences(figures, uncertainty, tail=0.05, share=False)[0] > 0
    assert_array_equal(np.argwhere(beats), [[0, 1]])


def test_a_few_unanimous_items_tell_nothing_apart() -> None:
    """The sign test of as many: 2 / 2^5 = 6%, 2 / 2^6 = 3%, 2 / 2^7 = 1.6%. Looked at always, 9 are
    too few: sqrt(9) is less than any boundary.
    """
    for resolve, items, certain in [
        ("together", 5, False), ("together", 6, False), ("together", 7, True),
        ("together", 30, True), ("always", 9, False), ("always", 40, True),
    ]:  # fmt: skip
        board = of_two(np.ones(items), groups=np.arange(items), resolve=resolve)
        assert board.beats[0, 1] is np.bool_(certain)
        assert board.low[0] < board.high[0] == 1.0


def test_unanimous_answers_have_an_interval_with_a_width() -> None:
    for method in ["win-ratio", "bradley-terry", "elo"]:
        board = of_two(np.ones(12), method)
        assert (board.low < board.high).all()
        assert ((board.low <= board.rating) & (board.rating <= board.high)).all()


def test_ranks_hold_together_by_hand() -> None:
    """0 and 1 are level and above 2 and 3, which are level: ranks 1 to 2 and 3 to 4."""
    rng = np.random.default_rng(2)
    rows = [(i, j) for _ in range(60) for i in (0, 1) for j in (2, 3)]
    first, second = np.array(rows + [(0, 1), (2, 3)] * 60).T
    outcome = np.where((first < 2) & (second > 1), rng.random(len(first)) < 0.95, 0.5)
    board = leaderboard("bradley-terry", first, second, outcome.astype(float), n=4, rng=rng)
    assert board.rank_low.tolist() == [1, 1, 3, 3]
    assert board.rank_high.tolist() == [2, 2, 4, 4]


def compare_ways(n, m, step, method, *ways):
    """Leaderboards of the same votes, of which a system wins more the lower its number."""
    rng = np.random.default_rng(5)
    first, second = meet(rng, n, m)
    outcome = (rng.random(m) < 0.5 + step * (second - first)).astype(float)
    return [leaderboard(method, first, second, outcome, n=n, rng=1, resolve=way) for way in ways]


def test_pair_by_pair_tells_more_apart_than_all_together() -> None:
    together, alone = compare_ways(12, 3000, 0.012, "win-ratio", "together", "pairwise")
    assert (alone.beats | ~together.beats).all()
    assert alone.beats.sum() > together.beats.sum()
    assert_allclose(alone.low, together.low)


def test_the_ends_of_a_difference_of_shares_are_where_its_score_test_turns() -> None:
    """|d - true| sqrt(N / (1 - true^2)) = t, by root finding; N = (1 - d^2) / variance."""
    apart, variance, items = 0.3, 0.02, 12.0
    own = np.sqrt(variance / 2)
    figures = np.array([0.65, 0.35])
    uncertainty = Uncertainty(figures, (own * np.eye(2),), (np.full(2, items),))
    low, high = bound_differences(figures, uncertainty, tail=0.05, share=True)
    number, limit = (1 - apart**2) / variance, t.ppf(0.975, items - 1)

    def test(true: float) -> float:
        return float(abs(apart - true) * np.sqrt(number / (1 - true**2)) - limit)

    ends = brentq(test, -0.999, apart), brentq(test, apart, 0.999)
    assert (low[0, 1], high[0, 1]) == pytest.approx(ends)
    assert (low[1, 0], high[1, 0]) == pytest.approx((-ends[1], -ends[0]))
    wide = bound_differences(figures, uncertainty, tail=0.0, share=True)
    assert np.array(wide)[:, 0, 1] == pytest.approx([-1, 1]), "no look is ever wrong at no tail"


@pytest.mark.parametrize(("answers", "alpha"), [(10, 0.05), (100, 0.05), (100, 0.001), (4000, 0.1)])
def test_the_boundary_is_where_a_mixture_of_bets_has_made_enough(answers, alpha) -> None:
    """Bets exp(l S - l^2 V / 2), with l normal of variance 1 / TUNED, by numerical integration."""

    def made(z):
        total = z * np.sqrt(answers)

        def bet(rate):
            return np.exp(rate * total - rate**2 * answers / 2) * norm.pdf(rate, 0, TUNED**-0.5)

        return quad(bet, -3, 3, points=[total / (answers + TUNED)], limit=200)[0]

    boundary = brentq(lambda z: made(z) - 1 / alpha, 0.5, 12)
    assert critical_value(np.array(answers), np.array(alpha)) == pytest.approx(boundary, rel=1e-6)


CONFSEQ = {
    (10, 0.05): 12.7497942835, (100, 0.05): 30.3851912048, (1000, 0.05): 101.7799052419,
    (10, 0.01): 15.5893922234, (4000, 0.01): 243.7669633707, (100, 0.05 / 6): 36.5426397853,
    (4000, 0.001): 279.1273736625,
}  # fmt: skip
"""(v, alpha) -> TwoSidedNormalMixture of confseq 0.0.11, rho 15, as its C++ (by its authors) says."""


def test_the_boundary_is_that_of_confseq() -> None:
    for (answers, alpha), theirs in CONFSEQ.items():
        ours = critical_value(np.array(answers), np.array(alpha)) * np.sqrt(answers)
        assert ours == pytest.approx(theirs, rel=1e-9)


def test_the_boundary_is_that_of_confseq_where_it_is_installed() -> None:
    boundaries, answers = pytest.importorskip("confseq.boundaries"), np.geomspace(1, 10_000, 20)
    for alpha in [0.05, 0.001]:
        tuned = TUNED * (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha)))  # so that rho is TUNED
        theirs = boundaries.normal_mixture_bound(answers, alpha, tuned, alpha, False)
        assert critical_value(answers, np.array(alpha)) * np.sqrt(answers) == pytest.approx(theirs)


def test_a_fair_coin_looked_at_after_every_toss_is_seldom_called_unfair() -> None:
    """2,000 coins of 3,000 tosses each. By 1.96 standard errors most are, at some look."""
    tosses = np.random.default_rng(2).choice([-1, 1], (2000, 3000)).astype(np.int16)
    number = np.arange(1, 3001)
    z = np.abs(np.cumsum(tosses, axis=1)) / np.sqrt(number)
    ever = (z > critical_value(number, np.array(0.05)))[:, 9:].any(axis=1).mean()
    assert 0.005 < ever < 0.05
    assert (z > 1.96)[:, 9:].any(axis=1).mean() > 0.5


def test_a_single_look_at_this_tail_is_the_boundary() -> None:
    tail = tail_at_every_look(np.array([100.0, 0.0]), np.array(0.05))
    assert norm.isf(tail[0] / 2) == pytest.approx(critical_value(np.array(100), np.array(0.05)))
    assert tail[1] == 0


def test_a_leaderboard_that_holds_at_every_look_is_wider_and_tells_fewer_apart() -> None:
    for method in ("win-ratio", "bradley-terry"):
        always, once = compare_ways(4, 400, 0.06, method, "always", "together")
        assert (once.beats | ~always.beats).all()
        assert once.beats.sum() > always.beats.sum() > 0
        ratio = (always.high - always.low) / (once.high - once.low)
        # 400 answers, 200 a system: sqrt((1 + 15/200) (log(1 + 200/15) + 2 log 20)) = 3.06
        assert ratio == pytest.approx(3.06 / 1.96, rel=0.05)


@pytest.mark.slow
def test_what_sep_elo_changes_holds_at_every_look() -> None:
    """Two equal systems, and separability that says nothing: looked at every 40 votes of 1,000, the
    change is ever called one in 5% of 100 studies at most, and by single looks in far more.
    """
    ever = {"always": 0, "together": 0}
    for rng in np.random.default_rng(11).spawn(100):
        outcome, separable = rng.integers(2, size=1000).astype(float), rng.random(1000)
        apart = dict.fromkeys(ever, False)
        for votes in range(40, 1001, 40):
            of = {"rng": 1, "resamples": 60}
            sep = of_two(outcome[:votes], "sep-elo", separability=separable[:votes], **of)
            plain = of_two(outcome[:votes], "elo", **of)
            for resolve in ever:
                drawn = Drawing(np.random.default_rng(1), 60, resolve=resolve)
                _, low, high = ratings.estimate_change(sep, plain, drawn)
                apart[resolve] |= bool((low[0] > 0) | (high[0] < 0))
        for resolve, wrong in apart.items():
            ever[resolve] += wrong
    assert ever["always"] <= 5 + 4, "two standard errors"
    assert ever["together"] > 15
