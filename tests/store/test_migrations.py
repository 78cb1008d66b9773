"""A store is brought to the next schema once, whole, after a copy. The step is made up."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.records import FaultError, TandemError
from core.store import Store, schema
from tests.disk import Disk
from tests.disk import disk as disk  # a fixture
from tests.kept_stores import write_kept
from tests.processes import run_until_killed

PRESENT = schema.VERSION
MOODS = """
        ALTER TABLE judgements ADD COLUMN mood TEXT NOT NULL DEFAULT '';
        UPDATE judgements SET mood = 'glad' WHERE outcome = 'a';  -- they are final, but for a step
        DROP VIEW live_judgements;
        CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;
    """


def use_steps(monkeypatch: pytest.MonkeyPatch, *steps: str) -> None:
    """As if these were the latest steps, of which `tables/` knows the first."""
    created = schema.create_tables

    def create_tables(db: sqlite3.Connection) -> None:
        created(db)
        schema._run_steps(db, [steps[0]])

    monkeypatch.setattr(schema, "create_tables", create_tables)
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, *steps))
    monkeypatch.setattr(schema, "VERSION", PRESENT + len(steps))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()
        return [str(version), *db.iterdump()]


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.stem}-before-schema-*"))


def write_present(path: Path) -> Path:
    """Write a store of today's schema, with rows."""
    Store(write_kept("schema24", path)).close()
    for copy in copies(path):
        copy.unlink()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_present(tmp_path / "store.sqlite3")


def test_it_is_brought_along_with_its_rows_and_was_copied_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, content = dump(path), path.read_bytes()
    use_steps(monkeypatch, MOODS)
    with Store(path, untouched=True) as store:  # reading alone brings a copy along
        assert store.connection.value("PRAGMA user_version") == PRESENT + 1
        assert store.connection.check()["ok"]
    assert path.read_bytes() == content
    assert copies(path) == []
    with Store(path) as store:
        db = store.connection
        assert db.value("PRAGMA user_version") == PRESENT + 1
        assert db.value("PRAGMA foreign_keys") == 1
        assert db.check()["ok"]
        rows = db.rows("SELECT outcome, mood, count(*) > 0 FROM live_judgements GROUP BY 1, 2")
        moods = {(mood, outcome == "a") for outcome, mood, _ in rows}
        assert moods == {("glad", True), ("", False)}
        # The triggers know the column.
        for statement in ("UPDATE judgements SET mood = 'sad'", "DELETE FROM judgements"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(f"{statement} WHERE id = 1")
        assert db.execute("UPDATE judgements SET withdrawn_at = 'x' WHERE id = 1") == 1
    Store(path).close()
    [copy] = copies(path)
    assert dump(copy) == before
    assert f"before-schema-{PRESENT + 1}-" in copy.name


def test_two_that_open_it_at_once_bring_it_along_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_steps(monkeypatch, MOODS)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: Store(path).close(), range(4)))
    assert len(copies(path)) == 1
    with Store(path) as store:
        assert store.connection.value("PRAGMA user_version") == PRESENT + 1


BROKEN = (
    ("INSERT INTO half VALUES (nobody)", "no such column: nobody"),
    ("DELETE FROM judges WHERE kind = 'human'", "rows .*nothing.*`check`.*backup"),
)


@pytest.mark.parametrize(("statement", "said"), BROKEN)
def test_a_step_that_fails_leaves_the_store_of_before(
    path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, said: str
) -> None:
    before = dump(path)
    with monkeypatch.context() as broken:
        use_steps(broken, MOODS, f"CREATE TABLE half (x); {statement};")
        with pytest.raises(TandemError, match=said):
            Store(path)
    assert dump(path) == before
    assert copies(path) == []
    with Store(path) as store:
        assert store.connection.check()["ok"]
        assert store.connection.value("PRAGMA foreign_keys") == 1


def die(path: Path) -> None:
    """Be killed once the steps were run."""
    with pytest.MonkeyPatch.context() as broken:
        use_steps(broken, MOODS)
        broken.setattr(schema, "forbid_changes", lambda *_: os._exit(9))
        Store(path)


def test_a_step_that_is_killed_leaves_the_store_of_before(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(path)
    run_until_killed(die, path)
    assert dump(path) == before
    use_steps(monkeypatch, MOODS)
    with Store(path) as store:
        assert store.connection.check()["ok"]


def test_a_disk_without_room_for_the_copy_leaves_the_store_of_before(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_present(disk.folder / "store.sqlite3")
    before = dump(path)
    use_steps(monkeypatch, MOODS)
    disk.fill()
    with pytest.raises(FaultError, match=r"disk of .*full.*free\b"):
        Store(path)
    disk.free()
    assert dump(path) == before
    assert copies(path) == []
    with Store(path) as store:
        assert store.connection.value("PRAGMA user_version") == PRESENT + 1
