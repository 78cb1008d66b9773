"""The worker: a process of its own that executes queued runs, independent of the pages."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TextIO

from ..installation import PROGRAM
from ..records import FaultError, Status
from ..store import Store
from .execution import BusyError, claim, execute

IDLE_SECONDS = 600.0  # a worker with nothing to do ends after this
NICE = 10  # how far the priority of a worker that a page starts is lowered: people vote beside it
TAKE_OVER = 5.0  # seconds after which a worker that stays looks whether another has ended


PAUSES = (2.0, 60.0)
"""Seconds until a run is tried again that the disk, or a lock, stood in the way of: at first, and
at most. They double: what is asked meanwhile may be lost again.
"""

AT_ONCE = {"here": 1, "served": 4}
"""How many runs are executed side by side: two models on one machine only slow each other, a server
answers many.
"""


def run_forever(path: Path, how: Mapping[str, Any] | None = None) -> None:
    """Run a worker that never ends, as a service. It takes over from a worker that is there
    already.
    """
    while True:
        run_worker(path, forever=True, how=how)
        time.sleep(TAKE_OVER)


def run_worker(
    path: Path, *, once: bool = False, forever: bool = False, how: Mapping[str, Any] | None = None
) -> None:
    """Execute queued runs, oldest first, and those whose process died.

    A store has one worker. Settings in `how` go before the stored ones.

    `once` ends when nothing is queued; otherwise it waits a while for more, or `forever`, and for a
    disk that is mended. Interrupted, it keeps what comes of what is in hand, and queues its runs
    for the next worker. Raises FaultError where the store can only be read.
    """
    with claim(path, "worker") as claimed:
        if claimed is None:
            return
        idle = time.monotonic()
        with ThreadPoolExecutor(sum(AT_ONCE.values())) as pool, ExitStack() as opened:
            store: Store | None = opened.enter_context(_open_writable(path))
            at_work: dict[Future[bool], tuple[int, str]] = {}
            put_off, leaving = _PutOff(), Event()
            executing = partial(
                execute,
                only_from=(Status.QUEUED, Status.RUNNING),
                leaving=leaving.is_set,
                after_fault=Status.QUEUED,
                how=how,
            )
            try:
                while True:
                    if store is None:
                        with suppress(FaultError):
                            store = opened.enter_context(_open_writable(path))
                    for run, place in _find_startable_runs(store, list(at_work.values()), put_off):
                        at_work[pool.submit(_execute, path, run, executing)] = run, place
                    if at_work:
                        idle = time.monotonic()
                    elif once or (not forever and time.monotonic() - idle > IDLE_SECONDS):
                        return
                    done, _ = wait(at_work, timeout=0.5, return_when=FIRST_COMPLETED)
                    if not at_work:
                        time.sleep(0.5)
                    for future in done:
                        run, _ = at_work.pop(future)
                        put_off.note(run, went=future.result())
                        if run in put_off and not at_work:
                            # Opened while it could only be read, it stays so for all of a process.
                            opened.close()
                            store = None
            except KeyboardInterrupt:
                leaving.set()  # each run stops after what is in hand, for which the pool waits
                raise


def _open_writable(path: Path) -> Store:
    """Open a store for writing. Raises FaultError where it can only be read.

    Kept open it would keep others from writing once the fault is mended, and see nothing new.
    """
    store = Store(path, create=False)
    if store.connection.fault:
        store.close()
        raise store.connection.fault
    return store


class _PutOff:
    """Runs that met a fault, each until it is tried again."""

    def __init__(self) -> None:
        self._pauses, self._until = dict[int, float](), dict[int, float]()

    def __contains__(self, run: int) -> bool:
        return time.monotonic() < self._until.get(run, 0.0)

    def note(self, run: int, *, went: bool) -> None:
        if went:
            self._pauses.pop(run, None)
            return
        first, most = PAUSES
        self._pauses[run] = pause = min(most, 2 * self._pauses.get(run, first / 2))
        self._until[run] = time.monotonic() + pause


def _find_startable_runs(
    store: Store | None, at_work: list[tuple[int, str]], put_off: _PutOff
) -> Iterator[tuple[int, str]]:
    """Find the runs that wait, are unclaimed, and have room beside those at work.

    Each comes with where it is answered. It yields nothing while the store cannot be opened.
    """
    if store is None:
        return
    taken, room = {run for run, _ in at_work}, Counter(AT_ONCE)
    room.subtract(place for _, place in at_work)
    for run in store.run_counts.list_unfinished():
        place = "served" if store.runs.get(run).served else "here"
        if run in taken or run in put_off or room[place] <= 0:
            continue
        with claim(store.path, f"run-{run}") as free:
            pass
        if free is not None:
            room[place] -= 1
            yield run, place


def _execute(path: Path, run: int, executing: Callable[[Store, int], object]) -> bool:
    """Execute a run, and return whether it is over, one way or another.

    It is not over if the store cannot be written, as on a full disk. Going on at once would repeat
    the same questions and lose every answer.
    """
    try:
        with Store(path, create=False) as store:
            try:
                executing(store, run)
            except (BusyError, FaultError):
                raise
            except Exception as error:  # recorded with the run; the others go on
                print(f"run {run}: {error}", file=sys.stderr)
                return store.runs.get(run).status != Status.RUNNING
    except BusyError:  # whoever it is will tell
        return True
    except FaultError as error:
        print(f"run {run}: {error}", file=sys.stderr)
        return False
    return True


def ensure(path: Path) -> None:
    """Start a worker for this store unless there is one. It outlives this process."""
    with claim(path, "start") as start:
        if start is None:
            return
        with claim(path, "worker") as free:
            pass
        if free is not None:
            python = [sys.executable, "-m", "core"]
            with _log(Path(f"{path}.worker.log")) as log:
                subprocess.Popen(
                    ["nice", "-n", str(NICE), *python, "--store", str(path.absolute()), "worker"],
                    cwd=PROGRAM,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # It inherits the lock and holds it from now until it ends, so nobody starts a
                    # second one while it loads.
                    pass_fds=(start,),
                )


def _log(path: Path) -> TextIO:
    try:
        return path.open("a")
    except OSError as error:
        raise FaultError(
            f"{path} cannot be written ({error.strerror}): free some space, or make it writable"
        ) from error
