"""The log into which SQLite writes first, brought to the disk: an answer that the page calls saved
must outlast a power failure.

SQLite can do so within each commit (`synchronous = FULL`), but the next writer then waits for
the disk, too. Here each waits after their turn, and one wait serves all who have written meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from . import faults
from .write_queue import lock_of

_bring = getattr(os, "fdatasync", os.fsync)  # as SQLite does: the time of a change can be lost


class WriteLog:
    """The log of one connection. A store without one, as in memory, makes SQLite wait itself.

    A disk that could not keep a part of the log may keep all that follows, and say so: after a
    power failure SQLite reads no further than that part. So the process that finds that out leaves
    a mark beside the store. Nothing is settled then before the log has been taken into the store
    and begun again.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self._path = db, path
        self._broken = lock_of(path).with_name("broken-log")
        file = db.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0]
        logs = file and db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        self._file = Path(f"{file}-wal") if logs else None
        db.execute(f"PRAGMA synchronous = {'NORMAL' if logs else 'FULL'}")

    def settle(self) -> None:
        """Wait until all that is committed is on the disk. Raises FaultError where it cannot be.

        A log that another connection has restarted since needs no care: before that, SQLite brings
        the old one, and then the store, to the disk.
        """
        if self._file is None:
            return
        try:
            log = os.open(self._file, os.O_RDWR)
            try:
                _bring(log)
            finally:
                os.close(log)
            broken = self._broken.exists()
        except OSError as error:
            with suppress(OSError):
                self._broken.touch()
            raise faults.make_unsynced_write_error(self._path, error) from error
        if broken:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Take the log into the store and restart it.

        Raises FaultError while others still read what is only in the log.
        """
        busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise faults.make_locked_file_error(self._path)
        self._broken.unlink(missing_ok=True)
