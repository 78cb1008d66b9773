"""The command line refuses each wrong request as approved: tests/document_refusals.py."""

from __future__ import annotations

import re

import pytest

from core.cli import COMMANDS
from tests.document_refusals import APPROVED, REQUESTS, Refusal, collect_refusals, write_refusals

NOT_REFUSED = {"app", "check", "look", "model", "probes"}
"""Commands whose requests hold nothing that can be wrong without a package, a network or damage;
what `look` refuses `import` does."""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> list[Refusal]:
    return list(collect_refusals(tmp_path_factory.mktemp("refusals")))


def test_refusals_are_worded_as_approved(refusals: list[Refusal]) -> None:
    approved = APPROVED.read_text("utf-8")
    assert write_refusals(refusals).splitlines() == approved.splitlines(), (
        "run `python -m tests.document --write`, and read the diff"
    )


def test_a_refusal_is_one_line_and_status_2(refusals: list[Refusal]) -> None:
    for each in refusals:
        assert (each.status, each.output) == (2, ""), each
        assert re.fullmatch(r"tandem: [^\n]+\n", each.error), each
        assert "Traceback" not in each.error, each


def test_every_command_is_refused_something() -> None:
    words = {word for request in REQUESTS.splitlines() for word in request.split()[:1]}
    assert set(COMMANDS) - words <= NOT_REFUSED
