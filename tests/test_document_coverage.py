"""docs/evidence.md has the coverage of every interval, as simulated; outside 92 to 98% it says
why.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests import document_coverage
from tests.coverage import SIMULATIONS, Case, Simulation, simulate

PAGE = document_coverage.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("simulation", SIMULATIONS, ids=lambda simulation: simulation.figure)
def test_the_page_has_a_row_for_every_case(simulation: Simulation) -> None:
    assert f"### {simulation.figure}\n" in PAGE
    missing = [case for case in simulation.cases if f"| {case.situation} | " not in PAGE]
    assert not missing, "run `python -m tests.document_coverage --write`"


def test_nothing_on_the_page_is_outside_without_a_reason() -> None:
    assert "**outside**" not in PAGE


def test_coverage_is_counted_and_what_has_no_interval_is_left_out() -> None:
    """Half hold, by hand; every fourth has no interval."""
    case = Case("four figures", lambda rng: [1, 0, np.nan, rng.random() < 2])
    found = simulate(Simulation("some", "nowhere", (case,), studies=10), case)
    assert (found.share, found.intervals, found.without) == (2 / 3, 30, 0.25)
    assert not found.passes(case)


@pytest.mark.slow
@pytest.mark.parametrize("simulation", SIMULATIONS, ids=lambda simulation: simulation.figure)
def test_every_interval_holds_the_truth_as_often_as_the_page_says(simulation: Simulation) -> None:
    for case in simulation.cases:
        coverage = simulate(simulation, case)
        assert coverage.passes(case) or case.why, (case.situation, coverage)
        assert document_coverage._row(case, coverage) in PAGE, case.situation
