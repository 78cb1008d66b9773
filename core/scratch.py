"""Temporary folders. Each is removed when its process ends.

Folders of a process that was killed are removed when the next one is made.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from .processes import is_alive
from .records import FaultError

_OWNER = re.compile("tandem-([0-9]+)-")


def scratch() -> TemporaryDirectory[str]:
    """Create a folder among this machine's temporary files.

    Raises FaultError if that fails, as on a full disk.
    """
    with temp_errors():
        _sweep(Path(gettempdir()))
        return TemporaryDirectory(prefix=f"tandem-{os.getpid()}-")


@contextmanager
def temp_errors() -> Iterator[None]:
    """Raise FaultError with the way out if temporary files cannot be written in the `with`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise make_full_scratch_error(Path(gettempdir())) from error
        raise FaultError(
            f"temporary files cannot be written ({error.strerror}): name a folder in TMPDIR"
        ) from error


def make_full_scratch_error(folder: Path) -> FaultError:
    """Return the error to raise when the disk of temporary files is full."""
    return FaultError(f"the disk of temporary files, {folder}, is full: free some space there")


def is_scratch(folder: Path) -> bool:
    """Return whether a folder is one of these temporary ones, so that its name says nothing."""
    return _OWNER.match(folder.name) is not None


def _sweep(folder: Path) -> None:
    for left in folder.glob("tandem-*"):
        owner = _OWNER.match(left.name)
        if owner and not is_alive(int(owner[1])):
            shutil.rmtree(left, ignore_errors=True)
