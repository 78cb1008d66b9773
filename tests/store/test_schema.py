"""Migrations: a store is brought up to date once, and nothing that is not ours is touched."""

import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils.migrations import Migrations

from core.records import TandemError
from core.store import Store, dataset_changes, migrations, schema
from tests.processes import forked
from tests.study import DATASET, fill

TABLES = {
    *("datasets", "items", "systems", "generations", "attributes", "prompts", "judges", "scores"),
    *("comparisons", "plans", "planned", "judgements", "similarities", "tally"),
}


@pytest.fixture(autouse=True)
def copied() -> None:
    """Here the migrations make every new store."""


def test_a_new_store_has_every_table_of_the_design(store):
    tables = {
        name
        for (name,) in store.connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert tables >= TABLES
    strict = dict(
        store.connection.rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'")
    )
    assert [name for name in TABLES if not strict[name]] == []
    assert store.connection.value("PRAGMA user_version") == schema.VERSION
    assert store.connection.value("PRAGMA journal_mode") == "wal"
    assert store.connection.value("PRAGMA foreign_keys") == 1


def test_version_is_the_number_of_migrations(store):
    assert store.connection.value("SELECT count(*) FROM _sqlite_migrations") == schema.VERSION
    names = [
        name
        for (name,) in store.connection.rows("SELECT name FROM _sqlite_migrations ORDER BY name")
    ]
    assert [name[:5] for name in names] == [f"m{i + 1:03}_" for i in range(schema.VERSION)]


def test_reopening_changes_nothing(tmp_path):
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
    before = path.read_bytes()
    with Store(path) as store:
        assert store.datasets.names() == [DATASET]
    assert path.read_bytes() == before


def test_an_older_store_is_brought_up_to_date(tmp_path):
    path = tmp_path / "store.sqlite3"
    first = schema.migrations  # as a store of the time before the last migration
    with sqlite3.connect(path, isolation_level=None) as old:
        first.apply(schema.Database(old, recursive_triggers=False), stop_before="m003_judgements")
        old.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        old.execute("PRAGMA user_version = 2")
        old.execute("INSERT INTO datasets (name, created_at) VALUES ('old', '2026')")
    old.close()
    with Store(path) as store:
        assert store.datasets.names() == ["old"]
        assert store.connection.value("SELECT count(*) FROM judgements") == 0
        assert store.connection.value("PRAGMA user_version") == schema.VERSION
        assert store.connection.check()["ok"]


def test_a_study_from_before_runs_had_tasks_keeps_its_plans_and_votes(tmp_path):
    path = tmp_path / "store.sqlite3"
    with sqlite3.connect(path, isolation_level=None) as old:
        schema.migrations.apply(
            schema.Database(old, recursive_triggers=False), stop_before="m004_tasks"
        )
        for statement in (
            f"PRAGMA application_id = {schema.APPLICATION}",
            "PRAGMA user_version = 3",
            "INSERT INTO datasets (name, created_at) VALUES ('old', '2026')",
            "INSERT INTO items (id, dataset, key) VALUES (1, 'old', 'one')",
            "INSERT INTO systems (id, dataset, name) VALUES (1, 'old', 'x'), (2, 'old', 'y')",
            "INSERT INTO generations (id, item, system, text) VALUES (1, 1, 1, 'a'), (2, 1, 2, 'b')",
            "INSERT INTO attributes (id, dataset, name) VALUES (1, 'old', 'overall')",
            "INSERT INTO judges (id, name, kind) VALUES (1, 'ann', 'human'), (2, 'longer', "
            "'baseline')",
            """INSERT INTO comparisons (id, attribute, generation_a, generation_b, item, system_a,
                system_b)
            VALUES (1, 1, 1, 2, 1, 1, 2)""",
            """INSERT INTO plans (id, dataset, kind, judge, strategy, status, created_at)
            VALUES (1, 'old', 'run', 2, 'full', 'done', '2026')""",
            """INSERT INTO plans (id, dataset, kind, attribute, strategy, status, created_at)
            VALUES (2, 'old', 'campaign', 1, 'full', 'open', '2026')""",
            "INSERT INTO planned (plan, generation_1, generation_2, comparison, priority) "
            "VALUES (1, 1, 2, 1, 5)",
            "INSERT INTO planned (plan, generation_1, generation_2, priority) VALUES (2, 1, 2, 5)",
            """INSERT INTO judgements (comparison, judge, plan, outcome, created_at)
            VALUES (1, 2, 1, 'a', '2026'), (1, 1, 2, 'b', '2026')""",
        ):
            old.execute(statement)
    old.close()
    with Store(path) as store:
        assert store.connection.rows(
            "SELECT p.id, kind, task, votes FROM plans p JOIN planned ON plan = p.id ORDER BY p.id"
        ) == [
            (1, "run", "compare", 1),
            (2, "campaign", "compare", 1),
        ]
        assert store.connection.check()["ok"]
        # The triggers still know the table that was written anew.
        assert store.judgements.withdraw(2, store.judges.id_of("ann"))
        assert store.connection.value("SELECT votes FROM planned WHERE plan = 2") == 0
        assert store.connection.value("PRAGMA foreign_keys") == 1
        with pytest.raises(sqlite3.IntegrityError):
            store.connection.execute(
                "INSERT INTO planned (plan, generation_1, generation_2, priority) VALUES (9, 1, "
                "2, 5)"
            )


def test_a_store_of_a_newer_tandem_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "store.sqlite3"
    Store(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    before = path.read_bytes()
    with pytest.raises(
        TandemError,
        match=rf"was written by a newer Tandem \(schema 99; this one knows {schema.VERSION}\): update",
    ) as error:
        Store(path)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.sqlite3"]


@pytest.mark.parametrize(("version", "application"), [(0, 0), (schema.VERSION, 0), (1, 0), (0, 7)])
def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path, version, application):
    path = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
        other.execute(f"PRAGMA user_version = {version}")
        other.execute(f"PRAGMA application_id = {application}")
    other.close()
    before = path.read_bytes()
    with pytest.raises(TandemError, match=r"bookmarks\.sqlite is a database of some other program"):
        Store(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bookmarks.sqlite"]


@pytest.mark.parametrize(
    "junk",
    [b"item,system,text\n1,a,hello\n" * 50, b"\x00" * 5000, b"SQLite format 3\x00 and then not"],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, junk):
    path = tmp_path / "notes.csv"
    path.write_bytes(junk)
    with pytest.raises(
        TandemError, match=r"the store .*notes.csv cannot be opened \(.+\): point store elsewhere"
    ):
        Store(path)
    assert path.read_bytes() == junk


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "store.sqlite3"
    path.touch()
    with Store(path) as store:
        assert store.connection.check()["ok"]


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(TandemError, match=r"is a folder.*: point .*store.* to a file"):
        Store(tmp_path)


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TandemError, match="cannot be created"):
        Store(tmp_path / "file" / "store.sqlite3")


def test_a_failed_migration_leaves_an_empty_store(tmp_path, monkeypatch):
    def broken(db):
        db.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    extra = Migrations("tandem")
    for migration in schema.migrations.pending(schema.Database(memory=True)):
        extra(name=migration.name)(migration.fn)
    extra()(broken)
    monkeypatch.setattr(schema, "migrations", extra)
    with pytest.raises(TandemError, match="disk I/O error"):
        Store(tmp_path / "store.sqlite3")
    monkeypatch.undo()
    with Store(tmp_path / "store.sqlite3") as store:  # nothing of the failed attempt is in the way
        assert store.connection.check()["ok"]


def test_creating_waits_for_who_is_at_the_file(tmp_path):
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


def test_processes_that_create_the_same_store_at_once_all_succeed(tmp_path):
    with ProcessPoolExecutor(4, mp_context=forked()) as pool:
        list(pool.map(create, [tmp_path / f"warm{i}" for i in range(4)], [time.time() + 1] * 4))
        for attempt in range(12):
            path, start = tmp_path / f"store{attempt}", time.time() + 0.03
            assert set(pool.map(create, [path] * 4, [start] * 4)) == {schema.VERSION}
            with Store(path) as store:
                assert (
                    store.connection.value("SELECT count(*) FROM _sqlite_migrations")
                    == schema.VERSION
                )


def test_where_declarations_cannot_be_touched_tables_are_copied(tmp_path, monkeypatch):
    def refuse(db):
        raise sqlite3.OperationalError("table sqlite_master may not be modified")

    ways = {}
    for name in ("declared", "copied"):
        path = tmp_path / f"{name}.sqlite3"
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            schema.migrate(db, str(path), to=19)
            db.execute("INSERT INTO judges (id, name, kind) VALUES (41, 'Ada', 'human')")
        with monkeypatch.context() as patched:
            if name == "copied":
                patched.setattr(migrations, "_number_once", refuse)
            with Store(path) as store:
                fill(store)
                db = store.connection
                assert db.check()["ok"]
                assert db.insert("INSERT INTO judges (name, kind) VALUES ('Bo', 'human')") == 42
                db.execute("DELETE FROM judges WHERE id = 42")
                assert db.insert("INSERT INTO judges (name, kind) VALUES ('Cy', 'human')") == 43
                ways[name] = (
                    db.rows("SELECT type, name FROM sqlite_master ORDER BY type, name"),
                    db.rows("SELECT * FROM sqlite_sequence ORDER BY name"),
                )
    assert ways["declared"] == ways["copied"]


def test_every_table_of_which_rows_may_go_gives_a_number_once(store):
    for table in dataset_changes._ROWS:
        declared = store.connection.value("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
        assert ("id INTEGER PRIMARY KEY AUTOINCREMENT" in declared) == (" id INTEGER" in declared)
