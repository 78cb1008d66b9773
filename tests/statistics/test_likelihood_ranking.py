from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from core.statistics.likelihood_ranking import likelihood_ranking
from tests.statistics.votes import columns, probable, simulated


def of_probabilities(places, first, second, p):
    """Liusie et al. 2024, eq. 12 with the sign mended, comparison by comparison."""
    p = np.clip(p, 1e-6, 1 - 1e-6)
    z = (places[first] > places[second]).astype(float)
    return (z * np.log(p) + (1 - z) * np.log(1 - p)).sum()


def of_decisions(places, first, second, outcome):
    """Eq. 13 with the thetas that suit these places best."""
    z = places[first] > places[second]
    total = 0.0
    for rows in (z, ~z):
        if rows.any():
            theta = np.clip(outcome[rows].mean(), 1e-6, 1 - 1e-6)
            total += (outcome[rows] * np.log(theta) + (1 - outcome[rows]) * np.log(1 - theta)).sum()
    return total


def best(likelihood, n, *votes):
    return max(likelihood(np.array(places), *votes) for places in permutations(range(n)))


# Of the last, two are out of reach from the worst win ratios upwards, and the third without swaps.
def test_no_permutation_is_likelier() -> None:
    for n, seed in [*product((2, 3, 5, 6), range(4)), (5, 90), (6, 218), (6, 300)]:
        rng = np.random.default_rng(seed)
        votes = probable(rng, rng.normal(size=n), 6 * n, noise=1.5)
        ours = likelihood_ranking(*votes, n=n)
        assert of_probabilities(ours, *votes) == pytest.approx(best(of_probabilities, n, *votes))


def test_no_permutation_makes_decisions_likelier() -> None:
    for n in [3, 5]:
        for seed in range(4):
            rng = np.random.default_rng(seed)
            first, second, p = probable(rng, 1.5 * rng.normal(size=n), 16 * n, first=1.0)
            votes = first, second, (p > 0.5).astype(float)
            assert of_decisions(likelihood_ranking(*votes, n=n), *votes) == pytest.approx(
                best(of_decisions, n, *votes)
            )


def test_by_hand() -> None:
    # 0 above 1 gains ln 9 and above 2 ln 4; 2 above 1 gains ln 1.5. Order 0, 2, 1; 3 was never
    # compared.
    votes = columns((0, 1, 0.9), (2, 0, 0.2), (1, 2, 0.4))
    assert_array_equal(likelihood_ranking(*votes, n=4), [1, 0, 0.5, np.nan])
    assert of_probabilities(np.array([1, 0, 0.5]), *votes) == pytest.approx(np.log(0.9 * 0.8 * 0.6))  # type: ignore[call-arg]


def test_one_great_certainty_outweighs_many_small_ones() -> None:
    # 0 has the better win ratio by far, yet 1 beats it with certainty: 1 goes above 0, and 0 stays
    # above the others.
    votes = columns(
        (1, 0, 1.0), *[(0, i, 0.9) for i in (2, 3, 4)], *[(i, 1, 0.6) for i in (2, 3, 4)]
    )
    ours = likelihood_ranking(*votes, n=5)
    assert ours[1] > ours[0] > max(ours[2:])


def test_certainty_is_worth_as_much_as_the_clip_says() -> None:
    # logit(1 - 1e-6) = 13.8: more than seven answers of logit(0.873) = 1.93 against it, and less
    # than eight.
    for against, ours in ((7, [1, 0]), (8, [0, 1])):
        assert_array_equal(
            likelihood_ranking(*columns((0, 1, 1.0), *[(1, 0, 0.873)] * against), n=2), ours
        )


def test_decisions_of_a_judge_that_leans_to_the_first() -> None:
    # In 8 of 10 pairs of orders it says "first" twice; only in the others does it say what it
    # thinks.
    rows = [(i, j, 1) for i, j in permutations(range(3), 2)] * 4
    rows += [(0, 1, 1), (1, 0, 0), (1, 2, 1), (2, 1, 0), (0, 2, 1), (2, 0, 0)]
    assert_array_equal(likelihood_ranking(*columns(*rows), n=3), [1, 0.5, 0])


