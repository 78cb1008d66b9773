from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, t

from core.statistics import ratings, settling
from core.statistics.drawing import Drawing
from core.statistics.uncertainty import ANSWER, Uncertainty, critical_value


def known(centre, errors, clusters=1000) -> Uncertainty:
    """Ratings that vary independently, each with its standard error."""
    rng = np.random.default_rng(0)
    # Columns orthogonal to each other and of length 1: their covariance is exact.
    columns = np.linalg.qr(rng.standard_normal((400, len(centre))))[0]
    each = np.full(len(centre), float(clusters))
    return Uncertainty(np.array(centre, dtype=float), (columns * np.array(errors),), (each,), 400)


def rng():
    return np.random.default_rng(7)


def test_the_chance_that_neighbours_are_in_the_right_order() -> None:
    """Gaps of 3 and 4 (errors 5 and 5, each of two 3-4-5 triangles) by Student's t."""
    spread = known([4.0, 1.0, -3.0], [3.0, 4.0, 3.0])
    beats = np.zeros((3, 3), dtype=bool)
    beats[1, 2] = True
    found = settling.estimate_order(spread, beats, rng())
    assert found.systems.tolist() == [0, 1, 2]
    assert_allclose(found.gap, [3, 4])
    freedom = 1 / (1 / 999 + 1 / 399)
    assert_allclose(found.p_better, t(freedom).cdf([3 / 5, 4 / 5]))
    assert found.is_significant.tolist() == [False, True]
    assert found.rivals.tolist() == [1, 2]


def test_who_beats_somebody_who_beats_a_third_beats_the_third() -> None:
    """0 beats 1 and 1 beats 2: with all pairs at once, 0 beats 2 and has no rivals."""
    beats = np.zeros((3, 3), dtype=bool)
    beats[0, 1] = beats[1, 2] = True
    found = settling.estimate_order(known([4.0, 1.0, -3.0], [3.0, 4.0, 3.0]), beats, rng())
    assert found.rivals.tolist() == []
    assert found.is_significant.all()


def test_the_chance_that_the_whole_order_is_right_by_integration() -> None:
    """Of two systems it is that of the pair; of three independent gaps it is below each."""
    two = settling.estimate_order(
        known([1.0, 0.0], [0.6, 0.8]), np.zeros((2, 2), dtype=bool), rng()
    )
    assert two.p_order == pytest.approx(norm.cdf(1.0), abs=0.03)
    # P(x > y > z), x, y, z normal with means 1, 0, -1 and errors 1: by a million draws of numpy's.
    drawn = np.random.default_rng(1).normal([1.0, 0.0, -1.0], 1.0, (10**6, 3))
    theirs = ((drawn[:, 0] > drawn[:, 1]) & (drawn[:, 1] > drawn[:, 2])).mean()
    three = known([1.0, 0.0, -1.0], [1.0] * 3)
    found = settling.estimate_order(three, np.zeros((3, 3), dtype=bool), rng())
    assert found.p_order == pytest.approx(theirs, abs=0.03)


def test_growth_of_two_systems_in_closed_form() -> None:
    """A gap of 2 with error 1 is apart at z = 1.96. Truly it is delta, normal (2, 1), and needs
    (z / delta)^2 times the answers: that is at most x where |delta| >= z / sqrt(x).
    """
    found = settling.estimate_growth(known([1.0, -1.0], [0.6, 0.8], 10**6), rng())
    freedom = 1 / (1 / (10**6 - 1) + 1 / 399)
    z = t(freedom).ppf(0.975)
    for times in (1.5, 4.0, 20.0):
        edge = z / np.sqrt(times)
        theirs = norm(2).sf(edge) + norm(2).cdf(-edge)
        assert found.probability_within(times) == pytest.approx(theirs, abs=0.03)
    assert found.median == pytest.approx(1.0, abs=0.1)  # half of the draws are apart by now


def test_equal_systems_are_not_expected_to_part_soon() -> None:
    found = settling.estimate_growth(known([0.0, 0.0], [0.6, 0.8], 10**6), rng())
    # |delta| is above 1.97 / sqrt(10) in 53% of the draws, above 1.97 / 10 in 84%.
    assert found.probability_within(10) == pytest.approx(2 * norm.sf(1.966 / np.sqrt(10)), abs=0.03)
    assert found.high > 100


def test_what_is_settled_needs_no_more() -> None:
    found = settling.estimate_growth(known([50.0, 0.0, -50.0], [1.0] * 3), rng())
    assert (found.low, found.median, found.high) == (1.0, 1.0, 1.0)


def study(rng, strengths, own, items):
    """Votes on these items, four each: items, first, second, won."""
    item = np.repeat(items, 4)
    n = len(strengths)
    first = rng.integers(n, size=len(item))
    second = (first + 1 + rng.integers(n - 1, size=len(item))) % n
    apart = strengths[first] - strengths[second] + own[item, first] - own[item, second]
    won = (rng.random(len(item)) < 1 / (1 + np.exp(-apart))).astype(float)
    return np.array([item, first, second]), won


def rated(columns, won, n):
    return ratings.leaderboard(
        "bradley-terry", columns[1], columns[2], won, n=n,
        drawing=Drawing(np.random.default_rng(1), 100, columns[0]),
    )  # fmt: skip


@pytest.mark.slow
def test_how_many_more_votes_are_expected_is_about_right() -> None:
    """Studies of three systems whose strengths are drawn, 60 items at first, which grow by a third
    until the neighbours part: of 60, four in five within the 80% range (a step more or less),
    and the expected number as often too high as too low.
    """
    held, above = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        strengths, own = rng.normal(0, 0.7, 3), rng.normal(0, 0.5, (40_000, 3))
        columns, won = study(rng, strengths, own, np.arange(60))
        board = rated(columns, won, 3)
        assert board.uncertainty is not None
        expected = settling.estimate_growth(board.uncertainty, rng)
        items = 60
        while items < 30_000:
            assert board.uncertainty is not None
            if settling.estimate_order(board.uncertainty, board.beats, rng).is_significant.all():
                break
            more, others = study(rng, strengths, own, np.arange(items, items * 4 // 3))
            columns, won = np.hstack([columns, more]), np.concatenate([won, others])
            items, board = items * 4 // 3, rated(columns, won, 3)
        times = items / 60
        held.append(expected.low * 3 / 4 <= times <= expected.high * 4 / 3)
        above.append(times > expected.median)
    assert np.mean(held) >= 0.68
    assert 0.25 <= np.mean(above) <= 0.75


def test_growth_until_two_systems_are_told_at_every_look() -> None:
    """Where they were looked at once, 1.96 errors were enough; here it is c(answers), so that many
    more answers are needed: those at which delta sqrt(x) = c(x answers).
    """
    spread = known([100.0, -100.0], [48.0, 64.0], 10**6)  # a gap of 200, with error 80
    found = settling.estimate_growth(spread, rng(), always=True)
    answers = ANSWER / 80**2
    for times in (2.0, 8.0):
        edge = critical_value(np.array(answers * times), np.array(0.05)) / np.sqrt(times)
        theirs = norm(2.5).sf(edge) + norm(2.5).cdf(-edge)
        assert found.probability_within(times) == pytest.approx(theirs, abs=0.04)
    leader = settling.estimate_growth(spread, rng(), always=True, leader_only=True)
    assert leader.median == found.median, "of two systems it is the whole order"
    once = settling.estimate_growth(spread, rng())
    assert 2 < found.high / once.high < 3.5
