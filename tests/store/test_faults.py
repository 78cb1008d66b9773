"""A store whose disk is full or read-only, that others keep locked, or that is damaged or gone."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.records import Dataset, FaultError, TandemError
from core.store import Store
from core.store.backups import restore
from core.store.faults import fault_of
from core.store.integrity import QueryReader, recount
from tests.disk import Disk
from tests.kept_stores import write_kept
from tests.processes import run_until_killed
from tests.study import DATASET, fill, tandem

BIG = "x" * 500_000


@pytest.fixture
def path(disk: Disk) -> Path:
    path = disk.folder / "store.sqlite3"
    with Store(path) as store:
        fill(store)
    return path


def add(path: Path, name: str, **how: float) -> None:
    with Store(path, create=False, **how) as store:
        store.datasets.add(Dataset(name, instructions=BIG))


def names(path: Path) -> list[str]:
    with Store(path, create=False) as store:
        return store.datasets.names()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """By a program that knows nothing of Tandem."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_a_full_disk_is_said_and_the_same_works_once_there_is_room(disk: Disk, path: Path) -> None:
    disk.fill()
    with pytest.raises(FaultError, match=r"disk of .*/store\.sqlite3 .*full.*free\b"):
        add(path, "more")
    assert names(path) == [DATASET]  # it is still read
    with pytest.raises(TandemError, match=r"/new\.sqlite3 .*opened.*\bfull\b"):
        Store(disk.folder / "new.sqlite3")
    assert not list(disk.folder.glob("new*"))
    with Store(path) as reader:
        assert reader.connection.fault
        disk.free()
        with pytest.raises(FaultError, match=r"kept .* busy"):  # nobody writes meanwhile
            add(path, "more", patience=0.05)
        assert reader.datasets.names() == [DATASET]
    add(path, "more")
    with Store(path) as store:
        assert store.datasets.names() == [DATASET, "more"]
        disk.fill()
        with pytest.raises(FaultError, match="is full"):  # noqa: PT012
            for number in range(20):  # reached within a transaction
                store.datasets.add(Dataset(f"more {number}", instructions=BIG))
        assert store.connection.check()["ok"]
        before = store.datasets.names()
        disk.free()
        store.datasets.add(Dataset("after"))
        assert store.datasets.names() == [*before, "after"]


