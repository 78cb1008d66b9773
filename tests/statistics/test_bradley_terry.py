"""The position term, the soft model and Davidson's; the plain model is in test_ratings.py."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize
from scipy.special import expit, log_expit, logit

from core.statistics import regularised_bradley_terry
from core.statistics.bradley_terry import bradley_terry, has_maximum, position_effect
from core.statistics.columns import SCALE
from core.statistics.product_of_experts import position_effect as experts_effect
from core.statistics.product_of_experts import product_of_experts, tells_position
from core.statistics.ratings import RATINGS
from tests.statistics.votes import columns, leaderboard, points_of, probable, simulated

SOFT = RATINGS["bradley-terry-soft"].rate


def log_likelihood(x, first, second, outcome, position):
    """Liusie et al. 2024, product of experts, eq. for the soft Bradley-Terry expert, written down
    independently.
    """
    sigma = 1 / (1 + np.exp(-(x[first] - x[second] + position * x[-1])))
    return (outcome * np.log(sigma) + (1 - outcome) * np.log(1 - sigma)).sum()


def optimised(votes, n, position):
    """(strengths in rating points, position effect) by scipy."""
    best = minimize(lambda x: -log_likelihood(x, *votes, position), np.zeros(n + 1), tol=1e-10).x  # type: ignore[call-arg]
    return points_of(best[:-1]), SCALE * best[-1]


def test_soft_strengths_are_at_the_maximum_of_their_likelihood() -> None:
    for position, seed in product([False, True], range(3)):
        rng = np.random.default_rng(seed)
        votes = probable(rng, rng.normal(size=5), 60, first=-1.0)
        strengths, effect = optimised(votes, 5, position)
        assert_allclose(SOFT(*votes, n=5, position=position), strengths, atol=0.01)
        if position:
            assert position_effect(*votes, n=5) == pytest.approx(effect, abs=0.01)


def test_strengths_of_decisions_with_a_position_term_are_at_the_maximum() -> None:
    for ties in ["half", "drop"]:
        rng = np.random.default_rng(4)
        votes = simulated(rng, rng.normal(size=5), 300)
        used = votes if ties == "half" else [column[votes[2] != 0.5] for column in votes]
        strengths, effect = optimised(used, 5, True)
        assert_allclose(bradley_terry(*votes, n=5, ties=ties, position=True), strengths, atol=0.01)
        assert position_effect(*votes, n=5, ties=ties) == pytest.approx(effect, abs=0.01)


def test_position_term_by_hand() -> None:
    # 0 first: wins 3 of 4, odds 3. 0 second: wins 1 of 2, odds 1. So theta + b = ln 3 and theta - b
    # = ln 1.
    votes = columns(*[(0, 1, 1)] * 3, (0, 1, 0), (1, 0, 0), (1, 0, 1))
    assert bradley_terry(*votes, n=2, position=True) @ [1, -1] == pytest.approx(200 * np.log10(3))
    assert position_effect(*votes, n=2) == pytest.approx(200 * np.log10(3))


def test_the_position_term_takes_out_what_one_sided_pairs_put_in() -> None:
    """Equal systems, the better position for those of low numbers: without the term they look
    better.
    """
    pairs = [(i, j) for i in range(6) for j in range(6) if (i < j) or (i + j) % 3 == 0]
    first, second = np.array([pair for pair in pairs if pair[0] != pair[1]]).T
    outcome = np.full(len(first), 0.8)
    assert np.ptp(SOFT(first, second, outcome, n=6)) > 100
    assert_allclose(SOFT(first, second, outcome, n=6, position=True), 1000, atol=1e-4)
    assert position_effect(first, second, outcome, n=6) == pytest.approx(400 * np.log10(4))


def test_an_open_position_term_is_told_and_finite() -> None:
    # No cycle: any effect of position can be made up for by strengths.
    votes = columns((0, 1, 0.8), (1, 2, 0.7))
    assert has_maximum(*votes, n=3)
    assert not has_maximum(*votes, n=3, position=True)
    rating = SOFT(*votes, n=3, position=True)
    assert (np.diff(rating) < 0).all()
    board = leaderboard("bradley-terry-soft", *votes, n=3, position=True)
    assert "other order" in board.note


def test_a_judge_that_always_says_first_leaves_the_systems_equal() -> None:
    votes = columns(*[(*pair, 1) for pair in permutations(range(4), 2)])
    assert not has_maximum(*votes, n=4, position=True)
    assert_allclose(bradley_terry(*votes, n=4, position=True), 1000, atol=1e-6)
    # Of each pair two answers for the first, and a tenth of a comparison spread over orders and
    # outcomes: 41 : 1.
    assert position_effect(*votes, n=4) == pytest.approx(400 * np.log10(2.05 / 0.05))


def grows_somewhere(votes, n):
    """By linear programming: whether some direction of strengths and position term loses on no
    comparison.

    Written with one row per answer, as a likelihood term a x >= 0, and tried along every
    coordinate.
    """
    rows = []
    for f, s, outcome in zip(*votes, strict=True):
        row = np.zeros(n + 1)
        row[f], row[s], row[n] = 1, -1, 1
        rows += [row] * int(outcome > 0) + [-row] * int(outcome < 1)
    # One strength of each linked set is held at 0: the tests below have one set.
    limits = {
        "A_ub": -np.array(rows),
        "b_ub": np.zeros(len(rows)),
        "bounds": [(0, 0), *[(-1, 1)] * n],
    }
    return any(
        linprog(sign * along, **limits).fun < -1e-9
        for along, sign in product(np.eye(n + 1), (1, -1))
    )


@st.composite
def linked_votes(draw, n=4):
    pair = st.sampled_from(list(permutations(range(n), 2)))
    outcome = st.sampled_from([0.0, 0.5, 1.0, 1.0])
    rows = draw(st.lists(st.tuples(pair, outcome), min_size=1, max_size=14))
    chain = [((i, i + 1), draw(outcome)) for i in range(n - 1)]
    return columns(*((*systems, points) for systems, points in rows + chain))


@given(votes=linked_votes())
def test_there_is_a_maximum_exactly_where_no_direction_grows(votes) -> None:
    assert has_maximum(*votes, n=4, position=True) is not grows_somewhere(votes, 4)


@given(votes=linked_votes())
def test_swapping_the_sides_negates_the_position_effect(votes) -> None:
    """And leaves ratings alone, as test_ratings.py shows."""
    first, second, outcome = votes
    effect = position_effect(second, first, 1 - outcome, n=4)
    assert effect == pytest.approx(-position_effect(*votes, n=4), abs=1e-5)


@given(votes=linked_votes())
def test_the_points_of_the_first_are_expected_too(votes) -> None:
    assume(has_maximum(*votes, n=4, position=True))
    first, second, outcome = votes
    rating, effect = bradley_terry(*votes, n=4, position=True), position_effect(*votes, n=4)
    surplus = outcome - 1 / (1 + 10 ** ((rating[second] - rating[first] - effect) / 400))
    gained, lost = (np.bincount(side, surplus, minlength=4) for side in (first, second))
    assert_allclose([*(gained - lost), surplus.sum()], 0, atol=1e-6)


def test_a_resample_of_nothing_but_dropped_ties_has_no_rating() -> None:
    votes = columns((0, 1, 1), (1, 0, 1), (0, 1, 0), (0, 1, 0.5))
    weights = np.array([[1, 1, 1, 1], [0, 0, 0, 4]])
    rating = bradley_terry(*votes, n=2, weights=weights, ties="drop", position=True)
    assert np.isfinite(rating[0]).all()
    assert np.isnan(rating[1]).all()


def test_ties_of_their_own_and_a_position_term_are_refused_together() -> None:
    with pytest.raises(ValueError, match=r"\bties\b.*\bposition\b|\bposition\b.*\bties\b"):
        bradley_terry(*columns((0, 1, 1)), n=2, ties="model", position=True)


SYSTEMS = 5


def davidson(a, b, nu):
    """Win, loss and tie of strengths a and b (Davidson 1970, eq. 2.1)."""
    whole = a + b + nu * np.sqrt(a * b)
    return a / whole, b / whole, nu * np.sqrt(a * b) / whole


def davidson_optimised(first, second, outcome):
    """Strengths by BFGS."""

    def surprise(x: np.ndarray):
        strength, nu = np.exp(np.append(0, x[:-1])), np.exp(x[-1])
        win, loss, tie = davidson(strength[first], strength[second], nu)
        return -np.log(np.select([outcome == 1, outcome == 0], [win, loss], tie)).sum()

    found = minimize(surprise, np.zeros(SYSTEMS), method="BFGS", options={"gtol": 1e-8})
    return np.append(0, found.x[:-1])


def test_the_model_of_ties_agrees_with_a_general_optimiser() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        votes = simulated(rng, rng.normal(size=SYSTEMS), 300)
        strengths = davidson_optimised(*votes)
        rating = bradley_terry(*votes, n=SYSTEMS, ties="model")
        assert_allclose(rating, points_of(strengths), atol=1e-5 * SCALE)


def test_ties_of_two_systems_by_hand() -> None:
    """12 wins, 6 ties and 2 losses: three outcomes and two parameters, so that the model can say
    what was seen. Davidson: win / loss = a / b = 6, tie / sqrt(win loss) = nu = 6 / sqrt(24).
    """
    votes = columns(*[(0, 1, 1)] * 12, *[(0, 1, 0.5)] * 6, *[(0, 1, 0)] * 2)
    rating = bradley_terry(*votes, n=2, ties="model")
    assert rating[0] - rating[1] == pytest.approx(SCALE * np.log(6), abs=1e-4)


# ---- Strengths with half a win and half a loss more: by hand, and against a general optimiser


def test_a_system_that_never_lost_by_hand() -> None:
    """0 beats 1 in all three comparisons. By symmetry the system besides stands halfway, at 0: with
    d half the gap, 3 (1 - s(2d)) + 1/2 - s(d) = 0.
    """
    rating = regularised_bradley_terry(*columns(*[(0, 1, 1)] * 3), n=2)
    d = (rating[0] - 1000) / SCALE
    assert rating.sum() == pytest.approx(2000)
    assert 3 / (1 + np.exp(2 * d)) + 0.5 == pytest.approx(1 / (1 + np.exp(-d)), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_a_general_optimiser(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second, outcome = simulated(rng, rng.normal(size=4), 40)

    def surprise(x: np.ndarray) -> float:
        gap = x[first] - x[second]
        seen = outcome * log_expit(gap) + (1 - outcome) * log_expit(-gap)
        more = (log_expit(x[:4] - x[4]) + log_expit(x[4] - x[:4])) / 2
        return -float(seen.sum() + more.sum()) + float(x.mean() ** 2)

    found = minimize(surprise, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x[:4]
    ours = regularised_bradley_terry(first, second, outcome, n=4)
    assert_allclose(ours, points_of(found), atol=1e-5 * SCALE)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(4)))
def test_relabelling_and_mirroring(seed: int, order: list[int]) -> None:
    first, second, outcome = simulated(np.random.default_rng(seed), np.zeros(4), 12)
    rating = regularised_bradley_terry(first, second, outcome, n=4)
    assert_allclose(regularised_bradley_terry(second, first, 1 - outcome, n=4), rating, atol=1e-5)
    place = np.array(order)
    renamed = regularised_bradley_terry(place[first], place[second], outcome, n=4)
    assert_allclose(renamed[place], rating, atol=1e-5)


def test_who_was_never_compared_has_none() -> None:
    rating = regularised_bradley_terry(*columns((0, 2, 1)), n=3)
    assert np.isnan(rating[1])
    assert rating[0] + rating[2] == pytest.approx(2000)


EXPERTS = ("logit", "probability")


def by_lstsq(votes, n, position, experts):
    """One row per comparison, solved by numpy.linalg.lstsq: (ratings, position effect)."""
    first, second, p = votes
    design = np.hstack([np.eye(n)[first] - np.eye(n)[second], np.ones((len(p), int(position)))])
    mu = logit(np.clip(p, 1e-6, 1 - 1e-6)) if experts == "logit" else 4 * p - 2
    best = np.linalg.lstsq(design, mu, rcond=None)[0]
    return 1000 + SCALE * best[:n], SCALE * best[n:]


def test_strengths_are_least_squares() -> None:
    for experts, position, m in product(EXPERTS, [False, True], [8, 60, 400]):
        rng = np.random.default_rng(m)
        votes = probable(rng, rng.normal(size=8), m, first=-1.0)
        rating, effect = by_lstsq(votes, 8, position, experts)
        known = np.isin(np.arange(8), np.concatenate(votes[:2]))
        ours = product_of_experts(*votes, n=8, position=position, experts=experts)
        assert_allclose(ours[known], rating[known], atol=1e-6)
        assert np.isnan(ours[~known]).all()
        if position:
            assert experts_effect(*votes, n=8, experts=experts) == pytest.approx(effect[0])


def test_strengths_by_hand() -> None:
    # Logits of +1 and +2 down a chain: strengths 4/3, 1/3, -5/3.
    p = 1 / (1 + np.exp([-1.0, -2.0]))
    rating = product_of_experts(np.array([0, 1]), np.array([1, 2]), p, n=4)
    assert_allclose(rating, [1000 + SCALE * 4 / 3, 1000 + SCALE / 3, 1000 - SCALE * 5 / 3, np.nan])
    # p = 0.9 first and 0.7 for the other when shown second: mu = 1.6 and 0.8 before position, so
    # 0.4 and 1.2.
    votes = columns((0, 1, 0.9), (1, 0, 0.7))
    apart = product_of_experts(*votes, n=2, position=True, experts="probability") @ [1, -1]
    assert apart == pytest.approx(0.4 * SCALE)
    assert experts_effect(*votes, n=2, experts="probability") == pytest.approx(1.2 * SCALE)


def test_a_judge_twice_as_sure_of_itself_changes_no_order() -> None:
    rng = np.random.default_rng(1)
    *sides, p = probable(rng, rng.normal(size=8), 30, first=-1.0)
    once, twice = (
        product_of_experts(*sides, expit(sure * logit(p)), n=8, position=True) for sure in (1, 2)
    )
    assert_allclose(2 * (once - 1000), twice - 1000, atol=1e-6)


def test_certainty_is_finite() -> None:
    away = SCALE * logit(1 - 1e-6) / 2
    rating = product_of_experts(*columns((0, 1, 1.0)), n=2)
    assert_allclose(rating, [1000 + away, 1000 - away])


def test_position_is_told_where_a_cycle_is_uneven() -> None:
    for pairs, tells in [
        ([(0, 1)], False),
        ([(0, 1), (1, 0)], True),
        ([(0, 1), (1, 2), (2, 3)], False),
        ([(0, 1), (1, 2), (2, 0)], True),
        ([(0, 1), (1, 2), (0, 2)], True),
        ([(0, 1), (0, 2), (3, 1), (3, 2)], False),  # each either always first or always second
    ]:
        votes = columns(*((*pair, 0.7) for pair in pairs))
        assert tells_position(*votes[:2], n=5) is tells
        board = leaderboard("product-of-experts", *votes, n=5, position=True, resamples=0)
        assert ("other order" in board.note) is not tells


def test_unknown_experts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'normal'.*\blogit, probability\b"):
        product_of_experts(*columns((0, 1, 0.5)), n=2, experts="normal")


@st.composite
def probabilities(draw):
    pair = st.sampled_from(list(permutations(range(4), 2)))
    rows = draw(st.lists(st.tuples(pair, st.floats(0, 1)), min_size=1, max_size=20))
    return columns(*((*systems, p) for systems, p in rows))


@given(votes=probabilities())
def test_swapping_sides_negates_the_effect_of_experts_alone(votes) -> None:
    first, second, p = votes
    for experts in EXPERTS:
        how = {"n": 4, "experts": experts}
        (found, effect), (turned, negated) = (
            (product_of_experts(*sides, position=True, **how), experts_effect(*sides, **how))
            for sides in (votes, (second, first, 1 - p))
        )
        assert_allclose(turned, found, atol=1e-4, err_msg=experts)
        assert negated == pytest.approx(-effect, abs=1e-4), experts
