"""Locks of a store that other processes heed, for work only one of them may do at a time."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..records import FaultError

LOOK = 0.2  # seconds between two looks whether a lock is free


@contextmanager
def wait_for_lock(path: Path, what: str) -> Iterator[None]:
    """Hold a lock of this store, once nobody else does. Where the disk takes none, nobody waits."""
    with ExitStack() as holding:
        while not _try_lock(holding, path, what):
            time.sleep(LOOK)
        yield


def _try_lock(holding: ExitStack, path: Path, what: str) -> bool:
    with ExitStack() as attempt:
        try:
            held = attempt.enter_context(claim(path, what))
        except FaultError:
            return True
        if held is not None:
            holding.push(attempt.pop_all())
        return held is not None


@contextmanager
def claim(path: Path, what: str) -> Iterator[int | None]:
    """Take a lock of this store and yield its file descriptor; None while somebody else holds it.

    It is a lock of the system, not a row in the store: it is released when its process dies, for
    any reason. Its file stays, because removing it would let two others hold the lock at once, one
    on the old file and one on the new. Raises FaultError where the disk takes no lock.
    """
    if str(path) == ":memory:":  # nobody else can open that store
        yield 0
        return
    folder = Path(f"{path}.locks")
    try:
        folder.mkdir(exist_ok=True)
        file = (folder / what).open("w")
    except OSError as error:
        raise FaultError(
            f"{folder} cannot be written ({error.strerror}): free some space, or make it writable"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held: int | None = file.fileno()
        except BlockingIOError:
            held = None
        yield held
