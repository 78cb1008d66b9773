"""What one more comparison tells about the ranks: against brute force over sampled scores."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erfinv, expit
from scipy.stats import spearmanr

from core.statistics.active_choice import (
    Posterior,
    approximate_reduction,
    choose,
    expect_reduction,
    posterior,
)

N = 6
EVERY = np.array(list(permutations(range(N), 2))).T


def answered(m, seed, n=N):
    """m comparisons by a judge that prefers the second text."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    first, second = np.array([rng.permutation(n)[:2] for _ in range(m)]).T
    logit = quality[first] - quality[second] - 1 + 0.8 * rng.normal(size=m)
    return first, second, expit(logit)


def counted(mean, covariance, rng, draws):
    """Sum over the candidates of the variance of their rank among sampled scores."""
    scores = rng.multivariate_normal(mean[:N], covariance[:N, :N], size=draws)
    return (-scores).argsort(axis=1).argsort(axis=1).var(axis=0).sum()


def brute_force(known, before, first, second, rng, answers=15):
    """How much the variance of the ranks falls from `before`, on average over sampled answers;
    conditioned by adding up precisions.
    """
    x = np.zeros(N + 1)
    x[first], x[second], x[N] = 1.0, -1.0, 1.0
    precision = np.linalg.inv(known.covariance)
    after = np.linalg.inv(precision + np.outer(x, x) / known.noise)
    spread = np.sqrt(x @ known.covariance @ x + known.noise)
    left = []
    for quantile in (np.arange(answers) + 0.5) / answers:
        y = x @ known.mean + spread * np.sqrt(2) * erfinv(2 * quantile - 1)
        left.append(
            counted(after @ (precision @ known.mean + x * y / known.noise), after, rng, 12_000)
        )
    return before - np.mean(left)


def test_what_a_comparison_tells_is_what_brute_force_finds() -> None:
    for seed in [0, 1]:
        known = posterior(*answered(9, seed), n=N)
        rng = np.random.default_rng(5)
        found = expect_reduction(known, *EVERY)
        before = counted(known.mean, known.covariance, rng, 200_000)
        brute = np.array([brute_force(known, before, i, j, rng) for i, j in EVERY.T])
        assert found == pytest.approx(brute, abs=0.05 * brute.max() + 0.02)
        [best] = choose(known, *EVERY, size=1)
        assert brute[best] >= 0.93 * brute.max()
        assert spearmanr(approximate_reduction(known, *EVERY), brute)[0] > 0.9


@given(st.integers(1, 40), st.integers(0, 999))
def test_the_posterior_is_that_of_ridge_regression(m, seed) -> None:
    """By the normal equations of the stacked system, with the variances it has found."""
    first, second, probability = answered(m, seed)
    known = posterior(first, second, probability, n=N)
    design = np.zeros((m, N + 1))
    design[np.arange(m), first], design[np.arange(m), second], design[:, N] = 1.0, -1.0, 1.0
    y = np.log(probability / (1 - probability))
    assert known.mean == pytest.approx(known.covariance @ design.T @ y / known.noise)
    assert np.linalg.eigvalsh(known.covariance).min() > 0
    assert np.isfinite(expect_reduction(known, *EVERY)).all()
    assert (expect_reduction(known, *EVERY) >= 0).all()


@given(st.integers(1, 30), st.integers(0, 999), st.permutations(range(N)))
def test_relabelling_permutes_what_is_known(m, seed, labels) -> None:
    first, second, probability = answered(m, seed)
    label = np.array(labels)
    known = posterior(first, second, probability, n=N)
    other = posterior(label[first], label[second], probability, n=N)
    assert other.mean[label] == pytest.approx(known.mean[:N], abs=1e-6)
    assert expect_reduction(other, *label[EVERY]) == pytest.approx(
        expect_reduction(known, *EVERY), abs=1e-6
    )


def test_a_judge_four_times_as_sure_is_understood_as_well() -> None:
    first, second, probability = answered(12, 3)
    unsure = expit(np.log(probability / (1 - probability)) / 4)
    known, other = (posterior(first, second, p, n=N) for p in (unsure, probability))
    assert other.mean == pytest.approx(4 * known.mean, rel=1e-6)
    assert expect_reduction(other, *EVERY) == pytest.approx(
        expect_reduction(known, *EVERY), rel=1e-6
    )


def test_recovers_scores_and_position() -> None:
    """Every comparison, without noise: the differences are found, shrunk by little, and so is the
    -1 for being first.
    """
    quality = np.linspace(-2, 2, N)
    first, second = EVERY
    known = posterior(first, second, expit(quality[first] - quality[second] - 1), n=N)
    assert known.mean[:N] == pytest.approx(quality, abs=0.1)
    assert known.mean[N] == pytest.approx(-1, abs=0.1)


def test_a_batch_does_not_ask_a_pair_twice_nor_all_of_one_candidate() -> None:
    known = Posterior(np.zeros(9), np.diag([*np.ones(8), 0.1]), 1.0)
    first, second = np.array(list(permutations(range(8), 2))).T
    chosen = choose(known, first, second, size=4)
    assert sorted(np.concatenate([first[chosen], second[chosen]])) == list(range(8))
    assert len(choose(known, first, second, size=100)) == 28
