"""Processes and cores of this machine."""

from __future__ import annotations

import os


def is_alive(process: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def count_cores() -> int:
    """The number of cores this process may use: those of the machine where the system keeps no
    narrower set for a process (macOS).
    """
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
