"""A new store with the rows of a backup.

Its tables, indexes, views and triggers are made here, as those of any new store. Of a backup come
rows alone: each meets our types and constraints again, and whatever else a file has stays behind.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from urllib.parse import quote

from ..records import FaultError, TandemError, sanitize_line
from ..whole_files import make_write_error
from . import faults, opening, schema
from .faults import DamageError
from .migrations import DROPPED

ROW = 2**28  # bytes of a row at most: a record of an import may have 32 million characters
NUMBER = 2**53  # of a row at most: each row takes the next one, and there must be a next
# By such a text SQLite knows a plain table, no view and no virtual table: it knows no name twice.
_PLAIN_TABLE = re.compile(r'CREATE TABLE "?(\w+)"?\s*\(')
MALFORMED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,  # of places that no file has
    ValueError,  # of JSON, too, and of text that is no UTF-8
    TypeError,
    KeyError,
    RecursionError,
    OverflowError,
    NotImplementedError,  # packed in a way that zipfile does not know
    RuntimeError,  # with a password
    struct.error,
)
"""What an archive that was changed or cut off raises."""


class DamagedRowsError(ValueError):
    """Error that says in words what is wrong with a backup."""


@dataclass(frozen=True)
class StoredTable:
    """A table, its stored columns (not the computed ones), and the order of its rows."""

    name: str
    columns: tuple[str, ...]
    order: str


def list_tables(db: sqlite3.Connection) -> list[StoredTable]:
    """List all tables, each with the columns and the order of rows to be kept."""
    tables = []
    for name, rowless in db.execute(
        """SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '_sqlite_migrations' ORDER BY name"""
    ):
        columns = db.execute(
            "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", (name,)
        ).fetchall()
        key = [column for column, place in sorted(columns, key=itemgetter(1)) if place]
        order = list_columns(key) if rowless else "rowid"
        tables.append(StoredTable(name, tuple(column for column, _ in columns), order))
    return tables


def list_columns(columns: Sequence[str]) -> str:
    """Join columns for SQL."""
    return ", ".join(f'"{column}"' for column in columns)


@contextmanager
def name_damage(backup: Path, target: Path) -> Iterator[None]:
    """Raise TandemError with the way out for whatever a changed backup raises in the `with`, and
    FaultError for a fault of the disk that `target` is on.
    """
    try:
        yield
    except TandemError:
        raise
    except (*MALFORMED, sqlite3.Error) as error:
        fault = faults.fault_of(error, target) if isinstance(error, sqlite3.Error) else None
        if isinstance(fault, FaultError) and not isinstance(fault, DamageError):
            raise fault from error
        what = sanitize_line(str(error) or type(error).__name__)
        raise TandemError(
            f"the backup {backup} is damaged ({what}): name an earlier one"
        ) from error


@contextmanager
def fill_new_store(target: Path, backup: Path, version: int) -> Iterator[sqlite3.Connection]:
    """Make the store of a schema in a new file, to be filled in the `with`, in one transaction.

    Its triggers come last: the rows have been through them before. Raises DamagedRowsError where
    rows refer to nothing, or leave no numbers for others.
    """
    address = f"file:{quote(str(target.absolute()))}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as db:
        schema.migrate(db, str(backup), to=version)
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
    """Make a store in a new file of the rows that a copied one has, at its schema.

    Returns that schema, and what the file has that is not ours. Raises TandemError where it is no
    store, damaged, too old or of a newer Tandem; FaultError where the disk is full.
    """
    with name_damage(backup, target):
        address = _find_source(backup, target)
        with closing(sqlite3.connect(address, uri=True)) as source:
            source.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW)
            source.execute("PRAGMA ignore_check_constraints = ON")  # ours are met instead
            version = _read_version(source, backup)
            parts = schema.read_parts(source)
            names = {match[1] for _, _, sql in parts if (match := _PLAIN_TABLE.match(sql))}
            with fill_new_store(target, backup, version) as db:
                foreign = schema.list_foreign(parts, _name_parts(db, version))
                db.execute("ATTACH ? AS backup", (address,))
                for table in list_tables(db):
                    if table.name not in names:
                        raise DamagedRowsError(f"it has no table {table.name}")
                    foreign += _copy_table(db, source, table)
                if "sqlite_sequence" in names:  # a number that was given out is not again
                    db.execute(
                        """UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(b.seq)
                            FROM backup.sqlite_sequence b WHERE b.name = sqlite_sequence.name
                            AND typeof(b.seq) = 'integer'), 0))"""
                    )
    return version, sorted(foreign)


def _find_source(backup: Path, target: Path) -> str:
    """Return the address at which a copied store is read, and nothing is written."""
    if not opening.log_of(backup):
        return f"file:{quote(str(backup.absolute()))}?mode=ro&immutable=1"
    try:  # it was copied by hand while it was in use
        for log in ("", "-wal"):
            shutil.copyfile(f"{backup}{log}", f"{target}-source{log}")
    except OSError as error:
        raise make_write_error(target, error) from error
    return f"file:{quote(str(target.absolute()))}-source"


def _read_version(source: sqlite3.Connection, backup: Path) -> int:
    try:
        application, version = source.execute(
            "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
        ).fetchone()
    except faults.MET as error:
        raise TandemError(
            f"{backup} is not a backup of a store ({error}): name another file"
        ) from error
    if application != schema.APPLICATION or version <= 0:
        raise TandemError(f"{backup} is not a backup of a store: name another file")
    schema.check_age(version, f"the backup {backup}", "datasets")
    return int(version)


def _name_parts(db: sqlite3.Connection, version: int) -> schema.Parts:
    """Return what is ours in a backup. At an earlier schema only names are known, and more of them
    than it had.
    """
    ours = schema.make_parts(schema.VERSION)
    if version == schema.VERSION:
        return ours
    return dict.fromkeys([*ours, *DROPPED, *(row[:2] for row in schema.read_parts(db))], "")


def _copy_table(
    db: sqlite3.Connection, source: sqlite3.Connection, table: StoredTable
) -> list[str]:
    """Copy the rows of a table once its pages are whole; return its columns that are not ours.

    No index is read, as what an index of a stranger has need not be what the table has.
    """
    stored = {
        column: hidden == 0
        for _, column, *_, hidden in source.execute(f"PRAGMA table_xinfo({table.name})")
    }
    for column in table.columns:
        if not stored.get(column):
            raise DamagedRowsError(f"{table.name} has no column {column}")
    [(said,), *_] = source.execute(f"PRAGMA integrity_check({table.name})")
    if said != "ok":
        raise DamagedRowsError(said)
    columns = list_columns(table.columns)
    db.execute(
        f"""INSERT INTO main.{table.name} ({columns})
        SELECT {columns} FROM backup.{table.name} NOT INDEXED"""
    )
    computed = {row[1] for row in db.execute(f"PRAGMA main.table_xinfo({table.name})")}
    return [f"column {table.name}.{column}" for column in stored if column not in computed]
