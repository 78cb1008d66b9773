"""Processes and cores of this machine."""

from __future__ import annotations

import os


def is_alive(process: int) -> bool:
    """Return whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def count_cores() -> int:
    """Return the number of cores this process may use.

    On systems without CPU affinity (macOS) these are all cores of the machine.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
