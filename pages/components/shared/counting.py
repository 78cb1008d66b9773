"""Figures are counted in processes of low priority beside the server, and never inside it.

So readers never slow down voters. A server has a process for what is usually quick, one for what
usually takes long once somebody asks for it, and one that draws charts: nobody's leaderboard waits
for a replay of minutes.

Run as a module, this is such a process: tasks come in over its standard input, answers leave over
its standard output, one after another. It ends with the server, even in the middle of a count, and
after a count that took much memory. Answers stay in the server's memory; nothing on disk can go
wrong.

Python's ProcessPoolExecutor does not fit. A server that stops would wait for the running count, and
a worker would outlive a server that is killed (both tried with Python 3.11).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from queue import Queue
from threading import Condition, Thread
from time import monotonic
from traceback import print_exc
from typing import IO, Any, Protocol

from core.installation import PROGRAM
from core.records import TandemError
from core.runs import wait_for_lock
from core.store import Store

KEPT = 512  # answers a server keeps, over all stores and people
KEPT_BYTES = 128 << 20  # that these take
ALONE = "alone"
"""What a process is told that counts one task, and ends with it."""
RESIDENT = 800 << 20  # bytes of memory with which a process begins no other count
NICE = 10  # how far its priority is lowered
TRIES = 2  # of a count whose process is killed
QUICK, SLOW, DRAWN = "count", "slow count", "chart"
"""Lanes, each with a process: what usually takes long keeps nothing waiting that does not."""

ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class BackgroundTask(Protocol):
    """Work for a process beside the server. Tasks of one `kind` take about as long."""

    @property
    def key(self) -> Hashable: ...

    @property
    def kind(self) -> Hashable: ...

    @property
    def stamp(self) -> str: ...

    def compute(self) -> Any: ...


@dataclass(frozen=True)
class CountingTask:
    """A report to compute of a store, under a request.

    A process finds `report` by the name of its module and its own. `stamp` identifies the contents
    of the store when the task was created. `of` names the store and data set: a result for another
    `of` is not an older one, but about something else. `lane` names the process that counts it.
    """

    report: Callable[..., Any]
    store: Path
    request: Hashable
    stamp: str = ""
    of: str = ""
    lane: str = QUICK

    @property
    def key(self) -> Hashable:
        """Return what identifies the task; tasks that differ only in `stamp` share it."""
        return self.report, self.store, self.of, self.request

    @property
    def kind(self) -> Hashable:
        """Return what tasks have in common that take about as long."""
        return self.report, self.store

    def compute(self) -> Any:
        """Compute the report, when it is this store's turn."""
        request = self.request
        arguments = request if isinstance(request, tuple) else (request,)
        # Servers that share a store count one at a time: a count takes memory and a core.
        with wait_for_lock(self.store, self.lane), Store(self.store, create=False) as store:
            return unwrap(self.report)(store, *arguments)


@dataclass(frozen=True)
class LoneTask:
    """A report to compute of a store, in a process that ends with it."""

    report: Callable[..., Any]
    store: Path
    arguments: tuple[Any, ...]

    def compute(self) -> Any:
        """Compute the report, whoever else counts."""
        with Store(self.store, create=False) as store:
            return self.report(store, *self.arguments)


@dataclass(frozen=True)
class CountedAnswer:
    """An answer, pickled, or the error that came instead, of a store as it was at `stamp`."""

    pickled: bytes
    error: TandemError | None
    stamp: str
    asked: float
    seconds: float

    def load(self) -> Any:
        """Return a copy of the answer, which its page may change. Raises the error."""
        if self.error is not None:
            raise self.error.with_traceback(None)
        return pickle.loads(self.pickled)

    @property
    def age(self) -> float:
        """Return the seconds since the answer was asked for."""
        return monotonic() - self.asked


@dataclass
class _Turn:
    task: BackgroundTask
    asked: float
    began: float = 0.0
    tries: int = 0


