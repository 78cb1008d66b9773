"""A server as the judge of a command: how far --limit counts, and what `try` shows of a reply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.permit import KEY
from tests.cli.asked import Run, called
from tests.server import Server

REPLY = "Summary A\n\nIt says\tmore,\x1b[31m and it is \u202eclear."
REPLY_IN_A_LINE = r"Summary A» It says more,\u001b[31m and it is \u202eclear."


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(reply=lambda prompt: REPLY) as server:
        yield server


def words(command: str, server: Server) -> tuple[str, ...]:
    return command, "--judge", "openai:fake", "--base-url", server.url, "--mode", "generate"


def test_progress_counts_to_the_limit(
    target: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    for done, there in ((8, 0), (16, 8)):
        status, out, err = called(capsys, target, *words("judge", server), "--limit", "8")
        assert status == 0, err
        counts = rf"{there} were\b.*; {done} of {done} done, 0 unanswered; 36 are planned\b"
        assert re.search(rf": 8 comparisons\b.*, {counts}.*\bsame command\b", out)
        assert "of 36 done" not in out + err
    status, out, _ = called(capsys, target, *words("judge", server), "--limit", "100")
    assert "36 of 36 done" in out
    assert "are planned" not in out


def test_try_shows_what_was_written_in_one_line(
    target: Path, server: Server, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run("describe")
    status, out, err = called(capsys, target, *words("try", server), "--limit", "2")
    assert status == 0, err
    lines = out.splitlines()
    assert len(lines) == 3
    for line in lines[:2]:
        assert line.startswith("coherence: a")
        assert f"| «{REPLY_IN_A_LINE} |" in line
    assert "36 comparisons" in lines[2]
    assert run("describe") == before


def test_try_shows_why_there_is_no_answer_and_what_was_written(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(reply=lambda prompt: "I cannot say.") as server:
        status, out, err = called(capsys, target, *words("try", server), "--limit", "1")
    assert status == 0, err
    assert out.startswith("coherence: unparsed: ")
    assert "I cannot say." in out.splitlines()[0]
