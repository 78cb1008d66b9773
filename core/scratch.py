"""Folders for a while. Each goes with its process; those of a process that was killed go with the
next that is made.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

_OWNER = re.compile("tandem-([0-9]+)-")


def scratch() -> TemporaryDirectory[str]:
    """A new folder among this machine's temporary files."""
    _sweep(Path(gettempdir()))
    return TemporaryDirectory(prefix=f"tandem-{os.getpid()}-")


def is_scratch(folder: Path) -> bool:
    """Whether a folder is one of these, so that its name says nothing."""
    return _OWNER.match(folder.name) is not None


def _sweep(folder: Path) -> None:
    for left in folder.glob("tandem-*"):
        owner = _OWNER.match(left.name)
        if owner and not _alive(int(owner[1])):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
