"""The tables of a new store; nothing that is not ours is touched."""

from __future__ import annotations

import re
import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from core import sample_study
from core.records import TandemError
from core.store import Store, dataset_changes, schema
from tests.kept_stores import write_kept
from tests.paths import ROOT
from tests.processes import forked
from tests.study import DATASET, fill

NUMBERED = "id INTEGER PRIMARY KEY AUTOINCREMENT"
TABLES = {
    *("datasets", "items", "systems", "generations", "attributes", "prompts", "judges", "scores"),
    *("comparisons", "runs", "run_comparisons", "campaigns", "campaign_attributes"),
    *("campaign_pairs", "judgements", "similarities", "outcome_counts"),
}


@pytest.fixture(autouse=True)
def copied() -> None:
    """Here every new store is made as Tandem does."""


def test_a_new_store_has_every_table_of_the_design(store: Store) -> None:
    rows = store.connection.rows
    tables = {name for (name,) in rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables >= TABLES
    strict = dict(rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"))
    assert [name for name in TABLES if not strict[name]] == []
    assert store.connection.value("PRAGMA user_version") == schema.VERSION
    assert store.connection.value("PRAGMA journal_mode") == "wal"
    assert store.connection.value("PRAGMA foreign_keys") == 1


def test_a_store_that_an_earlier_tandem_made_has_the_same_tables(
    store: Store, tmp_path: Path
) -> None:
    """In all but comments, and the list of migrations that it was made by."""

    def describe(db: sqlite3.Connection) -> dict[tuple[str, ...], str]:
        rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        return {
            (kind, name, table): re.sub(r"\s+", "", re.sub("--.*", "", sql or "")).replace('"', "")
            for kind, name, table, sql in rows
            if table != "_sqlite_migrations"
        }

    with closing(sqlite3.connect(store.path)) as db:
        new = describe(db)
    with Store(write_kept("schema24", tmp_path / "earlier.sqlite3")) as earlier:
        earlier.close()
    with closing(sqlite3.connect(tmp_path / "earlier.sqlite3")) as db:
        assert describe(db) == new


def test_a_comment_on_every_table(store: Store) -> None:
    """A stranger reads what it is for just above it. Where rows may go, a number is given once."""
    db = store.connection
    described = "\n".join(file.read_text(encoding="utf-8") for file in schema.TABLES)
    ours = "type = 'table' AND name NOT LIKE 'sqlite_%'"
    tables = dict(db.rows(f"SELECT name, sql FROM sqlite_master WHERE {ours}"))
    assert len(tables) > 30
    for table in tables:
        assert re.search(rf"^--[^\n]+\nCREATE TABLE {table} \(", described, re.MULTILINE), table
    for table in dataset_changes._ROWS:
        numbered = " id INTEGER" in tables[table]
        assert (NUMBERED in tables[table]) == numbered
        last = db.rows("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        assert last == [(0,)] * numbered, "`restore` raises it"


def test_reopening_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
    before = path.read_bytes()
    with Store(path) as store:
        assert store.datasets.names() == [DATASET]
    assert path.read_bytes() == before


def test_a_store_of_a_newer_tandem_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    Store(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    before = path.read_bytes()
    said = rf"newer.*/store\.sqlite3 .*\b99\b.*\b{schema.VERSION}\b.*update"
    with pytest.raises(TandemError, match=said) as error:
        Store(path)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.sqlite3"]


JUNK = (b"item,system,text\n1,a,hello\n" * 50, b"\x00" * 5000, b"SQLite format 3\x00 and then not")


def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    for version, application in ((0, 0), (schema.VERSION, 0), (1, 0), (0, 7)):
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("CREATE TABLE bookmarks (url TEXT)")
            other.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
            other.execute(f"PRAGMA user_version = {version}")
            other.execute(f"PRAGMA application_id = {application}")
        before = path.read_bytes()
        with pytest.raises(TandemError, match=r"/bookmarks\.sqlite .*other program.*elsewhere"):
            Store(path)
        assert path.read_bytes() == before
    for junk in JUNK:
        path.write_bytes(junk)
        with pytest.raises(TandemError, match=r"\.sqlite .*opened \(.+\).* store elsewhere"):
            Store(path)
        assert path.read_bytes() == junk
    with pytest.raises(TandemError, match=rf"{tmp_path} .*folder.*\bstore to\b"):
        Store(tmp_path)
    with pytest.raises(TandemError, match=r"/store\.sqlite3 .*created.* store elsewhere"):
        Store(path / "store.sqlite3")
    assert [file.name for file in tmp_path.iterdir()] == ["bookmarks.sqlite"]


def test_tables_that_cannot_be_made_leave_an_empty_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an empty file becomes one."""
    path = tmp_path / "store.sqlite3"
    path.touch()

    def broken(db: sqlite3.Connection, table: object) -> None:
        db.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(schema, "forbid_changes", broken)
    with pytest.raises(TandemError, match="disk I/O error"):
        Store(path)
    monkeypatch.undo()
    with Store(path) as store:  # nothing of the failed attempt is in the way
        assert store.connection.check()["ok"]


def test_creating_waits_for_who_is_at_the_file(tmp_path: Path) -> None:
    """Switching to the write-ahead log is a statement that fails at once, where others wait."""
    path = tmp_path / "store.sqlite3"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor() as pool:
        opened = pool.submit(create, path, 0)
        time.sleep(0.3)
        assert not opened.done()
        other.execute("COMMIT")
        assert opened.result() == schema.VERSION
    other.close()


def create(path: Path, start: float) -> int:
    while time.time() < start:
        pass
    with Store(path) as store:
        return int(store.connection.value("PRAGMA user_version"))


def test_processes_that_create_the_same_store_at_once_all_succeed(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=forked()) as pool:
        list(pool.map(create, [tmp_path / f"warm{i}" for i in range(4)], [time.time() + 1] * 4))
        for attempt in range(12):
            path, start = tmp_path / f"store{attempt}", time.time() + 0.03
            assert set(pool.map(create, [path] * 4, [start] * 4)) == {schema.VERSION}


PAGE = (ROOT / "docs/look-inside.md").read_text(encoding="utf-8")
QUESTION = re.compile(r"\*\*[^*]+\?\*\*\n\n```sql\n(.+?)```\n\n```text\n(.+?)```", re.S)


def test_five_questions_have_the_answers_of_the_page(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite3") as store:
        sample_study.load(store)
        store.connection.backup(tmp_path / "copy.sqlite3")
    address = f"file:{tmp_path / 'copy.sqlite3'}?mode=ro&immutable=1"  # as datasette opens it
    copy = Database(sqlite3.connect(address, uri=True), recursive_triggers=False)
    questions = QUESTION.findall(PAGE)
    assert len(questions) == 5
    for sql, answer in questions:
        rows = ["  ".join(map(str, row.values())) for row in copy.query(sql)]
        assert rows == answer.splitlines()
