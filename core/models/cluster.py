"""Workers of a Ray cluster that answer for one process: each an actor with a respondent of its own,
dealt out by Ray's actor pool. The only module that may import ray, and only inside functions.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from ..installation import PACKAGES, MissingPackageError, command_to_install, is_installed
from ..records import Reply, TandemError, option_ref
from .respondent import BATCH_SECONDS, MOST, Hardware, Options, Respondent

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

CLUSTER_ADDRESS = re.compile(r"ray://[^\s/:]+:[0-9]{1,5}")
ANSWERING = 5.0  # seconds within which a cluster takes a connection; Ray itself tries for minutes
BATCHES = 4  # that a worker answers at once: its prompts about one item begin alike
BEAT = 1.0  # seconds after which a pool says that it is still there
CORES = 4  # of a worker without a GPU, where nobody has said how many workers there are to be
TRIES = 3  # workers that may die of a question before it counts as not answered
VAIN = TRIES + 2  # deaths a worker, without an answer between, after which nobody is hired again


def check_place(on: str) -> None:
    """Check that `on` names a place, and that Ray is installed. Raises TandemError otherwise."""
    if on != "ray" and not CLUSTER_ADDRESS.fullmatch(on):
        raise TandemError(
            f"{option_ref('on')} is {on[:60]!r}; it is ray, or ray://HOST:PORT of a cluster"
        )
    if not is_installed("ray"):
        raise MissingPackageError(
            f"{option_ref('on')} {on} needs Ray, which is not installed here: "
            f"`{command_to_install('ray')}`, or ask again without it"
        )


def connect_cluster(on: str) -> ExitStack:
    """Connect to the cluster that `on`, RAY_ADDRESS or `ray start` of this machine names, until the
    stack is closed. Ray has one connection a process: one that is there is used, and left as it is.

    Raises TandemError when no connection can be made.
    """
    check_place(on)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read by the import
    # Else Ray starts a cluster of its own, open to the network, once this one is lost.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    import ray

    opened = ExitStack()
    if on == "ray" and ray.is_initialized():
        return opened
    address = on if on != "ray" else os.environ.get("RAY_ADDRESS", "auto")
    worker: Any = import_module("ray._private.worker")
    on_stop = signal.getsignal(signal.SIGTERM)
    try:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if port.isdigit():
            socket.create_connection((host, int(port)), ANSWERING).close()
        # Deaths and the like would stand on standard output, which is the command's own.
        worker._worker_logs_enabled = False
        opened.callback(setattr, worker, "_worker_logs_enabled", True)
        opened.callback(ray.shutdown)
        ray.init(  # the same code on every machine, whatever lies there
            address, runtime_env={"py_modules": [*map(str, PACKAGES)]},
            log_to_driver=False, logging_level=logging.CRITICAL,
        )  # fmt: skip
    except Exception as error:
        opened.close()
        why = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise TandemError(
            f"no Ray cluster can be used at {'this machine' if address == 'auto' else address} "
            f"({why}): start it there (`ray start --head`), or correct {option_ref('on')} or "
            "RAY_ADDRESS. Both sides need one version of Ray and Python; where it asks for a "
            "token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
        ) from error
    finally:  # Ray takes it for itself: a run would end without being marked as stopped
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, on_stop)
    return opened


def list_nodes() -> list[tuple[float, float]]:
    """Return the cores and the GPUs of each machine of the cluster."""
    import ray

    alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return [(has.get("CPU", 0.0), has.get("GPU", 0.0)) for has in alive]


class WorkerActor:
    """A worker, as Ray keeps it. `make` makes its respondent."""

    def __init__(self, make: Callable[[], Respondent[Any, Any]]) -> None:
        self._make = make
        self._respondent: Respondent[Any, Any] | None = None

    def load(self) -> Hardware:
        """Make and load the respondent, and return the hardware it answers on."""
        self._respondent = self._respondent or self._make()
        self._respondent.load()
        return self._respondent.hardware

    def answer(self, questions: Sequence[Any]) -> list[Any]:
        """Return the answers, each with its share of the seconds."""
        assert self._respondent is not None
        began = time.monotonic()
        answers = self._respondent.answers(questions)
        seconds = (time.monotonic() - began) / len(questions)
        return [replace(answer, seconds=seconds) for answer in answers]


class WorkerPool(Respondent[Q, A]):
    """Answers as the respondent does that `make` makes, which every worker has for itself. A worker
    that dies is replaced, and what it had in hand is asked again, one by one.

    `options` say on which cluster, and how many workers with how much of a GPU each. What `make`
    refers to must be there on every machine. `failed(reason)` is the answer to a question that
    workers die of. Raises TandemError where the options name no cluster; `load` does if the cluster
    is missing or has no room.
    """

    def __init__(
        self, make: Callable[[], Respondent[Q, A]], options: Options, failed: Callable[[str], A]
    ) -> None:
        check_place(options.on)
        self._make, self._options, self._failed = make, options, failed
        self._connection: ExitStack | None = None
        self._actors = dict[str, Any]()  # by their ids
        self._batches = dict[str, list[Q]]()  # what busy actors have in hand; nothing: they load
        self._size = 4  # questions of a batch

    def load(self) -> None:
        """Wait until a worker has loaded; the others join as they have."""
        if self._connection is not None:
            return
        options = self._options
        try:
            self._connection = connect_cluster(options.on)
            self._share = divide_cluster(list_nodes(), options.workers, options.gpus_per_worker)
            self._answered = self._deaths = self._vain = 0
            self._kinds = set[Hardware]()
            self._begin()
            for _ in range(self._share[0]):
                self._hire()
            while not self._kinds:
                self._collect()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all workers, even those with questions in progress, and the connection."""
        if self._connection is not None:
            import ray

            for actor in self._actors.values() if ray.is_initialized() else ():
                ray.kill(actor)
            self._actors, self._batches = {}, {}
            self._connection.close()
            self._connection = None

    @property
    def hardware(self) -> Hardware:
        """Return the hardware that workers answer on; different kinds are joined: "cpu+cuda:0"."""
        self.load()
        kinds = zip(*self._kinds, strict=True)
        return Hardware(*("+".join(sorted({*names} - {""})) for names in kinds))

    @property
    def situation(self) -> str:
        """Describe in words who is at work: "2 workers answered 240, 1 died"."""
        loading = sum(not batch for batch in self._batches.values())
        ready = len(self._actors) - loading
        words = {
            f"{_count_workers(ready)} answered {self._answered:,}": ready,
            f"{_count_workers(loading)} loading or waiting for a free machine": loading,
            f"{self._deaths:,} died and what they had in hand was asked again": self._deaths,
        }
        return ", ".join(said for said, count in words.items() if count and self._actors)

    def answers(self, questions: Sequence[Q]) -> list[A]:
        # Questions may be equal, and need not be hashable: each goes by its identity.
        answers = {id(one): answer for part in self.stream(iter(questions)) for one, answer in part}
        return [answers[id(question)] for question in questions]

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        self.load()
        self._begin()
        while self._hand_out(questions) or any(self._batches.values()):
            yield self._collect()

    def _begin(self) -> None:
        """Let each actor load, or show that it has. Nobody waits for an earlier stream's."""
        from ray.util import ActorPool

        self._pool, self._batches = ActorPool([]), {}
        self._suspects, self._tried = deque[Q](), Counter[int]()  # deaths, by identity
        for actor in self._actors.values():
            self._pool.push(actor)
            self._pool.submit(self._ask, [])

    def _hire(self) -> None:
        import ray

        _, cores, gpus = self._share
        kind = ray.remote(WorkerActor).options(num_cpus=cores, num_gpus=gpus)
        actor = kind.remote(self._make)
        self._actors[actor._actor_id.hex()] = actor
        self._pool.push(actor)  # whoever came last is the next to get something
        self._pool.submit(self._ask, [])

    def _hand_out(self, questions: Iterator[Q]) -> bool:
        """Give each idle worker a batch, first each question that others died of. Return whether
        more may be left to hand out.
        """
        while self._pool.has_free():
            alone = [self._suspects.popleft()] if self._suspects else []
            batch = alone or list(islice(questions, self._size))
            if not batch:
                return False
            self._pool.submit(self._ask, batch)
        return True

    def _ask(self, actor: Any, batch: list[Q]) -> Any:
        self._batches[actor._actor_id.hex()] = batch
        return actor.answer.remote(batch) if batch else actor.load.remote()

    def _collect(self) -> list[tuple[Q, A]]:
        """Return a worker's answers, or what is given up with it, a beat later at most."""
        from ray import exceptions

        try:
            outcome = self._pool.get_next_unordered(timeout=BEAT)
        except TimeoutError:
            if list_nodes():
                return []
            raise TandemError(
                "all machines of the cluster are gone, as after running out of memory. What was "
                "answered is kept; the same command continues once there is a cluster"
            ) from None
        except exceptions.RayTaskError as error:  # it would break every worker alike
            cause = error.cause or error
            broken = f"a worker broke: {type(cause).__name__}: {cause}"
            why = cause.sentence if isinstance(cause, TandemError) else broken
            raise TandemError(why) from error
        except exceptions.ActorDiedError as error:  # the pool has dropped it
            return self._replace(str(error.actor_id), str(error))
        except exceptions.RayError as error:
            return self._replace(self._pool.pop_idle()._actor_id.hex(), str(error))
        self._pool.push(actor := self._pool.pop_idle())  # the last to become idle
        batch = self._batches.pop(actor._actor_id.hex())
        if not batch:
            self._kinds.add(outcome)
            return []
        self._answered, self._vain = self._answered + len(batch), 0
        if len(batch) >= self._size:
            seconds = max(1e-3, outcome[0].seconds * len(batch))
            fitting = int(len(batch) * BATCHES * BATCH_SECONDS / seconds)
            self._size = max(1, min(fitting, 4 * len(batch), MOST))
        return list(zip(batch, outcome, strict=True))

    def _replace(self, key: str, account: str) -> list[tuple[Q, A]]:
        """Hire another in the place of a worker that died, by Ray's account of lines. What is given
        up with it is answered by the reason.
        """
        import ray

        ray.kill(self._actors.pop(key))
        batch = self._batches.pop(key)
        self._deaths, self._vain = self._deaths + 1, self._vain + 1
        self._tried.update(map(id, batch))
        given_up = [question for question in batch if self._tried[id(question)] >= TRIES]
        self._suspects += [question for question in batch if self._tried[id(question)] < TRIES]
        reason = "out of memory" if "memory" in account.lower() else account
        if "node" in account.lower() and "died" in account.lower():
            reason = "its machine is gone"
        if self._vain >= VAIN * self._share[0] and not given_up:
            raise TandemError(
                f"every worker died, {self._deaths:,} in all ({reason}): set "
                f"{option_ref('workers')} lower, so that each has more memory"
            )
        self._hire()
        failure = self._failed(f"error: {TRIES} workers died of it ({reason})")
        return [(question, failure) for question in given_up]


def divide_cluster(
    nodes: Sequence[tuple[float, float]], workers: int | None = None, gpus: float | None = None
) -> tuple[int, int, float]:
    """Return the number of workers, and the cores and GPUs of each, on `nodes`: machines with so
    many cores and GPUs.

    Each gets `gpus`, by default one if there are any, and then waits for no cores; else as many
    cores as leave room for all. By default there is a worker for each GPU, or every `CORES` cores.
    Raises TandemError when no machine has room for one.
    """
    gpus = float(any(cards >= 1 for _, cards in nodes)) if gpus is None else gpus

    def count_places(each: float) -> int:
        return sum(int(has[bool(gpus)] / each + 1e-9) for has in nodes)

    workers = workers or count_places(gpus or CORES) or 1
    if gpus and (not count_places(gpus) or gpus > max(1, int(gpus))):
        raise TandemError(
            f"{option_ref('gpus_per_worker')} is {gpus:g}, and a machine has "
            f"{max(cards for _, cards in nodes):g} at most: set less than 1 or a whole number"
        )
    cores = (many for many in range(count_places(1), 1, -1) if count_places(many) >= workers)
    return workers, 0 if gpus else next(cores, 1), gpus


def _count_workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count:,} workers"
