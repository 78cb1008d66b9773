from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from core.statistics import misfits
from core.statistics.misfits import Misfit, expected_points, misfit

SYSTEMS, ITEMS, EACH = 6, 60, 80
STRENGTHS = np.array([1.4, 0.8, 0.3, -0.3, -0.8, -1.4])


def found(won, prob, others, judge=None, groups=None, *, voters=2, n=1, seed=0) -> Misfit:
    """Each decision is about a pair that so many others decided, with this share of wins."""
    won, prob, others = (np.asarray(column, dtype=float) for column in (won, prob, others))
    judge = np.zeros(len(won), dtype=int) if judge is None else judge
    groups = np.arange(len(won)) if groups is None else groups
    voters = np.broadcast_to(voters, won.shape)
    rng = np.random.default_rng(seed)
    return misfit(judge, won, prob, others, voters, groups, n=n, rng=rng)


def test_by_hand() -> None:
    """Residuals squared .04, .64, .25 over variances .16, .16, .25."""
    result = found([1, 0, 1], [0.8, 0.8, 0.5], [1, 1, 0.5])
    assert_allclose(result.infit, [0.93 / 0.57])
    assert_allclose(result.outfit, [(0.25 + 4 + 1) / 3])
    # The second pair has two wins of three: of it (won - p)^2 is .64 once and .04 twice, .24 on
    # average. Of a coin it would be .34 among 2.5 wins of three, of which the average is .14.
    assert_allclose(result.by_chance, [1 + (0.24 - 0.16 + 2 * (0.34 - 0.14) - 0.12) / 0.57])
    assert result.decisions.tolist() == [3]


def test_what_is_usual_against_every_way_to_give_a_pairs_decisions_to_its_judges() -> None:
    """Pairs with one win of three, or two; all 2^12 ways, each with its probability."""
    prob = np.array([0.9] * 4 + [0.75] * 4 + [0.4] * 4)
    won = np.array([1.0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0])
    others = np.full(12, 0.5)  # of three decisions, two are like the judge's
    share = (won + 2 * others) / 3
    ways = np.array(list(product((0.0, 1.0), repeat=12)))
    chance = np.where(ways == 1, share, 1 - share).prod(axis=1)
    infit = ((ways - prob) ** 2).sum(axis=1) / (prob * (1 - prob)).sum()
    order = np.argsort(infit)
    reached = np.cumsum(chance[order])
    low, high = (infit[order][np.searchsorted(reached, tail)] for tail in (0.025, 0.975))
    result = found(won, prob, others)
    assert_allclose((result.usual_low, result.usual_high), ([low], [high]), atol=0.05)


def test_expected_is_the_maximum_of_the_likelihood() -> None:
    """By a general optimiser (scipy, BFGS) over a hand-written likelihood."""
    rng = np.random.default_rng(3)
    first = rng.integers(4, size=300)
    second = (first + 1 + rng.integers(3, size=300)) % 4
    won = (rng.random(300) < 1 / (1 + np.exp(STRENGTHS[second] - STRENGTHS[first]))).astype(float)

    def loss(theta):
        apart = theta[first] - theta[second]
        return np.logaddexp(0, np.where(won == 1, -apart, apart)).sum() + 1e-9 * theta @ theta

    theta = minimize(loss, np.zeros(4), method="BFGS", tol=1e-10).x
    theirs = 1 / (1 + np.exp(theta[second] - theta[first]))
    assert_allclose(expected_points(first, second, won, n=4), theirs, atol=1e-5)


def test_who_is_not_fitted_does_not_move_the_strengths() -> None:
    first, second = np.array([0, 0, 0, 1, 0]), np.array([1, 1, 1, 0, 1])
    won, fitted = np.array([1.0, 1, 0, 0, 0]), np.array([True, True, True, True, False])
    assert_allclose(expected_points(first, second, won, n=2, fitted=fitted)[[0, 4]], [0.75, 0.75])


