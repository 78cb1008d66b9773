"""Strengths at equal style: against statsmodels' logit, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit
from statsmodels.api import Logit

from core.statistics.bradley_terry import bradley_terry, position_effect
from core.statistics.columns import SCALE
from core.statistics.style_control import (
    control_effects,
    control_position,
    controlled_bradley_terry,
)
from tests.statistics.votes import leaderboard

ITEMS = 60


def drawn(seed, m=600, n=6, k=3):
    """Votes of random pairs that style has a say in, every fifth of them a tie, and their items."""
    rng = np.random.default_rng(seed)
    first = rng.integers(n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    control = rng.normal(size=(m, k))
    odds = rng.normal(size=n)
    p = expit(odds[first] - odds[second] + control @ rng.normal(size=k) / 2 + 0.3)
    outcome = np.where(rng.random(m) < 0.2, 0.5, rng.random(m) < p)
    return (first, second, outcome), control, rng.integers(ITEMS, size=m)


def logit(votes, control, items, position):
    """statsmodels 0.15's fit. It takes no ties: each vote stands there twice, a tie once either way,
    which changes neither the estimate nor a covariance that is robust to clusters.
    """
    first, second, outcome = votes
    m, n = len(first), int(max(first.max(), second.max())) + 1
    design = np.zeros((m, n))
    design[np.arange(m), first], design[np.arange(m), second] = 1, -1
    columns = [design[:, 1:], control, *([np.ones(m)] if position else [])]
    won = np.stack([outcome >= 0.5, outcome > 0.5], axis=1).ravel().astype(float)
    return Logit(won, np.repeat(np.column_stack(columns), 2, axis=0)).fit(
        disp=0, tol=1e-12, cov_type="cluster",
        cov_kwds={"groups": np.repeat(items, 2), "use_correction": False},
    )  # fmt: skip


def test_agrees_with_statsmodels() -> None:
    for position in [False, True]:
        for seed in range(2):
            votes, control, items = drawn(seed)
            theirs = logit(votes, control, items, position)
            strengths = np.concatenate([[0.0], theirs.params[:5]])
            rating = controlled_bradley_terry(*votes, n=6, control=control, position=position)
            assert_allclose((rating - 1000) / SCALE, strengths - strengths.mean(), atol=1e-6)
            effects = control_effects(
                *votes, n=6, control=control, sources=[items], position=position
            )
            assert_allclose(effects.centre / SCALE, theirs.params[5:8], atol=1e-6)
            variance, freedom = effects.variance()
            errors = theirs.bse[5:8] * np.sqrt(ITEMS / (ITEMS - 1))
            assert_allclose(np.sqrt(variance) / SCALE, errors, atol=1e-6)
            assert_allclose(freedom, ITEMS - 1)
            if position:
                shown_first = control_position(*votes, n=6, control=control)
                assert shown_first / SCALE == pytest.approx(theirs.params[-1], abs=1e-6)


def test_without_controls_it_is_bradley_terry() -> None:
    for position in [False, True]:
        votes, _, _ = drawn(2)
        assert_allclose(
            controlled_bradley_terry(*votes, n=6, position=position),
            bradley_terry(*votes, n=6, position=position),
            atol=1e-6,
        )
        assert control_position(*votes, n=6) == pytest.approx(
            position_effect(*votes, n=6), abs=1e-6
        )
        alone = np.array([0, 0, 1]), np.array([1, 1, 2]), np.array([1.0, 1.0, 1.0])
        assert_allclose(
            controlled_bradley_terry(*alone, n=3), bradley_terry(*alone, n=3), atol=1e-6
        )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(6)))
def test_relabelling_mirroring_and_a_shift_change_nothing(seed, order) -> None:
    (first, second, outcome), control, items = drawn(seed, m=120, k=1)
    turned = np.random.default_rng(seed).random(120) < 0.5
    mirrored = (
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned, 1 - outcome, outcome),
    )
    sides = np.where(turned[:, None], -control, control)
    rating = controlled_bradley_terry(first, second, outcome, n=6, control=control)
    assert_allclose(controlled_bradley_terry(*mirrored, n=6, control=sides), rating, atol=1e-6)
    place = np.array(order)
    renamed = controlled_bradley_terry(place[first], place[second], outcome, n=6, control=control)
    assert_allclose(renamed[place], rating, atol=1e-6)
    # Both texts of a system become longer by as much on every item: only strengths differ by it.
    style = np.arange(6.0)
    moved = controlled_bradley_terry(
        first, second, outcome, n=6, control=control + (style[first] - style[second])[:, None]
    )
    [effect] = control_effects(first, second, outcome, n=6, control=control, sources=[items]).centre
    assert_allclose(moved + effect * (style - style.mean()), rating, atol=1e-5)


def test_what_has_no_estimate_is_said() -> None:
    votes, control, _ = drawn(3, m=200, k=1)
    longer_wins = (np.sign(control[:, 0]) + 1) / 2
    with pytest.raises(ArithmeticError, match=r"\bevery answer\b"):
        controlled_bradley_terry(votes[0], votes[1], longer_wins, n=6, control=control)
    of_system = (np.arange(6.0)[votes[0]] - np.arange(6.0)[votes[1]])[:, None]
    for useless in (of_system, np.zeros((200, 1)), np.column_stack([control, 2 * control])):
        with pytest.raises(ArithmeticError, match=r"\bseparated\b.*\bsystems\b"):
            controlled_bradley_terry(*votes, n=6, control=useless)


def test_a_leaderboard_of_equal_systems_whose_lengths_differ() -> None:
    """Whoever writes longer is preferred for that alone: at equal length all are alike."""
    rng = np.random.default_rng(4)
    m = 1500
    first = rng.integers(3, size=m)
    second = (first + rng.integers(1, 3, size=m)) % 3
    length = rng.normal(size=m) + (first - second)
    outcome = (rng.random(m) < expit(length)).astype(float)
    board = leaderboard(
        "bradley-terry-controlled", first, second, outcome, n=3, rng=rng,
        groups=np.arange(m) // 3, control=length[:, None],
    )  # fmt: skip
    assert ((board.low < 1000) & (board.high > 1000)).all()
    assert not board.beats.any()
    plain = leaderboard(
        "bradley-terry", first, second, outcome, n=3, rng=rng, groups=np.arange(m) // 3
    )
    assert plain.beats[2, 0], "which a plain leaderboard cannot know"
