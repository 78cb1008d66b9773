"""Which schema a store has, and how it is brought up to today's (`core.store.migrations`)."""

from __future__ import annotations

import sqlite3
import time

from sqlite_utils import Database

from core.records import TandemError, setting
from core.store.faults import DamageError
from core.store.migrations import migrations

VERSION = 24
"""How many migrations there are: kept in the file, so that an unchanged store opens without looking
further.
"""
APPLICATION = int.from_bytes(b"Tndm", "big")
"""Kept in the file, so that no other program's database is taken for ours."""


def version(connection: sqlite3.Connection, name: str) -> int:
    """The schema of a store, 0 of a new file. Only reads.

    Raises TandemError for a store written by a newer Tandem and for another program's database,
    DamageError for one that no Tandem wrote.
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
    return int(found)


def migrate(connection: sqlite3.Connection, name: str, *, to: int | None = None) -> None:
    """Bring a store up to VERSION, or an earlier schema, inside one immediate transaction that two
    starting processes cannot share.

    Raises TandemError as `version` does, with the file as it was.
    """
    to = VERSION if to is None else to
    if version(connection, name) == to:
        return
    _write_ahead(connection)
    # As SQLite wants it while a table is written anew; what refers to it is checked before the
    # commit.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < to:  # another process may have done it while this one waited
            later = [each.name for each in migrations.pending(Database(memory=True))[to:]]
            migrations.apply(Database(connection, recursive_triggers=False), stop_before=later)
            if connection.execute("SELECT * FROM pragma_foreign_key_check LIMIT 1").fetchone():
                raise TandemError(
                    f"the store {name} has rows that refer to nothing: run `check`, and restore "
                    "a backup"
                )
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {to}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA legacy_alter_table = OFF")
        connection.execute("PRAGMA foreign_keys = ON")


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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
