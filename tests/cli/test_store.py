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
    copy = tmp_path / "copy.sqlite3"
    document = run("backup", "--to", str(copy))
    assert has(document, "file bytes judgements")
    assert (document["judgements"], document["bytes"]) == (72, copy.stat().st_size)
    assert run("check")["ok"] is True
    # checked for real: a count that is off
    for change, status in (("+ 1", 1), ("- 1", 0)):
        with Store(copy) as broken:
            broken.connection.execute(f"UPDATE outcome_counts SET count = count {change}")
        found, out, err = called(capsys, copy, "check", "--json")
        assert (found, json.loads(out)["ok"], err) == (status, not status, "")
    status, out, err = called(capsys, copy, "backup", "--to", str(copy))
    assert (status, out) == (2, "")
    assert "exists already" in err


def test_an_archive_brings_the_store_elsewhere(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = tmp_path / "study.zip", tmp_path / "new.sqlite3"
    made = run("backup", "--to", str(file))
    assert (made["judgements"], made["bytes"]) == (72, file.stat().st_size)
    rank = "rank --judges human --method win-ratio"
    said = run(rank)
    status, out, _ = called(capsys, new, "restore", str(file), "--confirm", new.name, "--json")
    assert (status, json.loads(out)["restored"]) == (0, True)
    status, out, _ = called(capsys, new, rank, "--json")
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


def test_a_backup_every_so_often_goes_on_past_what_is_in_its_way(
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk; and as a service it may be started before the one that begins the store."""
    made, slept, later = store_commands.backups.add, list[float](), tmp_path / "later.sqlite3"
    full = "the disk is full: free some space"

    def fails_once(*asked: Any) -> Any:
        monkeypatch.setattr(store_commands.backups, "add", made)
        raise FaultError(full)

    def wait(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 5:
            shutil.copy(target, later)
        if len(slept) in (3, 6):
            raise KeyboardInterrupt

    monkeypatch.setattr(store_commands.backups, "add", fails_once)
    monkeypatch.setattr(store_commands.time, "sleep", wait)
    backup, into = ("backup", "--every"), ("--into", str(tmp_path / "b"))
    status, out, err = called(capsys, target, *backup, "0.5", *into)
    assert (status, out.count("72 judgements")) == (1, 2)
    assert full in err
    assert len(list((tmp_path / "b").iterdir())) == 2
    status, out, err = called(capsys, later, *backup, "24", *into)
    assert (status, slept) == (1, [1800, 1800, 1800, 5, 5, 86_400])
    assert err.count(f"at {later} ") == 1
    assert "72 judgements" in out


def test_a_store_that_is_not_there_is_not_made(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {
        "judge": "--judge baseline:longer", "rank": "--method elo", "worker": "--once",
        "correlate": "--method elo --against human --level pool",
        "export": f"--what judgements --to {tmp_path}/a.csv", "backup": f"--to {tmp_path}/b.sqlite3",
        "accuracy": "--against gold", "try": "--judge baseline:longer",
        "generate": "--system x --model hf:x --instruction Write.",
        "steps": "--model hf:x", "people": "list", "servers": "list",
        "dataset": "rename x --to y", "crowd": "show",
    }  # fmt: skip
    # These are about no store, or make one, and "app" becomes the server of the pages.
    exempt = {"import", "sample", "backups", "restore", "model", "app", "look", "completion"}
    path = tmp_path / "nowhere.sqlite3"
    for command in set(cli.COMMANDS) - exempt:
        status, out, err = called(capsys, path, f"{command} {more.get(command, '')}".strip())
        assert (status, out) == (2, "")
        assert re.search(rf"\bno store\b.*{re.escape(str(path))}: .*--store\b", err)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    assert main(["datasets"]) == 2
    assert str(path) in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in [b"not a database", b"SQLite format 3\0" + b"\0" * 84]:
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
