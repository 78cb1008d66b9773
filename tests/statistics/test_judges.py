"""What judges are worth: calibration, juries and misfits, against second implementations and known truths."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from core.statistics import calibration, misfits
from core.statistics import jury as estimates
from core.statistics.calibration import (
    METHODS,
    cross_fitted,
    draw_errors_by_chance,
    expected_error,
    folds,
    isotonic,
    platt,
    temperature,
)
from core.statistics.jury import NoVerdictError, fit_jury
from core.statistics.misfits import Misfit, expected_points, misfit
from tests.statistics.votes import columns
from tests.statistics.votes import simulated as by_bradley_terry

# ---- Calibration: against scikit-learn, hand counts, and truths that are known


def drawn(seed, *, m=400, slope=0.5, shift=-0.4, votes=3):
    """A judge that is too sure of itself and favours the first, and what people say."""
    rng = np.random.default_rng(seed)
    prob = expit(2 * rng.normal(size=m))
    return prob, rng.binomial(votes, expit(slope * logit(prob) + shift)) / votes


def smoothed(share):
    """Platt's targets (1999, eq. 2), written out."""
    plus, minus = share.sum(), (1 - share).sum()
    return share * (plus + 1) / (plus + 2) + (1 - share) / (minus + 2)


def test_slopes_agree_with_scikit_learn() -> None:
    for shifted in [False, True]:
        prob, share = drawn(0)
        target = smoothed(share)
        model = LogisticRegression(C=np.inf, fit_intercept=shifted, tol=1e-12, max_iter=1000)
        model.fit(
            np.tile(logit(prob), 2)[:, None],
            np.repeat([1, 0], len(prob)),
            sample_weight=np.concatenate([target, 1 - target]),
        )
        ours = (platt if shifted else temperature)(prob, share)
        assert_allclose(ours.slope, model.coef_[0, 0], atol=1e-5)
        assert_allclose(ours.shift, model.intercept_[0] if shifted else 0, atol=1e-5)


def test_isotonic_agrees_with_scikit_learn() -> None:
    prob, share = drawn(1)
    theirs = IsotonicRegression().fit(prob, smoothed(share))
    at = np.random.default_rng(0).uniform(prob.min(), prob.max(), 50)
    assert_allclose(isotonic(prob, share)(at), theirs.predict(at), atol=1e-12)


def test_what_made_the_votes_is_recovered() -> None:
    fit = platt(*drawn(2, m=20_000))
    assert_allclose([fit.slope, fit.shift], [0.5, -0.4], atol=0.03)


def test_a_map_is_monotone_and_never_certain() -> None:
    """Of a perfect judge, for which no slope would be steep enough."""
    prob, share = np.array([0.1, 0.2, 0.6, 0.7, 0.9]), np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    for method in METHODS.values():
        mapped = method(prob, share)(np.array([0.0, 0.05, 0.3, 0.65, 0.95, 1.0]))
        assert (np.diff(mapped) >= 0).all()
        assert 0 < mapped[1] < 0.5 < mapped[-2] < 1


def test_a_judge_that_never_differs_is_left_as_it_is() -> None:
    for half in (temperature, platt):
        assert half(np.full(8, 0.5), np.tile([0.0, 1.0], 4))(np.array([0.5])) == pytest.approx(0.5)


