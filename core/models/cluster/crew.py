"""A crew: the workers that answer for one process, and what each has in hand."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.models.cluster.dealing import TRIES, Dealer, Portion
from core.models.cluster.seat import Place, Refusal, Seat
from core.models.cluster.share import Node, Share
from core.models.respondent import BATCH_SECONDS, MOST, Hardware, Respondent
from core.records import TandemError, setting

AHEAD = 2  # portions in a worker's hands, so that it need not wait for the next
BEAT = 1.0  # seconds after which a crew says that it is still there
LATE = 20.0  # seconds that others are waited for once a worker has loaded; they join later
LOOK = 5.0  # seconds without a place for any worker after which it is looked for machines
PATIENCE = 120.0  # seconds that a crew without any worker waits for a place
VAIN = TRIES + 2  # deaths in a row, without an answer between, after which nobody is hired again
TOLD = 8  # workers whose answers are told one by one

Failed = Callable[[str], Any]


@dataclass(eq=False)
class Worker:
    """One of a crew: its actor, and Ray's references to what will come of it: that it has a place,
    that it has loaded (None once it has), and the portions in its hands, the oldest first.
    """

    number: int
    actor: Any
    placing: Any
    loading: Any
    place: Place | None = None
    size: int = 4
    answered: int = 0
    vain: int = 0  # deaths in this place since the last answer
    portions: deque[tuple[Any, Portion[Any]]] = field(default_factory=deque)

    @property
    def free(self) -> bool:
        """Whether it may be given more. What workers have died of is asked alone."""
        if not self.ready or any(portion.deaths for _, portion in self.portions):
            return False
        return len(self.portions) < AHEAD

    @property
    def awaited(self) -> list[Any]:
        """The references to what is still to come."""
        own = [one for one in (self.placing, self.loading) if one is not None]
        return own + [reference for reference, _ in self.portions]

    @property
    def ready(self) -> bool:
        return self.loading is None


@dataclass(frozen=True)
class Died:
    """Why a worker is no more."""

    reason: str


class Crew:
    """Workers that each have a respondent of their own, made by `make`. One that dies is replaced,
    and what it had in hand is asked again.
    """

    def __init__(
        self,
        make: Callable[[], Respondent[Any, Any]],
        share: Share,
        machines: Callable[[], Sequence[Node]],
    ) -> None:
        self._make, self._share, self._machines = make, share, machines
        self._workers = [self._hired(number) for number in range(1, share.workers + 1)]
        self._kinds = set[Hardware]()
        self._deaths, self._reason = 0, ""
        self._placed = time.monotonic()  # when a worker last had a place
        self._looked = self._placed  # when machines were last looked for

    @property
    def hardware(self) -> Hardware:
        """What they answer on; different kinds are joined: "cpu+cuda:0"."""
        devices = sorted({kind.device for kind in self._kinds} - {""})
        dtypes = sorted({kind.dtype for kind in self._kinds} - {""})
        return Hardware("+".join(devices), "+".join(dtypes))

    def __str__(self) -> str:
        """Who is at work: "2 workers answered 120 and 118, 1 died"."""
        there = [worker for worker in self._workers if worker.ready]
        words = []
        if there:
            counts = [worker.answered for worker in there]
            each = (
                " and ".join(f"{count:,}" for count in counts)
                if len(counts) <= TOLD
                else f"{min(counts):,} to {max(counts):,} each"
            )
            words.append(f"{_workers(len(there))} answered {each}")
        if loading := len(self._workers) - len(there):
            words.append(f"{_workers(loading)} loading")
        if self._deaths:
            words.append(f"{self._deaths:,} died and what they had in hand was asked again")
        return ", ".join(words)

    def load(self) -> None:
        """Wait until the workers have loaded; who has found no place by then joins later. Raises
        TandemError when none can work.
        """
        first = 0.0
        while not all(worker.ready for worker in self._workers):
            self._settle(Dealer(iter(()), id), _no_failures)
            if self._kinds:
                first = first or time.monotonic()
                if time.monotonic() - first > LATE:
                    return

    def answer(self, dealer: Dealer[Any], failed: Failed) -> Iterator[list[tuple[Any, Any]]]:
        """(question, answer) of all that is dealt, as answers come; an empty list says that the
        crew is still there. A question that workers die of has `failed(reason)` for an answer.
        Raises TandemError when nobody is left, or a respondent cannot work.
        """
        try:
            while True:
                self._hand_out(dealer)
                if not any(worker.portions for worker in self._workers) and dealer.done:
                    return
                yield self._settle(dealer, failed)
        finally:  # what is in flight is not waited for
            for worker in self._workers:
                worker.portions.clear()

    def dismiss(self) -> None:
        """End all workers, whatever they have in hand."""
        import ray

        for worker in self._workers:
            ray.kill(worker.actor)
        self._workers = []

    def _hired(self, number: int, vain: int = 0) -> Worker:
        import ray

        environment = {name: os.environ[name] for name in ("TANDEM_DTYPE",) if name in os.environ}
        actor = (
            ray.remote(Seat)
            .options(num_cpus=self._share.cores, num_gpus=self._share.gpus)
            .remote(self._make, environment)
        )
        return Worker(number, actor, actor.place.remote(), actor.load.remote(), vain=vain)

    def _hand_out(self, dealer: Dealer[Any]) -> None:
        for worker in self._workers:
            while worker.free and (portion := dealer.portion(worker.number, worker.size)):
                reference = worker.actor.answers.remote(portion.questions)
                worker.portions.append((reference, portion))

    def _settle(self, dealer: Dealer[Any], failed: Failed) -> list[tuple[Any, Any]]:
        """What has come by now, at most a beat later."""
        import ray

        waiting = [reference for worker in self._workers for reference in worker.awaited]
        came = set[Any]()
        if ray.wait(waiting, num_returns=1, timeout=BEAT)[0]:
            came = set(ray.wait(waiting, num_returns=len(waiting), timeout=0)[0])
        answered: list[tuple[Any, Any]] = []
        for worker in list(self._workers):
            if worker.placing in came or worker.loading in came:
                self._arrived(worker, worker.loading in came, dealer)
            while worker.portions and worker.portions[0][0] in came:
                answered += self._took_in(worker, dealer, failed)
        self._check_patience()
        return answered

    def _arrived(self, worker: Worker, loaded: bool, dealer: Dealer[Any]) -> None:
        if worker.placing is not None:
            place = _outcome(worker.placing)
            if isinstance(place, Died):
                self._replace(worker, place, dealer)
                return
            worker.placing, worker.place = None, place
        if loaded:
            hardware = _outcome(worker.loading)
            if isinstance(hardware, Died):
                self._replace(worker, hardware, dealer)
                return
            worker.loading = None
            self._kinds.add(hardware)

    def _took_in(
        self, worker: Worker, dealer: Dealer[Any], failed: Failed
    ) -> list[tuple[Any, Any]]:
        """The answers to the portion a worker has had longest, or what is left of them with its
        death.
        """
        reference, portion = worker.portions.popleft()
        outcome = _outcome(reference)
        if not isinstance(outcome, Died):
            worker.answered += len(outcome)
            worker.vain = 0
            if not portion.deaths:
                worker.size = _next_size(len(outcome), outcome[0].seconds * len(outcome))
            return list(zip(portion.questions, outcome, strict=True))
        given_up = dealer.lost(portion)
        for _, other in reversed(worker.portions):
            dealer.back(other)
        worker.portions.clear()
        worker.vain *= not given_up
        self._replace(worker, outcome, dealer)
        reason = f"error: {TRIES} workers died of it ({outcome.reason})"
        return [(question, failed(reason)) for question in given_up]

    def _replace(self, worker: Worker, died: Died, dealer: Dealer[Any]) -> None:
        import ray

        self._deaths, self._reason = self._deaths + 1, died.reason
        dealer.gone(worker.number)
        ray.kill(worker.actor)
        place = self._workers.index(worker)
        if worker.vain + 1 < VAIN:
            self._workers[place] = self._hired(worker.number, worker.vain + 1)
        else:
            del self._workers[place]

    def _check_patience(self) -> None:
        if not self._workers:
            raise TandemError(
                f"every worker died, {self._deaths:,} in all ({self._reason}): set "
                f"{setting('workers')} lower, so that each has more memory"
            )
        now = time.monotonic()
        if any(worker.placing is None for worker in self._workers):
            self._placed = self._looked = now
            return
        if now - self._looked > LOOK:
            self._looked = now
            if not self._machines():
                raise TandemError(
                    "every machine of the cluster is gone, as when it runs out of memory: what was "
                    "answered is kept, and the same command continues once there is a cluster"
                )
        if now - self._placed > PATIENCE:
            raise TandemError(
                f"no worker found a free place on the cluster within {PATIENCE:.0f} s: wait until "
                f"others are done, or set {setting('workers')} lower"
            )


def _workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count:,} workers"


def _next_size(size: int, seconds: float) -> int:
    """As many questions as take about a second, growing by and by."""
    return max(1, min(int(size * BATCH_SECONDS / max(seconds, 1e-3)), 4 * size, MOST))


def _outcome(reference: Any) -> Any:
    """What came of a worker's work, or why the worker is no more. Raises TandemError for what
    breaks every worker alike.
    """
    import ray

    try:
        outcome = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause or error
        raise TandemError(f"a worker broke: {type(cause).__name__}: {cause}") from error
    except ray.exceptions.RayError as error:
        return Died(_reason(error))
    if isinstance(outcome, Refusal):
        raise TandemError(outcome.sentence)
    return outcome


def _reason(error: Exception) -> str:
    """Of Ray's account, which goes on for lines, what happened."""
    said = str(error)
    if "memory" in said.lower():
        return "out of memory"
    if "node" in said.lower() and "died" in said.lower():
        return "its machine is gone"
    return said


def _no_failures(reason: str) -> Any:
    raise AssertionError(reason)
