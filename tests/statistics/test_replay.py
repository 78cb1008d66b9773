"""Replays of a budget beside loops over single comparisons."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.statistics import replay
from core.statistics.ratings import RATINGS
from core.statistics.replay import Target

N = 4


@st.composite
def asked(draw):
    """Every ordered comparison of four candidates, with its probability, in some order."""
    pairs = [(i, j) for i in range(N) for j in range(N) if i != j]
    prob = draw(st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.9]), min_size=12, max_size=12))
    order = draw(st.permutations(range(12)))
    return pairs, prob, order, draw(st.integers(1, 12))


def columns(pairs, prob):
    first, second = np.array(pairs).T
    return first, second, np.array(prob)


def positions(order):
    position = np.empty((1, len(order)))
    position[0, list(order)] = np.arange(len(order))
    return position


def by_hand(pairs, outcomes, places):
    """Win ratio, one comparison after another; 1/2 for whoever is in none."""
    won, met = [0.0] * N, [0] * N
    for place in places:
        (i, j), outcome = pairs[place], outcomes[place]
        won[i] += outcome
        won[j] += 1 - outcome
        met[i] += 1
        met[j] += 1
    return [w / m if m else 0.5 for w, m in zip(won, met, strict=True)]


@given(asked())
def test_ratings_of_a_budget_are_those_of_a_loop(drawn) -> None:
    pairs, prob, order, budget = drawn
    weights = replay.weights(positions(order), np.array([float(budget)]))
    first, second, outcome = columns(pairs, prob)
    (rating,) = replay.rate_draws(
        RATINGS["average-probability"], (first, second, outcome), n=N, weights=weights,
        decisions=False,
    )  # fmt: skip
    assert rating == pytest.approx(by_hand(pairs, prob, order[:budget]))


@given(asked())
def test_a_threshold_is_the_median_of_what_was_asked(drawn) -> None:
    pairs, prob, order, budget = drawn
    budgets = np.array([float(budget), np.inf])
    position = positions(order)
    taus = replay.thresholds(position, budgets, np.array(prob))
    tau = float(np.median([prob[place] for place in order[:budget]]))
    assert taus[0].tolist() == [tau, float(np.median(prob))]
    first, second, prob_a = columns(pairs, prob)
    weights = replay.weights(position, budgets)
    rating = replay.rate_draws(
        RATINGS["win-ratio"],
        (first, second, replay.debias(prob_a, taus[0], decisions=True)),
        n=N,
        weights=weights,
        decisions=True,
    )
    points = [0.5 if abs(p - tau) < 1e-12 else float(p > tau) for p in prob]
    assert rating[0] == pytest.approx(by_hand(pairs, points, order[:budget]))


def test_outcomes_of_each_row_are_those_of_all_where_they_are_the_same() -> None:
    """The rows' own outcomes take another way through weights."""
    for method in ["product-of-experts", "bradley-terry-soft", "likelihood"]:
        rng = np.random.default_rng(1)
        first, second = np.array([(i, j) for i in range(N) for j in range(N) if i != j]).T
        prob = rng.uniform(0.05, 0.95, len(first))
        weights = rng.random((3, len(first))) < 0.8
        ways = [
            replay.rate_draws(
                RATINGS[method], (first, second, outcome), n=N, weights=weights.astype(float),
                decisions=False,
            )
            for outcome in (prob, np.tile(prob, (3, 1)))
        ]  # fmt: skip
        assert ways[1] == pytest.approx(ways[0], abs=1e-4)


values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=N, max_size=N)


