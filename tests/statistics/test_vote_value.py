"""Which pairs a vote is expected to tell most about: by hand, and in worlds whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from core.pairing import systematic
from core.statistics import vote_planning
from core.statistics.prediction_powered import combine
from tests.statistics.judged_studies import World, everybody, study

NOBODY = np.full(4, np.nan)


def test_without_votes_it_is_unsureness_and_disagreement_by_hand() -> None:
    """(sum of answers + 1) / (answers + 2): 4/5, 3/5, 1/2 and, of one answer, 2/3."""
    said = np.array([[1, 1, 1], [1, 1, 0], [0.5, 0.5, 0.5], [1, np.nan, np.nan]])
    found = vote_planning.residual_variance(said, NOBODY)
    assert found == pytest.approx([4 / 25, 6 / 25, 1 / 4, 2 / 9])


def test_votes_tell_how_far_judges_are_right() -> None:
    """Judges that are always right about what they are sure of, and toss a coin about the rest."""
    rng = np.random.default_rng(1)
    sure = rng.random(2000) < 0.5
    vote = rng.integers(0, 2, 2000).astype(float)
    said = np.where(sure, vote, 0.5)[:, None]
    voted = np.where(rng.random(2000) < 0.25, vote, np.nan)
    found = vote_planning.residual_variance(said, voted)
    assert found[~sure].mean() == pytest.approx(0.25, abs=0.01)
    assert found[sure].mean() < 0.02
    coin = vote_planning.residual_variance(rng.integers(0, 2, (2000, 1)).astype(float), voted)
    assert np.ptp(coin) < 0.02
    assert coin.mean() > 0.22


def test_texts_that_people_cannot_tell_apart_tell_more_where_votes_show_it() -> None:
    rng = np.random.default_rng(2)
    apart = rng.random(1000)
    vote = (rng.random(1000) < 0.5 + apart / 2).astype(float)
    said = np.full((1000, 1), 0.95)
    found = vote_planning.residual_variance(said, vote, apart)
    assert np.corrcoef(found, apart)[0, 1] < -0.9
    unknown = np.full(1000, np.nan)
    assert np.ptp(vote_planning.residual_variance(said, vote, unknown)) < 1e-9


def test_what_it_gains_over_votes_at_random() -> None:
    """The variance of a mean corrected by judges is mean(r^2 / size), r being what votes add to
    judges (Zrnic & Candes 2024, eq. 3): three judges who see as much as people, or toss coins.
    """
    for knowing, votes, least, most in [
    (True, 0, 0.93, 0.98), (True, 100, 0.80, 0.92), (False, 0, 0.98, 1.02), (False, 100, 0.97, 1.02),
]:  # fmt: skip
        rng, ratios = np.random.default_rng(7), []
        for _ in range(10):
            worth = rng.normal([0.6, 0.3, 0.0, -0.4], 1.5, (300, 4))
            first, second = (np.tile(side, 300) for side in np.triu_indices(4, 1))
            item = np.repeat(np.arange(300), 6)
            apart = 1.5 * (worth[item, first] - worth[item, second])
            vote = (rng.random(1800) < expit(apart)).astype(float)
            said = rng.integers(0, 2, (1800, 3)).astype(float)
            if knowing:
                said = expit(apart[:, None] + rng.normal(size=(1800, 3)))
            voted = np.full(1800, np.nan)
            chosen = rng.permutation(1800)[:votes]
            voted[chosen] = vote[chosen]
            variance = vote_planning.residual_variance(said, voted)
            size = vote_planning.sampling_sizes(variance, first, second, n=4)
            mean = said.mean(axis=1) - 0.5
            trust = max(mean @ (vote - 0.5) / (mean @ mean), 0.0)
            squares = (vote - 0.5 - trust * mean) ** 2
            ratios.append((squares / size).mean() * size.mean() / squares.mean())
        assert least < np.mean(ratios) < most


def test_sizes_by_hand_and_a_system_in_few_pairs_counts_for_more() -> None:
    """Of systems in 2, 2, 3 and 1 pairs: the root of v / 2^2 + v / 2^2 = 0.25 / 2 for v = 1/4, and
    so on.
    """
    first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    variance = np.array([0.25, 0.09, 0.09, 0.16])
    found = vote_planning.sampling_sizes(variance, first, second, n=4, even=0.0)
    roots = np.sqrt([0.25 / 2, 0.09 * 13 / 36, 0.09 * 13 / 36, 0.16 * 10 / 9])
    assert found == pytest.approx(roots / roots.mean())
    assert found.argmax() == 3


@given(st.lists(st.floats(0.01, 0.25), min_size=3, max_size=3), st.floats(0.1, 1.0))
def test_no_size_is_below_the_even_part(variance, even) -> None:
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    found = vote_planning.sampling_sizes(np.array(variance), first, second, n=3, even=even)
    assert found.mean() == pytest.approx(1)
    assert found.min() >= even - 1e-12


@pytest.mark.slow
def test_intervals_of_votes_and_judges_hold_and_are_no_wider() -> None:
    """100 studies of 900 pairs, 150 of them drawn, after some at random: each of four win ratios
    is held in 95% within 4 standard errors of 100 studies, and their variance is that at random or
    less.
    """
    for quality, before in [((1.0, 1.0, 0.5), 0), ((1.0, 1.0, 0.5), 100), ((0.0,), 60)]:
        world = World(systems=4, items=150, quality=quality, leaning=0.5, soft=True)
        truth = combine(everybody(world), "win-ratio").human.rating
        rng, held, variance = np.random.default_rng(0), [], {True: 0.0, False: 0.0}
        for _ in range(100):
            every = study(replace(world, voted=world.items), rng)
            pairs = len(every.first)
            there = rng.random(pairs) < before / pairs
            value = vote_planning.residual_variance(
                every.judged, np.where(there, every.voted, np.nan)
            )
            size = vote_planning.sampling_sizes(value, every.first, every.second, n=4)
            strata = np.unique(every.first * 4 + every.second, return_inverse=True)[1]
            for ordered in (True, False):
                places, p = systematic(size if ordered else np.ones(pairs), 150, rng, strata)
                drawn = there | np.isin(np.arange(pairs), places)
                voted = np.where(drawn, every.voted, np.nan)
                inclusion = p + (1 - p) * before / pairs
                found = combine(
                    replace(every, voted=voted, inclusion=inclusion), "win-ratio"
                ).combined
                variance[ordered] += found.variance.mean()
                if ordered:
                    held.append((found.low <= truth) & (truth <= found.high))
        assert abs(np.mean(held) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 100)
        assert variance[True] <= 1.01 * variance[False]
