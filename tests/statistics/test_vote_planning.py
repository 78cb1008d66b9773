"""How many votes settle ranks: laws against studies that are larger, chances by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit, ndtr, ndtri

from core.pairing import systematic
from core.statistics import JudgedPairs, replay, vote_planning
from core.statistics.prediction_powered import Estimate, combine, find_significant_leads
from core.statistics.ratings import RATINGS
from core.statistics.replay import Target
from core.statistics.uncertainty import ANSWER, Uncertainty, critical_value
from core.statistics.vote_planning import Prospect, VarianceLaw, crossing, fit, settling_probability
from tests.statistics.judged_studies import Floats, World, everybody, study


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


def chances(prospect: Prospect, votes: Floats, pairs: Floats, seed: int = 5, **how: Any) -> Floats:
    """That the first of its systems is settled, at so many votes on so many pairs."""
    rng, now = np.random.default_rng(seed), how.pop("now", prospect.estimate)
    return settling_probability(prospect, now, (votes, pairs), 1, rng=rng, level=0.95, **how)


def assert_as_a_path(found: Floats, gap: float, left: Floats, limit: Floats) -> None:
    """The gap to come is normal around that of now with variance 1 - left; of 1000 draws, within 4
    standard errors.
    """
    expected = sum(ndtr((sign * gap - limit) / np.sqrt(1 - left)) for sign in (1, -1))
    assert (np.abs(found - expected) < 4 * np.sqrt(0.25 / 1000)).all()


def test_the_chance_of_two_systems_is_that_of_a_normal_path() -> None:
    """With the variance left at s, the gap is told at 1.96 sqrt(s)."""
    votes = np.array([100.0, 200.0, 400.0, 1600.0])
    prospect = Prospect(two(1.0, 1.0), VarianceLaw(100, 10**6, 1.0), share=False)
    found, left = chances(prospect, votes, np.full(4, 1e6)), 100 / votes[1:]
    assert found[0] == 0
    assert_as_a_path(found[1:], 1.0, left, 1.959964 * np.sqrt(left))


def test_looking_often_costs_what_its_boundary_says() -> None:
    """The same path, told beyond critical_value errors of the answers that the gap is then worth.
    Elo points of 100 answers: a variance of ANSWER / 100.
    """
    error, votes = np.sqrt(ANSWER / 100), np.array([100.0, 200.0, 400.0, 1600.0])
    prospect = Prospect(two(2.5 * error, error), VarianceLaw(100, 10**6, 1.0), share=False)
    found, left = chances(prospect, votes, np.full(4, 1e6), always=True), 100 / votes[1:]
    assert found[0] == 0, "2.5 errors are clear at one look, and not at every one"
    limit = critical_value(votes[1:], np.array(0.05)) * np.sqrt(left)
    assert_as_a_path(found[1:], 2.5, left, limit)


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
        votes, many = int(pairs.has_votes.sum()), len(pairs.first)
        prospect = Prospect(both, VarianceLaw(votes, many, 0.8), share=True)
        found = chances(prospect, np.array([float(votes)]), np.array([float(many)]), seed)
        verdicts.append(float(better[best].sum() == 2))
        assert found.tolist() == verdicts[-1:]
    assert set(verdicts) == {0.0, 1.0}


def test_one_who_always_wins_stays_told() -> None:
    """A win ratio of 1 and of 0 have no variance: 30 items tell them apart, and so do more."""
    rating = np.array([1.0, 0.0])
    uncertainty = Uncertainty(rating, (np.zeros((30, 2)),), (np.full(2, 30.0),))
    sure = Estimate(rating, rating, rating, np.zeros(2), uncertainty)
    prospect = Prospect(sure, VarianceLaw(30, 100, 1.0), share=True)
    found = chances(prospect, np.array([30.0, 60.0]), np.full(2, 100.0))
    assert found.tolist() == [1.0, 1.0]


def test_what_is_told_now_stays_likely_and_equal_systems_are_told_rarely() -> None:
    law, sizes = VarianceLaw(100, 100, 1.0), np.array([100.0, 400.0])
    sure, even = (Prospect(two(gap, 1.0), law, share=False) for gap in (20.0, 0.0))
    assert chances(sure, sizes, sizes).tolist() == [1.0, 1.0]
    found = chances(even, sizes, sizes, now=two(0.0, 1e-6))[1]
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
        design = np.eye(systems)[one[pair]] - np.eye(systems)[other[pair]]
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


# ---- Which pairs a vote is expected to tell most about: by hand, and in worlds whose truth is
# known


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


# ---- Replays of a budget beside loops over single comparisons


N = 4


EVERY = list(permutations(range(N), 2))


@st.composite
def asked(draw):
    """Every ordered comparison of four candidates, with its probability, in some order."""
    prob = draw(st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.9]), min_size=12, max_size=12))
    return EVERY, prob, draw(st.permutations(range(12))), draw(st.integers(1, 12))


def columns(pairs, prob):
    return *np.array(pairs).T, np.array(prob)


def positions(order):
    return np.argsort(order)[None].astype(float)


def by_hand(pairs, outcomes, places):
    """Win ratio, one comparison after another; 1/2 for whoever is in none."""
    points = [[] for _ in range(N)]
    for place in places:
        (i, j), outcome = pairs[place], outcomes[place]
        points[i].append(outcome)
        points[j].append(1 - outcome)
    return [sum(won) / len(won) if won else 0.5 for won in points]


@given(asked())
def test_ratings_of_a_budget_are_those_of_a_loop(drawn) -> None:
    pairs, prob, order, budget = drawn
    weights = replay.weights(positions(order), np.array([float(budget)]))
    how = {"n": N, "weights": weights, "decisions": False}
    (rating,) = replay.rate_draws(RATINGS["average-probability"], columns(pairs, prob), **how)
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
    decided = first, second, replay.debias(prob_a, taus[0], decisions=True)
    how = {"n": N, "weights": replay.weights(position, budgets), "decisions": True}
    rating = replay.rate_draws(RATINGS["win-ratio"], decided, **how)
    points = [0.5 if abs(p - tau) < 1e-12 else float(p > tau) for p in prob]
    assert rating[0] == pytest.approx(by_hand(pairs, points, order[:budget]))


def test_outcomes_of_each_row_are_those_of_all_where_they_are_the_same() -> None:
    """The rows' own outcomes take another way through weights."""
    for method in ["product-of-experts", "bradley-terry-soft", "likelihood"]:
        rng = np.random.default_rng(1)
        first, second, prob = columns(EVERY, rng.uniform(0.05, 0.95, len(EVERY)))
        weights = (rng.random((3, len(first))) < 0.8).astype(float)
        how = {"n": N, "weights": weights, "decisions": False}
        one, other = (
            replay.rate_draws(RATINGS[method], (first, second, outcome), **how)
            for outcome in (prob, np.tile(prob, (3, 1)))
        )
        assert other == pytest.approx(one, abs=1e-4)


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


