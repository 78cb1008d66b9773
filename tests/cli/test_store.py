"""The store itself: backup, check, and one that is not there or is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import cli
from core.__main__ import main
from core.store import Store
from tests.cli.asked import Run, called, has


def test_backup_and_check(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = run("backup", "--to", str(tmp_path / "copy.sqlite3"))
    assert has(document, "file", "bytes", "judgements")
    assert (document["judgements"], document["bytes"]) == (
        72,
        (tmp_path / "copy.sqlite3").stat().st_size,
    )
    assert run("check")["ok"] is True
    # checked for real: a count that is off
    with Store(tmp_path / "copy.sqlite3") as broken:
        broken.connection.execute("UPDATE tally SET count = count + 1")
    status, out, err = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"], err) == (1, False, "")
    with Store(tmp_path / "copy.sqlite3") as broken:
        broken.connection.execute("UPDATE tally SET count = count - 1")
    status, out, _ = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)
    status, out, err = called(
        capsys, tmp_path / "copy.sqlite3", "backup", "--to", str(tmp_path / "copy.sqlite3")
    )
    assert (status, out) == (2, "")
    assert "exists already" in err


@pytest.mark.parametrize(
    "command", [name for name in cli.COMMANDS if name not in ("import", "sample")]
)
def test_a_store_that_is_not_there_is_not_made(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {
        "judge": ["--judge", "baseline:longer"], "rank": ["--method", "elo"], "worker": ["--once"],
        "correlate": ["--method", "elo", "--against", "human", "--level", "pool"],
        "export": ["--what", "judgements", "--to", str(tmp_path / "a.csv")], "backup": ["--to", str(tmp_path / "b.sqlite3")],
        "accuracy": ["--against", "gold"], "try": ["--judge", "baseline:longer"],
        "generate": ["--system", "x", "--model", "hf:x", "--instruction", "Write."],
        "steps": ["--model", "hf:x"], "people": ["list"],
        "dataset": ["rename", "x", "--to", "y"],
    }  # fmt: skip
    status, out, err = called(capsys, tmp_path / "nowhere.sqlite3", command, *more.get(command, []))
    assert (status, out) == (2, "")
    assert "there is no store at" in err
    assert list(tmp_path.iterdir()) == []


def test_nor_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "nowhere.sqlite3"))
    assert main(["datasets"]) == 2
    assert str(tmp_path / "nowhere.sqlite3") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_store(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.sqlite3").write_bytes(content)
    status, out, err = called(capsys, tmp_path / "s.sqlite3", "datasets")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert (tmp_path / "s.sqlite3").read_bytes() == content


def test_an_empty_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "s.sqlite3").close()
    assert called(capsys, tmp_path / "s.sqlite3", "datasets", "--json")[:2] == (0, "[]\n")
    assert called(capsys, tmp_path / "s.sqlite3", "runs", "--json")[:2] == (0, "[]\n")
    status, _, err = called(capsys, tmp_path / "s.sqlite3", "describe", "--json")
    assert (status, err) == (2, "tandem: the store is empty: import something first\n")
