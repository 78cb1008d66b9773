"""tests/evidence/results.md is up to date, and every published figure in it is ours too."""

from __future__ import annotations

import pytest

from tests import evidence
from tests.evidence import Fact, Facts
from tests.evidence.facts import like

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    return evidence.collect(tmp_path_factory.mktemp("evidence"))


def test_published_figures_come_out_of_the_command_line(
    found: Facts, subtests: pytest.Subtests
) -> None:
    for name in evidence.SECTIONS:
        with subtests.test(name):
            facts = [one for one in found[name] if isinstance(one, Fact)]
            assert facts
            assert [one for one in facts if not one.agrees] == []


def test_the_page_is_what_the_script_makes(found: Facts) -> None:
    made = evidence.page(found)
    written = evidence.PAGE.read_text(encoding="utf-8")
    assert written == made, "run `python -m tests.evidence` and look at the difference"


def test_a_difference_would_show() -> None:
    wrong, off, alike = (
        Fact("means", published, like(published, ours), "describe")
        for published, ours in (
            ("3.4125", [3.5]),
            ("3.4125", [3.41256]),
            ("3.4125 / 4.6604", [3.4125, 4.66041]),
        )
    )
    assert [one.agrees for one in (wrong, off, alike)] == [False, False, True]
    assert "**differs**" in evidence.page({"some": [wrong]})
    assert "**differs**" not in evidence.page({"some": [alike]})
