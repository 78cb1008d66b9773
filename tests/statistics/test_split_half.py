"""Split-half and scale separation reliability, against published values and by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from core.statistics import ratings
from core.statistics.bradley_terry import bradley_terry
from core.statistics.columns import SCALE
from core.statistics.drawing import Drawing, rate_halves
from core.statistics.ratings import RATINGS
from core.statistics.reliability import estimate_scale_separation, estimate_split_half
from tests.statistics.votes import simulated

BT, WON = RATINGS["bradley-terry"], RATINGS["win-ratio"]
RIGOUR = pd.read_csv(Path(__file__).with_name("sangwin2021_rigour.csv"))
"""24 students judge proofs: 438 judgements of 13 proofs."""
NAMES = sorted({*RIGOUR["won"], *RIGOUR["lost"]})
JUDGES = pd.factorize(RIGOUR["judge"])[0]
PUBLISHED_STRENGTHS = [
    -3.5146, -0.2284, -2.7873, 0.2301, -0.3102, 0.9005, 0.8332, 1.2333, 1.0785, 2.9403, 0.8828,
    -0.5765, -0.6817,
]  # fmt: skip
"""By `sirt::btm`, which draws strengths to the middle by .3 of a win (data-out/btm_estimates.csv)."""


def columns() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = (np.searchsorted(NAMES, RIGOUR[name]) for name in ("won", "lost"))
    return first, second, np.ones(len(first))


def test_strengths_are_those_that_were_published() -> None:
    """But for what `sirt` draws them to the middle by, 3 to 5%."""
    theta = (bradley_terry(*columns(), n=len(NAMES)) - 1000) / SCALE
    assert_allclose(theta, PUBLISHED_STRENGTHS, rtol=0.05, atol=0.02)


def test_the_published_split_half_reliability() -> None:
    """Mean .8995 and median .9062 over 1,000 splits of the judges, sd .0439, so that the median of
    100 has a standard error of about .005 (03-split-halves-reliability.md).
    """
    rng = np.random.default_rng(0)
    found = [
        estimate_split_half(BT, *columns(), n=len(NAMES), part=JUDGES, rng=rng) for _ in range(5)
    ]
    assert np.mean(found) == pytest.approx(0.9062, abs=0.01)


def test_the_published_scale_separation_reliability() -> None:
    """.948 (02-fitting-cj-model.md), where every judgement is independent; there the proof that lost
    65 of 67 has a standard error of .71, by resamples it has .53.
    """
    drawing = Drawing(np.random.default_rng(1), 1000)
    board = ratings.leaderboard("bradley-terry", *columns(), n=len(NAMES), drawing=drawing)
    found = estimate_scale_separation(board.uncertainty.centre, board.uncertainty.variance()[0])
    assert found == pytest.approx(0.948, abs=0.012)


def test_halves_of_four_judges_are_the_three_there_are() -> None:
    """Win ratios by hand, of each way to split them."""
    rng = np.random.default_rng(3)
    votes, judge = simulated(rng, rng.normal(size=6), 200), rng.integers(0, 4, size=200)

    def rate(those: tuple[int, ...]) -> np.ndarray:
        mine = np.isin(judge, those)
        return WON.rate(*(column[mine] for column in votes), n=6)

    by_hand = {}
    for half in combinations(range(4), 2):
        other = tuple(set(range(4)) - set(half))
        by_hand[half] = np.corrcoef(rate(half), rate(other))[0, 1]
    one, other = rate_halves(WON, votes, 6, judge, rng, 300, *np.ones((2, 200)), {})  # type: ignore[call-arg]
    found = [np.corrcoef(*halves)[0, 1] for halves in zip(one, other, strict=True)]
    assert {round(r, 9) for r in found} <= {round(r, 9) for r in by_hand.values()}
    assert len({round(r, 9) for r in found}) == 3
    median = estimate_split_half(WON, *votes, n=6, part=judge, rng=rng)
    assert min(by_hand.values()) <= median <= max(by_hand.values())


def test_counted_votes_are_the_votes() -> None:
    """A row that stands for five is five rows."""
    rng = np.random.default_rng(4)
    first, second, outcome = simulated(rng, rng.normal(size=5), 60)
    part, times = rng.integers(0, 8, size=60), rng.integers(1, 6, size=60)
    counted = estimate_split_half(
        BT, first, second, outcome, n=5, part=part, rng=np.random.default_rng(5),
        times=times,
    )  # fmt: skip
    apart = estimate_split_half(
        BT, *(np.repeat(column, times) for column in (first, second, outcome)), n=5,
        part=np.repeat(part, times), rng=np.random.default_rng(5),
    )  # fmt: skip
    assert counted == pytest.approx(apart, abs=1e-9)


def test_a_system_that_only_one_half_met_is_left_out() -> None:
    """The sixth was judged by the last judge alone."""
    rng = np.random.default_rng(6)
    first, second, outcome = simulated(rng, rng.normal(size=5), 120)
    judge = rng.integers(0, 5, size=120)
    first, judge = np.append(first, 5), np.append(judge, 5)
    second, outcome = np.append(second, 0), np.append(outcome, 1.0)
    one, other = rate_halves(  # type: ignore[call-arg]
        BT, (first, second, outcome), 6, judge, rng, 50, *np.ones((2, 121)), {}
    )
    assert (np.isnan(one[:, 5]) ^ np.isnan(other[:, 5])).all()
    assert not np.isnan(one[:, :5]).any()


def test_nothing_to_say() -> None:
    """Two systems always correlate perfectly, and three judges make no two halves of two."""
    for n, parts in [(2, 10), (6, 3)]:
        rng = np.random.default_rng(7)
        votes = simulated(rng, rng.normal(size=n), 60)
        part = np.arange(60) % parts
        assert np.isnan(estimate_split_half(WON, *votes, n=n, part=part, rng=rng))


def test_split_half_of_equal_systems_is_about_none() -> None:
    """Nothing that two halves could agree on, in 40 studies."""
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        votes = simulated(rng, np.zeros(8), 160)
        part = rng.integers(0, 10, size=160)
        found.append(estimate_split_half(WON, *votes, n=8, part=part, rng=rng))
    assert abs(np.mean(found)) < 0.15
