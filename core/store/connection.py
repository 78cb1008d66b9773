"""One connection to a store: opening, transactions, backup, check."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.records import TandemError, setting
from core.store import schema

MAY_MISS = ("plan", "prob_a", "seconds", "waited", "length")
"""Columns of numbers of which some may be missing."""


def now() -> str:
    """This moment as UTC text that sorts by time, fine enough for two writes never to be at the
    same one.
    """
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Connection:
    """SQLite opened by one thread, migrated to today's schema. Raises TandemError as `Store`
    does."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise TandemError(
                f"there is no store at {self.path}: check {setting('store')}, or import something "
                "into it first"
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            try:
                self._db.execute("PRAGMA foreign_keys = ON")
                schema.migrate(self._db, str(self.path))
            except BaseException:
                self._db.close()
                raise
        except sqlite3.DatabaseError as error:
            raise TandemError(
                f"{self.path} cannot be opened as a store ({error}): "
                f"point {setting('store')} elsewhere"
            ) from error
        except OSError as error:
            raise TandemError(
                f"{self.path} cannot be created ({error.strerror}): "
                f"point {setting('store')} elsewhere"
            ) from error

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """One short write. `durable` waits for the disk: for a person's work, which cannot be
        repeated.

        Immediate, because a read that later turns into a write fails under load with "database is
        locked".
        """
        if self._db.in_transaction:
            yield
            return
        self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def frame(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> pd.DataFrame:
        """The rows of a query as a data frame."""
        given = parameters if isinstance(parameters, Mapping) else tuple(parameters)
        return pd.read_sql_query(sql, self._db, params=cast(Any, given))

    def rows(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[tuple[Any, ...]]:
        """All rows at once: a half-read cursor would hold a snapshot and keep the log from being
        trimmed.
        """
        return self._db.execute(
            sql, parameters if isinstance(parameters, Mapping) else tuple(parameters)
        ).fetchall()

    def numbers(self, sql: str, parameters: Sequence[object]) -> dict[str, NDArray[Any]]:
        """The columns of a query that gives numbers alone: integers, or floats with NaN where one
        is missing.
        """
        cursor = self._db.execute(sql, tuple(parameters))
        names = [column[0] for column in cursor.description]
        table = np.fromiter(chain.from_iterable(cursor), dtype=float).reshape(-1, len(names))
        return {
            name: table[:, place].copy() if name in MAY_MISS else table[:, place].astype(np.int64)
            for place, name in enumerate(names)
        }

    def record(self, sql: str, parameters: Sequence[object] = ()) -> dict[str, Any]:
        """The first row by column name: a frame of one row would take ten times as long. Raises
        LookupError without a row.
        """
        cursor = self._db.execute(sql, tuple(parameters))
        found = cursor.fetchone()
        if found is None:
            raise LookupError("no row")
        return dict(zip((column[0] for column in cursor.description), found, strict=True))

    def value(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        """The first column of the first row, or None."""
        found = self._db.execute(sql, tuple(parameters)).fetchone()
        return found[0] if found else None

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """How many rows one statement changed."""
        return max(self._db.execute(sql, tuple(parameters)).rowcount, 0)

    def executemany(self, sql: str, parameters: Iterable[Sequence[object]]) -> int:
        """How many rows a statement changed over all its parameters; those ignored as known do not
        count.
        """
        return max(self._db.executemany(sql, parameters).rowcount, 0)

    def backup(self, target: str | Path) -> dict[str, object]:
        """A consistent copy of this store, also while others write to it. Raises rather than
        replacing a file.

        It has its name only once it is whole and on disk: what is killed midway leaves a `.part`.
        """
        target = Path(target)
        if target.exists():
            raise TandemError(f"{target} exists already: name a new file for the backup")
        if not target.parent.is_dir():
            raise TandemError(
                f"there is no folder {target.parent}: create it, or name another file for the "
                "backup"
            )
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            judgements = self._copy(part)
            with part.open("rb+") as copied:
                os.fsync(copied.fileno())
            part.rename(target)
            _to_disk(target.parent)
        except (sqlite3.DatabaseError, OSError) as error:
            raise TandemError(
                f"the backup {target} cannot be written ({error}): name a file with more room"
            ) from error
        finally:
            for left in (part, *(Path(f"{part}-{log}") for log in ("wal", "shm", "journal"))):
                left.unlink(missing_ok=True)
        return {"file": str(target), "bytes": target.stat().st_size, "judgements": judgements}

    def _copy(self, part: Path) -> int:
        """How many judgements a copy has. Raises DatabaseError when it is not whole."""
        with closing(sqlite3.connect(part)) as copy:
            self._db.backup(copy)
            said = copy.execute("PRAGMA integrity_check").fetchone()[0]
            if said != "ok":
                raise sqlite3.DatabaseError(said)
            return int(copy.execute("SELECT count(*) FROM judgements").fetchone()[0])

    def check(self) -> dict[str, Any]:
        """Whether the file is whole: SQLite's own checks, and every count kept by trigger
        recounted.
        """
        try:
            return self._check()
        except sqlite3.DatabaseError as error:  # damaged so badly that it cannot even be read
            return {"ok": False, "integrity": str(error), "schema": schema.VERSION, "counts": {}}

    def _check(self) -> dict[str, Any]:
        integrity = [row[0] for row in self.rows("PRAGMA integrity_check")]
        foreign = self.rows("PRAGMA foreign_key_check")
        tally = self.value(
            """SELECT count(*) FROM (SELECT sum(count) FROM (
                SELECT judge, attribute, system_a, system_b, order_known, outcome, count FROM tally
                UNION ALL
                SELECT j.judge, c.attribute, c.system_a, c.system_b, j.order_known,
                coalesce(j.outcome, 'failed'), -1
                FROM live_judgements j JOIN comparisons c ON c.id = j.comparison)
            GROUP BY judge, attribute, system_a, system_b, order_known, outcome HAVING sum(count) <>
            0)"""
        )
        votes = self.value(
            """SELECT count(*) FROM planned q JOIN plans p ON p.id = q.plan WHERE q.votes <> CASE
                p.kind
            WHEN 'run' THEN EXISTS (SELECT 1 FROM live_judgements j
                WHERE j.comparison = q.comparison AND j.judge = p.judge AND j.trial = p.trial)
            ELSE (SELECT count(j.outcome)
                FROM comparisons c JOIN live_judgements j ON j.comparison = c.id
                WHERE c.attribute = p.attribute AND c.generation_1 = q.generation_1
                AND c.generation_2 = q.generation_2 AND j.plan = p.id)
                END"""
        )
        tables = (
            "datasets",
            "items",
            "systems",
            "generations",
            "scores",
            "comparisons",
            "judgements",
            "plans",
        )
        return {
            "ok": integrity == ["ok"] and not foreign and tally == votes == 0,
            "integrity": integrity[0],
            "foreign_keys": len(foreign),
            "wrong_tallies": tally,
            "wrong_votes": votes,
            "schema": schema.VERSION,
            "counts": {table: self.value(f"SELECT count(*) FROM {table}") for table in tables},
        }


def _to_disk(folder: Path) -> None:
    """What was renamed in a folder stays so when the power fails."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Part:
    """One noun of a store: what is asked and written about it, over the store's one connection."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
