"""A stranger's backup gives its rows, and nothing that acts: no trigger, view, table or person."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core import access, campaigns
from core.pairing import open_default
from core.records import Answer, Outcome, Role
from core.store import Store, backups, opening, schema
from tests.attacks.surfaces import said
from tests.kept_stores import write_kept
from tests.study import DATASET, ask, content, fill

DROPPED = ("judgements_are_final", "judgements_stay", "judgement_given")
TURNED = """CREATE TRIGGER turn AFTER INSERT ON judgements BEGIN
        UPDATE judgements SET outcome = 'a' WHERE id = NEW.id;
        UPDATE people SET role = 'owner', email = 'mallory@example.org' WHERE name = 'Mallory';
    END;"""


def drop(*triggers: str) -> str:
    return "".join(f"DROP TRIGGER {name};" for name in triggers)


ALTERED = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, {}) WHERE {};"
HIDDEN = "'''the audit', '''--''); DELETE FROM people; END /*' || char(10) || 'the audit'"
REMADE = """CREATE TABLE was AS SELECT * FROM {0}; DROP TABLE {0}; CREATE TABLE {0} {1};
    INSERT INTO {0} ({2}) SELECT {2} FROM was; DROP TABLE was;"""
REPLACING = "value, name PRIMARY KEY ON CONFLICT REPLACE"
LEFT_BEHIND = {
    "triggers": (
        drop(*DROPPED) + TURNED,
        {"trigger turn", *(f"trigger {name}, missing" for name in DROPPED)},
    ),
    "ours with a body that a comment seems to hide": (
        ALTERED.format(HIDDEN, "name = 'audit_DELETE'"),
        {"trigger audit_DELETE, changed"},
    ),
    "ours with a word that became a text": (
        ALTERED.format("'AND true', 'AND \"true\"'", "name = 'judgement_given'"),
        {"trigger judgement_given, changed"},
    ),
    "a view": (
        """DROP VIEW live_judgements;
        CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE outcome = 'a';""",
        {"view live_judgements, changed"},
    ),
    "an index that swallows votes": (
        "CREATE UNIQUE INDEX once ON judgements (judge) WHERE id > 3;",
        {"index once"},
    ),
    "a default": (
        ALTERED.format("'outcome TEXT', 'outcome TEXT DEFAULT ''a'''", "name = 'judgements'"),
        {"table judgements, changed"},
    ),
    "rows that replace others, without types": (
        REMADE.format("settings", f"({REPLACING}) WITHOUT ROWID", "value, name"),
        {"table settings, changed"},
    ),
    "columns": (
        """ALTER TABLE people ADD COLUMN loot TEXT DEFAULT 'x';
        ALTER TABLE people ADD COLUMN long INTEGER AS (length(name));""",
        {"column people.loot", "column people.long", "table people, changed"},
    ),
    "no secrets": ("DELETE FROM secrets;", set()),
    "tables": (
        "CREATE TABLE loot (x); INSERT INTO loot VALUES (randomblob(9)); ANALYZE;",
        {"table loot", "table sqlite_stat1"},
    ),
    "a view without end": (
        """CREATE VIEW endless AS WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x FROM n)
        SELECT * FROM n;""",
        {"view endless"},
    ),
    "a virtual table": (
        "CREATE VIRTUAL TABLE loot USING fts5 (x); INSERT INTO loot VALUES ('evil');",
        {f"table loot{part}" for part in ("", "_config", "_content", "_data", "_docsize", "_idx")},
    ),
}
"""What a backup has beside its rows, and what is named of it."""
HARMLESS = ("no secrets", "tables")
LAST = 2**63 - 1
SYSTEM_COLUMNS = "id, dataset, name, base, decoding, temperature"
OURS = ("judgements_are_final", "judgement_withdrawn")
REFUSED = {
    "a text for a number": (
        "UPDATE judgements SET seconds = 'long'",
        "cannot store TEXT",
        ALTERED.format("'STRICT', ''", "name = 'judgements'"),
    ),
    "an outcome that is none": (
        "UPDATE judgements SET outcome = 'x' WHERE id = 1",
        "CHECK constraint failed",
        ALTERED.format("'both_bad', 'x'", "name = 'judgements'"),
    ),
    "the same name twice": (
        "UPDATE systems SET name = 'alpha'",
        "UNIQUE constraint failed",
        REMADE.format("systems", f"({SYSTEM_COLUMNS})", SYSTEM_COLUMNS),
    ),
    "a row of nobody": ("UPDATE judgements SET judge = 77", "refers to none of judges"),
    "a number after which there is none": (
        f"INSERT INTO judges (id, name, kind) VALUES ({LAST}, 'last', 'llm')",
        f"number {LAST}",
    ),
    "numbers that were given out": (
        f"UPDATE sqlite_sequence SET seq = {LAST} WHERE name = 'judgements'",
        f"number {LAST}",
    ),
    "an endless view for a table": (
        """CREATE VIEW settings AS WITH RECURSIVE n (name, value) AS
        (VALUES ('a', 'b') UNION ALL SELECT * FROM n) SELECT * FROM n""",
        "no table settings",
        "DROP TABLE settings",
    ),
    "a virtual table for a table": (
        "CREATE VIRTUAL TABLE settings USING fts5 (name, value)",
        "no table settings",
        "DROP TABLE settings",
    ),
    "a computed value": (
        REMADE.format("settings", "(name, value AS ('x'))", "name"),
        "has no column value",
    ),
    "a trigger that is called a table": (
        """PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0,
        'CREATE TRIGGER turn AFTER INSERT ON judgements BEGIN DELETE FROM people; END')""",
        "malformed",
    ),
    "counts that are wrong": ("UPDATE person_counts SET answered = 9", "is damaged"),
}
"""Which rows a backup has, what is said of them, and how it is loosened for them before."""


Begin = Callable[[], tuple[Path, Path]]


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ada has voted on some pairs; her backup is of then, in the folder of backups."""
    path = tmp_path_factory.mktemp("backed up") / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        open_default(store, DATASET)
        campaigns.enrol(store, "Ada")
        for _ in range(3):
            vote(store, Outcome.A)
        access.people.add(store, "Olga", "Mallory", Role.ANNOTATOR)
        backups.back_up(store)
    return path.parent


