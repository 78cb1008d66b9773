"""Opening the file of a store: to write, to read on a disk that is full or read-only, and without
changing a byte of it or beside it. And copying it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote

from ..output_files import check_new_output
from ..records import FaultError, TandemError, option_ref
from ..scratch import scratch
from ..whole_files import atomic_write, make_write_error
from . import faults, schema
from .faults import DamageError
from .write_queue import lock_of

PATIENCE = 30.0
"""Seconds until a writer gives up on a store that others keep locked."""

BEFORE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
"""How SQLite fails to read a store when it cannot write beside it."""

_checked: dict[Path, tuple[int, int, int]] = {}
"""File and schema's number, as SQLite counts them, of stores whose parts were ours when opened."""


@dataclass(frozen=True)
class OpenedStore:
    """A connection to a store, and how it was opened.

    It says what keeps it from writing, whether it relies on nobody writing meanwhile, and what is
    to be done once it is closed.
    """

    db: sqlite3.Connection
    fault: FaultError | None = None
    still: bool = False
    leave: Callable[[], object] = lambda: None


def path_before(store: Path, deed: str) -> Path:
    """Return an unused file name beside a store, for a copy of it before a deed."""
    return name_new(lambda at: store.with_name(f"{store.stem}-before-{deed}-{at:%Y%m%d-%H%M%S}"))


def name_new(name: Callable[[datetime], Path]) -> Path:
    """Return a file of SQLite that `name` gives for this moment (UTC), or for the next second of
    which there is none.
    """
    at = datetime.now(UTC)
    while (file := Path(f"{name(at)}.sqlite3")).exists():
        at += timedelta(seconds=1)  # somebody made one in this very second
    return file


def open_store(path: Path, patience: float) -> OpenedStore:
    """Open a store, brought up to today's schema; create it if it is missing.

    A store of an earlier schema is copied first. On a full or read-only disk it can still be read.
    Raises TandemError when the file is no store or cannot be created, and FaultError when the disk
    or another process prevents it.
    """
    _refuse_special(path)
    new = not faults.has_file(path)
    try:
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
        return OpenedStore(_open_migrated(path, path, patience, partial(_keep_copy, path)))
    except faults.MET as error:
        if new:
            _take_back(path)
            raise _make_refusal(error, path) from error
        refused = _make_refusal(error, path)
        if faults.code_of(error) in BEFORE and isinstance(refused, FaultError):
            return _only_read(path, patience, refused)
        raise refused from error
    except OSError as error:
        raise TandemError(
            f"the store {path} cannot be created ({error.strerror}): point {option_ref('store')} "
            "elsewhere"
        ) from error


def open_untouched(path: Path, patience: float) -> OpenedStore:
    """Open a store for reading, with no change to its file nor to those beside it.

    A copy elsewhere is opened where SQLite would have to write to read it, or an older schema has
    to be brought up to date. Raises as `open_store` does.
    """
    _refuse_special(path)
    try:
        if (quiet := _quiet(path, patience)) is not None:
            try:
                if _is_current(quiet, path):
                    return OpenedStore(quiet, still=not log_of(path))
                quiet.close()
            except BaseException:
                quiet.close()
                raise
        return _open_copy(path, patience)
    except faults.MET as error:
        raise _make_refusal(error, path) from error
    except OSError as error:
        raise FaultError(
            f"the store {path} cannot be copied to be read ({error.strerror}): check the disk"
        ) from error


