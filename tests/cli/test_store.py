"""The store itself: backup, restore, check, and one that is not there or is none."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.__main__ import main
from core.cli import store as store_commands
from core.records import FaultError
from core.store import Store
from core.store.restoring import RESTORED
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
        broken.connection.execute("UPDATE outcome_counts SET count = count + 1")
    status, out, err = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"], err) == (1, False, "")
    with Store(tmp_path / "copy.sqlite3") as broken:
        broken.connection.execute("UPDATE outcome_counts SET count = count - 1")
    status, out, _ = called(capsys, tmp_path / "copy.sqlite3", "check", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)
    status, out, err = called(
        capsys, tmp_path / "copy.sqlite3", "backup", "--to", str(tmp_path / "copy.sqlite3")
    )
    assert (status, out) == (2, "")
    assert "exists already" in err


def test_an_archive_brings_the_store_elsewhere(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = tmp_path / "study.zip", tmp_path / "new.sqlite3"
    made = run("backup", "--to", str(file))
    assert (made["judgements"], made["bytes"]) == (72, file.stat().st_size)
    said = run("rank", "--judges", "human", "--method", "win-ratio")
    words = ("restore", str(file), "--confirm", new.name, "--json")
    status, out, _ = called(capsys, new, *words)
    assert (status, json.loads(out)["restored"]) == (0, True)
    words = ("rank", "--judges", "human", "--method", "win-ratio", "--json")
    status, out, _ = called(capsys, new, *words)
    assert (status, json.loads(out)["rows"]) == (0, said["rows"])
    status, _, err = called(capsys, new, "import", str(file), "--dataset", "d")
    assert (status, err.count("\n")) == (2, 1)
    assert re.search(r"study\.zip\b.*`restore`", err)


def test_dated_backups_are_listed_and_restored(
    run: Run, target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("backups") == {"folder": f"{target}.backups", "backups": []}
    made = run("backup", "--keep-daily", "2")
    assert (made["judgements"], made["gone"]) == (72, [])
    [listed] = run("backups")["backups"]
    assert (listed["file"], listed["bytes"]) == (made["file"], Path(made["file"]).stat().st_size)
    run("dataset", "delete", "d", "--confirm", "d", "--backup-to", str(tmp_path / "gone.sqlite3"))
    before = run("restore", made["file"])
    # VOTES of tests/cli/asked.py: 2 people and a baseline, 36 judgements each
    [change] = before["changes"]
    assert (change["votes_back"] + change["answers_back"], change["texts_then"]) == (72, 18)
    assert before["restored"] is False
    assert run("datasets") == []
    after = run("restore", made["file"], "--confirm", "store.sqlite3")
    assert (after["restored"], after["changes"]) == (True, before["changes"])
    assert Path(after["before"]).exists()
    assert [row["dataset"] for row in run("datasets")] == ["d"]
    assert run("people", "log")[0]["action"] == RESTORED
    for words, said in (
        (["restore", made["file"], "--confirm", "x"], r"'x'.*'store\.sqlite3': nothing\b"),
        (["restore", str(tmp_path / "nowhere")], r"\bno backup\b.*\bnowhere\b"),
        (["backup", "--to", "x", "--keep-daily", "3"], r"--keep-daily 3\b.*\bdated\b"),
        (["backup", "--keep-daily", "0"], r"--keep-daily\b.*\b0: .*\b1 or more$"),
        (["backup", "--every", "0"], r"--every\b.*\b0: .*\bhours\b.*\b0, .*\b8,760$"),
    ):
        status, out, err = called(capsys, target, *words)
        assert (status, out) == (2, "")
        assert re.search(said, err.strip())
        assert err.count("\n") == 1


def test_a_backup_every_so_often_goes_on_past_a_full_disk(
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, waits = store_commands.backups.add, iter(range(2))
    full = "the disk is full: free some space"

    def fails_once(*asked: Any) -> Any:
        monkeypatch.setattr(store_commands.backups, "add", made)
        raise FaultError(full)

    def wait(seconds: float) -> None:
        assert seconds == 1800
        if next(waits, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(store_commands.backups, "add", fails_once)
    monkeypatch.setattr(store_commands.time, "sleep", wait)
    status, out, err = called(
        capsys, target, "backup", "--every", "0.5", "--into", str(tmp_path / "b")
    )
    assert (status, out.count("72 judgements")) == (1, 2)
    assert full in err
    assert len(list((tmp_path / "b").iterdir())) == 2


def test_a_backup_every_so_often_waits_for_the_store_to_begin(
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a service it may be started before the one that begins the store."""
    path, waited = tmp_path / "later.sqlite3", []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            shutil.copy(target, path)
        if len(waited) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(store_commands.time, "sleep", wait)
    status, out, err = called(
        capsys, path, "backup", "--every", "24", "--into", str(tmp_path / "b")
    )
    assert (status, waited) == (1, [5, 5, 86_400])
    assert err.count(f"at {path}: ") == 1
    assert "72 judgements" in out


@pytest.mark.parametrize(
    "command",
    # "model" is about no store, and "app" becomes the server of the pages.
    [
        name
        for name in cli.COMMANDS
        if name not in ("import", "sample", "backups", "restore", "model", "app")
    ],
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
        "steps": ["--model", "hf:x"], "people": ["list"], "servers": ["list"],
        "dataset": ["rename", "x", "--to", "y"], "crowd": ["show"],
    }  # fmt: skip
    path = tmp_path / "nowhere.sqlite3"
    status, out, err = called(capsys, path, command, *more.get(command, []))
    assert (status, out) == (2, "")
    assert re.search(rf"\bno store\b.*{re.escape(str(path))}: .*--store\b", err)
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
    assert status == 2
    assert re.fullmatch(r"tandem: .*\bempty: import\b.*\n", err)


def test_the_preview_of_a_restore_says_whether_people_come_along(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs, archive = tmp_path / "theirs.sqlite3", str(tmp_path / "sent.zip")
    Store(theirs).close()
    for words in (("people", "invite", "Olga", "--role", "owner"), ("backup", "--to", archive)):
        assert called(capsys, theirs, *words)[0] == 0
    for more, come in (((), False), (("--with-people",), True)):
        status, out, err = called(capsys, target, "restore", archive, *more)
        assert status == 0, err
        assert "Olga (owner, 1 link)" in out
        assert "come along" in out
        assert ("not come" in out) == (not come)
        assert ("Add --with-people" in out) == (not come)


def test_a_path_with_a_nul_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = called(capsys, Path("a\0b"), "check")
    assert (status, out) == (2, "")
    assert re.search(r"'a\\x00b'.*\bNUL\b", err)
    assert "file_path" not in err