@pytest.fixture
def begin(backed_up: Path, tmp_path: Path) -> Begin:
    """The store and its backup, as often as they are asked for."""

    def begin() -> tuple[Path, Path]:
        path = tmp_path / str(len([*tmp_path.iterdir()])) / "store.sqlite3"
        shutil.copytree(backed_up, path.parent)
        [copy] = backups.find_backup_folder(path).iterdir()
        return path, copy

    return begin


def vote(store: Store, outcome: Outcome) -> None:
    shown = ask(store, "Ada")
    campaigns.answer(store, "Ada", shown, Answer(outcome))


def spoil(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.executescript(script)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def hold(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with Store(path) as store:
        return content(store)


def check_votes_count(path: Path, held: dict[str, list[tuple[object, ...]]]) -> None:
    """The rows are those of before, the schema is ours, and a vote is counted as it is cast."""
    assert hold(path) == held
    with Store(path) as store:
        assert store.connection.check()["ok"]
        parts = schema.read_parts(store.connection._db)
        assert schema.list_foreign(parts, schema.make_parts(schema.VERSION)) == []
        for count, outcome in enumerate((Outcome.B, Outcome.TIE, Outcome.B)):
            vote(store, outcome)
            cast = store.connection.rows("SELECT outcome FROM judgements ORDER BY id")
            assert cast == [("a",)] * 3 + [("b",), ("tie",), ("b",)][: count + 1]
        [counted] = store.connection.rows("SELECT answered, skipped FROM person_counts")
        assert counted == (6, 0)
        people = store.people.load_all().set_index("person")["role"].to_dict()
        assert people == {"Ada": Role.ANNOTATOR, "Mallory": Role.ANNOTATOR}
        assert store.connection.check()["ok"]


def test_what_acts_stays_behind(begin: Begin, subtests: pytest.Subtests) -> None:
    """A store with it is not opened; restored into a new one, it is a store again."""
    for what, (script, foreign) in LEFT_BEHIND.items():
        with subtests.test(what):
            path, backup = begin()
            held = hold(path)
            spoil(backup, script)
            status, out, err = said(path, "restore", str(backup), "--json")
            assert (status, err) == (0, "")
            assert {*json.loads(out)["foreign"]} == foreign
            check_votes_count(path, held)
        if what not in HARMLESS:
            with subtests.test(what, opened=True):
                check_is_not_opened(begin()[0], script, foreign)


def check_is_not_opened(path: Path, script: str, foreign: set[str]) -> None:
    held = hold(path)
    spoil(path, script)
    opening._checked.clear()  # as in another process: SQLite's number need not tell
    for command in ("datasets", "check"):
        status, out, err = said(path, command)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert str(path) in err
        assert "restore" in err
        assert any(part in err for part in foreign)
    new = path.with_name("new.sqlite3")
    backups.restore(new, path, "Olga", with_people=True)
    check_votes_count(new, held)


def test_rows_that_break_our_rules_are_refused(begin: Begin, subtests: pytest.Subtests) -> None:
    for what, (script, reason, *loosened) in REFUSED.items():
        with subtests.test(what):
            path, backup = begin()
            held = hold(path)
            spoil(backup, drop(*OURS) + "".join(loosened))
            spoil(backup, script)
            before = path.read_bytes()
            status, out, err = said(path, "restore", str(backup))
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert reason in err
            assert path.read_bytes() == before
            assert not list(path.parent.glob("*before-restoring*"))
            check_votes_count(path, held)


def test_over_a_damaged_store_a_backup_without_identity_brings_nobody_in(begin: Begin) -> None:
    path, backup = begin()
    hers = "role = 'owner', email = 'm@example.org' WHERE name = 'Mallory'"
    spoil(backup, f"DELETE FROM secrets; UPDATE people SET {hers}")
    path.write_bytes(b"?" * 9000)
    backups.restore(path, backup, "Olga")
    claim = access.Claim(signed_in=True, email="m@example.org", verified=True)
    with Store(path) as store, pytest.raises(access.DeniedError):
        access.authorize(store, claim, Role.ANNOTATOR)


def test_a_table_beside_ours_does_nothing(begin: Begin) -> None:
    path, _ = begin()
    held = hold(path)
    spoil(path, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1); ANALYZE")
    assert hold(path) == held


def test_nothing_of_an_earlier_schema_is_called_foreign(tmp_path: Path) -> None:
    """But what a stranger added to it is."""
    for version in range(schema.FIRST, schema.VERSION + 1):
        file, new = tmp_path / f"{version}.sqlite3", tmp_path / f"new{version}.sqlite3"
        with closing(sqlite3.connect(write_kept("schema24", file), isolation_level=None)) as db:
            db.executescript("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
            schema._run_steps(db, schema.STEPS[: version - schema.FIRST])
            db.execute(f"PRAGMA user_version = {version}")
        kept = backups.restore(new, file, "Olga")
        assert (kept.schema, kept.foreign) == (version, ())
        spoil(file, drop(*DROPPED[:2]) + TURNED)
        made = backups.restore(new, file, "Olga")
        assert "trigger turn" in made.foreign
        with Store(new) as store:
            assert store.connection.check()["ok"]