@given(values, values)
def test_figures_are_scipys_and_a_count_of_pairs(rating, truth) -> None:
    target = Target.from_values(np.array(truth))
    (rho,) = replay.spearman(np.array([rating]), target)
    if len(set(truth)) == 1:
        assert np.isnan(rho)
    elif len(set(rating)) == 1:
        assert rho == 0  # knows nothing
    else:
        assert rho == pytest.approx(stats.spearmanr(rating, truth).statistic)
    pairs = [(i, j) for i, j in combinations(range(N), 2) if truth[i] != truth[j]]
    right = [
        0.5 if rating[i] == rating[j] else float((rating[i] > rating[j]) == (truth[i] > truth[j]))
        for i, j in pairs
    ]
    (accuracy,) = replay.pair_accuracy(np.array([rating]), target)
    assert accuracy == pytest.approx(np.mean(right)) if pairs else np.isnan(accuracy)


@given(values)
def test_the_same_ratings_agree_wholly_level_ones_too(rating) -> None:
    target = Target.from_values(np.array(rating), level=True)
    assert replay.pair_accuracy(np.array([rating]), target) == 1.0


def test_what_is_needed_lies_between_two_budgets() -> None:
    """0.8 at 10 and 1.0 at 14: 0.95 is three quarters of the way. What falls again is not reached."""
    budgets = np.array([5.0, 10.0, 14.0])
    for value in ([0.2, 0.8, 1.0], [0.96, 0.8, 1.0]):
        assert replay.bracket_budget(budgets, np.array(value), 0.95) == pytest.approx(
            (13.0, 10.0, 14.0)
        )
    assert replay.bracket_budget(budgets, np.array([0.96, 0.97, 1.0]), 0.95) == (5.0, 0.0, 5.0)
    assert np.isnan(replay.bracket_budget(budgets, np.array([0.2, 0.8, 0.9]), 0.95)).all()


def test_no_number_is_guessed_between_budgets_far_apart() -> None:
    budgets, value = np.array([10.0, 100.0]), np.array([0.8, 1.0])
    assert replay.bracket_budget(budgets, value, 0.95) == (100.0, 10.0, 100.0)


def test_two_values_have_no_rank_correlation() -> None:
    target = Target.from_values(np.array([0.2, 0.7, np.nan]))
    assert np.isnan(replay.spearman(np.array([[0.1, 0.9, 0.5]]), target)).all()


@given(asked(), st.integers(2, N), st.integers(0, 9))
def test_some_candidates_are_ordered_as_a_loop_over_them_orders_them(drawn, size, seed) -> None:
    pairs, prob, _, _ = drawn
    first, second, outcome = columns(pairs, prob)
    points, times = replay.points_and_times(first, second, outcome, n=N)
    everybody = by_hand(pairs, prob, range(12))
    chosen = replay.drawn_candidates(N, size, 5, np.random.default_rng(seed))
    assert (chosen.sum(axis=1) == size).all()
    right, of = replay.count_ordered_in_subsets(
        points, times, chosen, Target.from_values(np.array(everybody))
    )
    for draw, count, total in zip(chosen, right, of, strict=True):
        among = [place for place, (i, j) in enumerate(pairs) if draw[i] and draw[j]]
        ratio = by_hand(pairs, prob, among)
        two = [
            (i, j)
            for i, j in combinations(np.flatnonzero(draw).tolist(), 2)
            if abs(everybody[i] - everybody[j]) > 1e-9
        ]
        expected = sum(
            0.5
            if abs(ratio[i] - ratio[j]) < 1e-9
            else (ratio[i] > ratio[j]) == (everybody[i] > everybody[j])
            for i, j in two
        )
        assert (count, total) == (expected, len(two))


def test_a_ranking_is_told_from_chance() -> None:
    """All four items agree: of 2^4 ways to turn them, two are as far apart (2 / 16)."""
    first, item, rng = np.zeros(40, dtype=np.int64), np.arange(40) % 4, np.random.default_rng(0)
    won = np.tile([1.0, 0.0], 20)
    sides = np.where(won == 1, first, first + 1)
    p = replay.compute_chance_p(sides, 1 - sides, won, item, rng)
    assert p == pytest.approx(2 / 16, abs=0.05)
    assert replay.compute_chance_p(sides, 1 - sides, won, np.arange(40), rng) < 0.01
    assert replay.compute_chance_p(first, first + 1, np.ones(40), item, rng) == 1
