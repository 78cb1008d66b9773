from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logit

from core.statistics.columns import SCALE
from core.statistics.product_of_experts import position_effect, product_of_experts, tells_position
from tests.statistics.votes import columns, leaderboard, probable, resample_weights

EXPERTS = ("logit", "probability")


def by_lstsq(votes, n, position, experts):
    """One row per comparison, solved by numpy.linalg.lstsq: (ratings, position effect)."""
    first, second, p = votes
    design = np.zeros((len(p), n + position))
    design[np.arange(len(p)), first] = 1
    design[np.arange(len(p)), second] = -1
    design[:, n:] = 1
    mu = logit(np.clip(p, 1e-6, 1 - 1e-6)) if experts == "logit" else 4 * p - 2
    best = np.linalg.lstsq(design, mu, rcond=None)[0]
    return 1000 + SCALE * best[:n], SCALE * best[n:]


def test_strengths_are_least_squares() -> None:
    for experts in EXPERTS:
        for position in [False, True]:
            for m in [8, 60, 400]:
                rng = np.random.default_rng(m)
                votes = probable(rng, rng.normal(size=8), m, first=-1.0)
                rating, effect = by_lstsq(votes, 8, position, experts)
                known = np.isin(np.arange(8), np.concatenate(votes[:2]))
                ours = product_of_experts(*votes, n=8, position=position, experts=experts)
                assert_allclose(ours[known], rating[known], atol=1e-6)
                assert np.isnan(ours[~known]).all()
                if position:
                    assert position_effect(*votes, n=8, experts=experts) == pytest.approx(effect[0])


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
    assert position_effect(*votes, n=2, experts="probability") == pytest.approx(1.2 * SCALE)


def test_a_judge_twice_as_sure_of_itself_changes_no_order() -> None:
    rng = np.random.default_rng(1)
    first, second, p = probable(rng, rng.normal(size=8), 30, first=-1.0)
    sure = 1 / (1 + np.exp(-2 * logit(p)))
    ratings = [
        product_of_experts(first, second, outcome, n=8, position=True) for outcome in (p, sure)
    ]
    assert_allclose(2 * (ratings[0] - 1000), ratings[1] - 1000, atol=1e-6)


def test_certainty_is_finite() -> None:
    rating = product_of_experts(*columns((0, 1, 1.0)), n=2)
    assert_allclose(
        rating, [1000 + SCALE * logit(1 - 1e-6) / 2, 1000 - SCALE * logit(1 - 1e-6) / 2]
    )


def test_position_is_told_where_a_cycle_is_uneven() -> None:
    for pairs, tells in [
        ([(0, 1)], False),
        ([(0, 1), (1, 0)], True),
        ([(0, 1), (1, 2), (2, 3)], False),
        ([(0, 1), (1, 2), (2, 0)], True),
        ([(0, 1), (1, 2), (0, 2)], True),
        ([(0, 1), (0, 2), (3, 1), (3, 2)], False),  # each either always first or always second
    ]:
        first, second = np.array(pairs).T
        assert tells_position(first, second, n=5) is tells
        note = leaderboard(
            "product-of-experts",
            first,
            second,
            np.full(len(first), 0.7),
            n=5,
            position=True,
            rng=np.random.default_rng(0),
            resamples=0,
        ).note
        assert ("other order" in note) is not tells


def test_resamples_at_once_are_the_resamples_one_by_one() -> None:
    rng = np.random.default_rng(3)
    votes = probable(rng, rng.normal(size=5), 40)
    weights = resample_weights(np.arange(40) // 4, 30, rng)
    weights[0, (votes[0] == 2) | (votes[1] == 2)] = 0
    together = product_of_experts(*votes, n=5, weights=weights, position=True)
    alone = [product_of_experts(*votes, n=5, weights=one, position=True) for one in weights]
    assert_allclose(together, alone, atol=1e-6)
    assert np.isnan(together[0, 2])


def test_unknown_experts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'normal'.*\blogit, probability\b"):
        product_of_experts(*columns((0, 1, 0.5)), n=2, experts="normal")


@st.composite
def probabilities(draw):
    pair = st.sampled_from(list(permutations(range(4), 2)))
    rows = draw(st.lists(st.tuples(pair, st.floats(0, 1)), min_size=1, max_size=20))
    return columns(*((*systems, p) for systems, p in rows))


@given(votes=probabilities())
def test_swapping_the_sides_negates_the_position_effect_alone(votes) -> None:
    first, second, p = votes
    both = votes, (second, first, 1 - p)
    for experts in EXPERTS:
        how = {"n": 4, "experts": experts}
        found = [product_of_experts(*sides, position=True, **how) for sides in both]
        assert_allclose(*found, atol=1e-4, err_msg=experts)
        effects = [position_effect(*sides, **how) for sides in both]
        assert effects[0] == pytest.approx(-effects[1], abs=1e-4), experts


@given(votes=probabilities(), order=st.permutations(range(4)))
def test_relabelling_permutes_the_strengths(votes, order) -> None:
    first, second, p = votes
    order = np.array(order)
    relabelled = product_of_experts(order[first], order[second], p, n=4, position=True)
    assert_allclose(relabelled[order], product_of_experts(*votes, n=4, position=True), atol=1e-5)
