"""tests/coverage/results.md has the coverage of every interval; outside 92 to 98% it says why."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests import document_coverage
from tests.coverage import SIMULATIONS, Case, Coverage, Simulation, simulate
from tests.coverage.simulation import Beside, StudyResult

PAGE = document_coverage.PAGE.read_text(encoding="utf-8")


def test_the_page_has_a_row_for_every_case() -> None:
    missing = [
        (simulation.figure, case.situation)
        for simulation in SIMULATIONS
        for case in simulation.cases
        if f"### {simulation.figure}\n" not in PAGE or f"| {case.situation} | " not in PAGE
    ]
    assert not missing, "run `python -m tests.document_coverage --write`"


def test_nothing_on_the_page_is_outside_without_a_reason() -> None:
    assert "**outside**" not in PAGE


def test_coverage_is_counted_and_what_has_no_interval_is_left_out() -> None:
    """Half hold, by hand; every fourth has no interval."""
    case = Case("four figures", lambda rng: [1, 0, np.nan, rng.random() < 2])
    found = simulate(Simulation("some", "nowhere", (case,), studies=10), case)
    assert (found.share, found.intervals, found.without) == (2 / 3, 30, 0.25)
    assert not found.passes(case)
    assert (found.studies, found.error) == (10, pytest.approx((2 / 9 / 10) ** 0.5))
    nobody = Case("no interval in half of the studies", lambda rng: [1, np.nan][rng.random() < 0.5])
    few = simulate(Simulation("some", "nowhere", (nobody,), studies=100), nobody)
    assert few.studies == few.intervals < 70


def test_another_seed_simulates_other_studies_and_what_stands_beside_is_summarised() -> None:
    """The median of 0, 0 and 9 is 0, their mean 3; NaN is no study."""
    case = Case("drawn", lambda rng: StudyResult(rng.random(500) < 0.5, float(rng.random())))
    simulation = Simulation("some", "nowhere", (case,), studies=3, beside=Beside("width"))
    one, other, again = (simulate(simulation, case, seed) for seed in (0, 1, 0))
    assert one == again
    assert one.share != other.share
    assert 0 < one.beside < 1
    values = [0.0, float("nan"), 0.0, 9.0]
    assert Beside("width", median=True).summarise(values) == 0
    assert Beside("width").summarise(values) == 3
    written = document_coverage.row(simulation, case, Coverage(0.95, 9, 0.0, 0.25))
    assert written == "| drawn | 95.0% |  | 25% |  |"


def test_figures_that_are_not_simulated_stay_on_the_page() -> None:
    one, other = SIMULATIONS[:2]
    coverage = Coverage(0.951, 100, 0.0)
    page = document_coverage.documented(PAGE, {(one.figure, one.cases[0].situation): coverage})
    before, after = map(document_coverage.sections, (PAGE, page))
    assert f"| {one.cases[0].situation} | 95.1% |  |  |" in after[one.figure]
    assert one.cases[1].situation not in after[one.figure]
    assert after[other.figure].strip() == before[other.figure].strip()
    assert document_coverage.documented(PAGE, {}) == PAGE


def test_a_coverage_outside_is_marked_unless_so_few_studies_may_have_it_by_chance() -> None:
    """400 studies: the error is sqrt(.95 x .05 / 400) = 1.09%."""
    case = Case("some", lambda rng: 1)
    simulation = Simulation("some", "nowhere", (case,), studies=400)
    assert simulation.error == pytest.approx(0.0109, abs=1e-4)
    marks = [
        document_coverage.row(simulation, case, Coverage(share, 400, 0.0)).split("|")[4].strip()
        for share in (0.95, 0.91, 0.89)
    ]
    assert marks == ["", "within 2 binomial errors", "**outside**"]


@pytest.mark.slow
@pytest.mark.parametrize("simulation", SIMULATIONS, ids=lambda simulation: simulation.figure)
def test_every_interval_holds_the_truth_as_often_as_the_page_says(simulation: Simulation) -> None:
    """Another processor rounds otherwise, so the page's figure may differ by chance: in three
    binomial errors of so many studies.
    """
    section = document_coverage.sections(PAGE)[simulation.figure]
    for case in simulation.cases:
        coverage = simulate(simulation, case)
        assert "**outside**" not in document_coverage.row(simulation, case, coverage), coverage
        said = re.search(rf"^\| {re.escape(case.situation)} \| ([\d.]+)% \|", section, re.MULTILINE)
        assert said
        assert coverage.share == pytest.approx(float(said[1]) / 100, abs=3 * simulation.error)
