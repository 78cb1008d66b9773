"""Whom systems met, and the win ratio that does not depend on how often: counted by hand, and by
the definition written out."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from core.statistics import unevenness
from core.statistics.columns import find_weakest_cut, measure_resistance, share_pseudo_comparisons
from core.statistics.win_ratio import macro_win_ratio, win_ratio
from tests.statistics.votes import columns, leaderboard, simulated

VOTES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])).filter(
        lambda vote: vote[0] != vote[1]
    ),
    min_size=1,
    max_size=30,
)


def by_definition(votes, n):
    """The mean over the opponents of each system of its mean points against them."""
    found = []
    for system in range(n):
        against = {}
        for one, other, points in votes:
            if one == system:
                against.setdefault(other, []).append(points)
            if other == system:
                against.setdefault(one, []).append(1 - points)
        found.append(np.mean([np.mean(each) for each in against.values()]) if against else np.nan)
    return found


def test_every_opponent_counts_the_same() -> None:
    """0 beats 1 nine times of nine and loses to 2 once: 90% of all, half of its opponents."""
    votes = columns(*[(0, 1, 1)] * 9, (2, 0, 1))
    assert_allclose(win_ratio(*votes, n=3), [0.9, 0.0, 1.0])
    assert_allclose(macro_win_ratio(*votes, n=3), [0.5, 0.0, 1.0])


@given(VOTES)
def test_macro_win_ratio_is_what_is_defined(votes) -> None:
    assert_allclose(macro_win_ratio(*columns(*votes), n=4), by_definition(votes, 4), atol=1e-12)


@given(VOTES)
def test_no_win_ratio_is_further_from_the_macro_win_ratio_than_opponents_are_uneven(votes) -> None:
    """Of systems that met all the others: else a missing opponent's ratio is in neither."""
    first, second, outcome = columns(*votes)
    met = np.zeros((4, 4), dtype=bool)
    met[first, second] = met[second, first] = True
    there = met.any(axis=1)
    whole = there & (met.sum(axis=1) == there.sum() - 1)
    apart = win_ratio(first, second, outcome, n=4) - macro_win_ratio(first, second, outcome, n=4)
    assert (np.abs(apart[whole]) <= unevenness(first, second, n=4) + 1e-12).all()


def test_how_unevenly_systems_met() -> None:
    """Two of three systems met the third in 9 of 10 comparisons, where 5 of 10 would be even."""
    nobody = np.array([], dtype=int)
    pairs = [(0, 1)] * 1 + [(0, 2)] * 9 + [(1, 2)] * 9
    first, second = np.array(pairs).T
    assert unevenness(first, second, n=3) == pytest.approx(0.4)
    assert unevenness(first[:1], second[:1], n=3) == 0, "two systems can only meet each other"
    assert unevenness(nobody, nobody, n=3) == 0
    every = np.array(list(permutations(range(5), 2)) * 3)
    assert unevenness(*every.T, n=5) == pytest.approx(0, abs=1e-12)
    chain = np.array([(i, i + 1) for i in range(11)])
    assert unevenness(*chain.T, n=12) == pytest.approx(10 / 11)  # one opponent of eleven


def test_an_interval_does_not_shrink_with_how_often_one_opponent_was_met() -> None:
    """Against 1 nobody doubts it; what 0 wins against 2 rests on four answers either way."""
    for repeats in [1, 30]:
        votes = columns(*[(0, 1, 1), (0, 1, 0)] * 10 * repeats, *[(0, 2, 1), (0, 2, 0)] * 2)
        board = leaderboard("macro-win-ratio", *votes, n=3, rng=np.random.default_rng(0))
        assert board.rating[0] == pytest.approx(0.5)
        # Half of it rests on four answers: a standard error of at least 1/4 times 1/2
        assert board.high[0] - board.low[0] > 0.3


def test_macro_win_ratio_weighs_comparisons() -> None:
    rng = np.random.default_rng(5)
    votes = simulated(rng, rng.normal(size=4), 60)
    weights = rng.integers(1, 4, size=60)
    repeated = (np.repeat(column, weights) for column in votes)
    assert_allclose(
        macro_win_ratio(*votes, n=4, weights=weights), macro_win_ratio(*repeated, n=4), atol=1e-12
    )


def test_resistance_is_that_of_wires() -> None:
    """By Ohm's law: 1 + 1/2 in series; of a triangle, 1 beside 2."""
    series = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
    assert_allclose(measure_resistance(series)[0], [0, 1, 1.5, np.inf])
    assert_allclose(measure_resistance(1 - np.eye(3))[0], [0, 2 / 3, 2 / 3])


def test_the_weakest_cut_is_that_of_few_comparisons() -> None:
    met = np.kron(np.eye(2), 20 * (1 - np.eye(3)))
    for joined, weak in ((0, False), (3, True), (10, False)):
        met[0, 3] = met[3, 0] = joined
        found = find_weakest_cut(met, 10)
        assert (found is not None) is weak
        if found:
            assert (found[0].tolist(), found[1]) in [
                ([side] * 3 + [not side] * 3, 3) for side in (0, 1)
            ]


def test_pseudo_comparisons_cross_every_bridge() -> None:
    """A system has half of those it wins or loses with either of two others it met as often; a
    bridge has 1 less its usual share: (1/41 + 1/41) / 2.
    """
    even = share_pseudo_comparisons(*np.array([[0, 0, 1], [1, 2, 2]]), np.full(3, 7.0), n=3)
    assert_allclose(even, [[0.5] * 3, [1] * 3])
    low, high = np.array([[0, 0, 1, 3, 3, 4, 0], [1, 2, 2, 4, 5, 5, 3]])
    share, size = share_pseudo_comparisons(low, high, np.array([20.0] * 6 + [1]), n=6)
    assert_allclose(share[-1], 1 - 1 / 41)
    assert_allclose(size, 1)
