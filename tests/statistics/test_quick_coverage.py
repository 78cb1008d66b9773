"""Intervals hold the truth as often as they say, in a few of the studies of tests/coverage."""

from __future__ import annotations

from functools import partial

import pytest

from tests.coverage import Case, Simulation, bias, length_controlled, shares, simulate
from tests.coverage.length_controlled import LengthWorld


@pytest.mark.parametrize(
    ("study", "studies", "most"),
    [
        (partial(shares.share, items=30, p=0.7, alike=0.0), 2000, 0.98),
        (partial(shares.share, items=30, p=0.7, alike=0.6), 2000, 0.98),
        # Woodruff (1952)
        (partial(bias.threshold, items=40, median=0.3, alike=0.0), 1000, 0.985),
        (partial(bias.threshold, items=40, median=0.3, alike=0.8), 1000, 0.985),
        (partial(bias.length, items=40, slope=0.9), 500, 0.98),
        # 180 intervals: less than 90% in 1 of 1,000 suites, if 95% hold
        (partial(length_controlled.hold, world=LengthWorld(items=80), resamples=60), 60, 1.0),
    ],
)
def test_intervals_hold_the_truth(study, studies: int, most: float) -> None:
    case = Case("some", study)
    found = simulate(Simulation("some", "nowhere", (case,), studies), case)
    assert (0.93 if studies > 60 else 0.9) <= found.share <= most