def test_a_judge_is_not_taken_to_prefer_what_is_worse() -> None:
    # 1 > 0 > 2: right both times about (1, 0), where the first is better, and in one of two where
    # it is worse. Turned round it would be right in one of two about firsts that are better, and
    # always wrong about those that are worse: as likely.
    assert_array_equal(
        likelihood_ranking(*columns((2, 1, 1), (1, 0, 1), (1, 0, 1), (2, 0, 0)), n=3), [0.5, 1, 0]
    )


def test_a_judge_that_always_says_first_ranks_nobody() -> None:
    first, second = np.array(list(permutations(range(4), 2))).T
    assert_array_equal(likelihood_ranking(first, second, np.ones(12), n=4), 0.5)
    # Whether it does so because the first is better cannot be told either where each pair has but
    # one order.
    assert_array_equal(likelihood_ranking(*columns((0, 1, 1), (0, 2, 1), (1, 2, 1)), n=3), 0.5)


def test_neighbours_without_a_reason_share_a_place() -> None:
    votes = columns((0, 1, 0.9), (0, 2, 0.9), (1, 2, 0.5))
    assert_array_equal(likelihood_ranking(*votes, n=3), [1, 0.25, 0.25])
    # 0 is above 2, which alone is last: 1 and 3 were compared with neither.
    assert_allclose(
        likelihood_ranking(*columns((0, 2, 0.9), (1, 3, 0.5)), n=4), [2 / 3, 2 / 3, 0, 2 / 3]
    )


def test_decisions_can_be_taken_as_probabilities() -> None:
    votes = columns((0, 1, 1), (1, 2, 1), (2, 0, 0.5))
    assert_array_equal(likelihood_ranking(*votes, n=3, decisions=False), [1, 0.5, 0])


def test_a_weight_of_three_is_the_comparison_three_times() -> None:
    rng = np.random.default_rng(4)
    weights = rng.integers(4, size=60)
    for votes in (probable(rng, rng.normal(size=5), 60), simulated(rng, rng.normal(size=5), 60)):
        repeated = (np.repeat(column, weights) for column in votes)
        assert_array_equal(
            likelihood_ranking(*votes, n=5, weights=weights), likelihood_ranking(*repeated, n=5)
        )


def test_a_large_ranking_is_no_worse_than_the_truth_it_came_from() -> None:
    rng = np.random.default_rng(0)
    strengths = rng.normal(size=60)
    votes = probable(rng, strengths, 2000, noise=1.0)
    ours = likelihood_ranking(*votes, n=60)
    assert of_probabilities(ours, *votes) >= of_probabilities(strengths, *votes)  # type: ignore[call-arg]
    assert np.corrcoef(ours.argsort().argsort(), strengths.argsort().argsort())[0, 1] > 0.97


generic = st.integers(0, 10_000).map(np.random.default_rng)


@given(rng=generic)
def test_swapping_the_sides_changes_nothing(rng) -> None:
    first, second, p = probable(rng, rng.normal(size=5), 25, first=0.5)
    swapped = likelihood_ranking(second, first, 1 - p, n=5)
    assert_allclose(swapped, likelihood_ranking(first, second, p, n=5))


@given(rng=generic, order=st.permutations(range(5)))
@example(rng=np.random.default_rng(0), order=[4, 3, 2, 1, 0])
def test_relabelling_permutes_the_ranking(rng, order) -> None:
    first, second, p = probable(rng, rng.normal(size=5), 25)
    order = np.array(order)
    relabelled = likelihood_ranking(order[first], order[second], p, n=5)
    assert_allclose(relabelled[order], likelihood_ranking(first, second, p, n=5))
