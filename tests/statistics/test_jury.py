"""A jury: against a second implementation, and truths that are known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import threadpool_info, threadpool_limits

from core.statistics import jury as estimates
from core.statistics.jury import NoVerdictError, fit_jury
from tests.statistics.votes import columns

SEEDS = st.integers(0, 10**6)


def drawn(seed, *, d=(1.6, 1.1, 0.3), n=4, items=40, soft=False):
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
    votes, judge = drawn(seed, soft=soft)
    fit = fit_jury(*votes, n=4, judge=judge)
    strength, discrimination, likelihood = by_torch(votes, 4, judge)
    assert_allclose(fit.log_likelihood, likelihood, atol=1e-8)
    assert_allclose(fit.strength, strength, atol=1e-6)
    assert_allclose(fit.discrimination, discrimination, atol=1e-6)


def test_names_do_not_matter_and_a_swapped_pair_is_the_same() -> None:
    votes, judge = drawn(1)
    fit, new, order = (
        fit_jury(*votes, n=4, judge=judge),
        np.array([2, 0, 3, 1]),
        np.array([1, 2, 0]),
    )
    first, second, outcome = votes
    renamed = fit_jury(new[first], new[second], outcome, n=4, judge=order[judge])
    assert_allclose(renamed.strength[new], fit.strength, atol=1e-9)
    assert_allclose(renamed.discrimination[order], fit.discrimination, atol=1e-9)
    turned = fit_jury(second, first, 1 - outcome, n=4, judge=judge)
    assert_allclose(turned.strength, fit.strength, atol=1e-9)


def test_a_tie_is_half_a_win_and_a_weight_of_two_is_twice() -> None:
    votes, judge = drawn(2)
    whole = np.stack([votes[2] >= 0.5, votes[2] > 0.5]).ravel().astype(float)
    twice = fit_jury(
        np.tile(votes[0], 2), np.tile(votes[1], 2), whole, n=4, judge=np.tile(judge, 2)
    )
    fit = fit_jury(*votes, n=4, judge=judge, weights=np.full(len(judge), 2.0))
    assert_allclose(twice.strength, fit.strength, atol=1e-8)
    assert_allclose(twice.log_likelihood, fit.log_likelihood, rtol=1e-12)


def test_a_useless_judge_has_no_say_and_a_contrary_one_the_opposite() -> None:
    votes, judge = drawn(3, d=(1.5, 1.2, 0.0, -0.8), items=150)
    fit = fit_jury(*votes, n=4, judge=judge)
    assert fit.discrimination[3] < -0.5 < fit.discrimination[2] < 0.5 < fit.discrimination[1]
    assert (np.diff(fit.strength) < 0).all()


def test_what_is_not_identified_is_said() -> None:
    for votes, judge, why in [
        (columns(*[(0, 1, 1), (0, 1, 0)] * 4), np.arange(8) % 2, "three systems or more"),
        (
            columns(*[(0, 1, 1), (1, 0, 1), (2, 3, 1), (3, 2, 1)] * 2),
            np.repeat([0, 1], 4),
            "2 sets never compared",
        ),
        (columns(*[(0, 1, 1), (1, 2, 1), (0, 2, 1)] * 2), np.repeat([0, 1], 3), "one-sided"),
        (
            columns(*[(i, j, y) for i, j in ((0, 1), (1, 2), (0, 2)) for y in (1, 0)] * 2),
            np.repeat([0, 1], 6),
            "level",
        ),
    ]:
        with pytest.raises(NoVerdictError, match=why):
            fit_jury(*votes, n=1 + max(votes[0].max(), votes[1].max()), judge=judge)


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
    votes, judge = drawn(7, d=(1.0,), items=60)
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
    sides, judge = drawn(0)
    with threadpool_limits(2, "blas"):
        fit_jury(*sides, n=4, judge=judge)
    assert threads == {1}
