"""Faults of a store, each in a sentence: a disk, another program, damage."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from stat import S_ISREG
from types import TracebackType

from ..records import FaultError, TandemError, option_ref
from ..scratch import make_full_scratch_error

ROOM = 64 * 1024
"""Bytes without which SQLite cannot so much as open a store: its index of the log has 32 kB."""

BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
DISK = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
}
MET = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What is met on the way to a store; the second, where what SQLite says quotes a damaged file."""

UNDECODED = "Could not decode to UTF-8"
"""How Python's sqlite3 begins to say that a cell is no text."""


class DamageError(FaultError):
    """Error for a store whose file is not as it was written."""


class TranslateErrors:
    """Context manager that turns SQLite's errors on the way to a store into a FaultError.

    A mistake in the statement itself, such as a broken constraint, is raised as it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        # pandas wraps what SQLite says
        for error in (value, value.__cause__ if value else None):
            if isinstance(error, MET) and (fault := fault_of(error, self._path)):
                raise fault from error


def fault_of(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> FaultError | None:
    """Return what SQLite's error means to a user of the store; None if it is our mistake."""
    if isinstance(error, UnicodeDecodeError) or str(error).startswith(UNDECODED):
        return DamageError(
            f"the store {path} is damaged (a text in it is not UTF-8): restore a backup"
        )
    code = code_of(error)
    if code in BUSY:
        return make_locked_file_error(path)
    if code in DAMAGED:
        return DamageError(f"the store {path} is damaged ({error}): restore a backup")
    if code not in DISK:
        return None
    try:
        # Where a disk is full, there may be no file yet of a new store.
        if code != sqlite3.SQLITE_FULL and not has_file(path):
            return make_missing_file_error(path)
    except FaultError as fault:
        return fault
    if code == sqlite3.SQLITE_FULL or not has_room(path.parent):
        return _make_full_disk_error(path, _temporary())
    if code == sqlite3.SQLITE_READONLY or not _is_writable(path):
        return FaultError(
            f"the store {path} cannot be written, as it or its disk is read-only: make it writable"
        )
    return FaultError(f"the store {path} cannot be read or written ({error}): check its disk")


def code_of(error: sqlite3.Error | UnicodeDecodeError) -> int:
    """Return SQLite's primary result code; 0 for an error that is not SQLite's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def make_locked_file_error(path: Path) -> FaultError:
    """Build the error for a file that another program keeps locked."""
    return FaultError(f"another program keeps {path} locked: wait until it has finished, or end it")


def make_timeout_error(path: Path, seconds: float) -> FaultError:
    """Build the error for a wait that was too long in Tandem's own queue.

    The process that holds the queue writes, or was stopped while it did.
    """
    return FaultError(
        f"others have kept {path} busy for {seconds:g} seconds: try again; else its disk is "
        "slow or a program hangs"
    )


def make_missing_file_error(path: Path) -> FaultError:
    """Build the error for an open store whose file is gone."""
    return FaultError(f"the store {path} was deleted or moved: put it back")


def has_file(path: Path) -> bool:
    """Return whether a store has its file.

    Raises FaultError where its folder may not be entered, TandemError where no file can be called
    so.
    """
    return stat_file(path) is not None


def has_content(path: Path) -> bool:
    """Return whether a store has its file, with a byte in it. Raises as `has_file` does."""
    found = stat_file(path)
    return found is not None and not (S_ISREG(found.st_mode) and found.st_size == 0)


def stat_file(path: Path) -> os.stat_result | None:
    """Return the state of a store's file; None without one. Raises as `has_file` does."""
    try:
        return path.stat() if path.exists() else None
    except FileNotFoundError:  # since
        return None
    except PermissionError as error:
        raise FaultError(
            f"the store {path} cannot be reached ({error.strerror}): allow its folder to be entered"
        ) from error
    except OSError as error:
        raise TandemError(
            f"{str(path)[:40]!r}.. names no store ({error.strerror}): check {option_ref('store')}"
        ) from error


def make_unsynced_write_error(path: Path, error: OSError) -> FaultError:
    """Build the error for data that is written, but not known to be kept."""
    said, way = f"the disk of {path} does not keep what is written", "check it"
    if isinstance(error, PermissionError):
        said, way = f"the store {path} cannot be reached any more", "allow it to be written"
    return FaultError(
        f"{said} ({error.strerror}): {way}, and look whether your last answer is there"
    )


def has_room(folder: Path) -> bool:
    """Return whether the disk of a folder has room for anything."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize >= ROOM


def _temporary() -> Path:
    """Return the folder where SQLite puts what does not fit into memory while it sorts."""
    named = (os.environ.get("SQLITE_TMPDIR"), os.environ.get("TMPDIR"))
    for folder in (*named, "/var/tmp", "/usr/tmp", "/tmp"):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return Path(folder)
    return Path()


def _make_full_disk_error(path: Path, temporary: Path) -> FaultError:
    """Build the error for a full disk: the store's, or the one where SQLite sorts.

    By now the disk may have room again, as when what filled it was given up.
    """
    if not has_room(path.parent) or path.parent.stat().st_dev == temporary.stat().st_dev:
        return FaultError(f"the disk of {path} is full: free some space")
    if not has_room(temporary):
        return make_full_scratch_error(temporary)
    return FaultError(
        f"the disk of {path}, or that of temporary files, {temporary}, is full: free some space"
    )


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
