"""A new store with the rows of a backup.

Its tables, indexes, views and triggers are made here, as those of any new store. Of a backup come
rows alone: each meets our types and constraints again, and whatever else a file has stays behind.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from ..records import FaultError, TandemError, sanitize_line
from ..whole_files import make_write_error
from . import faults, opening, schema
from .faults import DamageError

ROW = 2**28  # bytes of a row at most: a record of an import may have 32 million characters
NUMBER = 2**53  # of a row at most: each row takes the next one, and there must be a next
# By such a text SQLite knows a plain table, no view and no virtual table: it knows no name twice.
_PLAIN_TABLE = re.compile(r'CREATE TABLE "?(\w+)"?\s*\(')


class DamagedRowsError(ValueError):
    """Error that says in words what is wrong with a backup."""


def _list_tables(db: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns to be kept of each table by its name; computed ones are not."""
    rows = db.execute(
        """SELECT t.name, x.name FROM pragma_table_list t, pragma_table_xinfo(t.name) x
        WHERE t.schema = 'main' AND t.type = 'table' AND x.hidden = 0
        AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, x.cid"""
    )
    return {
        table: [column for _, column in columns]
        for table, columns in groupby(rows.fetchall(), key=itemgetter(0))
    }


@contextmanager
def _name_damage(backup: Path, target: Path) -> Iterator[None]:
    """Raise TandemError with the way out for whatever a changed backup raises in the `with`, and
    FaultError for a fault of the disk that `target` is on.
    """
    try:
        yield
    except TandemError:
        raise
    except (sqlite3.Error, ValueError, OverflowError) as error:
        fault = faults.fault_of(error, target) if isinstance(error, sqlite3.Error) else None
        if isinstance(fault, FaultError) and not isinstance(fault, DamageError):
            raise fault from error
        what = sanitize_line(str(error) or type(error).__name__)
        raise TandemError(
            f"the backup {backup} is damaged ({what}): name an earlier one"
        ) from error


@contextmanager
def _fill_new_store(target: Path, backup: Path) -> Iterator[sqlite3.Connection]:
    """Make a store in a new file, to be filled in the `with`, in one transaction.

    Its triggers come last: the rows have been through them before. Raises DamagedRowsError where
    rows refer to nothing, or leave no numbers for others.
    """
    address = opening.write_address(target)
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as db:
        schema.migrate(db, str(backup))
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW)
        triggers = db.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("BEGIN")
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute("DELETE FROM secrets")
        yield db
        for _, sql in triggers:
            db.execute(sql)
        if lost := db.execute("SELECT * FROM pragma_foreign_key_check LIMIT 1").fetchone():
            raise DamagedRowsError(f"a row of {lost[0]} refers to none of {lost[2]}")
        for name, last in db.execute("SELECT name, seq FROM sqlite_sequence"):
            if last > NUMBER:
                raise DamagedRowsError(f"a row of {name} has the number {last}")
        db.execute("COMMIT")


def copy_rows(backup: Path, target: Path) -> tuple[int, list[str]]:
    """Make a store in a new file of the rows that a copied one has.

    Returns the schema of the copied one, and what it has that is not ours. Raises TandemError where
    it is no store, damaged, too old or of a newer Tandem; FaultError where the disk is full.
    """
    with _name_damage(backup, target):
        if opening.log_of(backup):  # it was copied by hand while it was in use
            address = opening.write_address(_copy_files(backup, target))
        else:
            address = opening.write_address(backup, "?mode=ro&immutable=1")
        with closing(sqlite3.connect(address, uri=True)) as source:
            source.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW)
            version = _read_version(source, backup)
            parts = schema.read_parts(source)
        foreign = schema.list_foreign(parts, schema.make_parts(version))
        if version < schema.VERSION:
            address = _bring_along(backup, target, parts)
        with closing(sqlite3.connect(address, uri=True)) as source:
            source.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW)
            source.execute("PRAGMA ignore_check_constraints = ON")  # ours are met instead
            foreign += _copy_tables(source, address, target, backup)
    return version, sorted(foreign)


def _bring_along(backup: Path, target: Path, parts: Sequence[tuple[str, str, str]]) -> str:
    """Bring a copy of an earlier store to today's schema, without what acts in it and is not ours.

    Returns the address of the copy.
    """
    copy = _copy_files(backup, target)
    ours = schema.make_parts(0)
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        for kind, name, _ in parts:
            if kind in ("trigger", "view", "index") and (kind, name) not in ours:
                quoted = name.replace('"', '""')
                db.execute(f'DROP {kind} IF EXISTS "{quoted}"')
        schema.migrate(db, str(backup), rows_alone=True)
    return opening.write_address(copy)


def _copy_tables(source: sqlite3.Connection, address: str, target: Path, backup: Path) -> list[str]:
    """Copy the rows of all tables into a new store; return columns that are not ours."""
    foreign: list[str] = []
    parts = schema.read_parts(source)
    names = {match[1] for _, _, sql in parts if (match := _PLAIN_TABLE.match(sql))}
    with _fill_new_store(target, backup) as db:
        db.execute("ATTACH ? AS backup", (address,))
        for table, columns in _list_tables(db).items():
            if table not in names:
                raise DamagedRowsError(f"it has no table {table}")
            foreign += _copy_table(db, source, table, columns)
        if "sqlite_sequence" in names:  # a number that was given out is not again
            db.execute(
                """UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(b.seq)
                    FROM backup.sqlite_sequence b WHERE b.name = sqlite_sequence.name
                    AND typeof(b.seq) = 'integer'), 0))"""
            )
    return foreign


def _copy_files(backup: Path, target: Path) -> Path:
    """Copy a store and its log to files beside the target."""
    copy = Path(f"{target}-source")
    try:
        for log in ("", "-wal") if opening.log_of(backup) else ("",):
            shutil.copyfile(f"{backup}{log}", f"{copy}{log}")
    except OSError as error:
        raise make_write_error(target, error) from error
    return copy


def _read_version(source: sqlite3.Connection, backup: Path) -> int:
    try:
        application, version, _ = schema.read_version(source)
    except faults.MET as error:
        raise TandemError(
            f"{backup} is not a backup of a store ({error}): name another file"
        ) from error
    if application != schema.APPLICATION or version <= 0:
        raise TandemError(f"{backup} is not a backup of a store: name another file")
    schema.check_age(version, f"the backup {backup}", "datasets")
    return int(version)


def _copy_table(
    db: sqlite3.Connection, source: sqlite3.Connection, table: str, columns: Sequence[str]
) -> list[str]:
    """Copy the rows of a table once its pages are whole; return its columns that are not ours.

    No index is read, as what an index of a stranger has need not be what the table has.
    """
    stored = {
        column: hidden == 0
        for _, column, *_, hidden in source.execute(f"PRAGMA table_xinfo({table})")
    }
    for column in columns:
        if not stored.get(column):
            raise DamagedRowsError(f"{table} has no column {column}")
    [(said,), *_] = source.execute(f"PRAGMA integrity_check({table})")
    if said != "ok":
        raise DamagedRowsError(said)
    taken = ", ".join(f'"{column}"' for column in columns)
    db.execute(f"INSERT INTO main.{table} ({taken}) SELECT {taken} FROM backup.{table} NOT INDEXED")
    computed = {row[1] for row in db.execute(f"PRAGMA main.table_xinfo({table})")}
    return [f"column {table}.{column}" for column in stored if column not in computed]
