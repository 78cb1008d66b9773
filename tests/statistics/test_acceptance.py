"""Thresholds of accepted answers, held against a second implementation, scipy and studies of known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, binomtest

from core.statistics import acceptance
from tests.document_sharing import ROWS, simulate


def find_by_brute_force(
    accepted: np.ndarray, loss: np.ndarray, starts: list[int], error: float, risk: float
) -> int:
    """Jung et al. 2025, algorithm 1, from each start: the greatest risk under which so few mistakes are not
    rarer than `risk` is solved for, step by step, until it is above `error`.
    """
    last = -1
    for start in starts:
        for step in range(start, len(accepted)):
            answers = int(accepted[step].sum())
            wrong = int(loss[step][accepted[step]].sum())
            if wrong >= answers:
                break
            level = risk / len(starts)

            def exceed(
                rate: float, wrong: int = wrong, answers: int = answers, level: float = level
            ) -> float:
                return float(binom.cdf(wrong, answers, rate) - level)

            if brentq(exceed, 1e-12, 1 - 1e-12) > error:
                break
            last = max(last, step)
    return last


def make_study(seed: int, votes: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps down to all of 1,000 pairs; which of `votes` of them each accepts, what is wrong there, and shares."""
    rng = np.random.default_rng(seed)
    sure, voted = rng.random(1000), rng.permutation(1000)[:votes]
    wrong = rng.random(votes) < 0.3 * (1 - sure[voted]) ** rng.choice([1, 2])
    thresholds = np.quantile(sure, np.linspace(0.98, 0, 50))
    accepted = sure >= thresholds[:, None]
    return accepted[:, voted], np.tile(wrong.astype(float), (50, 1)), accepted.mean(axis=1)


@pytest.mark.parametrize("seed", range(12))
def test_a_threshold_is_that_of_a_second_implementation(seed: int) -> None:
    accepted, loss, share = make_study(seed)
    for error, risk in ((0.05, 0.1), (0.1, 0.05), (0.2, 0.01)):
        starts = acceptance.list_starts(share, 300, error, risk)
        found = acceptance.find_threshold(
            accepted, loss, np.ones(300), np.arange(300), starts, error=error, risk=risk
        )
        assert found.step == find_by_brute_force(accepted, loss, starts.tolist(), error, risk)
        if found.step >= 0:
            assert found.bound <= error
            assert found.error == loss[found.step][accepted[found.step]].mean()


def test_the_fewest_votes_are_those_without_a_mistake_that_would_be_rare() -> None:
    for error, risk in ((0.1, 0.05), (0.05, 0.05), (0.2, 0.001)):
        fewest = acceptance.count_fewest(error, risk)
        assert (1 - error) ** fewest <= risk < (1 - error) ** (fewest - 1)
    assert acceptance.count_fewest(0.1, 0.05) == 29


def test_bounds_are_scipys_where_pairs_are_independent() -> None:
    accepted, loss, _ = make_study(3)
    _, bounds = acceptance.bound_errors(accepted, loss, np.ones(300), np.arange(300), 0.05)
    for step in (5, 20, 49):
        wrong, answers = int(loss[step][accepted[step]].sum()), int(accepted[step].sum())
        theirs = binomtest(wrong, answers, alternative="less").proportion_ci(0.95).high
        assert bounds[step] == pytest.approx(theirs, abs=1e-9)


def test_pairs_of_an_item_that_are_answered_alike_count_once() -> None:
    """Each item three times: the bound is about that of the items alone, a little wider by Student's t."""

    def bound(wrong: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
        every, ones = np.ones((1, len(wrong)), bool), np.ones(len(wrong))
        (error,), (high,) = acceptance.bound_errors(every, wrong[None], ones, groups, 0.05)
        return error, high

    wrong, items = np.repeat([1.0, 0.0], [9, 111]), np.arange(120)
    alone, found = bound(wrong, items), bound(np.repeat(wrong, 3), np.repeat(items, 3))
    assert found[0] == pytest.approx(alone[0])
    assert alone[1] <= found[1] <= alone[1] * 1.03
    assert bound(np.repeat(wrong, 3), np.arange(360))[1] < alone[1]


def test_on_average_is_conformal_selection() -> None:
    """Benjamini and Hochberg over the conformal p-values of all pairs (Jin and Candes 2023)."""
    rng = np.random.default_rng(4)
    sure, voted = rng.permutation(1000) / 1000, np.arange(200)
    wrong = rng.random(200) < 0.4 * (1 - sure[voted]) ** 2
    p = np.array([(1 + (wrong & (sure[voted] >= one)).sum()) / 201 for one in sure])
    order = np.sort(p)
    kept = np.flatnonzero(order <= 0.1 * np.arange(1, 1001) / 1000)
    theirs = set(np.flatnonzero(p <= order[kept[-1]]).tolist())
    thresholds = np.sort(sure)[::-1]
    accepted = sure >= thresholds[:, None]
    found = acceptance.select_on_average(
        accepted[:, voted], np.tile(wrong.astype(float), (1000, 1)), np.ones(200), np.arange(200),
        accepted.mean(axis=1), error=0.1,
    )  # fmt: skip
    assert set(np.flatnonzero(accepted[found.step]).tolist()) == theirs


def test_votes_that_are_missing_are_those_at_which_a_bound_is_low_enough() -> None:
    """Half of 58 votes, without a mistake: 0.9^29 < 0.05."""
    for share, loss, votes in (
        ([0.5, 1.0], [0.0, 0.3], pytest.approx(58, abs=3)), ([0.5], [0.1], np.inf)
    ):  # fmt: skip
        limits = {"error": 0.1, "risk": 0.05, "most": 1e4}
        found = acceptance.count_votes_needed(np.array(share), np.array(loss), 20, **limits)
        assert found == votes


def test_no_vote_moves_where_tests_begin_and_few_votes_begin_late() -> None:
    share = np.linspace(0.02, 1, 50)
    assert acceptance.list_starts(share, 20, 0.1, 0.05).tolist() == []
    few, many = (acceptance.list_starts(share, votes, 0.1, 0.05) for votes in (60, 2000))
    assert share[few].min() > 0.5
    assert share[many] == pytest.approx([0.2, 0.5, 1.0])


@pytest.mark.parametrize(
    "row", [row for row in ROWS if "broken" not in row[0]], ids=lambda row: row[0]
)
def test_the_promise_is_kept(row: Any) -> None:
    """In 60 studies of 300 votes, within two binomial errors; tests/coverage/sharing.md has all of them."""
    kept, error, _, _ = simulate(row, 300, 60, seed=7)
    if row[2].promise == "average":
        assert error <= 0.1 + 0.01
    else:
        assert kept >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / 60)


def test_where_pairs_are_not_alike_the_promise_is_broken() -> None:
    (row,) = [row for row in ROWS if "broken" in row[0]]
    kept, error, accepted, _ = simulate(row, 500, 40)
    assert accepted > 0.2
    assert error > 0.1
    assert kept < 0.9
