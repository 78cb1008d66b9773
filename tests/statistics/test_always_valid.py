from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from core.statistics import ratings
from core.statistics.drawing import Drawing
from core.statistics.uncertainty import TUNED, critical_value, tail_at_every_look
from tests.statistics.votes import leaderboard


@pytest.mark.parametrize(("answers", "alpha"), [(10, 0.05), (100, 0.05), (100, 0.001), (4000, 0.1)])
def test_the_boundary_is_where_a_mixture_of_bets_has_made_enough(answers, alpha) -> None:
    """Bets exp(l S - l^2 V / 2), with l normal of variance 1 / TUNED, by numerical integration."""

    def made(z):
        total = z * np.sqrt(answers)

        def bet(rate):
            return np.exp(rate * total - rate**2 * answers / 2) * norm.pdf(rate, 0, TUNED**-0.5)

        return quad(bet, -3, 3, points=[total / (answers + TUNED)], limit=200)[0]

    boundary = brentq(lambda z: made(z) - 1 / alpha, 0.5, 12)
    assert critical_value(np.array(answers), np.array(alpha)) == pytest.approx(boundary, rel=1e-6)


CONFSEQ = {
    (10, 0.05): 12.7497942835, (100, 0.05): 30.3851912048, (1000, 0.05): 101.7799052419,
    (10, 0.01): 15.5893922234, (4000, 0.01): 243.7669633707, (100, 0.05 / 6): 36.5426397853,
    (4000, 0.001): 279.1273736625,
}  # fmt: skip
"""(v, alpha) -> TwoSidedNormalMixture of confseq 0.0.11, rho 15, as its C++ (by its authors) says."""


def test_the_boundary_is_that_of_confseq() -> None:
    for answers, alpha in CONFSEQ:
        ours = critical_value(np.array(answers), np.array(alpha)) * np.sqrt(answers)
        assert ours == pytest.approx(CONFSEQ[answers, alpha], rel=1e-9)


def test_the_boundary_is_that_of_confseq_where_it_is_installed() -> None:
    for alpha in [0.05, 0.001]:
        boundaries = pytest.importorskip("confseq.boundaries")
        answers = np.geomspace(1, 10_000, 20)
        tuned = TUNED * (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha)))  # so that rho is TUNED
        theirs = boundaries.normal_mixture_bound(answers, alpha, tuned, alpha, False)
        assert critical_value(answers, np.array(alpha)) * np.sqrt(answers) == pytest.approx(theirs)


def test_a_fair_coin_looked_at_after_every_toss_is_seldom_called_unfair() -> None:
    """2,000 coins of 3,000 tosses each. By 1.96 standard errors most are, at some look."""
    tosses = np.random.default_rng(2).choice([-1, 1], (2000, 3000)).astype(np.int16)
    number = np.arange(1, 3001)
    z = np.abs(np.cumsum(tosses, axis=1)) / np.sqrt(number)
    ever = (z > critical_value(number, np.array(0.05)))[:, 9:].any(axis=1).mean()
    assert 0.005 < ever < 0.05
    assert (z > 1.96)[:, 9:].any(axis=1).mean() > 0.5


def test_a_single_look_at_this_tail_is_the_boundary() -> None:
    tail = tail_at_every_look(np.array([100.0, 0.0]), np.array(0.05))
    assert norm.isf(tail[0] / 2) == pytest.approx(critical_value(np.array(100), np.array(0.05)))
    assert tail[1] == 0


def test_a_leaderboard_that_holds_at_every_look_is_wider_and_tells_fewer_apart() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(4, size=400)
    second = (first + rng.integers(1, 4, size=400)) % 4
    outcome = (rng.random(400) < 0.5 + 0.06 * (second - first)).astype(float)
    for method in ("win-ratio", "bradley-terry"):
        always, once = (
            leaderboard(method, first, second, outcome, n=4, rng=np.random.default_rng(1),
                        resolve=resolve)
            for resolve in ("always", "together")
        )  # fmt: skip
        assert (once.beats | ~always.beats).all()
        assert once.beats.sum() > always.beats.sum() > 0
        ratio = (always.high - always.low) / (once.high - once.low)
        # 400 answers, 200 a system: sqrt((1 + 15/200) (log(1 + 200/15) + 2 log 20)) = 3.06
        assert ratio == pytest.approx(3.06 / 1.96, rel=0.05)


@pytest.mark.slow
def test_what_sep_elo_changes_holds_at_every_look() -> None:
    """Two equal systems, and separability that says nothing: looked at every 40 votes of 1,000, the
    change is ever called one in 5% of 100 studies at most, and by single looks in far more.
    """
    ever = {"always": 0, "together": 0}
    for rng in np.random.default_rng(11).spawn(100):
        outcome, separable = rng.integers(2, size=1000).astype(float), rng.random(1000)
        apart = dict.fromkeys(ever, False)
        for votes in range(40, 1001, 40):
            first = np.zeros(votes, int)
            drawn = Drawing(np.random.default_rng(1), 60)
            sep, plain = (
                ratings.leaderboard(
                    method, first, first + 1, outcome[:votes], n=2, drawing=drawn, **settings
                )
                for method, settings in (
                    ("sep-elo", {"separability": separable[:votes]}),
                    ("elo", {}),
                )
            )
            for resolve in ever:
                _, low, high = ratings.estimate_change(sep, plain, replace(drawn, resolve=resolve))
                apart[resolve] |= bool((low[0] > 0) | (high[0] < 0))
        for resolve, wrong in apart.items():
            ever[resolve] += wrong
    assert ever["always"] <= 5 + 4, "two standard errors"
    assert ever["together"] > 15


def test_who_wins_every_answer_is_told_apart_at_some_look() -> None:
    """Of equal systems one wins 12 items in a row with probability 2 / 2^12; 9 items are too few:
    sqrt(9) is less than any boundary.
    """
    for items, certain in ((9, False), (40, True)):
        zero = np.zeros(items, int)
        board = leaderboard("win-ratio", zero, zero + 1, zero + 1.0, n=2,
                            rng=np.random.default_rng(0), groups=np.arange(items),
                            resolve="always")  # fmt: skip
        assert board.beats[0, 1] == certain
