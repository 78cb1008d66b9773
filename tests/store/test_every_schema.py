"""A store of every schema that a Tandem has ever written opens, and says what it said then.

Each in `older/` was written by the Tandem of its time: texts, two baselines, a campaign with votes, a
skip and an undone answer of three people; from schema 14 on with a link, and somebody left out,
from schema 18 on with imported votes and an attack, and in schema 22 with two judges behind a
server: one with a prompt of somebody's own and replies that are unparsed, one whose run was stopped.
Beside it is what that Tandem printed of it, but for the numbers of runs, which were "2.0" once.
`schema4.sqlite3.gz` has more of everything; it is asked in test_older_stores.py.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils.migrations import Migrations

from core.__main__ import main
from core.records import TandemError
from core.store import Store, restoring, schema
from tests.processes import forked

OLDER = Path(__file__).parent / "older"
NEVER_WRITTEN = {1, 2, 7, 10, 11, 12, 13, 15, 16, 17, 20, 21}
"""Schemas of no Tandem that was published: each came together with the next."""
KEPT = sorted(int(path.stem.removeprefix("schema")) for path in OLDER.glob("*.json"))
versions = pytest.mark.parametrize("version", KEPT)


def test_one_of_every_schema_is_kept() -> None:
    assert {4, *KEPT} | NEVER_WRITTEN >= set(range(1, schema.VERSION))


def unpacked(version: int, folder: Path) -> Path:
    path = folder / "store.sqlite3"
    path.write_bytes(gzip.decompress((OLDER / f"schema{version}.sqlite3.gz").read_bytes()))
    return path


def said(version: int) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((OLDER / f"schema{version}.json").read_text())
    return document


def outcomes(path: Path) -> list[list[object]]:
    """How often which judge answered what, by system and place, in plain SQL."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            """SELECT w.name, a.name, sa.name, sb.name, coalesce(j.outcome, j.failure), count(*)
            FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
            JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b
            WHERE j.withdrawn_at IS NULL GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""
        ).fetchall()
    return [list(row) for row in rows]


@versions
def test_it_opens_whole_and_says_the_same(
    version: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, then = unpacked(version, tmp_path), said(version)
    with Store(path) as store:
        assert store.connection.value("PRAGMA user_version") == schema.VERSION
        assert store.connection.check()["ok"]
        for table, count in then["count"].items():
            assert store.connection.value(f"SELECT count(*) FROM {table}") == count
    assert outcomes(path) == then["outcomes"]
    for words in [name for name in then if name.startswith("rank")]:
        assert main(["--store", str(path), *words.split(), "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        assert [{name: row[name] for name in ("system", "rating")} for row in rows] == then[words]


@versions
def test_its_export_is_the_same(version: int, tmp_path: Path) -> None:
    path, then, target = unpacked(version, tmp_path), said(version), tmp_path / "export.csv"
    words = ["export", "--dataset", "d", "--what", "judgements", "--to", str(target), "--names"]
    assert main(["--store", str(path), *words]) == 0
    with target.open(newline="") as file:
        head, *rows = csv.reader(file)
    places = [head.index(name) for name in then["columns"]]
    kept = sorted([row[place] for place in places] for row in rows)
    assert len(kept) == then["rows"]
    assert hashlib.sha256(json.dumps(kept).encode()).hexdigest() == then["exported"]


@pytest.mark.parametrize("version", sorted(NEVER_WRITTEN))
def test_one_of_a_schema_between_them_opens_whole_and_says_the_same(
    version: int, tmp_path: Path
) -> None:
    """As somebody has it who worked with a Tandem that was never published."""
    earlier = max((kept for kept in KEPT if kept < version), default=0)
    path = unpacked(earlier, tmp_path) if earlier else tmp_path / "new.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        schema.migrate(db, str(path), to=version)
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
    with Store(path) as store:
        assert store.connection.value("PRAGMA user_version") == schema.VERSION
        assert store.connection.check()["ok"]
    assert outcomes(path) == (said(earlier)["outcomes"] if earlier else [])


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        version = db.execute("PRAGMA user_version").fetchone()
        return [str(version), *db.iterdump()]


class BrokenMigration:
    """As if today's last migration broke on the way, `how` it may be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, how: Any) -> None:
        def breaks(db: schema.Database) -> None:
            db.execute("CREATE TABLE half (x)")
            db.execute("DELETE FROM planned")
            how()

        extra = Migrations("tandem")
        for migration in schema.migrations.pending(schema.Database(memory=True)):
            extra(name=migration.name)(migration.fn)
        extra(name="m999_breaks")(breaks)
        monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
        monkeypatch.setattr(schema, "migrations", extra)


def full() -> None:
    raise sqlite3.OperationalError("database or disk is full")


@versions
def test_a_migration_that_fails_leaves_the_old_store(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unpacked(version, tmp_path)
    before = dump(path)
    with monkeypatch.context() as broken:
        BrokenMigration(broken, full)
        with pytest.raises(TandemError, match="database or disk is full"):
            Store(path)
    assert dump(path) == before
    with Store(path) as store:
        assert store.connection.check()["ok"]


def _die(path: Path) -> None:
    with pytest.MonkeyPatch.context() as broken:
        BrokenMigration(broken, lambda: os._exit(9))
        Store(path)


def test_a_migration_that_is_killed_leaves_the_old_store(tmp_path: Path) -> None:
    path = unpacked(KEPT[0], tmp_path)
    before = dump(path)
    killed = forked().Process(target=_die, args=(path,))
    killed.start()
    killed.join(60)
    assert killed.exitcode == 9
    assert dump(path) == before
    with Store(path) as store:
        assert store.connection.check()["ok"]


@pytest.mark.parametrize("version", [KEPT[0], KEPT[-1]])
def test_a_backup_of_an_earlier_schema_is_restored(version: int, tmp_path: Path) -> None:
    backup, path = unpacked(version, tmp_path), tmp_path / "now.sqlite3"
    before = backup.read_bytes()
    Store(path).close()
    preview = restoring.restore(path, backup, "Olga").preview
    then = said(version)
    assert preview.schema == version
    # people's votes, some of them undone, and those of schema 18 in part imported
    models = ("baseline:", "openai:")
    people = [row for row in then["outcomes"] if not row[0].startswith(models)]
    assert preview.sum("votes_back") == sum(row[-1] for row in people)
    assert outcomes(path) == then["outcomes"]
    assert backup.read_bytes() == before
