"""tests/evidence/results.md is up to date, and every published figure in it is ours too."""

from __future__ import annotations

import pytest

from tests import evidence
from tests.evidence import Absent, Fact, Found

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Fact | Found | Absent]]:
    return evidence.collect(tmp_path_factory.mktemp("evidence"))


def test_published_figures_come_out_of_the_command_line(
    found: dict[str, list[Fact | Found | Absent]], subtests: pytest.Subtests
) -> None:
    for name in list(evidence.SECTIONS):
        with subtests.test(str(name)):
            facts = [one for one in found[name] if isinstance(one, Fact)]
            assert facts
            assert [one for one in facts if not one.agrees] == []


def test_the_page_is_what_the_script_makes(found: dict[str, list[Fact | Found | Absent]]) -> None:
    made = evidence.page(found)
    written = evidence.PAGE.read_text(encoding="utf-8")
    assert written == made, "run `python -m tests.evidence` and look at the difference"


def test_a_difference_would_show() -> None:
    wrong = evidence.fact("means", "3.4125 / 4.6604", [3.4125, 4.66045], "describe")
    assert not wrong.agrees or wrong.ours == "3.4125 / 4.6604"
    assert not evidence.fact("means", "3.4125", [3.41256], "describe").agrees
    assert "**differs**" in evidence.page(
        {"some": [evidence.fact("means", "3.4125", [3.5], "describe")]}
    )
