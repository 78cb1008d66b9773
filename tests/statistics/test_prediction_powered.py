"""Held against ppi-python 0.2.3, the authors' own, whose numbers stand here since it brings numba
along. They were made by

    from ppi_py import ppi_logistic_pointestimate, ppi_mean_ci, ppi_mean_pointestimate
    first, second, votes, judged, chance = published()
    voted, rest = np.arange(400) < 80, np.arange(400) >= 80
    X = np.eye(4)[first] - np.eye(4)[second]
    ppi_logistic_pointestimate(X[voted, 1:], votes[voted], judged[voted], X[rest, 1:],
        judged[rest], lam=lam * 320 / 400, optimizer_options={"ftol": 1e-18, "gtol": 1e-13})

less their mean, and for each system, from its side (y, f), with its own numbers of pairs,

    ppi_mean_pointestimate(y[voted], f[voted], f[rest], lam=lam * len(f[rest]) / len(f))

since theirs takes what is judged apart from what is voted on. With w=1 / chance[voted], all pairs
in place of the rest, and lam as it is.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from core.statistics import JudgedPairs
from core.statistics.bradley_terry import bradley_terry
from core.statistics.columns import SCALE
from core.statistics.prediction_powered import (
    RATED,
    _minimize_quadratic,
    combine,
    estimate_lead,
    find_significant_leads,
    tune,
)
from core.statistics.rectified_ratings import Shares, Strengths
from core.statistics.win_ratio import win_ratio
from tests.statistics.judged_studies import Floats, World, study

MEANS = {
    (0.0, False): [0.7857142857, 0.5714285714, 0.2682926829, 0.3809523810],
    (0.6, False): [0.7893026265, 0.5918170516, 0.3007816808, 0.3346909045],
    (1.0, False): [0.7916948537, 0.6054093718, 0.3224410128, 0.3038499202],
    (0.0, True): [0.8161788267, 0.6032483205, 0.2815468426, 0.3018799417],
    (0.6, True): [0.8135474821, 0.6060651607, 0.3066741081, 0.2876650286],
    (1.0, True): [0.8117932525, 0.6079430542, 0.3234256184, 0.2781884199],
}
LOGISTIC = {
    (0.0, False): [0.9703359791, 0.2625838318, -0.7931138047, -0.4398060062],
    (0.6, False): [1.0176196272, 0.2779247829, -0.7035622590, -0.5919821511],
    (1.0, False): [1.0489353542, 0.2972506866, -0.6471604504, -0.6990255904],
    (0.0, True): [1.1310009178, 0.3584652312, -0.7663116368, -0.7231545122],
    (0.6, True): [1.1563514322, 0.3218094987, -0.6994779817, -0.7786829492],
    (1.0, True): [1.1731578444, 0.3044912189, -0.6617590946, -0.8158899687],
}
HALF_WIDTH = 0.08965941292233337  # of the first system's mean at lambda = 0.6, by ppi_mean_ci


def published(weighted: bool = False) -> JudgedPairs:
    rng = np.random.default_rng(15)
    low, high = np.triu_indices(4, 1)
    pair = rng.integers(0, 6, 400)
    first, second = low[pair], high[pair]
    p = 1 / (1 + np.exp(0.7 * (first - second)))
    votes = (rng.random(400) < p).astype(float)
    judged = np.clip(0.7 * votes + 0.15 + rng.normal(0, 0.1, 400), 0, 1)
    chance = rng.uniform(0.2, 0.9, 400)
    item = np.arange(400)
    voted = np.where(item < 80, votes, np.nan)
    inclusion = chance if weighted else None
    return JudgedPairs(first, second, item, judged[:, None], voted, 4, inclusion=inclusion)


def test_estimates_are_those_of_ppi_python() -> None:
    for lam, weighted in MEANS:
        pairs, tuning = published(weighted), np.array([lam])
        shares = Shares(pairs).solve(tuning).rating
        assert_allclose(shares, MEANS[lam, weighted], atol=1e-8)
        strengths = Strengths(pairs, pseudo=0).solve(tuning).rating
        assert_allclose((strengths - 1000) / SCALE, LOGISTIC[lam, weighted], atol=1e-8)


def test_errors_are_those_of_ppi_python_where_items_are_many() -> None:
    """Theirs are of pairs that are either voted on or judged, and not corrected for few votes."""
    errors = Shares(published()).solve(np.array([0.6])).errors
    half = 1.959964 * np.sqrt((errors**2).sum(axis=0)[0])
    assert half == pytest.approx(HALF_WIDTH * np.sqrt(42 / 41), rel=0.01)


@pytest.mark.parametrize("pseudo", [0.0, 0.5])
def test_strengths_are_least_where_each_item_has_its_own_lambda(pseudo: float) -> None:
    """Against the loss written out and minimised by scipy."""
    rng = np.random.default_rng(3)
    pairs = study(World(systems=4, items=60, voted=30, pairs_each=2, quality=(1.0, 0.5)), rng)
    tuning = rng.dirichlet([1, 1, 1], 60)[:, :2]
    mine = Strengths(pairs, pseudo=pseudo)
    trusted, asked = tuning[pairs.item], pairs.has_votes / pairs.has_votes.sum()

    def loss(theta: Floats) -> float:
        gap = theta[pairs.first] - theta[pairs.second]

        def logistic(points: Floats) -> Floats:
            return np.logaddexp(0, gap) - points * gap

        by_judges = sum(trusted[:, j] * logistic(pairs.judged[:, j]) for j in range(2))
        by_votes = logistic(np.nan_to_num(pairs.voted))
        found = (by_judges / len(gap)).sum() + (asked * (by_votes - by_judges)).sum()
        gaps = theta[mine._low] - theta[mine._high]
        drawn = (2 * np.logaddexp(0, gaps) - gaps) * mine._prior
        return float(found + (1 - (asked * trusted.sum(axis=1)).sum()) * drawn.sum())

    least = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-10}).x
    found = (mine.solve(tuning).rating - 1000) / SCALE
    assert_allclose(found, least - least.mean(), atol=1e-5)


def test_votes_alone_and_judges_alone_are_what_a_leaderboard_says() -> None:
    pairs = study(World(voted=60), np.random.default_rng(1))
    there = pairs.has_votes
    columns = (pairs.first[there], pairs.second[there], pairs.voted[there])
    every = (pairs.first, pairs.second, pairs.judged[:, 0])
    found = combine(pairs, "win-ratio")
    assert_allclose(found.human.rating, win_ratio(*columns, n=6))
    assert_allclose(found.judges_only.rating, win_ratio(*every, n=6))
    plain = Strengths(pairs, pseudo=0)
    assert_allclose(plain.solve(np.zeros(1)).rating, bradley_terry(*columns, n=6), atol=1e-6)
    assert_allclose(plain.rate_by_judges().rating, bradley_terry(*every, n=6), atol=1e-6)


def test_errors_by_item_are_those_of_leaving_each_out() -> None:
    """The jackknife by hand (Efron & Tibshirani 1993, eq. 11.5), with lambda as it was."""
    for method in RATED:
        rng = np.random.default_rng(2)
        world = World(systems=3, items=40, voted=25, quality=(1.0, 0.6), unequal=True)
        pairs, tuning = study(world, rng), np.array([0.4, 0.3])
        every = []
        for left_out in range(40):
            kept = pairs.item != left_out
            names = ("first", "second", "item", "judged", "voted", "inclusion")
            rest = replace(pairs, **{name: getattr(pairs, name)[kept] for name in names})
            every.append(RATED[method](rest).solve(tuning).rating)
        spread = np.array(every) - np.mean(every, axis=0)
        jackknife = 39 / 40 * (spread**2).sum(axis=0)
        mine = (RATED[method](pairs).solve(tuning).errors ** 2).sum(axis=0)
        assert_allclose(np.sqrt(mine), np.sqrt(jackknife), rtol=0.05)


def test_where_people_voted_on_everything_judges_add_nothing() -> None:
    for method in RATED:
        pairs = study(World(items=30, voted=30), np.random.default_rng(4))
        found = combine(pairs, method)
        assert_allclose(found.combined.rating, found.human.rating, atol=1e-6)
        assert_allclose(found.ratio, 1)


def test_sides_and_names_do_not_matter() -> None:
    for method in RATED:
        pairs = study(World(voted=30, quality=(1.0, 0.5)), np.random.default_rng(5))
        mirror = {"judged": 1 - pairs.judged, "voted": 1 - pairs.voted}
        turned = replace(pairs, first=pairs.second, second=pairs.first, **mirror)
        places = np.array([3, 1, 5, 0, 2, 4])
        renamed = replace(pairs, first=places[pairs.first], second=places[pairs.second])
        found, mirrored, permuted = (combine(each, method) for each in (pairs, turned, renamed))
        for name in ("rating", "low", "high"):
            value = getattr(found.combined, name)
            assert_allclose(getattr(mirrored.combined, name), value, rtol=1e-6)
            assert_allclose(getattr(permuted.combined, name)[places], value, rtol=1e-6)


def test_no_interval_is_wider_than_from_votes_alone() -> None:
    for method, quality, seed in product(RATED, [0.0, 0.3, 1.0, np.inf], range(10)):
        world = World(voted=20, quality=(quality, 0.0), pairs_each=2)
        found = combine(study(world, np.random.default_rng(seed)), method)
        wide, by_votes = (one.high - one.low for one in (found.combined, found.human))
        assert (wide <= by_votes * (1 + 1e-9)).all()
        if np.isinf(quality):
            assert wide.mean() < 0.6 * by_votes.mean()


def test_a_copy_of_a_judge_changes_nothing() -> None:
    for method in ["win-ratio", "bradley-terry"]:
        one, three = (
            combine(study(World(voted=40, copies=copies), np.random.default_rng(6)), method)
            for copies in (0, 2)
        )
        assert_allclose(three.combined.rating, one.combined.rating, rtol=1e-3)
        assert_allclose(three.combined.high, one.combined.high, rtol=1e-3)
        assert three.tuning.sum() == pytest.approx(one.tuning[0], rel=0.01)


def test_a_system_without_votes_has_no_estimate_and_the_others_keep_theirs() -> None:
    pairs = study(World(voted=30), np.random.default_rng(7))
    about = (pairs.first == 2) | (pairs.second == 2)
    without = replace(pairs, voted=np.where(about, np.nan, pairs.voted))
    for method in ("win-ratio", "bradley-terry"):
        found = combine(without, method)
        assert np.isnan(found.combined.rating).tolist() == [False, False, True, False, False, False]
        assert np.isnan(found.combined.low[2])
        assert not np.isnan(found.judges_only.rating).any()


def test_a_system_that_won_all_its_votes_has_a_finite_strength() -> None:
    pairs = study(World(voted=20, pairs_each=2), np.random.default_rng(8))
    won = np.where((pairs.first == 5) | (pairs.second == 5), 0.0, pairs.voted)
    certain = replace(pairs, voted=np.where(pairs.has_votes, won, np.nan))
    found = combine(certain, "bradley-terry")
    assert np.isfinite([found.human.high, found.combined.high]).all()
    with pytest.raises(ArithmeticError, match=r"\blost everything\b"):
        Strengths(certain, pseudo=0).solve(np.zeros(1))


def test_judges_for_whom_a_system_never_loses_have_finite_strengths() -> None:
    pairs = study(World(voted=20), np.random.default_rng(9))
    judged = np.where(pairs.second == 5, 0.0, np.where(pairs.first == 5, 1.0, 0.5))
    found = combine(replace(pairs, judged=judged[:, None]), "bradley-terry")
    assert np.isfinite([found.judges_only.rating, found.combined.rating]).all()
    assert found.judges_only.rating.argmax() == 5


def test_what_is_no_answer_is_refused() -> None:
    pairs = study(World(items=10, voted=5), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"\bnot answer\b"):
        replace(pairs, judged=np.full_like(pairs.judged, np.nan))
    with pytest.raises(ValueError, match=r"method 'elo'.*\bwin-ratio\b"):
        combine(pairs, "elo")


def test_few_votes_that_are_all_alike_tell_nobody_apart() -> None:
    """Four equal systems with about five votes each: those of some are all alike and show no
    variance. With more items there is an interval.
    """
    for resolve in ["together", "always"]:
        world, seen = World(systems=4, voted=10, pairs_each=1, quality=(np.inf,), spread=0.0), 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            found = combine(study(world, rng), "win-ratio", resolve=resolve)
            seen += int(np.isin(found.human.rating, (0.0, 1.0)).sum())
            assert not find_significant_leads(found, rng).any()
            assert np.isnan(estimate_lead(found, 0, 1)[1:]).all()
        assert seen > 5
        more = combine(study(replace(world, voted=60), rng), "win-ratio", resolve=resolve)
        apart, low, high = estimate_lead(more, 0, 1)
        assert low < apart < high


def test_one_judge_is_trusted_as_far_as_least_squares_says() -> None:
    """The slope of the votes on the judge through the origin, between 0 and 1."""
    rng = np.random.default_rng(1)
    judge = rng.normal(size=(50, 1))
    for slope in (-0.5, 0.4, 1.8):
        human = slope * judge + rng.normal(size=(50, 1)) * 0.1
        found = tune(human, -judge[:, :, None], np.arange(50))
        by_hand = float((human * judge).sum() / (judge**2).sum())
        assert found.overall[0] == pytest.approx(np.clip(by_hand, 0, 1))
        kept = np.arange(50) != 7
        left = float((human * judge)[kept].sum() / (judge**2)[kept].sum())
        assert found.by_item[7, 0] == pytest.approx(np.clip(left, 0, 1))


def test_items_without_votes_take_what_all_say() -> None:
    rng = np.random.default_rng(2)
    human, judges = rng.normal(size=(20, 3)), rng.normal(size=(20, 3, 2))
    human[10:] = 0
    found = tune(human, judges, np.arange(10))
    np.testing.assert_array_equal(found.by_item[10:], np.tile(found.overall, (10, 1)))


def test_several_judges_against_every_lambda_of_a_grid() -> None:
    rng = np.random.default_rng(3)
    steps = np.linspace(0, 1, 101)
    grid = np.array([pair for pair in product(steps, steps) if sum(pair) <= 1 + 1e-9])
    for _ in range(20):
        root = rng.normal(size=(3, 2))
        square, gain = root.T @ root, rng.normal(size=2)
        value = np.einsum("gj,jk,gk->g", grid, square, grid) / 2 - grid @ gain
        found = _minimize_quadratic(square[None], gain[None])[0]
        reached = found @ square @ found / 2 - found @ gain
        assert reached <= value.min() + 1e-9
        assert (found >= 0).all()
        assert found.sum() <= 1 + 1e-9