def test_the_probabilities_of_an_item_are_mapped_without_it() -> None:
    prob, share = drawn(3, m=60)
    fold = folds(np.arange(60) // 3, 5, np.random.default_rng(0))
    assert all(len(set(fold[3 * item : 3 * item + 3])) == 1 for item in range(20))
    assert np.bincount(fold).tolist() == [12] * 5
    found = cross_fitted("platt", prob, share, fold)
    for one in range(5):
        rest = platt(prob[fold != one], share[fold != one])
        assert_allclose(found[fold == one], rest(prob[fold == one]))
    unvoted = np.where(np.arange(60) < 6, np.nan, share)
    found = cross_fitted("platt", prob, unvoted, fold)
    assert_allclose(found[:6], platt(prob[6:], share[6:])(prob[:6]))


def test_calibration_error_counted_by_hand() -> None:
    prob, share = np.array([0.1, 0.1, 0.8, 0.8]), np.array([0.0, 1.0, 1.0, 1.0])
    # bins 0.1 (share 1/2) and 0.8 (share 1), half of the answers each
    assert_allclose(expected_error(prob, share), (0.4 + 0.2) / 2)


def test_of_few_votes_a_calibrated_judge_has_an_error_too() -> None:
    """100 votes of one item each: the mean of so many studies, in 5% of which chance alone would
    hardly make as much; 25 of 300 are 3 SE more.
    """
    rng = np.random.default_rng(4)
    prob = rng.uniform(size=100)
    studies = [(rng.random(100) < prob).astype(float) for _ in range(300)]
    found = np.array([expected_error(prob, share) for share in studies])
    each, first = np.arange(100), np.zeros(100, dtype=bool)
    drawn = np.array([
        draw_errors_by_chance(prob, share, each, first, each, rng=rng, draws=200)
        for share in studies
    ])  # fmt: skip
    assert drawn.mean() == pytest.approx(found.mean(), rel=0.05)
    assert drawn.mean() > 0.05
    assert ((drawn >= found[:, None]).mean(axis=1) < 0.05).sum() <= 25


def test_answers_of_one_item_are_one_chance() -> None:
    """Each pair four times, as one pair or as four of one item, or in both orders."""
    prob, rng = np.full(400, 0.7), np.random.default_rng(0)
    share = (rng.random(400) < 0.7).astype(float)
    each, first = np.arange(400), np.zeros(400, dtype=bool)
    once = draw_errors_by_chance(prob, share, each, first, each, rng=rng).mean()
    four, items = (np.tile(prob, 4), np.tile(share, 4)), np.tile(each, 4)
    both = (np.append(prob, 1 - prob), np.append(share, 1 - share))
    turned = np.append(first, ~first)
    for rows in [
        (*four, items, np.tile(first, 4), items),
        (*four, np.arange(1600), np.tile(first, 4), items),
        (*both, np.tile(each, 2), turned, np.tile(each, 2)),
    ]:
        again = draw_errors_by_chance(*rows, rng=rng)
        assert again.mean() == pytest.approx(once, rel=0.1)
    assert calibration.bin_of(np.array([0.0, 0.05, 0.1, 1.0])).tolist() == [0, 0, 1, 9]


# ---- A jury: against a second implementation, and truths that are known


SEEDS = st.integers(0, 10**6)


def drawn_panel(seed, *, d=(1.6, 1.1, 0.3), n=4, items=40, soft=False):
    """(first, second, outcome), judge: every judge answers every pair of every item, either text
    shown first; a tenth of the answers are ties.
    """
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))
    judge, pair = np.indices((items, len(d), len(pairs))).reshape(3, -1)[1:]
    sides = rng.permuted(pairs[pair], axis=1).T
    theta = np.linspace(1, -1, n) + rng.normal(size=n) / 4
    odds = np.array(d)[judge] * (theta[sides[0]] - theta[sides[1]])
    if soft:
        outcome = expit(odds + rng.normal(size=len(odds)))
    else:
        outcome = np.where(rng.random(len(odds)) < 0.1, 0.5, rng.random(len(odds)) < expit(odds))
    return (*sides, outcome), judge


def by_torch(votes, n, judge):
    """Strengths, discriminations and log-likelihood by scipy's trust-exact, slopes and curvature by
    torch; no normalisation but afterwards.
    """
    first, second, outcome = (torch.tensor(column) for column in votes)
    who, count = torch.tensor(judge), int(judge.max()) + 1

    def minus(x):
        theta, d = x[:n], x[n:]
        odds = d[who] * (theta[first] - theta[second])
        logs = torch.nn.functional.logsigmoid
        return -(outcome * logs(odds) + (1 - outcome) * logs(-odds)).sum()

    def slopes(x):
        x = torch.tensor(x, requires_grad=True)
        return torch.autograd.grad(minus(x), x)[0].numpy()

    found = minimize(
        lambda x: float(minus(torch.tensor(x))),
        np.concatenate([np.linspace(1, -1, n), np.ones(count)]),
        jac=slopes,
        hess=lambda x: torch.autograd.functional.hessian(minus, torch.tensor(x)).numpy(),
        method="trust-exact",
        options={"gtol": 1e-9, "maxiter": 500},
    )
    theta, d = found.x[:n], found.x[n:]
    mean = d[judge].mean()
    return (theta - theta.mean()) * mean, d / mean, -found.fun


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.booleans())
def test_a_second_implementation_agrees(seed, soft) -> None:
    votes, judge = drawn_panel(seed, soft=soft)
    fit = fit_jury(*votes, n=4, judge=judge)
    strength, discrimination, likelihood = by_torch(votes, 4, judge)
    assert_allclose(fit.log_likelihood, likelihood, atol=1e-8)
    assert_allclose(fit.strength, strength, atol=1e-6)
    assert_allclose(fit.discrimination, discrimination, atol=1e-6)


def test_names_do_not_matter_and_a_swapped_pair_is_the_same() -> None:
    votes, judge = drawn_panel(1)
    fit, (first, second, outcome) = fit_jury(*votes, n=4, judge=judge), votes
    new, order = np.array([2, 0, 3, 1]), np.array([1, 2, 0])
    renamed = fit_jury(new[first], new[second], outcome, n=4, judge=order[judge])
    assert_allclose(renamed.strength[new], fit.strength, atol=1e-9)
    assert_allclose(renamed.discrimination[order], fit.discrimination, atol=1e-9)
    turned = fit_jury(second, first, 1 - outcome, n=4, judge=judge)
    assert_allclose(turned.strength, fit.strength, atol=1e-9)


