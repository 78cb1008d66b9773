from __future__ import annotations

from itertools import product

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from core.statistics import misfits
from core.statistics.misfits import Misfit, expected_points, misfit

SYSTEMS, ITEMS, EACH = 6, 60, 80
STRENGTHS = np.array([1.4, 0.8, 0.3, -0.3, -0.8, -1.4])


def found(won, prob, judge=None, groups=None, *, n=1, seed=0) -> Misfit:
    won, prob = np.asarray(won, dtype=float), np.asarray(prob, dtype=float)
    judge = np.zeros(len(won), dtype=int) if judge is None else judge
    groups = np.arange(len(won)) if groups is None else groups
    return misfit(judge, won, prob, groups, n=n, rng=np.random.default_rng(seed))


def test_by_hand() -> None:
    """Residuals squared .04, .64, .25 over variances .16, .16, .25."""
    result = found([1, 0, 1], [0.8, 0.8, 0.5])
    assert_allclose(result.infit, [0.93 / 0.57])
    assert_allclose(result.outfit, [(0.25 + 4 + 1) / 3])
    # Of a coin (won - p)^2 is on average (p^2 + (1 - p)^2) / 2: .34, .34, .25.
    assert_allclose(result.by_chance, [0.93 / 0.57])
    assert result.decisions.tolist() == [3]


def test_what_is_usual_against_every_possible_answer() -> None:
    """All 2^12 ways to answer, each with its probability: the quantiles of infit."""
    prob = np.array([0.9] * 4 + [0.75] * 4 + [0.6] * 4)
    ways = np.array(list(product((0.0, 1.0), repeat=12)))
    chance = np.where(ways == 1, prob, 1 - prob).prod(axis=1)
    infit = ((ways - prob) ** 2).sum(axis=1) / (prob * (1 - prob)).sum()
    order = np.argsort(infit)
    reached = np.cumsum(chance[order])
    low, high = (infit[order][np.searchsorted(reached, tail)] for tail in (0.025, 0.975))
    result = found(np.ones(12), prob)
    assert_allclose((result.usual_low, result.usual_high), ([low], [high]), atol=0.05)
    assert_allclose(chance @ infit, 1.0)


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


def simulated(rng, kinds, *, items=0.0, ties=()):
    """A study: (judge, item, first, second, won) of judges of these kinds. `items` is how far the
    texts of an item differ from their systems.
    """
    n = len(kinds)
    judge = np.repeat(np.arange(n), EACH)
    item = rng.integers(ITEMS, size=n * EACH)
    first = rng.integers(SYSTEMS, size=n * EACH)
    second = (first + 1 + rng.integers(SYSTEMS - 1, size=n * EACH)) % SYSTEMS
    own = STRENGTHS + items * rng.standard_normal((ITEMS, SYSTEMS))
    prob = 1 / (1 + np.exp(own[item, second] - own[item, first]))
    kind = np.array(kinds)[judge]
    prob = np.select([kind == "random", kind == "inverted"], [0.5, 1 - prob], prob)
    won = (rng.random(n * EACH) < prob).astype(float)
    return judge, item, first, second, won


def stands_out(study, n, seed):
    judge, item, first, second, won = study
    prob = expected_points(first, second, won, n=SYSTEMS)
    return found(won, prob, judge, item, n=n, seed=seed).stands_out


def test_random_clickers_and_inverted_raters_are_told_from_honest_ones() -> None:
    """80 decisions each: of 40 studies with one of each among eight."""
    kinds = ["random", "inverted", *["honest"] * 6]
    outs = np.array(
        [stands_out(simulated(np.random.default_rng(s), kinds), 8, s) for s in range(40)]
    )
    random, inverted, honest = outs[:, 0].mean(), outs[:, 1].mean(), outs[:, 2:].any(axis=1).mean()
    assert random >= 0.7
    assert inverted == 1
    assert honest <= 0.05


def test_honest_judges_are_rarely_accused() -> None:
    """Of 100 studies with eight honest judges, at most about 5% name one: 10 are 2 SE more."""
    for items in [0.0, 1.0]:
        accused = [
            stands_out(simulated(np.random.default_rng(s), ["honest"] * 8, items=items), 8, s).any()
            for s in range(100)
        ]
        assert sum(accused) <= 10


def test_items_on_which_answers_move_together_make_more_usual() -> None:
    """A judge who answers each item ten times alike knows a tenth as much."""
    rng = np.random.default_rng(1)
    prob = np.full(400, 0.8)
    once = (rng.random(40) < 0.8).astype(float)
    alike = found(np.repeat(once, 10), prob, groups=np.repeat(np.arange(40), 10))
    apart = found(np.repeat(once, 10), prob, groups=np.arange(400))
    ratio = (alike.usual_high - 1) / (apart.usual_high - 1)
    assert_allclose(ratio, np.sqrt(10), rtol=0.1)


def test_a_habit_of_ties_makes_nobody_a_misfit() -> None:
    """Ties have no rows: what is left of a judge's decisions has the same probabilities."""
    study = simulated(np.random.default_rng(5), ["honest"] * 4)
    judge = study[0]
    drawn = np.random.default_rng(6).random(len(judge)) < 0.7
    kept = ~((judge == 0) & drawn)
    assert not stands_out(tuple(column[kept] for column in study), 4, 0).any()


def test_few_decisions_accuse_nobody() -> None:
    few = found(np.zeros(misfits.LEAST - 1), np.full(misfits.LEAST - 1, 0.9))
    assert few.infit[0] > few.usual_high[0]
    assert not few.stands_out[0]
    enough = found(np.zeros(misfits.LEAST), np.full(misfits.LEAST, 0.9))
    assert enough.stands_out[0]


def test_where_systems_are_alike_nobody_can_be_told_from_a_coin() -> None:
    alike = found(np.tile([0.0, 1.0], 500), np.full(1000, 0.52))
    assert not alike.is_informative[0]
    apart = found(np.tile([0.0, 1.0, 1.0, 1.0, 1.0], 200), np.full(1000, 0.8))
    assert apart.is_informative[0]


def test_nothing_is_said_of_who_decided_nothing() -> None:
    result = found([1.0, np.nan], [0.5, np.nan], np.array([1, 1]), n=2)
    assert np.isnan(result.infit[0])
    assert result.decisions.tolist() == [0, 1]
    nobody = found([], [], np.array([], dtype=int), np.array([], dtype=int))
    assert np.isnan(nobody.infit[0])
