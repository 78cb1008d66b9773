"""Workers of a Ray cluster, each an actor with a respondent of its own, that answer as one."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from ...records import Reply, TandemError, option_ref
from ..respondent import BATCH_SECONDS, MOST, Hardware, Options, Respondent
from .connection import ClusterConnection, check_place
from .resources import divide_cluster
from .task_queue import TRIES, QuestionBatch, TaskQueue

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

AHEAD = 2  # batches in a worker's hands, so that it need not wait for the next
BEAT = 1.0  # seconds after which a pool says that it is still there
LATE = 20.0  # seconds that others are waited for once a worker has loaded; they join later
LOOK = 5.0  # seconds without a place for any worker after which machines are looked for
PATIENCE = 120.0  # seconds that a pool without any worker waits for a place
VAIN = TRIES + 2  # deaths in a row, without an answer between, after which nobody is hired again
LISTED = 8  # workers whose answers are counted one by one


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


class Worker:
    """One of a pool. `tasks` are what its actor does, the oldest first: Ray's reference to what
    will come of it, and the batch it is about; the first two are to find a place and to load.
    """

    def __init__(self, number: int, actor: Any, vain: int = 0) -> None:
        self.number, self.actor = number, actor
        self.tasks = deque[tuple[Any, QuestionBatch[Any] | None]](
            [(actor.find_place.remote(), None), (actor.load.remote(), None)]
        )
        self.place: WorkerPlace | None = None
        self.is_ready = False
        self.size, self.answered = 4, 0
        self.vain = vain  # deaths in this place since the last answer

    @property
    def is_free(self) -> bool:
        """Return whether the worker may be given more. Questions that workers have died of are
        asked alone.
        """
        is_suspect = any(batch and batch.deaths for _, batch in self.tasks)
        return self.is_ready and not is_suspect and len(self.tasks) < AHEAD

    def send(self, batch: QuestionBatch[Any]) -> None:
        """Send a batch of questions to the worker, and note it as a task in progress."""
        self.tasks.append((self.actor.answer.remote(batch.questions), batch))

    def count(self, batch: QuestionBatch[Any], answers: Sequence[Reply]) -> None:
        """Count the answers. Later batches take about a second, growing by and by."""
        self.answered, self.vain = self.answered + len(answers), 0
        if not batch.deaths:
            size, seconds = len(answers), (answers[0].seconds or 0.0) * len(answers)
            grown = int(size * BATCH_SECONDS / max(seconds, 1e-3))
            self.size = max(1, min(grown, 4 * size, MOST))


class WorkerPool(Respondent[Q, A]):
    """Answers as the respondent does that `make` makes, which every worker has for itself. A worker
    that dies is replaced, and what it had in hand is asked again.

    `options` say on which cluster, and how many workers with how much of a GPU each. What `make`
    refers to must be there on every machine. Questions that are the same `about` something go to
    one worker. `failed(reason)` is the answer to a question that workers die of. Raises TandemError
    where the options name no cluster; `load` does if the cluster is missing or has no room.

    Ray's own ActorPool and restarts do not carry this: they read all questions at once, and ask
    what a worker died of again of that worker alone.
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

    def load(self) -> None:
        """Wait until the workers have loaded; who has found no place by then joins later."""
        if self._connection is not None:
            return
        options = self._options
        try:
            self._connection = ClusterConnection(options.on)
            nodes = self._connection.list_nodes()
            self._share = divide_cluster(nodes, options.workers, options.gpus_per_worker)
            self._deaths, self._reason, self._kinds = 0, "", set[Hardware]()
            self._placed = self._looked = time.monotonic()  # a worker had a place; nodes were seen
            self._workers = [self._hire(number + 1) for number in range(self._share.workers)]
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
        """Describe in words who is at work: "2 workers answered 120 and 118, 1 died"."""
        if self._connection is None:
            return ""
        counts = [worker.answered for worker in self._workers if worker.is_ready]
        words = []
        if counts:
            each = " and ".join(f"{count:,}" for count in counts)
            if len(counts) > LISTED:
                each = f"{min(counts):,} to {max(counts):,} each"
            words.append(f"{_count_workers(len(counts))} answered {each}")
        if loading := len(self._workers) - len(counts):
            words.append(f"{_count_workers(loading)} loading")
        if self._deaths:
            words.append(f"{self._deaths:,} died and what they had in hand was asked again")
        return ", ".join(words)

    def answers(self, questions: Sequence[Q]) -> list[A]:
        # Questions may be equal, and need not be hashable: each goes by its identity.
        answers = {
            id(question): answer
            for answered in self.stream(iter(questions))
            for question, answer in answered
        }
        return [answers[id(question)] for question in questions]

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        self.load()
        queue = TaskQueue(questions, self._about)
        try:
            while True:
                self._hand_out(queue)
                if queue.is_done and not any(batch for w in self._workers for _, batch in w.tasks):
                    return
                yield self._collect(queue)
        finally:  # what is in flight is not waited for
            for worker in self._workers:
                worker.tasks = deque(task for task in worker.tasks if task[1] is None)

    def _wait_for_workers(self) -> None:
        first, nothing = 0.0, TaskQueue[Q](iter(()), self._about)
        while not all(worker.is_ready for worker in self._workers):
            self._collect(nothing)
            if self._kinds:
                first = first or time.monotonic()
                if time.monotonic() - first > LATE:
                    return

    def _hire(self, number: int, vain: int = 0) -> Worker:
        import ray

        actor = ray.remote(WorkerActor).options(
            num_cpus=self._share.cores, num_gpus=self._share.gpus
        )
        return Worker(number, actor.remote(self._make), vain)

    def _hand_out(self, queue: TaskQueue[Q]) -> None:
        for worker in self._workers:
            while worker.is_free and (batch := queue.take_batch(worker.number, worker.size)):
                worker.send(batch)

    def _collect(self, queue: TaskQueue[Q]) -> list[tuple[Q, A]]:
        """Return the answers that have come by now, at most a beat later."""
        import ray

        waiting = [reference for worker in self._workers for reference, _ in worker.tasks]
        came = set[Any]()
        if ray.wait(waiting, num_returns=1, timeout=BEAT)[0]:
            came = set(ray.wait(waiting, num_returns=len(waiting), timeout=0)[0])
        answered: list[tuple[Q, A]] = []
        for worker in list(self._workers):
            while worker.tasks and worker.tasks[0][0] in came:
                answered += self._receive(worker, queue)
        self._check_patience()
        return answered

    def _receive(self, worker: Worker, queue: TaskQueue[Q]) -> list[tuple[Q, A]]:
        """Return the answers to the oldest batch of a worker, or those left when it died."""
        import ray

        reference, batch = worker.tasks.popleft()
        try:
            outcome = ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # it would break every worker alike
            cause = error.cause or error
            if isinstance(cause, TandemError):
                raise TandemError(cause.sentence) from error
            raise TandemError(f"a worker broke: {type(cause).__name__}: {cause}") from error
        except ray.exceptions.RayError as error:
            return self._replace(worker, batch, queue, _shorten(str(error)))
        if batch is not None:
            worker.count(batch, outcome)
            return list(zip(batch.questions, outcome, strict=True))
        if worker.place is None:
            worker.place = outcome
        else:
            worker.is_ready = True
            self._kinds.add(outcome)
        return []

    def _replace(
        self, worker: Worker, batch: QuestionBatch[Q] | None, queue: TaskQueue[Q], reason: str
    ) -> list[tuple[Q, A]]:
        """Hire another in the place of a worker that died of a batch. What is given up with it is
        answered by the reason.
        """
        self._deaths, self._reason = self._deaths + 1, reason
        given_up = queue.record_death(batch) if batch else []
        for _, other in reversed(worker.tasks):
            if other is not None:
                queue.put_back(other)
        worker.tasks.clear()
        queue.release(worker.number)
        _kill(worker)
        position, vain = self._workers.index(worker), 0 if given_up else worker.vain
        hired = [self._hire(worker.number, vain + 1)] if vain + 1 < VAIN else []
        self._workers[position : position + 1] = hired
        failure = f"error: {TRIES} workers died of it ({reason})"
        return [(question, self._failed(failure)) for question in given_up]

    def _check_patience(self) -> None:
        if not self._workers:
            raise TandemError(
                f"every worker died, {self._deaths:,} in all ({self._reason}): set "
                f"{option_ref('workers')} lower, so that each has more memory"
            )
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
