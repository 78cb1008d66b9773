"""Ranks, and what orders hold: beside SciPy, by hand, and in worlds whose truth is known."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.stats import norm

from core.statistics import rankdata, settling, unevenness
from core.statistics.columns import find_weakest_cut, measure_resistance, share_pseudo_comparisons
from core.statistics.likelihood_ranking import likelihood_ranking
from core.statistics.ratings import ranks
from core.statistics.uncertainty import ANSWER, Uncertainty, critical_value
from core.statistics.win_ratio import macro_win_ratio, win_ratio
from tests.coverage import people
from tests.statistics.votes import columns, leaderboard, probable

# ---- Ranks beside those of SciPy


def test_ranks_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    tied = rng.integers(0, 4, (7, 6)).astype(float)
    tied[1, 2], tied[3, 4] = np.inf, -np.inf
    lacking = tied.copy()
    lacking[2, 3] = np.nan
    several = (tied, lacking, rng.normal(size=(5, 3)), np.empty((0, 3)), np.empty((3, 0)))
    box = rng.integers(0, 3, (2, 4, 5)).astype(float)
    for axis, values in [*product([None, 0, 1, -1], several), (-1, box)]:
        expected = np.asarray(stats.rankdata(values, axis=axis), dtype=float)
        assert_array_equal(rankdata(values, axis=axis), expected)


def test_ranks_of_systems_are_the_best_of_ties_and_none_without_a_rating() -> None:
    rng = np.random.default_rng(5)
    for shape in [(6,), (4, 6), (2, 3, 6), (0,), (0, 3), (3, 0)]:
        rating = rng.integers(0, 4, shape).astype(float)
        lacking = rng.random(shape) < 0.2
        rating[lacking] = np.nan
        low = np.where(lacking, -np.inf, rating)
        expected = stats.rankdata(-low, "min", axis=-1) if rating.size else rating
        assert_array_equal(ranks(rating), np.where(lacking, np.nan, expected))
    assert ranks(np.array([1.0, 3.0, 3.0 + 1e-9])).tolist() == [3.0, 1.0, 1.0]


def known(centre, errors, clusters=1000) -> Uncertainty:
    """Ratings that vary independently, each with its standard error."""
    rng = np.random.default_rng(0)
    # Columns orthogonal to each other and of length 1: their covariance is exact.
    columns = np.linalg.qr(rng.standard_normal((400, len(centre))))[0]
    each = np.full(len(centre), float(clusters))
    return Uncertainty(np.array(centre, dtype=float), (columns * np.array(errors),), (each,), 400)


def rng():
    return np.random.default_rng(7)


def beats(n, *pairs):
    found = np.zeros((n, n), dtype=bool)
    for better, worse in pairs:
        found[better, worse] = True
    return found


def test_neighbours_stand_as_many_errors_apart_as_their_triangle_says() -> None:
    """Gaps of 3 and 4 (errors 5 and 5, each of two 3-4-5 triangles)."""
    spread = known([4.0, 1.0, -3.0], [3.0, 4.0, 3.0])
    found = settling.estimate_order(spread, beats(3, (1, 2)))
    assert found.systems.tolist() == [0, 1, 2]
    assert_allclose(found.gap, [3, 4])
    assert_allclose(found.score, [3 / 5, 4 / 5])
    assert found.is_significant.tolist() == [False, True]
    assert found.rivals.tolist() == [1, 2]


def test_who_beats_somebody_who_beats_a_third_beats_the_third() -> None:
    """0 beats 1 and 1 beats 2: with all pairs at once, 0 beats 2 and has no rivals."""
    spread = known([4.0, 1.0, -3.0], [3.0, 4.0, 3.0])
    found = settling.estimate_order(spread, beats(3, (0, 1), (1, 2)))
    assert found.rivals.tolist() == []
    assert found.is_significant.all()


def test_what_is_settled_needs_no_more() -> None:
    found = settling.estimate_growth(known([50.0, 0.0, -50.0], [1.0] * 3), rng())
    assert (found.low, found.median, found.high) == pytest.approx((1.0, 1.0, 1.0), abs=0.01)


@pytest.mark.slow
def test_how_many_more_votes_are_expected_is_about_right() -> None:
    """60 of the studies of tests/coverage that grow until neighbours part: the expected number is
    as often too high as too low.
    """
    studies = [people.grow(np.random.default_rng(seed)) for seed in range(60)]
    assert np.mean([people.is_within(*one) for one in studies]) >= 0.68
    above = np.mean([times > expected.median for expected, times in studies])
    assert 0.25 <= above <= 0.75


def test_growth_until_two_systems_are_told_at_every_look() -> None:
    """Where they were looked at once, 1.96 errors were enough; here it is c(answers), so that many
    more answers are needed: those at which delta sqrt(x) = c(x answers).
    """
    spread = known([100.0, -100.0], [48.0, 64.0], 10**6)  # a gap of 200, with error 80
    found = settling.estimate_growth(spread, rng())
    answers = ANSWER / 80**2
    for times in (2.0, 8.0):
        edge = critical_value(np.array(answers * times), np.array(0.05)) / np.sqrt(times)
        theirs = norm(2.5).sf(edge) + norm(2.5).cdf(-edge)
        assert found.probability_within(times) == pytest.approx(theirs, abs=0.04)
    leader = settling.estimate_growth(spread, rng(), leader_only=True)
    assert leader.median == found.median, "of two systems it is the whole order"


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
    for n, seed in product([3, 5], range(4)):
        rng = np.random.default_rng(seed)
        first, second, p = probable(rng, 1.5 * rng.normal(size=n), 16 * n, first=1.0)
        votes = first, second, (p > 0.5).astype(float)
        ours = of_decisions(likelihood_ranking(*votes, n=n), *votes)
        assert ours == pytest.approx(best(of_decisions, n, *votes))


def test_by_hand() -> None:
    # 0 above 1 gains ln 9 and above 2 ln 4; 2 above 1 gains ln 1.5. Order 0, 2, 1; 3 was never
    # compared.
    votes = columns((0, 1, 0.9), (2, 0, 0.2), (1, 2, 0.4))
    assert_array_equal(likelihood_ranking(*votes, n=4), [1, 0, 0.5, np.nan])
    assert of_probabilities(np.array([1, 0, 0.5]), *votes) == pytest.approx(np.log(0.9 * 0.8 * 0.6))  # type: ignore[call-arg]


def test_one_great_certainty_outweighs_many_small_ones() -> None:
    # 0 has the better win ratio by far, yet 1 beats it with certainty: 1 goes above 0, and 0 stays
    # above the others.
    others = [vote for i in (2, 3, 4) for vote in ((0, i, 0.9), (i, 1, 0.6))]
    ours = likelihood_ranking(*columns((1, 0, 1.0), *others), n=5)
    assert ours[1] > ours[0] > max(ours[2:])


def test_certainty_is_worth_as_much_as_the_clip_says() -> None:
    # logit(1 - 1e-6) = 13.8: more than seven answers of logit(0.873) = 1.93 against it, and less
    # than eight.
    for against, ours in ((7, [1, 0]), (8, [0, 1])):
        votes = columns((0, 1, 1.0), *[(1, 0, 0.873)] * against)
        assert_array_equal(likelihood_ranking(*votes, n=2), ours)


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
    votes = columns((2, 1, 1), (1, 0, 1), (1, 0, 1), (2, 0, 0))
    assert_array_equal(likelihood_ranking(*votes, n=3), [0.5, 1, 0])


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
    votes = columns((0, 2, 0.9), (1, 3, 0.5))
    assert_allclose(likelihood_ranking(*votes, n=4), [2 / 3, 2 / 3, 0, 2 / 3])


def test_decisions_can_be_taken_as_probabilities() -> None:
    votes = columns((0, 1, 1), (1, 2, 1), (2, 0, 0.5))
    assert_array_equal(likelihood_ranking(*votes, n=3, decisions=False), [1, 0.5, 0])


def test_a_large_ranking_is_no_worse_than_the_truth_it_came_from() -> None:
    rng = np.random.default_rng(0)
    strengths = rng.normal(size=60)
    votes = probable(rng, strengths, 2000, noise=1.0)
    ours = likelihood_ranking(*votes, n=60)
    assert of_probabilities(ours, *votes) >= of_probabilities(strengths, *votes)  # type: ignore[call-arg]
    assert np.corrcoef(ours.argsort().argsort(), strengths.argsort().argsort())[0, 1] > 0.97


generic = st.integers(0, 10_000).map(np.random.default_rng)


@given(rng=generic, order=st.permutations(range(5)))
@example(rng=np.random.default_rng(0), order=[4, 3, 2, 1, 0])
def test_sides_do_not_matter_and_relabelling_permutes_the_ranking(rng, order) -> None:
    first, second, p = probable(rng, rng.normal(size=5), 25, first=0.5)
    order, found = np.array(order), likelihood_ranking(first, second, p, n=5)
    assert_allclose(likelihood_ranking(second, first, 1 - p, n=5), found)
    assert_allclose(likelihood_ranking(order[first], order[second], p, n=5)[order], found)


# ---- Whom systems met, and the win ratio that does not depend on how often: counted by hand, and
# by the definition written out


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
        board = leaderboard("macro-win-ratio", *votes, n=3)
        assert board.rating[0] == pytest.approx(0.5)
        # Half of it rests on four answers: a standard error of at least 1/4 times 1/2
        assert board.high[0] - board.low[0] > 0.3


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
