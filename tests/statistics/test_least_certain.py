"""Which two systems to compare next, against scipy's optimiser and integrals over a grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import kendalltau, norm

from core.statistics.active_choice import PRIOR_VARIANCE, doubt, strengths, worth_asking

WINS = st.integers(2, 6).flatmap(
    lambda n: arrays(float, (n, n), elements=st.integers(0, 80).map(lambda half: half / 2))
)


def without_self(wins):
    wins = wins.copy()
    np.fill_diagonal(wins, 0)
    return wins


def log_posterior(theta, wins):
    won = (wins * log_expit(theta[:, None] - theta[None, :])).sum()
    return won - (theta**2).sum() / (2 * PRIOR_VARIANCE)


@given(WINS)
def test_strengths_are_where_an_optimiser_finds_the_most_likely(wins) -> None:
    wins = without_self(wins)
    theta, covariance = strengths(wins)
    best = minimize(lambda t: -log_posterior(t, wins), np.zeros(len(wins)), tol=1e-12)
    assert theta == pytest.approx(best.x, abs=2e-3)
    assert log_posterior(theta, wins) >= -best.fun - 1e-9
    # Of the curvature at that place: second differences of the same function.
    step, n = 1e-3, len(wins)
    hessian = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            one, other = np.eye(n)[i] * step, np.eye(n)[j] * step
            hessian[i, j] = -(
                log_posterior(theta + one + other, wins)
                - log_posterior(theta + one - other, wins)
                - log_posterior(theta - one + other, wins)
                + log_posterior(theta - one - other, wins)
            ) / (4 * step**2)
    assert covariance @ hessian == pytest.approx(np.eye(n), abs=2e-2)


@given(WINS, st.randoms())
def test_renaming_systems_renames_what_is_said(wins, random) -> None:
    wins = without_self(wins)
    order = list(range(len(wins)))
    random.shuffle(order)
    there = np.ix_(order, order)
    assert worth_asking(wins[there]) == pytest.approx(worth_asking(wins)[there], rel=1e-6)
    assert doubt(wins) == pytest.approx(doubt(wins).T)


def test_extreme_counts_are_finite() -> None:
    for wins in (np.zeros((3, 3)), np.array([[0, 1e6, 1e6], [0, 0, 1e6], [0, 0, 0]])):
        theta, covariance = strengths(wins)
        assert np.isfinite(theta).all()
        assert (np.linalg.eigvalsh(covariance) > 0).all()
        assert np.isfinite(worth_asking(wins)[~np.eye(3, dtype=bool)]).all()


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (6, 2), (15, 15), (40, 20)])
def test_doubt_and_worth_are_those_of_the_whole_posterior(won, lost) -> None:
    """Two systems have one difference: its posterior is integrated over a grid of 200,001 points.
    One more vote leaves the variance that it leaves under either answer, weighed by how likely each
    is.
    """
    grid = np.linspace(-15, 15, 200_001)

    def moments(more, less):
        # The difference of two strengths has twice the variance of one.
        log = more * log_expit(grid) + less * log_expit(-grid)
        weight = np.exp(log - log.max()) * norm.pdf(grid, 0, np.sqrt(2 * PRIOR_VARIANCE))
        weight /= weight.sum()
        mean = (weight * grid).sum()
        return weight, (weight * (grid - mean) ** 2).sum()

    weight, variance = moments(won, lost)
    wins = np.array([[0, won], [lost, 0]], dtype=float)
    wrong = min(weight[grid < 0].sum(), weight[grid > 0].sum()) + weight[grid == 0].sum() / 2
    assert doubt(wins)[0, 1] == pytest.approx(wrong, abs=0.03)
    p = (weight * expit(grid)).sum()
    left = p * moments(won + 1, lost)[1] + (1 - p) * moments(won, lost + 1)[1]
    # Laplace's approximation of a difference that is nearly unknown is rough.
    rough = 0.5 if won + lost < 10 else 0.12
    less = worth_asking(wins)[0, 1] / doubt(wins)[0, 1]
    assert less == pytest.approx(variance - left, rel=rough)


def ranked_right(active, seed, votes=150, systems=8):
    """Kendall's tau with the truth after so many votes, each about the pair that is most worth
    asking about, or about any.
    """
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, systems)
    wins = np.zeros((systems, systems))
    pairs = np.argwhere(np.triu(np.ones_like(wins), 1))
    turns = rng.permutation(np.resize(np.arange(len(pairs)), votes))
    for vote in range(votes):
        if active:
            one, other = np.unravel_index(np.argmax(worth_asking(wins)), wins.shape)
        else:
            one, other = pairs[turns[vote]]
        if rng.random() < expit(truth[one] - truth[other]):
            wins[one, other] += 1
        else:
            wins[other, one] += 1
    return kendalltau(strengths(wins)[0], truth).statistic


def test_as_many_votes_say_more_where_the_ranking_is_least_certain() -> None:
    """150 votes on 8 systems, 360 studies; the difference is 3 of its standard errors or more: over
    700 others it was 6 of them, .036 of tau.
    """
    active = np.array([ranked_right(True, seed) for seed in range(360)])
    even = np.array([ranked_right(False, seed) for seed in range(360)])
    gain = active - even
    print(f"Kendall's tau {active.mean():.3f} (active), {even.mean():.3f} (evenly)")
    assert gain.mean() > 3 * gain.std() / np.sqrt(len(gain))
