"""Writing to a store: the queue of those who want to, and the log that reaches the disk.

SQLite lets writers poll at growing intervals, so that those who have waited longest ask least. Here
they ask most often, and nobody is left behind. One thread of a process asks at a time, and the
others sleep. With eighty asking, a server was so busy with it that it answered a third of the
votes.

SQLite writes into the log first, and an answer that the page calls saved must outlast a power
failure. It can bring each commit to the disk itself (`synchronous = FULL`), but the next writer
then waits for the disk, too. Here each waits after their turn, and one wait serves all who have
written meanwhile.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock

from . import faults

EVERY = 0.001  # seconds between two questions of who has just come
KNEE = 0.01  # seconds after which one asks more often, in proportion to how long one has waited
LEAST = 0.0001  # seconds between two questions at least

_bring = getattr(os, "fdatasync", os.fsync)  # as SQLite does: the time of a change can be lost
_threads = dict[str, RLock]()
"""Held by the thread of this process that writes to a store, or is the next to; by its path."""


def lock_of(path: Path) -> Path:
    """Return the file whose lock a writer to a store holds."""
    return Path(f"{path}.locks") / "write"


class WriteQueue:
    """Queue of writers: a lock of the system on a file beside the store.

    It is held for one short write, and released when its process dies. Where the disk offers no
    locks or no file, SQLite's own waiting remains.
    """

    def __init__(self, path: Path, patience: float) -> None:
        self._path, self._patience = path, patience
        self._file: int | None = None
        self._able = str(path) != ":memory:"

    def close(self) -> None:
        """Close the lock's file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @contextmanager
    def turn(self, patience: float | None = None) -> Iterator[float]:
        """Wait for this writer's turn; yield the seconds left to it for waiting further.

        Raises FaultError when it has not come after `patience` seconds, by default the queue's own.
        """
        patience = self._patience if patience is None else patience
        began = time.monotonic()
        with ExitStack() as turn:
            if self._open_file():
                # Before it is taken: a signal may come in between, and end this thread's work.
                turn.callback(self._let_go)
                self._come_first(patience)
                self._wait(began, patience)
                if self._file is None:
                    turn.close()
            yield max(0.0, patience - (time.monotonic() - began))

    def _come_first(self, patience: float) -> None:
        """Wait for the other threads of this process."""
        threads = _threads.setdefault(str(self._path), RLock())
        if not threads.acquire(timeout=patience):
            raise faults.make_timeout_error(self._path, patience)

    def _let_go(self) -> None:
        """Release the locks that were taken."""
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        with suppress(RuntimeError, KeyError):  # another thread's, or nobody's
            _threads[str(self._path)].release()

    def _open_file(self) -> bool:
        if self._file is None and self._able:
            lock = lock_of(self._path)
            try:
                lock.parent.mkdir(exist_ok=True)
                self._file = os.open(lock, os.O_RDONLY | os.O_CREAT, 0o666)
            except OSError:
                self._able = False
        return self._file is not None

    def _wait(self, began: float, patience: float) -> None:
        """Wait for other processes, as somebody who has waited since `began`."""
        while not self._try_take():
            waited = time.monotonic() - began
            if waited > patience:
                raise faults.make_timeout_error(self._path, patience)
            time.sleep(max(LEAST, EVERY * min(1.0, KNEE / max(waited, LEAST))))

    def _try_take(self) -> bool:
        if self._file is None:
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            self.close()
            self._able = False
        return True


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
        """Take the log into the store and restart it. Raises FaultError while others read it."""
        busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise faults.make_locked_file_error(self._path)
        self._broken.unlink(missing_ok=True)