def test_a_tie_is_half_a_win_and_a_weight_of_two_is_twice() -> None:
    votes, judge = drawn_panel(2)
    whole = np.stack([votes[2] >= 0.5, votes[2] > 0.5]).ravel().astype(float)
    first, second, both = (np.tile(column, 2) for column in (*votes[:2], judge))
    twice = fit_jury(first, second, whole, n=4, judge=both)
    fit = fit_jury(*votes, n=4, judge=judge, weights=np.full(len(judge), 2.0))
    assert_allclose(twice.strength, fit.strength, atol=1e-8)
    assert_allclose(twice.log_likelihood, fit.log_likelihood, rtol=1e-12)


def test_a_useless_judge_has_no_say_and_a_contrary_one_the_opposite() -> None:
    votes, judge = drawn_panel(3, d=(1.5, 1.2, 0.0, -0.8), items=150)
    fit = fit_jury(*votes, n=4, judge=judge)
    assert fit.discrimination[3] < -0.5 < fit.discrimination[2] < 0.5 < fit.discrimination[1]
    assert (np.diff(fit.strength) < 0).all()


def test_what_is_not_identified_is_said() -> None:
    alone = [(0, 1, 1), (0, 1, 0)] * 2
    apart = [(0, 1, 1), (1, 0, 1), (2, 3, 1), (3, 2, 1)]
    sure = [(0, 1, 1), (1, 2, 1), (0, 2, 1)]
    level = [(i, j, y) for i, j in ((0, 1), (1, 2), (0, 2)) for y in (1, 0)]
    for votes, why in [
        (alone, "three systems or more"), (apart, "2 sets never compared"), (sure, "one-sided"),
        (level, "level"),
    ]:  # fmt: skip
        first, second, outcome = columns(*votes * 2)
        n, judge = 1 + max(first.max(), second.max()), np.repeat([0, 1], len(votes))
        with pytest.raises(NoVerdictError, match=why):
            fit_jury(first, second, outcome, n=n, judge=judge)


@pytest.mark.slow
def test_a_jury_believes_copies() -> None:
    """Copies of one judge draw the strengths to its own taste (docs/statistics/trust.md)."""
    theta, pairs = np.linspace(1, -1, 6), np.array(list(combinations(range(6), 2)))
    judge, pair = np.indices((100, 4, len(pairs))).reshape(3, -1)[1:]
    first, second = pairs[pair].T
    mine = judge == 0
    told = []
    for rng in np.random.default_rng(1).spawn(20):
        taste = rng.normal(size=(4, 6)) / 2
        own = theta + taste
        outcome = (rng.random(len(judge)) < expit(own[judge, first] - own[judge, second])) * 1.0
        for copies in (0, 3):
            kept = np.concatenate([np.arange(len(judge)), *[np.flatnonzero(mine)] * copies])
            who = np.concatenate([judge, *(np.full(mine.sum(), 4 + c) for c in range(copies))])
            fit = fit_jury(first[kept], second[kept], outcome[kept], n=6, judge=who)
            error = fit.strength - theta
            told.append((fit.discrimination[0], np.corrcoef(error, taste[0])[0, 1]))
    alone, copied = np.array(told).reshape(20, 2, 2).mean(axis=0)
    assert (copied > alone).all()
    assert copied[1] > 0.8


def test_two_judges_who_say_the_opposite_have_no_common_order() -> None:
    votes, judge = drawn_panel(7, d=(1.0,), items=60)
    first, second = (np.tile(side, 2) for side in votes[:2])
    outcome = np.concatenate([votes[2], 1 - votes[2]])
    with pytest.raises(NoVerdictError, match=r"\bcontradict\b|\blevel\b"):
        fit_jury(first, second, outcome, n=4, judge=np.repeat([0, 1], len(judge)))


def test_small_eigenvalue_problems_are_not_split_over_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Split, they are no sooner there, and cost cores that others wait for many times as much."""
    threads, true = set(), np.linalg.eigh

    def eigh(matrix):
        pools = threadpool_info()
        threads.update(pool["num_threads"] for pool in pools if pool["user_api"] == "blas")
        return true(matrix)

    monkeypatch.setattr(estimates.np.linalg, "eigh", eigh)
    sides, judge = drawn_panel(0)
    with threadpool_limits(2, "blas"):
        fit_jury(*sides, n=4, judge=judge)
    assert threads == {1}


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
    first, second, won = by_bradley_terry(np.random.default_rng(3), STRENGTHS[:4], 300, ties=0)

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
        streams = (np.random.default_rng(seed) for seed in range(60))
        studies = (simulated(rng, ["honest"] * 8, items=items, foreign=foreign) for rng in streams)
        assert sum(stands_out(study, 8).any() for study in studies) <= 5, (items, foreign)


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