def test_a_full_disk_of_temporary_files_is_not_taken_for_that_of_the_store(
    study: Store, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite sorts there what is larger than its memory."""
    monkeypatch.setenv("SQLITE_TMPDIR", str(disk.folder))  # which SQLite reads when it starts
    study.connection.rows(f"PRAGMA temp_store_directory = '{disk.folder}'")
    sort = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        SELECT i FROM n ORDER BY randomblob(500)"""
    with pytest.raises(FaultError, match=rf"/store\.sqlite3, .*temporary .*{disk.folder}, .*full"):
        study.connection.value(sort)
    disk.fill()
    with pytest.raises(FaultError, match=rf"^[^/]*temporary [^/]*{disk.folder}, .*full"):
        study.connection.value(sort)
    study.connection.rows("PRAGMA temp_store_directory = ''")


def test_a_read_only_disk_is_read_and_writing_is_refused(disk: Disk, path: Path) -> None:
    """Also what a killed process left in the log, as long as the index of the log is there."""
    old, earlier = disk.folder / "old.sqlite3", disk.folder / "earlier.sqlite3"
    shutil.copy(path, old)
    write_kept("schema24", earlier)
    with closing(sqlite3.connect(old)) as db:
        db.execute("PRAGMA user_version = 5")
    disk.read_only()
    assert names(path) == [DATASET]
    with pytest.raises(FaultError, match=r"/store\.sqlite3 .*read-only.*writable"):
        add(path, "more")
    with pytest.raises(FaultError, match="read-only"):
        names(earlier)
    with pytest.raises(TandemError, match="has schema 5, and"):
        names(old)
    disk.writable()
    add(path, "more")
    kill_after_writing(path)
    disk.read_only()
    assert names(path) == [DATASET, "more", "killed"]
    disk.writable()
    Path(f"{path}-shm").unlink()
    disk.read_only()
    with pytest.raises(FaultError, match="read-only"):
        names(path)


def test_a_file_that_is_gone_when_it_is_opened_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "gone.sqlite3"
    with pytest.raises(sqlite3.OperationalError) as met:
        sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert "was deleted or moved" in str(fault_of(met.value, path))


def test_a_folder_that_may_not_be_entered_is_said(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for anybody but root where its folder has lost that permission."""

    def refused(path: Path, **_: object) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    for untouched in (False, True):
        said = r"/store\.sqlite3 .*\(Permission denied\).*folder.*entered"
        with pytest.raises(FaultError, match=said):
            Store(study.path, create=False, untouched=untouched)
    with pytest.raises(FaultError, match=r"\(Permission denied\).*folder"):
        Store(study.path)
    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(FaultError, match=r"\(Permission denied\).*folder"):
        study.datasets.add(Dataset("more"))


def test_a_store_that_others_keep_locked(study: Store) -> None:
    with locked(study.path):
        with pytest.raises(FaultError, match=r"program .*/store\.sqlite3 locked.*wait"):
            add(study.path, "more", patience=0.05)
        assert names(study.path) == [DATASET]
    add(study.path, "more")


def test_a_store_deleted_or_replaced_is_not_written_to(study: Store, tmp_path: Path) -> None:
    shutil.copy(study.path, tmp_path / "other.sqlite3")
    study.path.rename(tmp_path / "moved.sqlite3")
    with pytest.raises(FaultError, match=r"/store\.sqlite3 .*deleted.*put.*back"):
        study.datasets.add(Dataset("more"))
    assert not study.path.exists()
    shutil.copy(tmp_path / "other.sqlite3", study.path)
    with pytest.raises(FaultError, match=r"/store\.sqlite3 .*replaced.*start again"):
        study.datasets.add(Dataset("more"))
    assert study.datasets.names() == [DATASET]


def test_a_damaged_page_is_said_by_whatever_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, items=300)
        root = store.connection.value("SELECT rootpage FROM sqlite_master WHERE name = 'items'")
        size = store.connection.value("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\x7f" * size)
    with Store(path) as store:
        for read in (
            lambda: store.datasets.items(DATASET),  # a frame
            lambda: store.connection.rows("SELECT * FROM items"),
            lambda: store.connection.value("SELECT sum(length(context)) FROM items"),
            lambda: store.connection.backup(tmp_path / "copy.sqlite3"),
        ):
            with pytest.raises(FaultError, match=r"is damaged \(.*\): restore .* backup"):
                read()
    assert not (tmp_path / "copy.sqlite3").exists()


def garbled(path: Path, of: str) -> None:
    """Damages so that SQLite finds nothing wrong with the form of the file."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        if of == "schema":  # what SQLite says of it quotes it
            db.execute("PRAGMA writable_schema = ON")
            sql = "CAST(x'43524541544520BBBB' AS TEXT)"
            db.execute(f"UPDATE sqlite_master SET sql = {sql} WHERE name = 'items'")
        elif of == "version":
            db.execute("PRAGMA user_version = -3")
        else:
            db.execute("UPDATE items SET context = CAST(x'BBBBBB' AS TEXT)")
        db.commit()


@pytest.mark.parametrize("of", ["schema", "version", "text"])
def test_damage_within_a_file_of_the_right_form_is_said_and_changes_nothing(
    tmp_path: Path, of: str
) -> None:
    path, backup = tmp_path / "store.sqlite3", tmp_path / "backup.sqlite3"
    with Store(path) as store:
        fill(store)
        store.connection.backup(backup)
    garbled(path, of)
    before = path.read_bytes()
    with pytest.raises(TandemError, match="is damaged"), Store(path) as store:
        store.datasets.items(DATASET)
    assert path.read_bytes() == before
    if of != "text":
        with pytest.raises(TandemError, match=r"/store\.sqlite3 .*(?:backup|damaged)"):
            restore(backup, path, "Olga")
        assert restore(path, backup, "Olga").damage


def check_unchanged(path: Path, datasets: int = 1) -> None:
    """What the command says, in a process of its own as people call it, changes no file."""
    before = files(path.parent)
    said, _ = tandem(path, "check", "--json").communicate()
    assert files(path.parent) == before
    report = json.loads(said)
    assert (report["ok"], report["counts"]["datasets"]) == (True, datasets)


def test_a_check_changes_nothing(study: Store, tmp_path: Path) -> None:
    """Of a store that is open or closed, or whose writer was killed, and of an earlier Tandem's."""
    study.datasets.add(Dataset("more"))  # stands in the log alone
    check_unchanged(study.path, 2)
    study.close()
    check_unchanged(study.path, 2)
    there = {file.name for file in tmp_path.iterdir()}
    assert there <= {"store.sqlite3", "store.sqlite3.locks"}
    kill_after_writing(study.path)
    check_unchanged(study.path, 3)
    Path(f"{study.path}-shm").unlink()
    check_unchanged(study.path, 3)
    (tmp_path / "earlier").mkdir()
    earlier = write_kept("schema24", tmp_path / "earlier" / "store.sqlite3")
    before = files(earlier.parent)
    said, _ = tandem(earlier, "check", "--json").communicate()
    assert json.loads(said)["ok"]
    assert files(earlier.parent) == before


def test_a_check_changes_nothing_on_a_full_or_read_only_disk(disk: Disk, path: Path) -> None:
    disk.fill()
    check_unchanged(path)
    disk.free()
    disk.read_only()
    check_unchanged(path)


def test_a_check_is_begun_anew_when_somebody_writes_meanwhile(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.close()
    with Store(study.path, untouched=True) as store:
        checks = list[dict[str, Any]]()

        def written_meanwhile(reader: QueryReader) -> dict[str, Any]:
            checks.append(recount(reader))
            if len(checks) == 1:
                add(study.path, "more")
            return checks[-1]

        monkeypatch.setattr("core.store.connection.recount", written_meanwhile)
        assert store.connection.check()["counts"]["datasets"] == 2
    assert len(checks) == 2


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(file): (file.read_bytes() if file.is_file() else b"", file.stat().st_mtime_ns)
        for file in sorted(folder.rglob("*"))
        if file.name != "filler"
    }


def kill_after_writing(path: Path) -> None:
    run_until_killed(write_and_die, path)
    assert Path(f"{path}-wal").stat().st_size


def write_and_die(path: Path) -> None:
    with Store(path) as store:
        store.datasets.add(Dataset("killed"))
        os._exit(9)


@pytest.mark.parametrize("untouched", [False, True])
def test_permission_lost_at_any_moment_is_said(
    study: Store, monkeypatch: pytest.MonkeyPatch, untouched: bool
) -> None:
    """As `./run test --slow tests/faults` found: between one look at the folder and the next."""
    calls, lost_after = 0, 0

    def until_lost(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > lost_after:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return call(*args, **kwargs)

        return called

    def use() -> None:
        with Store(study.path, create=False, untouched=untouched) as store:
            if untouched:
                store.datasets.names()
            else:
                with store.transaction(durable=True):
                    store.datasets.add(Dataset("more"))

    use()
    moments = 0
    with monkeypatch.context() as losing:
        for name in ("stat", "open"):
            losing.setattr(os, name, until_lost(getattr(os, name)))
        while True:
            calls, lost_after = 0, moments
            with suppress(FaultError):
                use()
            if calls <= lost_after:
                break
            moments += 1
    assert moments > 3


def test_what_is_no_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (str(tmp_path / "fifo"), str(tmp_path), "/dev/full", "/dev/zero"):
        for command in ("check", "runs", "worker"):
            assert main(["--store", path, command]) == 2
            said = capsys.readouterr().err
            assert path in said
            assert len(said.strip().splitlines()) == 1
