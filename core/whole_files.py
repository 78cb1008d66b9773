"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .processes import is_alive
from .records import FaultError, TandemError

DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Error numbers of a failing disk, as opposed to a wrong file name."""


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yield a temporary path to write to, and move it to `target` once it is on the disk.

    If anything breaks before, the target stays as it was, or absent. A killed process leaves a
    `.part` file, which is removed when the same file is next written. Raises FaultError if the disk
    is full or fails. Raises TandemError if no file of that name can be written, or if `target` is a
    pipe or device, which a file would replace.
    """
    check_is_plain(target)
    whole = target.resolve()  # of a link, the file it leads to
    part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
    _sweep(whole)
    try:
        yield part
        if whole.exists():
            part.chmod(whole.stat().st_mode)
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.replace(whole)
        _to_disk(whole.parent)
    except OSError as error:
        raise make_write_error(target, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def check_is_plain(path: Path) -> None:
    """Raise TandemError for a pipe, device or socket: reading or writing one may never end."""
    with suppress(OSError):
        if not (path.is_file() or path.is_dir()) and path.exists():
            raise TandemError(f"{path} is a pipe or device: name a file")


def _sweep(whole: Path) -> None:
    """Remove what killed processes have left of a file. A `.part` of any other name stays."""
    left = re.compile(rf"{re.escape(whole.name)}\.([0-9]+)\.part(-\w+)?")
    with suppress(OSError):
        for path in whole.parent.iterdir():
            if (owner := left.fullmatch(path.name)) and not is_alive(int(owner[1])):
                path.unlink(missing_ok=True)


def make_write_error(target: Path, error: OSError) -> TandemError:
    """Return the error of a file that could not be written: the reason, and the way out."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FaultError(f"{target} cannot be written, as its disk is full: free some space")
    if error.errno in DISK:
        return FaultError(f"{target} cannot be written ({reason}): check its disk")
    return TandemError(f"{target} cannot be written ({reason}): name another file")


def _to_disk(folder: Path) -> None:
    """Flush a folder to disk, so that its renamed files stay so when the power fails."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
