"""Reports for the tests of counting: what each process makes of them is plain to see."""

import os
import signal
import sys
import time
from pathlib import Path

from core.installation import MissingPackageError
from core.records import FaultError, TandemError
from core.store import Store
from pages.components.shared.cached_report import cached_report

REFUSALS = {kind.__name__: kind for kind in (TandemError, FaultError, MissingPackageError)}


@cached_report()
def names(store: Store, request: str) -> tuple[list[str], str, int]:
    return store.datasets.names(), request, os.getpid()


@cached_report()
def endless(store: Store, request: Path) -> None:
    request.touch()
    while True:
        pass


@cached_report()
def wait_for_file(store: Store, request: Path) -> None:
    """Counts until the test lets it end."""
    while not request.exists():
        time.sleep(0.01)


@cached_report()
def refused(store: Store, request: str) -> None:
    raise REFUSALS[request](request)


@cached_report()
def hoard(store: Store, request: Path) -> str:
    """Takes much memory, and counts until the test lets it end."""
    while not request.exists():
        time.sleep(0.01)
    vars(sys.modules["__main__"])["RESIDENT"] = 1  # the process runs as a program
    return "counted"


@cached_report()
def mistaken(store: Store, request: str) -> float:
    return 1 / 0


@cached_report()
def killed_once(store: Store, request: Path) -> str:
    """As when the machine runs out of memory; the second time there is enough."""
    if request.exists():
        return "counted"
    request.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@cached_report()
def killed(store: Store, request: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@cached_report()
def alone(store: Store, request: Path) -> str:
    """Says whether another process was at it at the same time."""
    try:
        request.mkdir()
    except FileExistsError:
        return "beside another"
    time.sleep(0.5)
    request.rmdir()
    return "counted"
