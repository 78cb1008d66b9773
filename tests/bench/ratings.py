"""Elo and Bradley-Terry with bootstrap intervals: ours, evalica's, FastChat's way, a plain loop.

Each way draws as many resamples as it needs to be timed; what is compared is nanoseconds per
comparison and resample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import evalica
import numpy as np
from sklearn.linear_model import LogisticRegression

from core.statistics.drawing import Drawing
from core.statistics.ratings import leaderboard
from tests.bench.measure import compare, read_options

RESAMPLES = 100
BUDGET = 10_000_000  # comparisons a slow way works through in one run


class Votes:
    """Comparisons of random pairs, decided by a Bradley-Terry model, one in five tied."""

    def __init__(self, m: int, n: int, budget: int) -> None:
        rng = np.random.default_rng(1)
        strengths = rng.normal(size=n)
        self.m, self.n = m, n
        self.first = rng.integers(n, size=m)
        self.second = (self.first + rng.integers(1, n, size=m)) % n
        won = rng.random(m) < 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
        self.outcome = np.where(rng.random(m) < 0.2, 0.5, won)
        self.separability = rng.random(m)
        names = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
        self.xs, self.ys = (
            [f"system {code:03}" for code in codes] for codes in (self.first, self.second)
        )
        self.winners = [names[points] for points in self.outcome]
        self.few = max(2, min(RESAMPLES, budget // m))


def ours(method: str, votes: Votes, resamples: int = RESAMPLES, **settings: object) -> object:
    columns = (votes.first, votes.second, votes.outcome)
    rng = np.random.default_rng(0)
    return leaderboard(method, *columns, n=votes.n, drawing=Drawing(rng, resamples), **settings)


def evalica_bootstrap(method: Callable[..., object], votes: Votes) -> object:
    votes_of = (votes.xs, votes.ys, votes.winners)
    how = {"n_resamples": votes.few, "bootstrap_method": "percentile", "random_state": 0}
    return evalica.bootstrap(method, *votes_of, **how)


def plain_elo(votes: Votes) -> np.ndarray:
    """The loop of the papers' notebooks."""
    rng, samples = np.random.default_rng(0), []
    columns = list(
        zip(votes.first.tolist(), votes.second.tolist(), votes.outcome.tolist(), strict=True)
    )
    for _ in range(votes.few):
        ratings = [1000.0] * votes.n
        for i in np.sort(rng.integers(votes.m, size=votes.m)).tolist():
            a, b, points = columns[i]
            expected = 1 / (1 + 10 ** ((ratings[b] - ratings[a]) / 400))
            ratings[a] += 4 * (points - expected)
            ratings[b] -= 4 * (points - expected)
        samples.append(ratings)
    return np.quantile(samples, [0.025, 0.975], axis=0)


def fastchat_bradley_terry(votes: Votes) -> np.ndarray:
    """Per resample: count each ordered pair, two weighted rows a pair, and scikit-learn's logistic
    regression.

    So does FastChat's `compute_mle_elo`: a win counts two, a tie one for each side, in base-10
    units of 400.
    """
    rng, samples, n = np.random.default_rng(0), [], votes.n
    for _ in range(votes.few):
        drawn = rng.integers(votes.m, size=votes.m)
        first, second, outcome = votes.first[drawn], votes.second[drawn], votes.outcome[drawn]
        wins = np.zeros((n, n))
        np.add.at(wins, (first, second), 2 * outcome)
        np.add.at(wins, (second, first), 2 * (1 - outcome))
        a, b = np.triu_indices(n, 1)
        seen = wins[a, b] + wins[b, a] > 0
        a, b = a[seen], b[seen]
        design = np.zeros((2 * len(a), n))
        row = np.arange(len(a))
        for half in (row, row + len(a)):
            design[half, a], design[half, b] = math.log(10), -math.log(10)
        label = np.repeat([1, 0], len(a))
        weight = np.concatenate([wins[a, b], wins[b, a]])
        model = LogisticRegression(fit_intercept=False, C=np.inf, tol=1e-6)
        model.fit(design[weight > 0], label[weight > 0], sample_weight=weight[weight > 0])
        samples.append(400 * model.coef_[0] + 1000)
    return np.quantile(samples, [0.025, 0.975], axis=0)


def show(what: str, votes: Votes, ways: Mapping[str, Callable[[], object]]) -> None:
    resamples = {name: RESAMPLES if "ours" in name else votes.few for name in ways}
    compare(
        f"{what} with intervals, {votes.m:,} votes of {votes.n} systems",
        ways,
        unit="ns per comparison and resample",
        per={name: 1e-9 * votes.m * times for name, times in resamples.items()},
        times=3,
    )


def main() -> None:
    large = {"action": "store_true", "help": "also 1e6 votes of 200 systems"}
    options = read_options("1e3 votes of 4 systems only", large=large)
    sizes = [(10_000, 4), (100_000, 53), *([(1_000_000, 200)] * options.large)]
    sizes = [(1_000, 4)] if options.small else sizes
    for m, n in sizes:
        votes = Votes(m, n, BUDGET // 1000 if options.small else BUDGET)
        elo = {
            "sep-Elo, ours": partial(ours, "elo", votes, k=4 * votes.separability),
            "Elo, ours": partial(ours, "elo", votes),
            "evalica.bootstrap": partial(evalica_bootstrap, evalica.elo, votes),
            "plain Python loop": partial(plain_elo, votes),
        }
        show("Elo", votes, elo)
        bradley_terry = {
            "ours": partial(ours, "bradley-terry", votes),
            "FastChat's way": partial(fastchat_bradley_terry, votes),
            "evalica.bootstrap": partial(evalica_bootstrap, evalica.bradley_terry, votes),
        }
        show("Bradley-Terry", votes, bradley_terry)


if __name__ == "__main__":
    main()
