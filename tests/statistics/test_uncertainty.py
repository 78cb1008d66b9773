from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.stats import norm, studentized_range, t, ttest_1samp

from core.statistics.uncertainty import Uncertainty, bound_differences, tail_together, two_way
from tests.statistics.votes import leaderboard


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
    zero = np.zeros(600, int)
    board = leaderboard(
        "win-ratio", zero, zero + 1, points.ravel(), n=2, rng=rng, groups=item, judges=judge,
        resamples=20_000,
    )  # fmt: skip
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
    """The sign test of as many: 2 / 2^5 = 6%, 2 / 2^6 = 3%, 2 / 2^7 = 1.6%."""
    for items, certain in [(5, False), (6, False), (7, True), (30, True)]:
        zero = np.zeros(items, int)
        board = leaderboard(
            "win-ratio", zero, zero + 1, np.ones(items), n=2, rng=np.random.default_rng(0),
            groups=np.arange(items),
        )  # fmt: skip
        assert board.beats[0, 1] is np.bool_(certain)
        assert board.low[0] < board.high[0] == 1.0


def test_unanimous_answers_have_an_interval_with_a_width() -> None:
    for method in ["win-ratio", "bradley-terry", "elo"]:
        zero = np.zeros(12, int)
        board = leaderboard(method, zero, zero + 1, np.ones(12), n=2, rng=np.random.default_rng(0))
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


def test_pair_by_pair_tells_more_apart_than_all_together() -> None:
    rng = np.random.default_rng(5)
    n, m = 12, 3000
    first = rng.integers(n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    outcome = (rng.random(m) < 0.5 + 0.012 * (second - first)).astype(float)
    together, alone = (
        leaderboard("win-ratio", first, second, outcome, n=n, rng=np.random.default_rng(1),
                    resolve=resolve)
        for resolve in ("together", "pairwise")
    )  # fmt: skip
    assert (alone.beats | ~together.beats).all()
    assert alone.beats.sum() > together.beats.sum()
    assert_allclose(alone.low, together.low)


def test_the_ends_of_a_difference_of_shares_are_where_its_score_test_turns() -> None:
    """|d - true| sqrt(N / (1 - true^2)) = t, by root finding; N = (1 - d^2) / variance."""
    apart, variance, items = 0.3, 0.02, 12.0
    own = np.sqrt(variance / 2)
    deviations = (np.array([[own, 0.0], [0.0, own]]),)
    figures = np.array([0.65, 0.35])
    uncertainty = Uncertainty(figures, deviations, (np.full(2, items),))
    low, high = bound_differences(figures, uncertainty, tail=0.05, share=True)
    number, limit = (1 - apart**2) / variance, t.ppf(0.975, items - 1)

    def test(true: float) -> float:
        return float(abs(apart - true) * np.sqrt(number / (1 - true**2)) - limit)

    ends = brentq(test, -0.999, apart), brentq(test, apart, 0.999)
    assert (low[0, 1], high[0, 1]) == pytest.approx(ends)
    assert (low[1, 0], high[1, 0]) == pytest.approx((-ends[1], -ends[0]))
    wide = bound_differences(figures, uncertainty, tail=0.0, share=True)
    assert np.array(wide)[:, 0, 1] == pytest.approx([-1, 1]), "no look is ever wrong at no tail"
