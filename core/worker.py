"""The worker: a process of its own that executes queued runs, whatever becomes of the pages."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from core.locks import claim
from core.records import Status
from core.runs import execute
from core.store import Store

IDLE_SECONDS = 600.0  # a worker with nothing to do ends after this


def work(path: Path, *, once: bool = False) -> None:
    """The worker: executes queued runs, oldest first, and those whose process died. One worker a store.

    `once` ends when nothing is queued; otherwise it waits a while for more.
    """
    with claim(path, "worker") as claimed:
        if claimed is None:
            return
        idle = time.monotonic()
        while True:
            with Store(path) as store:
                while _work_off(store):
                    idle = time.monotonic()
            if once or time.monotonic() - idle > IDLE_SECONDS:
                return
            time.sleep(0.5)


def _work_off(store: Store) -> bool:
    """Execute the oldest run that waits and is in nobody's hands; whether there was one."""
    for run in store.unfinished_runs():
        with claim(store.path, f"run-{run}") as free:
            pass
        if free is not None:
            try:
                execute(store, run, only_from=(Status.QUEUED, Status.RUNNING))
            except Exception as error:  # recorded with the run; the others go on
                print(f"run {run}: {error}", file=sys.stderr)
            return True
    return False


def ensure(path: Path) -> None:
    """Start a worker for this store unless there is one. It outlives this process."""
    with claim(path, "start") as start:
        if start is None:
            return
        with claim(path, "worker") as free:
            pass
        if free is not None:
            with Path(f"{path}.worker.log").open("a") as log:
                subprocess.Popen(
                    [sys.executable, "-m", "core", "--store", str(path.absolute()), "worker"],
                    cwd=Path(__file__).parent.parent,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # It inherits the lock and holds it from now until it ends, so nobody starts a second one while it loads.
                    pass_fds=(start,),
                )
