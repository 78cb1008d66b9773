"""How few votes decide, beside trying every set of votes."""

from __future__ import annotations

import statistics
from itertools import combinations
from typing import Any

import numpy as np

from core.statistics.deciding_votes import FittedThreshold, find_deciding_votes
from core.statistics.ratings import RATINGS
from core.statistics.win_ratio import win_ratio

METHODS: dict[str, dict[str, Any]] = {
    "win-ratio": {},
    "bradley-terry": {"ties": "half"},
    "average-probability": {},
}
MOST = 3  # votes of which every set is tried


def draw_votes(seed: int, *, probabilities: bool = False, votes: int = 11) -> tuple[Any, Any, Any]:
    """So many votes on three systems, of which none may win or lose everything."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, votes)
    second = (first + rng.integers(1, 3, votes)) % 3
    outcome = rng.random(votes) if probabilities else rng.choice([0.0, 0.5, 1.0], votes)
    return first, second, outcome


def try_every_set(method: str, columns: tuple[Any, Any, Any]) -> int | None:
    """The least number of votes without which the leader is not first, up to MOST."""
    rate, settings = RATINGS[method].rate, METHODS[method]
    leader = int(np.nanargmax(rate(*columns, n=3, **settings)))
    for number in range(1, MOST + 1):
        for gone in combinations(range(len(columns[0])), number):
            kept = np.delete(np.arange(len(columns[0])), gone)
            rating = rate(*(column[kept] for column in columns), n=3, **settings)
            if np.nanmax(rating) > rating[leader] + 1e-7:
                return number
    return None


def test_it_is_the_least_number_and_holds_without_these_votes() -> None:
    """On 8 small studies a method; those where nobody leads alone have none."""
    for method in METHODS:
        exact = tried = 0
        for seed in range(8):
            columns = draw_votes(seed, probabilities=method == "average-probability")
            rate, settings = RATINGS[method].rate, METHODS[method]
            rating = np.sort(rate(*columns, n=3, **settings))
            found = find_deciding_votes(RATINGS[method], *columns, n=3, **settings)
            if rating[-1] - rating[-2] <= 1e-7:
                assert found is None
                continue
            least = try_every_set(method, columns)
            if found is not None:
                kept = found.removed == 0
                without = rate(*(column[kept] for column in columns), n=3, **settings)
                assert without[found.rival] == without.max() > without[found.leader]
                assert found.votes == (~kept).sum()
                assert least is None or found.votes >= least
            if least is not None:
                tried += 1
                exact += found is not None and found.votes == least
        assert tried >= 5
        assert exact >= 0.9 * tried


def count_shares(answers: list[tuple[int, int, float, int]]) -> dict[int, float]:
    """The share each system wins, by hand: a judge prefers the first above its median."""
    medians = {
        judge: statistics.median(p for _, _, p, whose in answers if whose == judge)
        for judge in {answer[3] for answer in answers}
    }
    won: dict[int, list[float]] = {}
    for one, other, p, judge in answers:
        points = 0.5 if p == medians[judge] else float(p > medians[judge])
        won.setdefault(one, []).append(points)
        won.setdefault(other, []).append(1 - points)
    return {system: statistics.mean(points) for system, points in won.items()}


def find_alone(shares: dict[int, float]) -> int | None:
    """Who leads alone."""
    best = [system for system, share in shares.items() if share > max(shares.values()) - 1e-7]
    return best[0] if len(best) == 1 else None


def try_every_set_of(answers: list[tuple[int, int, float, int]]) -> int | None:
    """The same as `try_every_set`, where thresholds are fitted to what is left."""
    leader = find_alone(count_shares(answers))
    for number in range(1, MOST + 1):
        for gone in combinations(range(len(answers)), number):
            kept = [answer for place, answer in enumerate(answers) if place not in gone]
            shares = count_shares(kept)
            if max(shares.values()) > shares.get(leader, 0.0) + 1e-7:
                return number
    return None


def test_a_threshold_is_fitted_to_what_is_left() -> None:
    """On 30 small studies of two judges, beside every set of up to three answers."""
    exact = tried = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        first, second, outcome = draw_votes(seed, probabilities=True, votes=19)
        judge = rng.integers(0, 2, 19)
        answers = list(
            zip(first.tolist(), second.tolist(), outcome.tolist(), judge.tolist(), strict=True)
        )
        fitted = FittedThreshold(outcome, judge, soft=False)
        moved = fitted.move(np.ones(19, dtype=bool))
        found = find_deciding_votes(RATINGS["win-ratio"], first, second, moved, n=3, fitted=fitted)
        leader, least = find_alone(count_shares(answers)), None
        if leader is not None:
            least = try_every_set_of(answers)
        if found is not None:
            kept = [answer for answer, gone in zip(answers, found.removed, strict=True) if not gone]
            shares = count_shares(kept)
            assert found.leader == leader
            assert shares[found.rival] == max(shares.values()) > shares.get(leader, 0.0)
            assert found.votes == 19 - len(kept)
            assert least is None or found.votes >= least
        if least is not None:
            tried += 1
            exact += found is not None and found.votes == least
    assert tried >= 15
    assert exact >= 0.9 * tried


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
    first, second, outcome = (
        np.array(column) for column in ([0, 1, 0, 2], [1, 2, 2, 0], [1.0, 0.0, 1.0, 1.0])
    )
    times = np.array([30, 20, 25, 21])
    how = RATINGS["bradley-terry"]
    counted = find_deciding_votes(how, first, second, outcome, n=3, times=times, ties="half")
    each = [np.repeat(column, times) for column in (first, second, outcome)]
    single = find_deciding_votes(how, *each, n=3, ties="half")
    turned = find_deciding_votes(how, each[1], each[0], 1 - each[2], n=3, ties="half")
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
