"""Which schema a store has, and how a new one gets its tables: `tables/` describes them in SQL.

`docs/data-model.md` says in words what each table is for.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from core.records import TandemError, setting
from core.store.faults import DamageError

VERSION = 24
"""The schema that `tables/` describes. It is kept in the file, so that an unchanged store opens
without looking further.
"""
LAST_OF_OLDER = "277cdddc"
"""The last commit of Tandem that brought stores of schemas 1 to 23 along."""
APPLICATION = int.from_bytes(b"Tndm", "big")
"""Kept in the file, so that no other program's database is taken for ours."""
TABLES = [
    Path(__file__).parent / f"tables/{noun}.sql"
    for noun in ("texts", "people", "questions", "answers")
]
APPEND_ONLY = ("judgements", "check_answers", "attack_answers")
"""Tables whose rows may be withdrawn, and not changed otherwise."""


def version(connection: sqlite3.Connection, name: str) -> int:
    """The schema of a store, 0 of a new file. Only reads.

    Raises TandemError for a store written by a newer Tandem or one that is too old, and for another
    program's database; DamageError for one that no Tandem wrote.
    """
    application, found, tables = connection.execute(
        """SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
        FROM pragma_application_id, pragma_user_version"""
    ).fetchone()
    if application != APPLICATION and (application or found or tables):
        raise TandemError(
            f"{name} is a database of some other program, not a Tandem store: "
            f"point {setting('store')} elsewhere"
        )
    if found > VERSION:
        raise TandemError(
            f"the store {name} was written by a newer Tandem (schema {found}; this one knows "
            f"{VERSION}): update Tandem, or point {setting('store')} at another file"
        )
    if found < 0:
        raise DamageError(f"the store {name} is damaged (its schema is {found}): restore a backup")
    if found:
        check_age(found, f"the store {name}", "datasets")
    return int(found)


def check_age(found: int, what: str, command: str) -> None:
    """Raises TandemError for a schema of before those that are brought along; `command` is one of
    the last Tandem that does.
    """
    if found < VERSION:
        raise TandemError(
            f"{what} has schema {found}, and this Tandem brings along none before {VERSION}: run "
            f"`{command}` with it once by the Tandem of commit {LAST_OF_OLDER}"
        )


def migrate(connection: sqlite3.Connection, name: str) -> None:
    """Give a new store its tables, inside one immediate transaction that two starting processes
    cannot share.

    Raises TandemError as `version` does, with the file as it was.
    """
    if version(connection, name) == VERSION:
        return
    _write_ahead(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        if version(connection, name) < VERSION:
            create_tables(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, indexes, views and triggers of a new store."""
    for file in TABLES:
        for statement in _split_statements(file.read_text(encoding="utf-8")):
            connection.execute(statement)
    for table in APPEND_ONLY:
        forbid_changes(connection, table)
    # `restore` raises these numbers, so that none is given out again; it adds no row for a table.
    connection.execute(
        """INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_master
        WHERE type = 'table' AND sql LIKE '% AUTOINCREMENT%'"""
    )


def _split_statements(script: str) -> Iterator[str]:
    """Statements one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def forbid_changes(connection: sqlite3.Connection, table: str) -> None:
    """Make the triggers of an append-only table from its columns."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    old, new = (
        ", ".join(f'{row}."{column}"' for column in columns if column != "withdrawn_at")
        for row in ("OLD", "NEW")
    )
    connection.execute(f"""CREATE TRIGGER {table}_are_final BEFORE UPDATE ON {table}
        WHEN OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR ({old}) IS NOT ({new})
        BEGIN SELECT raise(ABORT,
        '{table} are append-only: withdraw this one and add another'); END""")
    connection.execute(f"""CREATE TRIGGER {table}_stay BEFORE DELETE ON {table}
        BEGIN SELECT raise(ABORT, '{table} are append-only: withdraw instead of deleting'); END""")


def _write_ahead(connection: sqlite3.Connection, patience: float = 30.0) -> None:
    """Switch the file to a write-ahead log, for good. Unlike any other statement this one does not
    wait by itself while another process is at the file, as when two create it at once.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
