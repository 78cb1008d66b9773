"""Commands about people and judges together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.store import Store
from tests.cli.asked import STATISTIC, called, has
from tests.cli.test_documented import find_undocumented
from tests.findings.combine.studies import begin


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "together.sqlite3") as store:
        begin(store)
    return tmp_path / "together.sqlite3"


def test_combine(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = called(capsys, path, "combine", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert has(document, "rows", "judges", "sentences", "notes", *STATISTIC)
    assert find_undocumented("combine", document) == []
    status, out, _ = called(capsys, path, "combine", "--method", "bradley-terry")
    assert status == 0
    assert out.startswith("With 45 human votes and 1 judge, gamma leads with ")
    assert (
        "combine|method:bradley-terry|people:human|resolve:together|over:items|judges:llm|" in out
    )


def test_plan(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("plan", "--top", "1", "--vote-price", "0.5", "--answer-price", "0.01")
    status, out, err = called(capsys, path, *asked, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert has(document, "curve", "needed", "sentences", "notes", *STATISTIC)
    assert find_undocumented("plan", document) == []
    status, out, _ = called(capsys, path, *asked)
    assert status == 0
    assert "rank 1 at 95%" in out
    assert "plan|method:win-ratio|top:1|level:0.95|people:human|judges:llm|" in out
    for words, said in (
        (["--level", "0.2"], "--level 0.2 is not between 0.5 and 1"),
        (["--people", "gold"], "say whose answers are the truth with --people"),
    ):
        status, out, err = called(capsys, path, "plan", *words)
        assert (status, out) == (2, "")
        assert said in err


def test_what_cannot_be_combined_names_the_option(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, way in (
        (["--judges", "baseline"], "name judges with --judges, of model"),
        (["--people", "gold"], "say whose answers are the truth with --people"),
        (["--people", "model"], "name people with --people"),
    ):
        status, out, err = called(capsys, path, "combine", *words)
        assert (status, out) == (2, "")
        assert way in err