class Counter:
    """The tasks of a process, waiting or being counted, and their answers. Threads may share it."""

    def __init__(self, lane: str) -> None:
        self._lane = lane
        self._changed = Condition()  # its lock may be taken again by its holder
        self._waiting: OrderedDict[Hashable, _Turn] = OrderedDict()
        self._answers: OrderedDict[Hashable, CountedAnswer] = OrderedDict()
        self._seconds: dict[Hashable, float] = {}  # of the latest count of a report of a store
        self._now: _Turn | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def answer(self, task: BackgroundTask) -> CountedAnswer | None:
        """Return the latest answer to a task, even if the store has changed since."""
        with self._changed:
            if task.key in self._answers:
                self._answers.move_to_end(task.key)
            return self._answers.get(task.key)

    def seconds(self, task: BackgroundTask) -> float | None:
        """Return the seconds that this report of this store took the last time, for any request."""
        with self._changed:
            return self._seconds.get(task.kind)

    def ask(self, task: BackgroundTask) -> None:
        """Queue a task unless its like is being counted. It replaces an equal one in the queue."""
        with self._changed:
            if self._now is None or self._now.task.key != task.key:
                self._waiting[task.key] = _Turn(task, monotonic())
                self._start_next_task()

    def wait(self, task: BackgroundTask, seconds: float) -> CountedAnswer | None:
        """Return the latest answer once the task is counted, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._find_progress(task) is None, seconds)
            return self._answers.get(task.key)

    def progress(self, task: BackgroundTask) -> tuple[int, float] | None:
        """Return the tasks ahead and the seconds since it began; None if it is not requested."""
        with self._changed:
            return self._find_progress(task)

    def _find_progress(self, task: BackgroundTask) -> tuple[int, float] | None:
        if self._now is not None and self._now.task.key == task.key:
            return 0, monotonic() - self._now.began
        if task.key in self._waiting:
            return 1 + list(self._waiting).index(task.key), 0.0
        return None

    def start(self) -> None:
        """Start the process, which takes seconds, before anything is asked."""
        with self._changed:
            if self._process is None:
                self._process = _start(self._lane)
                Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _start_next_task(self) -> None:
        if self._now is not None or not self._waiting:
            return
        _, self._now = self._waiting.popitem(last=False)
        self._now.began, self._now.tries = monotonic(), self._now.tries + 1
        self.start()
        assert self._process is not None
        with suppress(OSError):  # it has just ended: who listens to it is about to notice
            _send(self._process.stdin, self._now.task)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        leaves = False
        while not leaves:
            try:
                pickled, error, leaves = pickle.load(process.stdout)  # type: ignore[arg-type]
            except (EOFError, pickle.UnpicklingError, OSError):
                break
            with self._changed:
                if leaves:
                    self._process = None
                self._keep(pickled, error)
                self._start_next_task()
        process.wait()
        if not leaves:
            self._replace_process()

    def _replace_process(self) -> None:
        """Begin the task anew whose process was stopped, or give it up."""
        with self._changed:
            self._process = None
            if self._now is not None and self._now.tries < TRIES:
                self._waiting[self._now.task.key] = self._now
                self._waiting.move_to_end(self._now.task.key, last=False)
                self._now = None
            elif self._now is not None:
                self._keep(b"", TandemError(STOPPED))
            self._start_next_task()

    def _keep(self, pickled: bytes, error: TandemError | None) -> None:
        turn, self._now = self._now, None
        if turn is not None:
            seconds = monotonic() - turn.began
            self._answers[turn.task.key] = CountedAnswer(
                pickled, error, turn.task.stamp, turn.asked, seconds
            )
            self._answers.move_to_end(turn.task.key)
            self._seconds[turn.task.kind] = seconds
            while len(self._answers) > 1 and self._keeps_too_much():
                self._answers.popitem(last=False)
        self._changed.notify_all()

    def _keeps_too_much(self) -> bool:
        size = sum(len(answer.pickled) for answer in self._answers.values())
        return len(self._answers) > KEPT or size > KEPT_BYTES


@cache
def get_counter(lane: str) -> Counter:
    """Return this server's counter of a lane."""
    return Counter(lane)


STOPPED = (
    "the process that counts was stopped twice: see whether this machine has memory enough, and "
    "choose fewer judgements"
)


def _start(lane: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", __spec__.name, str(NICE), lane],
        cwd=PROGRAM,
        env={**os.environ, **ONE_CORE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def count_alone(task: LoneTask) -> Any:
    """Count a task in a process that ends with it, so that the server's memory keeps no model.

    Raises the TandemError that came instead, or one if the process was stopped.
    """
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "0", ALONE],
        cwd=PROGRAM, input=pickle.dumps(task), stdout=subprocess.PIPE, check=False,
    )  # fmt: skip
    pickled, error = pickle.loads(done.stdout) if done.stdout else (b"", TandemError(STOPPED))
    if error is not None:
        raise error
    return pickle.loads(pickled)


def _send(pipe: IO[bytes] | None, value: object) -> None:
    assert pipe is not None
    pickle.dump(value, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Count what comes in until that has taken much memory, or the server is gone."""
    waiting = Queue[BackgroundTask]()
    Thread(target=_receive, args=(tasks, waiting), daemon=True).start()
    leaves = False
    while not leaves:
        pickled, error = count(waiting.get())
        leaves = _measure_memory() > RESIDENT
        _send(answers, (pickled, error, leaves))


def count(task: BackgroundTask | LoneTask) -> tuple[bytes, TandemError | None]:
    """Return what a task comes to, pickled, or why it cannot be counted."""
    try:
        return pickle.dumps(task.compute(), pickle.HIGHEST_PROTOCOL), None
    except TandemError as refusal:
        return b"", refusal
    except Exception as mistake:  # ours: the other tasks go on
        print_exc()
        reason = f"this cannot be counted ({mistake!r}): the server's log says more"
        return b"", TandemError(reason)


def _measure_memory() -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _receive(tasks: IO[bytes], waiting: Queue[BackgroundTask]) -> None:
    """Pass on what comes in, until nothing more can.

    Then the server is gone and nobody waits for a count.
    """
    try:
        while True:
            waiting.put(pickle.load(tasks))
    except EOFError:
        pass
    except Exception:
        print_exc()
    os._exit(0)


def main() -> None:
    """Run the process. Only answers use the standard output; packages print to the log."""
    os.nice(int(sys.argv[1]))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if sys.argv[2] == DRAWN:  # so that the first chart need not wait for them
        import_module("core.rendering.charts")
        import_module("streamlit.elements.vega_charts")
    with answers:
        if sys.argv[2] == ALONE:
            _send(answers, count(pickle.load(sys.stdin.buffer)))
        else:
            serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