def _refuse_special(path: Path) -> None:
    """Raise TandemError for what is no file: it may have no end, or give nothing."""
    with suppress(OSError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise TandemError(
                f"{path} is a folder, pipe or device and no store: point {option_ref('store')} to "
                "a file"
            )


def log_of(path: Path) -> int:
    """Return how many bytes are in the log beside a store, not in its file yet."""
    try:
        return Path(f"{path}-wal").stat().st_size
    except OSError:
        return 0


def _keep_copy(path: Path) -> Path:
    """Copy a store as it is before an update, beside it: an earlier Tandem can still open it."""
    target = path_before(path, f"schema-{schema.VERSION}")
    with closing(sqlite3.connect(path)) as source:
        write_copy(source, target)
    return target


def write_copy(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database into a file, which has its name only once it is whole."""
    with atomic_write(target) as part:
        part.touch()
        with closing(sqlite3.connect(part)) as copy:
            source.backup(copy)


def _open_migrated(
    path: Path, name: Path, patience: float, keep_copy: Callable[[], Path] | None = None
) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=patience, isolation_level=None)
    try:
        db.execute("PRAGMA foreign_keys = ON")
        schema.migrate(db, str(name), keep_copy=keep_copy)
        _check_parts(db, path, name)
    except BaseException:
        db.close()
        raise
    return db


def _is_current(db: sqlite3.Connection, path: Path) -> bool:
    """Return whether a store has today's schema. Raises TandemError as `_check_parts` does."""
    if schema.version(db, str(path)) != schema.VERSION:
        return False
    _check_parts(db, path, path)
    return True


def _check_parts(db: sqlite3.Connection, path: Path, name: Path) -> None:
    """Check a store's parts when this process opens the file first, and again once they changed.

    Raises TandemError where some are not ours.
    """
    if (file := faults.stat_file(path)) is None:  # in memory
        return
    (number,) = db.execute("PRAGMA schema_version").fetchone()
    state = (file.st_dev, file.st_ino, number)
    if _checked.get(name) != state:
        schema.check_parts(db, str(name))
        _checked[name] = state


def _only_read(path: Path, patience: float, fault: FaultError) -> OpenedStore:
    """Open a store of today's schema for reading alone. Raises the fault where that cannot be.

    If there is no log, SQLite reads the file as it is. So that nobody begins to write meanwhile, as
    when the disk has room again, the writers' lock is shared by those who read.
    """
    lock = None
    with suppress(OSError):
        lock = os.open(lock_of(path), os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    leave: Callable[[], object] = (lambda: None) if lock is None else partial(os.close, lock)
    db = None
    with suppress(*faults.MET):
        db = _quiet(path, patience)
        if db is not None and _is_current(db, path):
            return OpenedStore(db, fault, leave=leave)
    if db is not None:
        db.close()
    leave()
    raise fault


def _quiet(path: Path, patience: float) -> sqlite3.Connection | None:
    """Open a store that is read without writing a byte; None where the log cannot be read without
    its index.
    """
    if not log_of(path):
        how = "immutable=1"
    elif os.path.isfile(f"{path}-shm"):  # also without the permission to look
        how = "readonly_shm=1"
    else:
        return None
    address = write_address(path, f"?mode=ro&{how}")
    return sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)


def write_address(path: Path, how: str = "") -> str:
    """Write the address of a file for SQLite, and `how` it is to be opened."""
    return f"file:{quote(str(path.absolute()))}{how}"


def _open_copy(path: Path, patience: float) -> OpenedStore:
    """Open a copy with its log, in a folder that is removed when it is closed."""
    folder = scratch()
    try:
        copy = Path(folder.name) / path.name
        shutil.copyfile(path, copy)
        if log_of(path):
            shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        return OpenedStore(_open_migrated(copy, path, patience), leave=folder.cleanup)
    except BaseException:
        folder.cleanup()
        raise


def _make_refusal(error: sqlite3.DatabaseError | UnicodeDecodeError, path: Path) -> TandemError:
    """Build the error for a store that cannot be opened.

    Either the request names no store, or a fault of the disk or a lock prevents it.
    """
    fault = faults.fault_of(error, path)
    readable = faults.has_file(path) and os.path.isfile(path) and os.access(path, os.R_OK)
    if fault is None or faults.code_of(error) == sqlite3.SQLITE_NOTADB or not readable:
        return TandemError(
            f"the store {path} cannot be opened ({error}): point {option_ref('store')} elsewhere"
        )
    return fault


def _take_back(path: Path) -> None:
    """Remove the rest of a store that could not be created: a name without a byte."""
    with suppress(OSError):
        if not path.stat().st_size:
            path.unlink()


def write_backup(db: sqlite3.Connection, path: Path, target: Path) -> dict[str, object]:
    """Write a consistent copy of a store, also while others write to it: `file`, `bytes` and how
    many `judgements`. Raises rather than replacing a file.

    It has its name only once it is whole and on disk: what is killed midway leaves a `.part`.
    """
    check_new_output(target)
    with atomic_write(target) as part:
        part.touch()
        try:
            judgements = copy_whole(db, path, part)
        except sqlite3.DatabaseError as error:
            raise _make_copy_error(error, path, target) from error
        finally:
            for log in ("wal", "shm", "journal"):
                Path(f"{part}-{log}").unlink(missing_ok=True)
    return {"file": str(target), "bytes": target.stat().st_size, "judgements": judgements}


def copy_whole(db: sqlite3.Connection, path: Path, part: Path) -> int:
    """Copy a store; return how many judgements it has. Raises DamageError if not whole."""
    with closing(sqlite3.connect(part)) as copy:
        db.backup(copy)
        said = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if said != "ok":
            raise DamageError(f"the store {path} is damaged ({said}): restore an earlier backup")
        return int(copy.execute("SELECT count(*) FROM judgements").fetchone()[0])


def _make_copy_error(error: sqlite3.DatabaseError, path: Path, target: Path) -> TandemError:
    """Build the error of a failed copy: the store's or, if it has none, its target disk's."""
    fault = faults.fault_of(error, path)
    if isinstance(fault, DamageError) or faults.code_of(error) in faults.BUSY:
        return fault or faults.make_locked_file_error(path)
    if faults.code_of(error) == sqlite3.SQLITE_FULL or not faults.has_room(target.parent):
        return make_write_error(target, OSError(errno.ENOSPC, str(error)))
    return make_write_error(target, OSError(str(error)))