def test_what_is_needed_is_the_least_budget_that_stays_enough() -> None:
    """What falls again is not reached."""
    for value, needed in (
        ([0.2, 0.8, 1.0], 14.0), ([0.96, 0.8, 1.0], 14.0), ([0.96, 0.97, 1.0], 5.0),
        ([0.2, 0.8, 0.9], np.nan),
    ):  # fmt: skip
        found = replay.find_least_budget(np.array([5.0, 10.0, 14.0]), np.array(value), 0.95)
        assert found == pytest.approx(needed, nan_ok=True)


def test_two_values_have_no_rank_correlation() -> None:
    target = Target.from_values(np.array([0.2, 0.7, np.nan]))
    assert np.isnan(replay.spearman(np.array([[0.1, 0.9, 0.5]]), target)).all()


@given(asked(), st.integers(2, N), st.integers(0, 9))
def test_some_candidates_are_ordered_as_a_loop_over_them_orders_them(drawn, size, seed) -> None:
    pairs, prob, _, _ = drawn
    first, second, outcome = columns(pairs, prob)
    points, times = replay.points_and_times(first, second, outcome, n=N)
    everyone = by_hand(pairs, prob, range(12))
    chosen = replay.drawn_candidates(N, size, 5, np.random.default_rng(seed))
    assert (chosen.sum(axis=1) == size).all()
    truth = Target.from_values(np.array(everyone))
    right, of = replay.count_ordered_in_subsets(points, times, chosen, truth)
    for draw, count, total in zip(chosen, right, of, strict=True):
        among = [place for place, (i, j) in enumerate(pairs) if draw[i] and draw[j]]
        ratio = by_hand(pairs, prob, among)
        two = [
            (i, j)
            for i, j in combinations(np.flatnonzero(draw).tolist(), 2)
            if abs(everyone[i] - everyone[j]) > 1e-9
        ]
        expected = sum(
            0.5
            if abs(ratio[i] - ratio[j]) < 1e-9
            else (ratio[i] > ratio[j]) == (everyone[i] > everyone[j])
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