def simulated(rng, kinds, *, votes=3, items=0.0, foreign=0):
    """A study: (judge, item, pair, first, second, won) of judges of these kinds, EACH decisions
    each, so many on a pair. `items` is how far the texts of an item differ from their systems. The
    last `foreign` judges alone judge another domain, where the order of systems is the reverse.
    """
    n, rows = len(kinds), []
    for people, sign in ((range(n - foreign), 1), (range(n - foreign, n), -1)):
        every = min(votes, len(people))
        for _ in range(len(people) * EACH // every if every else 0):
            pair, item = len(rows), rng.integers(ITEMS)
            first, second = rng.choice(SYSTEMS, 2, replace=False)
            apart = STRENGTHS[first] - STRENGTHS[second]
            p = 1 / (1 + np.exp(-sign * apart - items * rng.standard_normal()))
            for judge in rng.choice(people, every, replace=False):
                chance = {"honest": p, "random": 0.5, "inverted": 1 - p}[kinds[judge]]
                rows.append((judge, item, pair, first, second, float(rng.random() < chance)))
    columns = np.array(rows).T
    return *columns[:5].astype(int), columns[5]


def stands_out(study, n, seed=0):
    judge, item, pair, first, second, won = study
    prob = expected_points(first, second, won, n=SYSTEMS)
    voters = np.bincount(pair)[pair] - 1
    others = (np.bincount(pair, won)[pair] - won) / np.maximum(voters, 1)
    return found(won, prob, others, judge, item, voters=voters, n=n, seed=seed).stands_out


def test_random_clickers_and_inverted_raters_are_told_from_honest_ones() -> None:
    """80 decisions each: of 40 studies with one of each among eight, each pair judged by three."""
    kinds = ["random", "inverted", *["honest"] * 6]
    outs = np.array([stands_out(simulated(np.random.default_rng(s), kinds), 8) for s in range(40)])
    random, inverted, honest = outs[:, 0].mean(), outs[:, 1].mean(), outs[:, 2:].any(axis=1).mean()
    assert random >= 0.4
    assert inverted >= 0.95
    assert honest <= 0.05


def test_honest_judges_are_rarely_accused() -> None:
    """Of 60 studies with eight honest judges, at most about 2.5% name one: 5 are 3 SE more. Also
    where one of them, or two, judge another domain in which other systems are better.
    """
    for items, foreign in [(0.0, 0), (1.0, 0), (0.5, 1), (0.5, 2)]:
        accused = [
            stands_out(
                simulated(np.random.default_rng(s), ["honest"] * 8, items=items, foreign=foreign), 8
            ).any()
            for s in range(60)
        ]
        assert sum(accused) <= 5, (items, foreign)


def test_of_who_shares_no_pair_nothing_is_said() -> None:
    alone = found(np.zeros(40), np.full(40, 0.9), np.zeros(40), voters=0)
    assert np.isnan([*alone.infit, *alone.usual_high, *alone.by_chance]).all()
    assert not alone.stands_out[0]
    assert alone.decisions.tolist() == [0]


def test_items_on_which_answers_move_together_make_more_usual() -> None:
    """A judge who answers each item ten times alike knows a tenth as much."""
    rng = np.random.default_rng(1)
    prob = np.full(400, 0.8)
    once = (rng.random(40) < 0.5).astype(float)
    won, others = np.repeat(once, 10), np.repeat(1 - once, 10)
    alike = found(won, prob, others, groups=np.repeat(np.arange(40), 10), voters=1)
    apart = found(won, prob, others, groups=np.arange(400), voters=1)
    ratio = (alike.usual_high - alike.usual_low) / (apart.usual_high - apart.usual_low)
    assert_allclose(ratio, np.sqrt(10), rtol=0.1)


def test_a_habit_of_ties_makes_nobody_a_misfit() -> None:
    """Ties have no rows: what is left of a judge's decisions has the same probabilities."""
    study = simulated(np.random.default_rng(5), ["honest"] * 4)
    judge = study[0]
    drawn = np.random.default_rng(6).random(len(judge)) < 0.7
    kept = ~((judge == 0) & drawn)
    assert not stands_out(tuple(column[kept] for column in study), 4).any()


def test_few_decisions_accuse_nobody() -> None:
    for number in (misfits.LEAST - 1, misfits.LEAST):
        few = found(np.zeros(number), np.full(number, 0.9), np.ones(number))
        assert few.infit[0] > few.usual_high[0]
        assert few.stands_out[0] == (number == misfits.LEAST)


def test_an_outcome_that_a_coin_brings_half_the_time_accuses_nobody() -> None:
    """One pair is split between two judges, so each is the odd one with probability 1/2; of the
    others nobody can vary. Its probability has more decimals than draws have.
    """
    for prob in np.random.default_rng(4).uniform(0.6, 0.99, 20):
        won = np.append(np.ones(30), 0.0)
        odd = found(won, np.full(31, prob), np.ones(31), voters=1)
        assert not odd.stands_out[0]
        assert odd.usual_high[0] == pytest.approx(odd.infit[0])


def test_where_systems_are_alike_nobody_can_be_told_from_a_coin() -> None:
    split = np.tile([0.0, 1.0, 0.5, 0.5], 250)
    alike = found(np.tile([0.0, 1.0], 500), np.full(1000, 0.52), split)
    assert not alike.is_informative[0]
    apart = found(np.tile([0.0, 1.0, 1.0, 1.0, 1.0], 200), np.full(1000, 0.8), np.full(1000, 0.8))
    assert apart.is_informative[0]


def test_nothing_is_said_of_who_decided_nothing() -> None:
    result = found([1.0, np.nan], [0.5, np.nan], [1, 1], np.array([1, 1]), n=2)
    assert np.isnan(result.infit[0])
    assert result.decisions.tolist() == [0, 1]
    nobody = found([], [], [], np.array([], dtype=int), np.array([], dtype=int))
    assert np.isnan(nobody.infit[0])
