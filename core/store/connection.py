"""One connection to a store: opening, transactions, backup, check."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..frames import get_schema
from ..records import FaultError, TandemError, option_ref
from . import faults, opening, schema
from .faults import DamageError, TranslateErrors
from .integrity import recount
from .opening import PATIENCE
from .write_queue import WriteLog, WriteQueue

if TYPE_CHECKING:
    from sqlite_utils.db import Table

MAY_MISS = ("run", "campaign", "prob_a", "seconds", "waited", "length")
"""Columns of numbers in which some may be missing."""

Parameters = Sequence[object] | Mapping[str, object]

CACHE = 2**16  # KiB of pages that are kept in memory while much is written
ALONE = 5  # times as many rows in a write, where nobody else has written
QUIET = 5.0  # for so many seconds
LOG = 4000  # pages of the log then; whoever votes meanwhile may have to put them into the file


def make_timestamp(*, ago: timedelta = timedelta()) -> str:
    """Return this moment, or one so long `ago`, as UTC text that sorts by time.

    It is fine enough for two writes never to be at the same one.
    """
    return (datetime.now(UTC) - ago).isoformat(timespec="microseconds")


def make_moment_key(moment: str) -> tuple[bool, str]:
    """Return a sort key for moments: those still to come were before the clock was set back."""
    return moment <= make_timestamp(), moment


def as_list(values: Iterable[object] | None) -> str | None:
    """Return values as `json_each` reads them in SQL; None where all are meant."""
    return None if values is None else json.dumps(list(values))


class Connection:
    """SQLite opened by one thread, migrated to today's schema. Raises TandemError as `Store`
    does."""

    def __init__(
        self,
        path: str | Path,
        *,
        create: bool = True,
        untouched: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self.path = Path(path)
        if not create and not faults.has_content(self.path):
            raise TandemError(
                f"there is no store at {self.path}: check {option_ref('store')}, or import "
                "something into it first"
            )
        self._told = TranslateErrors(self.path)
        self._queue, self._patience = WriteQueue(self.path, patience), patience
        self._open = partial(
            opening.open_untouched if untouched else opening.open_store, self.path, patience
        )
        self._opened = self._open()
        self._db = self._opened.db
        self._file = _file(self.path)
        self._disturbed, self._others = 0.0, -1  # when others were seen to write, and their number
        with self._told:
            self._log = WriteLog(self._db, self.path)

    def close(self) -> None:
        """Close the queue of writers and the database, and release its lock."""
        self._queue.close()
        self._db.close()
        self._opened.leave()

    @property
    def fault(self) -> FaultError | None:
        """Return what keeps this store from being written, if it could be opened only to read."""
        return self._opened.fault

    @contextmanager
    def transaction(
        self, *, durable: bool = False, patience: float | None = None
    ) -> Iterator[None]:
        """Open one short write.

        `durable` waits for the disk, after others may write again: for a person's work, which
        cannot be repeated. `patience` is how many seconds this one waits for others, if not as long
        as the store does.

        Immediate, because a read that later turns into a write fails under load with "database is
        locked". Raises FaultError, with nothing written, when the store is locked, gone or
        replaced, or its disk full.
        """
        if self._db.in_transaction:
            yield
            return
        if self.fault:
            raise self.fault
        with self._told:
            with self._queue.turn(patience) as left:
                self._begin(left)
                try:
                    self._check_file()
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            if durable:
                self._log.settle()

    def _begin(self, left: float) -> None:
        """Begin to write, which waits for other programs no longer than what is left."""
        brief = left < 0.99 * self._patience
        if brief:
            self._db.execute(f"PRAGMA busy_timeout = {round(1000 * left)}")
        try:
            self._db.execute("BEGIN IMMEDIATE")
        finally:
            if brief:
                self._db.execute(f"PRAGMA busy_timeout = {round(1000 * self._patience)}")

    @contextmanager
    def uprooting(self) -> Iterator[None]:
        """Open a durable transaction in which all rows of a data set may go, judgements too.

        The triggers that keep rows from being deleted are gone inside it alone. Nobody else ever
        sees the store without them, and an end midway brings them back with the rows. What refers
        to what is checked once, at the end: row by row it would read whole tables. Raises
        TandemError, with nothing changed, when a row would refer to one that is gone.
        """
        if self._db.in_transaction:
            raise RuntimeError("foreign keys cannot be put off inside a transaction")
        self.rows("PRAGMA foreign_keys = OFF")
        try:
            with self.transaction(durable=True):
                kept = self.rows(
                    """SELECT name, sql FROM sqlite_master WHERE type = 'trigger'
                    AND name IN ('judgements_stay', 'check_answers_stay', 'attack_answers_stay',
                        'consents_stay', 'promises_stay', 'questionnaire_answers_stay')"""
                )
                for name, _ in kept:
                    self.execute(f"DROP TRIGGER {name}")
                yield
                for _, sql in kept:
                    self.execute(sql)
                if self.rows("SELECT * FROM pragma_foreign_key_check LIMIT 1"):
                    raise TandemError(
                        f"the store {self.path} has rows that refer to nothing: run "
                        "`check`, and restore a backup"
                    )
        finally:
            self.rows("PRAGMA foreign_keys = ON")

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Read one state of the store, without what others write meanwhile; write nothing."""
        if self._db.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("ROLLBACK")

    @contextmanager
    def many_writes(self) -> Iterator[None]:
        """Prepare for many writes: indexes stay in memory, and the log may grow longer."""
        sizes = {"cache_size": -CACHE, "wal_autocheckpoint": LOG}
        usual = {name: self.value(f"PRAGMA {name}") for name in sizes}
        try:
            for name, size in sizes.items():
                self.rows(f"PRAGMA {name} = {size}")
            yield
        finally:
            for name, size in usual.items():
                self.rows(f"PRAGMA {name} = {size}")

    def size_write(self, rows: int) -> int:
        """Return how many rows the next of many writes takes: `rows`, or more while nobody else
        writes. A long one costs a fifth less a row, and whoever votes meanwhile waits for it.
        """
        others = self.count("PRAGMA data_version")
        if others != self._others:
            self._disturbed, self._others = time.monotonic(), others
        return rows * (ALONE if time.monotonic() - self._disturbed > QUIET else 1)

    def _check_file(self) -> None:
        """Check that the file has its name. Raises FaultError: what is written to it is lost."""
        now = _file(self.path)
        if now != self._file:
            if not faults.has_file(self.path):
                raise faults.make_missing_file_error(self.path)
            raise FaultError(
                f"the store {self.path} was replaced by another file: start again to use the new "
                "one"
            )

    def frame(self, sql: str, parameters: Parameters = (), *, rows: object = None) -> pd.DataFrame:
        """Return the rows of a query as a frame of the columns and types that `rows` declares."""
        with self._told:
            frame = pd.read_sql_query(sql, self._db, params=cast(Any, _bound(parameters)))
        return frame if rows is None else get_schema(rows).read(frame)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """Return all rows at once: a half-read cursor would keep the log from being trimmed."""
        with self._told:
            return self._db.execute(sql, _bound(parameters)).fetchall()

    def numbers(self, sql: str, parameters: Parameters) -> dict[str, NDArray[Any]]:
        """Return the columns of a query of numbers: integers, or floats with NaN if missing."""
        with self._told:
            cursor = self._db.execute(sql, _bound(parameters))
            names = [column[0] for column in cursor.description]
            table = np.fromiter(chain.from_iterable(cursor), dtype=float).reshape(-1, len(names))
        return {
            name: table[:, place].copy() if name in MAY_MISS else table[:, place].astype(np.int64)
            for place, name in enumerate(names)
        }

    def record(self, sql: str, parameters: Parameters = ()) -> dict[str, Any]:
        """Return the first row by column name. Raises LookupError without a row."""
        with self._told:
            cursor = self._db.execute(sql, _bound(parameters))
            row = cursor.fetchone()
        if row is None:
            raise LookupError("no row")
        return dict(zip((column[0] for column in cursor.description), row, strict=True))

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """Return the first column of the first row, or None."""
        with self._told:
            row = self._db.execute(sql, _bound(parameters)).fetchone()
        return row[0] if row else None

    def count(self, sql: str, parameters: Parameters = ()) -> int:
        """Return the number in the first column of the first row, which is there."""
        return int(self.value(sql, parameters))

    def holds(self, sql: str, parameters: Parameters = ()) -> bool:
        """Return whether the first column of the first row is true; False without a row."""
        return bool(self.value(sql, parameters))

    def column(self, sql: str, parameters: Parameters = ()) -> list[Any]:
        """Return the first column of all rows."""
        return [row[0] for row in self.rows(sql, parameters)]

    def mapping(self, sql: str, parameters: Parameters = ()) -> dict[Any, Any]:
        """Return the second column of all rows by the first."""
        return dict(self.rows(sql, parameters))

    def stamp(self, sql: str, parameters: Parameters = ()) -> str:
        """Return the values of the first row as one text, which changes with any of them."""
        return "-".join(map(str, self.rows(sql, parameters)[0]))

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        with self._told:
            return max(self._db.execute(sql, tuple(parameters)).rowcount, 0)

    def insert(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Execute a statement and return the row that it added; 0 where it was known already."""
        with self._told:
            cursor = self._db.execute(sql, tuple(parameters))
        return (cursor.lastrowid or 0) if cursor.rowcount > 0 else 0

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]]) -> int:
        """Execute a statement with each of its parameters; return how many rows it changed."""
        with self._told:
            return max(self._db.executemany(sql, parameters).rowcount, 0)

    def add_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]]) -> int:
        """Add rows of these columns by the thousand, but known ones; return how many are new."""
        marks = ", ".join("?" * (columns.count(",") + 1))
        return self.executemany(
            f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT DO NOTHING", rows
        )

    def _table(self, name: str) -> Table:
        """Return a table by sqlite-utils, which loads no plugin of this machine into the store.

        Its own transactions are savepoints inside of ours.
        """
        from sqlite_utils import Database  # when a table is asked for: it takes 0.1 s

        return Database(self._db, recursive_triggers=False, execute_plugins=False).table(name)

    def insert_row(self, table: str, row: Mapping[str, object]) -> int:
        """Insert a row and return its number; mappings and tuples in it become JSON."""
        with self._told:
            return int(self._table(table).insert(dict(row)).last_pk or 0)

    def insert_rows(self, table: str, rows: Iterable[dict[str, Any]]) -> int:
        """Insert rows but those that are known already; return how many rows the table has more."""
        with self._told:
            kept = self._table(table)
            before = kept.count
            return kept.insert_all(rows, ignore=True).count - before

    def replace_row(self, table: str, row: Mapping[str, object]) -> None:
        """Insert a row in place of the one with the same key, to which nothing may refer."""
        with self._told:
            self._table(table).insert(dict(row), replace=True)

    def update_row(self, table: str, row: int | str, **values: object) -> None:
        """Change columns of the row of that number (or name), which is there."""
        with self._told:
            self._table(table).update(row, values)

    def load_rows(
        self, table: str, where: str = "1", *values: object, order_by: str | None = None
    ) -> list[dict[str, Any]]:
        """Load the rows of a table that fulfil a condition, by column name."""
        with self._told:
            return list(self._table(table).rows_where(where, values, order_by=order_by))

    def delete_rows(self, table: str, where: str, *values: object) -> None:
        """Delete the rows of a table that fulfil a condition."""
        with self._told:
            self._table(table).delete_where(where, values)

    def backup(self, target: str | Path) -> dict[str, object]:
        """Write a whole copy of this store, as `opening.write_backup` does."""
        return opening.write_backup(self._db, self.path, Path(target))

    def check(self) -> dict[str, Any]:
        """Check that the file is whole.

        The report has SQLite's own checks, and all counts kept by trigger are recounted. The check
        starts again when somebody wrote to a file that was opened as if nobody did.
        """
        while True:
            before = _state(self.path)
            try:
                self._read_through()
                report = recount(self)
            except (DamageError, sqlite3.Error) as error:  # it cannot even be read
                report = {
                    "ok": False,
                    "integrity": str(error.__cause__ or error),
                    "schema": schema.VERSION,
                    "counts": {},
                }
            if not self._opened.still or _state(self.path) == before:
                return report
            self._db.close()
            self._opened = self._open()
            self._db = self._opened.db

    def _read_through(self) -> None:
        """Check that every text is UTF-8, which SQLite does not look at. Raises DamageError."""
        with self._told:
            for (table,) in self._db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall():
                for _ in self._db.execute(f'SELECT * FROM "{table}"'):
                    pass


def _bound(parameters: Parameters) -> Any:
    return parameters if isinstance(parameters, Mapping) else tuple(parameters)


def _file(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of the file of that name; None without one."""
    file = faults.stat_file(path)
    return file and (file.st_dev, file.st_ino)


def _state(path: Path) -> tuple[int, ...]:
    """Return values that change when somebody writes to a store; () if it has no file."""
    file = faults.stat_file(path)
    return (file.st_ino, file.st_size, file.st_mtime_ns, opening.log_of(path)) if file else ()


def failed_for(failure: str, kind: str) -> str:
    """Build the SQL condition for a failure in a column, of the kind in a parameter ('' = any)."""
    return f"{failure} <> '' AND ({kind} IN ('', {failure}) OR {failure} LIKE {kind} || ':%')"


class StorePart:
    """One noun of a store: its queries and writes, over the store's one connection."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
