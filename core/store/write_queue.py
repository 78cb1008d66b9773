"""Queue of those who want to write to a store.

SQLite lets writers poll at growing intervals, so that those who have waited longest ask least. Here
they ask most often, and nobody is left behind.

One thread of a process asks at a time, and the others sleep. With eighty asking, a server was so
busy with it that it answered a third of the votes.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock

from . import faults

EVERY = 0.001  # seconds between two questions of who has just come
KNEE = 0.01  # seconds after which one asks more often, in proportion to how long one has waited
LEAST = 0.0001  # seconds between two questions at least

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
