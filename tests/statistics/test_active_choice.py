"""What to ask next and which votes decide: against brute force, scipy and integrals over a grid."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import erfinv, expit, log_expit
from scipy.stats import kendalltau, norm, spearmanr

from core.statistics.active_choice import (
    PRIOR_VARIANCE,
    Posterior,
    choose,
    doubt,
    expect_reduction,
    posterior,
    strengths,
    worth_asking,
)
from core.statistics.deciding_votes import DecidingVotes, find_deciding_votes
from core.statistics.ratings import RATINGS
from core.statistics.win_ratio import win_ratio
from tests.statistics.votes import columns, meet

# ---- What one more comparison tells about the ranks: against brute force over sampled scores


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
        assert spearmanr(found, brute)[0] > 0.9
        [best] = choose(known, *EVERY, size=1)
        assert brute[best] >= 0.93 * brute.max()


@given(st.integers(1, 40), st.integers(0, 999))
def test_the_posterior_is_that_of_ridge_regression(m, seed) -> None:
    """By the normal equations of the stacked system, with the variances it has found."""
    first, second, probability = answered(m, seed)
    known = posterior(first, second, probability, n=N)
    one = np.eye(N + 1)
    design = one[first] - one[second] + one[N]
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


# ---- Which two systems to compare next, against scipy's optimiser and integrals over a grid


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
    step, eye = 1e-3, np.eye(len(wins))
    hessian = np.array([
        [
            -sum(a * b * log_posterior(theta + step * (a * one + b * other), wins)
                 for a, b in product((1, -1), repeat=2)) / (4 * step**2)
            for one in eye
        ]
        for other in eye
    ])  # fmt: skip
    assert covariance @ hessian == pytest.approx(eye, abs=2e-2)


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
    for turn in rng.permutation(np.resize(np.arange(len(pairs)), votes)):
        best = np.unravel_index(np.argmax(worth_asking(wins)), wins.shape) if active else None
        one, other = best or pairs[turn]
        won = rng.random() < expit(truth[one] - truth[other])
        wins[(one, other) if won else (other, one)] += 1
    return kendalltau(strengths(wins)[0], truth).statistic


def test_as_many_votes_say_more_where_the_ranking_is_least_certain() -> None:
    """150 votes on 8 systems, 360 studies; the difference is 3 of its standard errors or more: over
    700 others it was 6 of them, .036 of tau.
    """
    gain = np.array([ranked_right(True, seed) - ranked_right(False, seed) for seed in range(360)])
    assert gain.mean() > 3 * gain.std() / np.sqrt(len(gain))


# ---- How few votes decide, beside trying every set of votes


METHODS: dict[str, dict[str, Any]] = {
    "win-ratio": {},
    "bradley-terry": {"ties": "half"},
    "average-probability": {},
}
MOST = 3  # votes of which every set is tried


def draw_votes(seed: int, *, probabilities: bool = False) -> tuple[Any, Any, Any]:
    """11 votes on three systems, of which none may win or lose everything."""
    rng = np.random.default_rng(seed)
    first, second = meet(rng, 3, 11)
    outcome = rng.random(11) if probabilities else rng.choice([0.0, 0.5, 1.0], 11)
    return first, second, outcome


def try_every_set(answers: list[Any], share: Callable[[list[Any]], dict[int, float]]) -> int | None:
    """The least number of answers without which the leader is not first, up to MOST."""
    leader = find_alone(share(answers))
    if leader is None:
        return None
    for number in range(1, MOST + 1):
        for gone in combinations(range(len(answers)), number):
            shares = share([answer for place, answer in enumerate(answers) if place not in gone])
            if max(shares.values()) > shares.get(leader, 0.0) + 1e-7:
                return number
    return None


def check_found(
    found: DecidingVotes | None, answers: list[Any], share: Callable[[list[Any]], dict[int, float]]
) -> tuple[bool, bool]:
    """What is found is not the least, but a number without which another leads; whether every set
    up to MOST was enough to tell the least, and whether that was found.
    """
    leader, least = find_alone(share(answers)), try_every_set(answers, share)
    if found is not None:
        kept = [answer for answer, gone in zip(answers, found.removed, strict=True) if not gone]
        shares = share(kept)
        assert found.leader == leader
        assert shares[found.rival] == max(shares.values()) > shares.get(leader, 0.0)
        assert found.votes == len(answers) - len(kept)
        assert least is None or found.votes >= least
    return least is not None, least is not None and found is not None and found.votes == least


def test_it_is_the_least_number_and_holds_without_these_votes() -> None:
    """On 8 small studies a method; those where nobody leads alone have none."""
    for method, settings in METHODS.items():

        def rate(answers: list[Any], method: str = method) -> dict[int, float]:
            columns = (np.array(column) for column in zip(*answers, strict=True))
            rating = RATINGS[method].rate(*columns, n=3, **METHODS[method])
            return {system: one for system, one in enumerate(rating) if not np.isnan(one)}

        results = []
        for seed in range(8):
            columns = draw_votes(seed, probabilities=method == "average-probability")
            found = find_deciding_votes(RATINGS[method], *columns, n=3, **settings)
            answers = list(zip(*(column.tolist() for column in columns), strict=True))
            assert found is None or find_alone(rate(answers)) is not None
            results.append(check_found(found, answers, rate))
        tried, exact = np.sum(results, axis=0)
        assert tried >= 5
        assert exact >= 0.9 * tried


def find_alone(shares: dict[int, float]) -> int | None:
    """Who leads alone."""
    best = [system for system, share in shares.items() if share > max(shares.values()) - 1e-7]
    return best[0] if len(best) == 1 else None


def test_a_lead_by_one_vote_is_turned_by_two() -> None:
    """x beats y in 6 of 11: without 1 they are level, without 2 y leads."""
    first, second = np.zeros(11, dtype=int), np.ones(11, dtype=int)
    outcome = np.array([1.0] * 6 + [0.0] * 5)
    found = find_deciding_votes(RATINGS["win-ratio"], first, second, outcome, n=2)
    assert found is not None
    assert (found.leader, found.rival, found.votes) == (0, 1, 2)
    assert set(np.flatnonzero(found.removed)) <= set(range(6))


def test_counted_votes_and_sides_that_are_swapped_decide_alike() -> None:
    """A row that stands for several votes loses some of them, and sides do not matter."""
    votes = columns((0, 1, 1.0), (1, 2, 0.0), (0, 2, 1.0), (2, 0, 1.0))
    times = np.array([30, 20, 25, 21])
    first, second, outcome = (np.repeat(column, times) for column in votes)
    counted, single, turned = (
        find_deciding_votes(RATINGS["bradley-terry"], *rows, n=3, ties="half", **how)
        for rows, how in (
            (votes, {"times": times}),
            ((first, second, outcome), {}),
            ((second, first, 1 - outcome), {}),
        )
    )
    assert counted is not None
    assert single is not None
    assert turned is not None
    assert counted.votes == single.votes == turned.votes
    assert counted[:2] == single[:2] == turned[:2]


def test_methods_that_look_at_each_answer_have_none() -> None:
    for method in ["elo", "bradley-terry-controlled", "sep-elo"]:
        assert find_deciding_votes(RATINGS[method], *draw_votes(0), n=3) is None


def test_nobody_leads_alone() -> None:
    first, second = np.array([0, 0]), np.array([1, 1])
    outcome = np.array([1.0, 0.0])
    assert (win_ratio(first, second, outcome, n=2) == 0.5).all()
    assert find_deciding_votes(RATINGS["win-ratio"], first, second, outcome, n=2) is None
