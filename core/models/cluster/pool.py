"""Workers of a Ray cluster, each an actor with a respondent of its own, that answer as one."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from ...records import Reply, TandemError, option_ref
from ..respondent import BATCH_SECONDS, MOST, Hardware, Options, Respondent
from .connection import ClusterConnection, check_place
from .resources import divide_cluster

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

BEAT = 1.0  # seconds after which a pool says that it is still there
LATE = 20.0  # seconds that others are waited for once a worker has loaded; they join later
LOOK = 5.0  # seconds without a place for any worker after which machines are looked for
PATIENCE = 120.0  # seconds that a pool without any worker waits for a place
STRETCH = 4  # batches about one item that a worker reads ahead, since their prompts begin alike
TRIES = 3  # workers that may die of a question before it counts as not answered
VAIN = TRIES + 2  # deaths a worker, without an answer between, after which nobody is hired again


class WorkerPlace(NamedTuple):
    """Place of a worker: the name of its machine, and its process there."""

    machine: str
    process: int


class WorkerActor:
    """A worker, as Ray keeps it: `make` makes its respondent. A TandemError comes back as the cause
    of Ray's error.
    """

    def __init__(self, make: Callable[[], Respondent[Any, Any]]) -> None:
        self._make = make

    def find_place(self) -> WorkerPlace:
        """Return the worker's machine and process, as soon as the cluster has room for it, long
        before a model is loaded.
        """
        return WorkerPlace(os.uname().nodename, os.getpid())

    def load(self) -> Hardware:
        """Make and load the respondent, and return the hardware it answers on."""
        self._respondent = self._make()
        self._respondent.load()
        return self._respondent.hardware

    def answer(self, questions: Sequence[Any]) -> list[Any]:
        """Return the answers, each with its share of the seconds."""
        began = time.monotonic()
        answers = self._respondent.answers(questions)
        seconds = (time.monotonic() - began) / len(questions)
        return [replace(answer, seconds=seconds) for answer in answers]


@dataclass(eq=False)
class Worker:
    """A worker of a pool: `task` is Ray's reference to what its actor does, `batch` the questions
    this is about. Until it has found a place and loaded, there are none.
    """

    actor: Any
    task: Any
    batch: list[Any] = field(default_factory=list)
    place: WorkerPlace | None = None
    is_ready: bool = False
    ahead: deque[Any] = field(default_factory=deque)
    answered: int = 0


class WorkerPool(Respondent[Q, A]):
    """Answers as the respondent does that `make` makes, which every worker has for itself. A worker
    that dies is replaced, and what it had in hand is asked again, one by one.

    `options` say on which cluster, and how many workers with how much of a GPU each. What `make`
    refers to must be there on every machine. Questions that are the same `about` something go to
    one worker. `failed(reason)` is the answer to a question that workers die of. Raises TandemError
    where the options name no cluster; `load` does if the cluster is missing or has no room.

    Ray's own ActorPool does not carry this: it does not say which task a dead worker had in hand.
    """

    def __init__(
        self,
        make: Callable[[], Respondent[Q, A]],
        options: Options,
        failed: Callable[[str], A],
        about: Callable[[Q], Hashable],
    ) -> None:
        check_place(options.on)
        self._make, self._options, self._failed, self._about = make, options, failed, about
        self._connection: ClusterConnection | None = None
        self._workers: list[Worker] = []
        self._waiting, self._suspects = deque[deque[Q]](), deque[Q]()
        self._tried = Counter[int]()  # workers that died of a question, by its identity
        self._size = 4  # questions of a batch

    def load(self) -> None:
        """Wait until the workers have loaded; who has found no place by then joins later."""
        if self._connection is not None:
            return
        options = self._options
        try:
            self._connection = ClusterConnection(options.on)
            nodes = self._connection.list_nodes()
            self._share = divide_cluster(nodes, options.workers, options.gpus_per_worker)
            self._deaths, self._vain, self._kinds = 0, 0, set[Hardware]()
            self._placed = self._looked = time.monotonic()  # a worker had a place; nodes were seen
            self._workers = [self._hire() for _ in range(self._share.workers)]
            self._wait_for_workers()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all workers, even those with questions in progress, and the connection."""
        for worker in self._workers:
            _kill(worker)
        self._workers = []
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def hardware(self) -> Hardware:
        """Return the hardware that the workers answer on; different kinds are joined:
        "cpu+cuda:0".
        """
        self.load()
        devices = sorted({kind.device for kind in self._kinds} - {""})
        dtypes = sorted({kind.dtype for kind in self._kinds} - {""})
        return Hardware("+".join(devices), "+".join(dtypes))

    @property
    def situation(self) -> str:
        """Describe in words who is at work: "2 workers answered 240, 1 died"."""
        if self._connection is None:
            return ""
        ready = [worker.answered for worker in self._workers if worker.is_ready]
        words = [f"{_count_workers(len(ready))} answered {sum(ready):,}"] if ready else []
        if loading := len(self._workers) - len(ready):
            words.append(f"{_count_workers(loading)} loading")
        if self._deaths:
            words.append(f"{self._deaths:,} died and what they had in hand was asked again")
        return ", ".join(words)

    def answers(self, questions: Sequence[Q]) -> list[A]:
        # Questions may be equal, and need not be hashable: each goes by its identity.
        answers = {id(one): answer for part in self.stream(iter(questions)) for one, answer in part}
        return [answers[id(question)] for question in questions]

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        self.load()
        stretches = self._cut_stretches(questions)
        self._waiting, self._suspects, self._tried = deque(), deque(), Counter()
        try:
            while self._hand_out(stretches) or any(worker.batch for worker in self._workers):
                yield self._collect()
        finally:  # what is in flight is not waited for
            for worker in self._workers:
                worker.ahead.clear()
                if worker.batch:
                    worker.task, worker.batch = None, []

    def _cut_stretches(self, questions: Iterator[Q]) -> Iterator[deque[Q]]:
        """Yield questions about one item, a few batches of them, or of several items one batch."""
        stretch = deque[Q]()
        for question in questions:
            same = bool(stretch) and self._about(question) == self._about(stretch[-1])
            if len(stretch) >= (STRETCH if same else 1) * self._size:
                yield stretch
                stretch = deque()
            stretch.append(question)
        if stretch:
            yield stretch

    def _hand_out(self, stretches: Iterator[deque[Q]]) -> bool:
        """Give each idle worker a batch, first each question that others died of. Return whether
        more may be left to hand out.
        """
        more_left = True
        for worker in self._workers:
            if not worker.is_ready or worker.task is not None:
                continue
            if self._suspects:
                worker.batch = [self._suspects.popleft()]
            else:
                if not worker.ahead:
                    worker.ahead = (
                        self._waiting.popleft() if self._waiting else next(stretches, deque())
                    )
                size = min(self._size, len(worker.ahead))
                worker.batch = [worker.ahead.popleft() for _ in range(size)]
            if worker.batch:
                worker.task = worker.actor.answer.remote(worker.batch)
            else:
                more_left = False
        return more_left

    def _wait_for_workers(self) -> None:
        first = 0.0
        while not all(worker.is_ready for worker in self._workers):
            self._collect()
            if self._kinds:
                first = first or time.monotonic()
                if time.monotonic() - first > LATE:
                    return

    def _hire(self) -> Worker:
        import ray

        share = self._share
        kind = ray.remote(WorkerActor).options(num_cpus=share.cores, num_gpus=share.gpus)
        actor = kind.remote(self._make)
        return Worker(actor, actor.find_place.remote())

    def _collect(self) -> list[tuple[Q, A]]:
        """Return the answers that have come by now, at most a beat later."""
        import ray

        working = {worker.task: worker for worker in self._workers if worker.task is not None}
        came, _ = ray.wait(list(working), num_returns=1, timeout=BEAT)
        if came:
            came, _ = ray.wait(list(working), num_returns=len(working), timeout=0)
        answered = list(chain(*(self._receive(working[task]) for task in came)))
        self._check_patience()
        return answered

    def _receive(self, worker: Worker) -> list[tuple[Q, A]]:
        """Return the answers of a worker, or what is given up since it died."""
        import ray

        task, batch = worker.task, worker.batch
        worker.task, worker.batch = None, []
        try:
            outcome = ray.get(task)
        except ray.exceptions.RayTaskError as error:  # it would break every worker alike
            cause = error.cause or error
            if isinstance(cause, TandemError):
                raise TandemError(cause.sentence) from error
            raise TandemError(f"a worker broke: {type(cause).__name__}: {cause}") from error
        except ray.exceptions.RayError as error:
            return self._replace(worker, batch, _shorten(str(error)))
        if batch:
            self._count(worker, outcome)
            return list(zip(batch, outcome, strict=True))
        if worker.place is None:
            worker.place, worker.task = outcome, worker.actor.load.remote()
        else:
            worker.is_ready = True
            self._kinds.add(outcome)
        return []

    def _count(self, worker: Worker, answers: Sequence[Reply]) -> None:
        """Count the answers. Later batches take about a second, growing by and by."""
        worker.answered, self._vain = worker.answered + len(answers), 0
        seconds = (answers[0].seconds or 0.0) * len(answers)
        if len(answers) >= self._size:
            grown = int(len(answers) * BATCH_SECONDS / max(seconds, 1e-3))
            self._size = max(1, min(grown, 4 * len(answers), MOST))

    def _replace(self, worker: Worker, batch: list[Q], reason: str) -> list[tuple[Q, A]]:
        """Hire another in the place of a worker that died of a batch. What is given up with it is
        answered by the reason.
        """
        self._deaths, self._vain = self._deaths + 1, self._vain + 1
        self._tried.update(map(id, batch))
        given_up = [question for question in batch if self._tried[id(question)] >= TRIES]
        self._suspects += [question for question in batch if self._tried[id(question)] < TRIES]
        if worker.ahead:
            self._waiting.append(worker.ahead)
        _kill(worker)
        if given_up:
            self._vain = 0
        if self._vain >= VAIN * len(self._workers):
            raise TandemError(
                f"every worker died, {self._deaths:,} in all ({reason}): set "
                f"{option_ref('workers')} lower, so that each has more memory"
            )
        self._workers[self._workers.index(worker)] = self._hire()
        failure = f"error: {TRIES} workers died of it ({reason})"
        return [(question, self._failed(failure)) for question in given_up]

    def _check_patience(self) -> None:
        now = time.monotonic()
        if any(worker.place for worker in self._workers):
            self._placed = self._looked = now
            return
        if now - self._looked > LOOK:
            self._looked = now
            if self._connection is not None and not self._connection.list_nodes():
                raise TandemError(
                    "all machines of the cluster are gone, as after running out of memory. "
                    "What was answered is kept; the same command continues once there is a "
                    "cluster"
                )
        if now - self._placed > PATIENCE:
            raise TandemError(
                f"no worker found a free place on the cluster within {PATIENCE:.0f} s: wait for "
                f"others, or set {option_ref('workers')} lower"
            )


def _kill(worker: Worker) -> None:
    import ray

    ray.kill(worker.actor)


def _count_workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count:,} workers"


def _shorten(account: str) -> str:
    """Shorten Ray's account of a death, which goes on for lines, to what happened."""
    if "memory" in account.lower():
        return "out of memory"
    if "node" in account.lower() and "died" in account.lower():
        return "its machine is gone"
    return account
