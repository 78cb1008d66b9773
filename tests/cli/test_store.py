"""The store itself: backup, restore, check, and one that is not there or is none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core import cli
from core.__main__ import main
from core.store import Store
from core.store.backups import RESTORED
from tests.cli.asked import Call, Run, has, refusal


def test_backup_and_check(run: Run, tmp_path: Path, call_on: Call) -> None:
    copy = tmp_path / "copy.sqlite3"
    document = run("backup", str(copy))
    assert has(document, "file bytes judgements")
    assert (document["judgements"], document["bytes"]) == (72, copy.stat().st_size)
    assert run("check")["ok"] is True
    # checked for real: a count that is off
    for change, status in (("+ 1", 1), ("- 1", 0)):
        with Store(copy) as broken:
            broken.connection.execute(f"UPDATE outcome_counts SET count = count {change}")
        found, out, err = call_on(copy, "check", "--json")
        assert (found, json.loads(out)["ok"], err) == (status, not status, "")
    assert "exists already" in refusal(call_on, copy, "backup", str(copy))


def test_a_backup_is_restored_here_and_elsewhere(
    run: Run, call: Call, target: Path, tmp_path: Path, call_on: Call
) -> None:
    made, rank = run("backup"), "rank --judges human --method win-ratio"
    assert Path(made["file"]).parent == Path(f"{target}.backups")
    said, new = run(rank), tmp_path / "new.sqlite3"
    run("dataset", "delete", "d", "--confirm", "d", "--backup-to", str(tmp_path / "gone.sqlite3"))
    assert run("datasets") == []
    done = run("restore", made["file"])
    assert (done["judgements"], done["lost"], done["damage"]) == (72, 0, "")
    assert Path(done["before"]).exists()
    assert [row["dataset"] for row in run("datasets")] == ["d"]
    assert run("people", "log")[0]["action"] == RESTORED
    assert call_on(new, "restore", made["file"])[0] == 0
    status, out, _ = call_on(new, rank, "--json")
    assert (status, json.loads(out)["rows"]) == (0, said["rows"])
    said = refusal(call, "restore", str(tmp_path / "nowhere"))
    assert re.search(r"\bno backup\b.*\bnowhere\b", said)


def test_a_store_that_is_not_there_is_not_made(
    tmp_path: Path,
    call_on: Call,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {
        "judge": "--judge baseline:longer", "rank": "--method elo", "worker": "--once",
        "correlate": "--method elo --against human --level pool",
        "export": f"--what judgements --to {tmp_path}/a.csv", "backup": f"{tmp_path}/b.sqlite3",
        "accuracy": "--against gold", "try": "--judge baseline:longer",
        "generate": "--system x --model hf:x --instruction Write.",
        "steps": "--model hf:x", "people": "list", "servers": "list",
        "dataset": "rename x --to y", "crowd": "show",
    }  # fmt: skip
    # These are about no store, or make one, and "app" becomes the server of the pages.
    exempt = {"import", "sample", "restore", "model", "app", "look", "completion"}
    path = tmp_path / "nowhere.sqlite3"
    for command in set(cli.COMMANDS) - exempt:
        err = refusal(call_on, path, f"{command} {more.get(command, '')}".strip())
        assert re.search(rf"\bno store\b.*{re.escape(str(path))}: .*--store\b", err)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    assert main(["datasets"]) == 2
    assert str(path) in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_store_or_an_empty_one(tmp_path: Path, call_on: Call) -> None:
    path = tmp_path / "s.sqlite3"
    for content in [b"not a database", b"SQLite format 3\0" + b"\0" * 84]:
        path.write_bytes(content)
        refusal(call_on, path, "datasets")
        assert path.read_bytes() == content
    path.unlink()
    Store(path).close()
    for command in ("datasets", "runs"):
        assert call_on(path, command, "--json")[:2] == (0, "[]\n")
    said = refusal(call_on, path, "describe", "--json")
    assert re.fullmatch(r"tandem: .*\bempty: import\b.*\n", said)


def test_people_of_a_backup_come_along_where_that_is_asked(
    call: Call, tmp_path: Path, call_on: Call
) -> None:
    theirs, sent = tmp_path / "theirs.sqlite3", str(tmp_path / "sent.sqlite3")
    Store(theirs).close()
    for words in (("people", "invite", "Olga", "--role", "owner"), ("backup", sent)):
        assert call_on(theirs, *words)[0] == 0
    for more in ((), ("--with-people",)):
        status, out, err = call("restore", sent, *more)
        assert status == 0, err
        assert ("came along" in out) == bool(more)
        status, out, _ = call("people", "list", "--json")
        assert [row["person"] for row in json.loads(out)] == ["Olga"] * len(more)


def test_a_path_with_a_nul_is_refused_in_words(call_on: Call) -> None:
    err = refusal(call_on, Path("a\0b"), "check")
    assert re.search(r"'a\\x00b'.*\bNUL\b", err)
    assert "file_path" not in err
