"""How many votes settle ranks: laws against studies that are larger, chances by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr, ndtri

from core.statistics import JudgedPairs, vote_planning
from core.statistics.prediction_powered import Estimate, combine, find_significant_leads
from core.statistics.uncertainty import ANSWER, Uncertainty, critical_value
from core.statistics.vote_planning import Prospect, VarianceLaw, crossing, fit, settling_probability
from tests.statistics.judged_studies import World, study

OPTIONS = {"level": 0.95}


def some(pairs: JudgedPairs, votes: int, rng: np.random.Generator) -> JudgedPairs:
    """With the votes of so many pairs, of all that have some."""
    kept = rng.permutation(len(pairs.first))[:votes]
    there = np.isin(np.arange(len(pairs.first)), kept)
    return replace(pairs, voted=np.where(there, pairs.voted, np.nan))


def test_the_law_says_how_variance_falls_in_a_larger_study() -> None:
    """150 votes tell what 600 leave of the variance, of votes alone and with two judges."""
    rng = np.random.default_rng(1)
    every = study(World(systems=4, items=300, voted=300, quality=(1.0, 1.0), leaning=0.3), rng)
    win_ratio = partial(combine, method="win-ratio")
    few = some(every, 150, rng)
    laws = fit(few, win_ratio, rng)
    now, then = win_ratio(few), win_ratio(some(every, 600, rng))
    left = [
        (getattr(then, name).variance / getattr(now, name).variance).mean()
        for name in ("combined", "human")
    ]
    for law, part in zip(laws, left, strict=True):
        found = law.variance_left(np.array([600.0]), np.array([1800.0]))[0]
        assert found == pytest.approx(part, abs=0.07)
    assert (laws[0].votes, laws[0].pairs) == (150, 1800)


def test_a_law_by_hand() -> None:
    """A fifth is of the items: 0.8 * 100 / 200 + 0.2, and of twice as many 0.2 / 2 more; beyond one
    vote a pair both fall.
    """
    law = VarianceLaw(100, 400, 0.8)
    votes = np.array([100.0, 200.0, 100.0, 800.0])
    pairs = np.array([400.0, 400.0, 800.0, 400.0])
    assert law.variance_left(votes, pairs) == pytest.approx([1.0, 0.6, 0.9, 0.2])


def two(gap: float, error: float, clusters: float = 1e6) -> Estimate:
    """Two systems that many items tell apart by `gap`, with that standard error."""
    rating = np.array([gap / 2, -gap / 2])
    deviations = np.array([[error / 2, -error / 2]])
    uncertainty = Uncertainty(rating, (deviations,), (np.full(2, clusters),))
    nothing = np.full(2, np.nan)
    return Estimate(rating, nothing, nothing, np.full(2, error**2 / 4), uncertainty)


def test_the_chance_of_two_systems_is_that_of_a_normal_path() -> None:
    """With the variance left at s, the gap to come is normal around that of now with variance
    1 - s, and is told at 1.96 sqrt(s). Simulated from 1000 draws: within 4 standard errors.
    """
    law = VarianceLaw(100, 10**6, 1.0)
    votes = np.array([100.0, 200.0, 400.0, 1600.0])
    prospect = Prospect(two(1.0, 1.0), law, share=False)
    pairs = np.full(4, 1e6)
    found = settling_probability(prospect, prospect.estimate, (votes, pairs), 1, rng=np.random.default_rng(5),
                    **OPTIONS)  # fmt: skip
    left = 100 / votes[1:]
    limit = 1.959964 * np.sqrt(left)
    expected = ndtr((1 - limit) / np.sqrt(1 - left)) + ndtr((-1 - limit) / np.sqrt(1 - left))
    assert found[0] == 0
    assert (np.abs(found[1:] - expected) < 4 * np.sqrt(0.25 / 1000)).all()


def test_looking_often_costs_what_its_boundary_says() -> None:
    """The same path, told beyond critical_value errors of the answers that the gap is then worth.
    Elo points of 100 answers: a variance of ANSWER / 100.
    """
    error = np.sqrt(ANSWER / 100)
    prospect = Prospect(two(2.5 * error, error), VarianceLaw(100, 10**6, 1.0), share=False)
    votes = np.array([100.0, 200.0, 400.0, 1600.0])
    found = settling_probability(prospect, prospect.estimate, (votes, np.full(4, 1e6)), 1, always=True,
                    rng=np.random.default_rng(5), **OPTIONS)  # fmt: skip
    left = 100 / votes[1:]
    limit = critical_value(votes[1:], np.array(0.05)) * np.sqrt(left)
    expected = ndtr((2.5 - limit) / np.sqrt(1 - left)) + ndtr((-2.5 - limit) / np.sqrt(1 - left))
    assert found[0] == 0, "2.5 errors are clear at one look, and not at every one"
    assert (np.abs(found[1:] - expected) < 4 * np.sqrt(0.25 / 1000)).all()


def test_what_is_settled_now_is_what_combine_ranks() -> None:
    """Whatever the errors may truly be: with few votes a draw of them would often say otherwise."""
    verdicts = []
    for seed in range(12):
        world = World(systems=3, items=60, voted=20, spread=1.2, leaning=0.3)
        pairs = study(world, np.random.default_rng(seed))
        combined = combine(pairs, "win-ratio")
        both = combined.combined
        best = int(both.rating.argmax())
        better = find_significant_leads(combined, np.random.default_rng(seed))
        votes, many = float(pairs.has_votes.sum()), float(len(pairs.first))
        found = settling_probability(
            Prospect(both, VarianceLaw(int(votes), int(many), 0.8), share=True), both,
            (np.array([votes]), np.array([many])), 1, rng=np.random.default_rng(seed), **OPTIONS,
        )  # fmt: skip
        verdicts.append(float(better[best].sum() == 2))
        assert found.tolist() == verdicts[-1:]
    assert set(verdicts) == {0.0, 1.0}


def test_one_who_always_wins_stays_told() -> None:
    """A win ratio of 1 and of 0 have no variance: 30 items tell them apart, and so do more."""
    rating = np.array([1.0, 0.0])
    uncertainty = Uncertainty(rating, (np.zeros((30, 2)),), (np.full(2, 30.0),))
    sure = Estimate(rating, rating, rating, np.zeros(2), uncertainty)
    sizes = (np.array([30.0, 60.0]), np.array([100.0, 100.0]))
    found = settling_probability(Prospect(sure, VarianceLaw(30, 100, 1.0), share=True), sure, sizes, 1,
                    rng=np.random.default_rng(1), **OPTIONS)  # fmt: skip
    assert found.tolist() == [1.0, 1.0]


def test_what_is_told_now_stays_likely_and_equal_systems_are_told_rarely() -> None:
    law, sizes = VarianceLaw(100, 100, 1.0), (np.array([100.0, 400.0]), np.array([100.0, 400.0]))
    rng = np.random.default_rng(6)
    sure, even = (Prospect(two(gap, 1.0), law, share=False) for gap in (20.0, 0.0))
    assert settling_probability(sure, sure.estimate, sizes, 1, rng=rng, **OPTIONS).tolist() == [
        1.0,
        1.0,
    ]
    certain = two(0.0, 1e-6)
    found = settling_probability(even, certain, sizes, 1, rng=rng, **OPTIONS)[1]
    by_hand = 2 * ndtr(-1.959964 * 0.5 / np.sqrt(0.25 * 0.75))  # 0.024
    assert abs(found - by_hand) < 4 * np.sqrt(by_hand / 1000)


def test_where_a_chance_is_crossed_by_hand() -> None:
    sizes, chance = np.array([0.0, 10.0, 20.0]), np.array([0.0, 0.4, 0.6])
    assert [crossing(sizes, chance, each) for each in (0.0, 0.2, 0.5)] == [0.0, 5.0, 15.0]
    assert crossing(sizes, chance, 0.7) == np.inf


def test_whole_items_are_left_out_where_whole_items_were_voted_on() -> None:
    rng = np.random.default_rng(2)
    whole = study(World(systems=4, items=40, voted=20), rng)
    part = vote_planning._part(whole, 0.5, rng)
    voted = np.bincount(part.item, part.has_votes)
    assert sorted(voted.tolist()) == [0] * 30 + [6] * 10
    scattered = vote_planning._part(some(whole, 100, rng), 0.5, rng)
    assert set(np.bincount(scattered.item, scattered.has_votes)) - {0, 6}


def test_the_detectable_share_is_found_in_four_of_five_studies() -> None:
    """By logistic regression on made votes, with Bonferroni over pairs of systems: the difference
    of two systems of which one is preferred with this share, all others half way between.
    """
    for votes, systems in [(100, 2), (400, 2), (300, 4), (900, 4)]:
        share = vote_planning.find_detectable_share(votes, systems)
        ahead = logit(share) / 2
        strength = np.array([ahead, -ahead, *([0.0] * (systems - 2))])
        one, other = np.triu_indices(systems, 1)
        pair = np.resize(np.arange(len(one)), votes)
        design = np.zeros((votes, systems))
        design[np.arange(votes), one[pair]], design[np.arange(votes), other[pair]] = 1.0, -1.0
        rng = np.random.default_rng(7)
        limit = ndtri(1 - 0.025 / len(one))
        found = 0
        for _ in range(400):
            won = rng.random(votes) < expit(strength[one[pair]] - strength[other[pair]])
            rating = np.zeros(systems)
            for _ in range(12):
                p = expit(design @ rating)
                covariance = np.linalg.pinv(design.T @ (design * (p * (1 - p))[:, None]))
                rating = rating + covariance @ (design.T @ (won - p))
            gap = rating[0] - rating[1]
            variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
            found += gap / np.sqrt(variance) > limit
        assert abs(found / 400 - vote_planning.POWER) < 0.07
