"""The worker: a process of its own that executes queued runs, whatever becomes of the pages."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event

from core.records import Status
from core.runs.execution import BusyError, execute
from core.runs.locks import claim
from core.store import Store

IDLE_SECONDS = 600.0  # a worker with nothing to do ends after this
TAKE_OVER = 5.0  # seconds after which a worker that stays looks whether another has ended


AT_ONCE = {"here": 1, "served": 4}
"""How many runs are executed side by side: two models on one machine only slow each other, a server
answers many.
"""


def stay(path: Path) -> None:
    """A worker that never ends, as a service. Where there is one already, it takes over from it."""
    while True:
        work(path, idle_seconds=math.inf)
        time.sleep(TAKE_OVER)


def work(path: Path, *, once: bool = False, idle_seconds: float = IDLE_SECONDS) -> None:
    """The worker: executes queued runs, oldest first, and those whose process died. One worker a
    store.

    `once` ends when nothing is queued; otherwise it waits a while for more. Interrupted, it keeps
    what comes of what is in hand, and queues its runs for the next worker.
    """
    with claim(path, "worker") as claimed:
        if claimed is None:
            return
        idle = time.monotonic()
        with ThreadPoolExecutor(sum(AT_ONCE.values())) as pool, Store(path, create=False) as store:
            at_work: dict[Future[bool], tuple[int, str]] = {}
            given_up, leaving = set[int](), Event()
            try:
                while True:
                    for run, place in _free(store, list(at_work.values()), given_up):
                        at_work[pool.submit(_execute, path, run, leaving)] = run, place
                    if at_work:
                        idle = time.monotonic()
                    elif once or time.monotonic() - idle > idle_seconds:
                        return
                    done, _ = wait(at_work, timeout=0.5, return_when=FIRST_COMPLETED)
                    if not at_work:
                        time.sleep(0.5)
                    for future in done:
                        run, _ = at_work.pop(future)
                        if not future.result():
                            given_up.add(run)
            except KeyboardInterrupt:
                leaving.set()  # each run stops after what is in hand, for which the pool waits
                raise


def _free(
    store: Store, at_work: list[tuple[int, str]], given_up: Set[int]
) -> Iterator[tuple[int, str]]:
    """The runs that wait, are in nobody's hands, and have room beside those at work: each with
    where it is answered.
    """
    taken, room = {run for run, _ in at_work} | given_up, Counter(AT_ONCE)
    room.subtract(place for _, place in at_work)
    for run in store.runs.unfinished():
        place = "served" if store.runs.get(run).served else "here"
        if run in taken or room[place] <= 0:
            continue
        with claim(store.path, f"run-{run}") as free:
            pass
        if free is not None:
            room[place] -= 1
            yield run, place


def _execute(path: Path, run: int, leaving: Event) -> bool:
    """Whether the store knows how it went. It does not when it cannot be written, as on a full
    disk; to go on then would be to ask the same over and over, and to lose every answer.
    """
    with Store(path, create=False) as store:
        try:
            going_on = (Status.QUEUED, Status.RUNNING)
            execute(store, run, only_from=going_on, leaving=leaving.is_set)
        except BusyError:  # whoever it is will tell
            pass
        except Exception as error:  # recorded with the run; the others go on
            print(f"run {run}: {error}", file=sys.stderr)
            return store.runs.get(run).status != Status.RUNNING
    return True


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
                    cwd=Path(__file__).parents[2],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # It inherits the lock and holds it from now until it ends, so nobody starts a
                    # second one while it loads.
                    pass_fds=(start,),
                )
