"""Commands whose request is right, and a disk or another program is in the way."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.exporting import export
from core.runs import worker
from core.store import Store, opening
from tests.cli.asked import GENERATIONS, Call, refusal
from tests.disk import Disk
from tests.processes import forked

Refused = Callable[[Path, list[str], str], None]
Words = Callable[[str], list[str]]
READING = {
    "datasets": [],
    "describe": [],
    "rank": ["--method", "elo", "--bootstrap", "0"],
    "agreement": [],
    "bias": [],
    "correlate": ["--method", "elo", "--against", "human", "--level", "pool"],
    "runs": [],
    "check": [],
}
WRITING = {
    "judge": ["--judge", "baseline:random", "--trial", "3"],
    "campaign": ["order"],
    "separability": ["--metric", "rouge1"],
    "runs": ["--resume", "1"],
    "sample": [],
    "import": [],
}


@pytest.fixture
def there(original: Path, disk: Disk) -> Path:
    """The store of these tests on a disk of its own."""
    return Path(shutil.copy(original, disk.folder / "store.sqlite3"))


@pytest.fixture
def words(tmp_path: Path) -> Words:
    (tmp_path / "g.csv").write_text(GENERATIONS)

    def words(command: str) -> list[str]:
        files = [str(tmp_path / "g.csv"), "--dataset", "more"] if command == "import" else []
        return [command, *WRITING[command], *files]

    return words


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Store.__init__.__kwdefaults__, "patience", 0.05)


@pytest.fixture
def refused(call_on: Call) -> Refused:
    def refused(store: Path, words: list[str], said: str) -> None:
        status, out, err = call_on(store, *words)
        assert (status, out) == (1, ""), err
        lines = [line for line in err.splitlines() if "plays no part" not in line]
        assert len(lines) == 1, err
        assert lines[0].startswith("tandem: ")
        assert said in lines[0]
        assert re.search(r"\bkept\b.*\bsame command\b", lines[0])

    return refused


def test_what_only_reads_is_answered(there: Path, disk: Disk, call_on: Call) -> None:
    for change in (disk.fill, disk.read_only):
        change()
        for command, words in READING.items():
            status, out, err = call_on(there, command, *words)
            assert (status, bool(out)) == (0, True), err
        disk.writable() if change == disk.read_only else disk.free()


def test_what_writes_says_the_reason_and_works_once_it_is_mended(
    there: Path,
    disk: Disk,
    words: Words,
    call_on: Call,
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    monkeypatch.setattr(worker, "run_worker", lambda path, once: None)
    begun = there.read_bytes()
    for break_disk, mend, said in (
        (disk.fill, disk.free, "is full"),
        (disk.read_only, disk.writable, "is read-only"),
    ):
        for command in ("judge", "separability", "sample", "import"):
            with subtests.test(command, said=said):
                for ending in ("-wal", "-shm"):
                    Path(f"{there}{ending}").unlink(missing_ok=True)
                there.write_bytes(begun)
                break_disk()
                refused(there, words(command), said)
                mend()
                assert call_on(there, *words(command))[0] == 0
                assert call_on(there, "check")[0] == 0


def test_a_worker_of_a_store_that_can_only_be_read_says_so_and_ends(
    there: Path, disk: Disk, call_on: Call
) -> None:
    disk.read_only()
    for how in ((), ("--once",), ("--stay",)):
        status, out, err = call_on(there, "worker", *how)
        assert (status, out) == (1, "")
        (line,) = err.splitlines()
        assert str(there) in line
        assert re.search(r"\bwritten\b.*\bread-only\b", line.lower())
    disk.writable()
    assert call_on(there, "worker", "--once")[0] == 0


def test_a_store_that_others_keep_locked(
    call: Call, target: Path, impatient: None, words: Words, refused: Refused
) -> None:
    commands = ("judge", "separability", "import")  # then there are two data sets
    with closing(sqlite3.connect(target, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for command in commands:
            refused(target, words(command), "another program keeps")
    for command in commands:
        assert call(*words(command))[0] == 0


def test_a_damaged_store(call: Call, target: Path, refused: Refused) -> None:
    with Store(target) as store:
        root = store.connection.value("SELECT rootpage FROM sqlite_master WHERE name = 'items'")
        size = store.connection.value("PRAGMA page_size")
    with target.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\x7f" * size)
    refused(target, ["export", "--what", "generations", "--to", f"{target}.csv"], "damaged")
    assert not Path(f"{target}.csv").exists()
    status, out, err = call("check")
    assert (status, err) == (1, "")
    assert re.search(rf"^{re.escape(str(target))} .*\bdamaged\b.*\bbackup\b", out)


WRONG = {"comparisons SET system_a = 999": ["agreement"], "runs SET settings = '{'": ["runs"]}


@pytest.mark.parametrize("wrong", WRONG)
def test_rows_that_contradict_each_other(wrong: str, target: Path, refused: Refused) -> None:
    """A command that trips over them says that the store is damaged, and not where it tripped."""
    with closing(sqlite3.connect(target)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(f"UPDATE {wrong}")
        db.commit()
    refused(target, WRONG[wrong], f"{target} is damaged: restore a backup")


def test_a_check_of_which_a_letter_is_wrong(call: Call, target: Path) -> None:
    with closing(sqlite3.connect(target)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, 'lower(', 'hower(')")
        db.commit()
    err = refusal(call, "check")
    assert str(target) in err
    assert re.search(r"\brestore\b.*\bnew store\b", err)


NAMES = ("a.csv", "a.jsonl", "a.parquet", "a.sqlite3")


def writes(name: str, folder: Path) -> list[str]:
    """A command that replaces what is there; a backup replaces nothing."""
    words = ["export", "--what", "judgements", "--overwrite"] if name != "a.sqlite3" else ["backup"]
    to = [] if name == "a.sqlite3" else ["--to"]
    return [*words, *to, str(folder / name)]


def test_a_target_without_room_is_the_old_file_or_none(
    call: Call, target: Path, disk: Disk, refused: Refused, subtests: pytest.Subtests
) -> None:
    cases = [(name, old) for name in NAMES for old in ("", "what was there before")]
    for name, old in cases:
        with subtests.test(name, old=old):
            for file in disk.folder.iterdir():
                file.unlink()
            if old and name != "a.sqlite3":  # a backup replaces nothing
                (disk.folder / name).write_text(old)
            before = sorted(file.name for file in disk.folder.iterdir())
            disk.fill()
            full = "as its disk is full: free some space"
            refused(target, writes(name, disk.folder), full)
            disk.free()
            assert sorted(file.name for file in disk.folder.iterdir()) == before
            assert all((disk.folder / file).read_text() == old for file in before)
            assert call(*writes(name, disk.folder))[0] == 0
            assert (disk.folder / name).stat().st_size > len(old)


def test_a_target_that_cannot_be_written_is_a_wrong_request(call: Call, disk: Disk) -> None:
    disk.read_only()
    for name in NAMES:
        said = refusal(call, *writes(name, disk.folder))
        assert f"({os.strerror(errno.EROFS)}): name another" in said


@pytest.mark.parametrize("name", NAMES)
def test_killed_midway_the_target_is_the_old_file_or_none(
    name: str, call: Call, target: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    if name != "a.sqlite3":
        (folder / name).write_text("old")
    killed = forked().Process(target=killed_writing, args=(target, name, folder))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    left = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert any(file.endswith(".part") and content for file, content in left.items())
    assert left.get(name) == (None if name == "a.sqlite3" else b"old")
    assert call(*writes(name, folder))[0] == 0


def killed_writing(store: Path, name: str, folder: Path) -> None:
    """The command, killed once half of its file is written."""
    from core.__main__ import main

    def die(part: Path) -> None:
        part.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    write, copy = export.WRITERS.get(Path(name).suffix), opening.copy_whole
    export.WRITERS[Path(name).suffix] = lambda part, portions: (write(part, portions), die(part))
    opening.copy_whole = lambda db, path, part: (copy(db, path, part), die(part))
    main(["--store", str(store), *writes(name, folder)])
