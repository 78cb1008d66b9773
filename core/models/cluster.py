"""Workers of a Ray cluster that answer for one process: each an actor with a respondent of its own,
dealt out by Ray's actor pool. The only module that may import ray, and only inside functions.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
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

from ..installation import PACKAGES, PROGRAM, MissingPackageError, command_to_install, is_installed
from ..records import Reply, TandemError, option_ref
from ..scratch import scratch
from .respondent import BATCH_SECONDS, MOST, Hardware, Options, Respondent

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

CLUSTER_ADDRESS = re.compile(r"ray://[^\s/:]+:[0-9]{1,5}")
ANSWERING = 5.0  # seconds within which a cluster takes a connection; Ray itself tries for minutes
BATCHES = 4  # that a worker answers at once: its prompts about one item begin alike
LATE = 20.0  # seconds that others are waited for once a worker has loaded; they join later
BEAT = 1.0  # seconds after which a pool says that it is still there
CORES = 4  # of a worker without a GPU, where nobody has said how many workers there are to be
TRIES = 3  # workers that may die of a question before it counts as not answered
VAIN = TRIES + 2  # deaths a worker, without an answer between, after which nobody is hired again
GONE = (
    "all machines of the cluster are gone, as after running out of memory. What was answered is "
    "kept; the same command continues once there is a cluster"
)


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


class ClusterConnection:
    """Connection to a cluster, until it is closed. Ray has one per process: an existing one is used
    and left as it is. Raises TandemError when no connection can be made.
    """

    def __init__(self, on: str) -> None:
        check_place(on)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read by the import
        # Else Ray starts a cluster of its own, open to the network, once this one is lost.
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        import ray

        self._opened = ExitStack()
        if on == "ray" and ray.is_initialized():
            return
        address = on if on != "ray" else os.environ.get("RAY_ADDRESS", "").removesuffix("local")
        on_stop = signal.getsignal(signal.SIGTERM)
        try:
            self._connect(address)
        except TandemError:
            raise
        except Exception as error:
            self.close()
            raise TandemError(
                f"cannot use a Ray cluster at {address or 'this machine'}: {type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}. Both sides need one version of Ray and "
                "Python; where it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
            ) from error
        finally:  # Ray takes it for itself: a run would end without being marked as stopped
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, on_stop)

    def close(self) -> None:
        """Leave the cluster; one of this machine's own ends with that."""
        self._opened.close()

    def list_nodes(self) -> list[tuple[float, float]]:
        """Return the cores and the GPUs of each machine that is there."""
        import ray

        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        return [(has.get("CPU", 0.0), has.get("GPU", 0.0)) for has in alive]

    def _connect(self, address: str) -> None:
        import ray

        host, _, port = address.removeprefix("ray://").rpartition(":")
        try:
            if port.isdigit():  # "auto" has none: Ray finds the one of this machine
                socket.create_connection((host, int(port)), ANSWERING).close()
        except (OSError, OverflowError) as error:
            raise TandemError(
                f"no Ray cluster answers at {address}: start it there (`ray start --head`), or "
                f"correct the address in {option_ref('on')} or RAY_ADDRESS"
            ) from error
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if not address:
            self._opened.enter_context(folder := scratch())
            self._opened.callback(_read_token)
        # Deaths and the like would stand on standard output, which is the command's own.
        worker: Any = import_module("ray._private.worker")
        worker._worker_logs_enabled = False
        self._opened.callback(setattr, worker, "_worker_logs_enabled", True)
        if not ray.is_initialized():
            self._opened.callback(ray.shutdown)
        if address:  # the same code on every machine, whatever lies there
            ray.init(address, runtime_env={"py_modules": list(map(str, PACKAGES))}, **quiet)
        else:
            _start_local(folder.name, quiet)


def _start_local(folder: str, quiet: dict[str, Any]) -> None:
    """Start a cluster of this machine's own, on loopback, for holders of its token. By itself Ray
    has one token for all clusters in the home folder, and puts the network's address in the place
    of 127.0.0.1, as it has found when it was imported that it may.
    """
    import ray
    from ray._private import ray_constants

    values = {
        ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "PYTHONPATH": f"{PROGRAM}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    before = {name: os.environ.get(name) for name in values}
    is_enabled = ray_constants.ENABLE_RAY_CLUSTER
    os.environ.update(values)
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        _read_token()
        # Bytes: batches are small, and do not stay.
        small: dict[str, Any] = {"include_dashboard": False, "object_store_memory": 128 << 20}
        ray.init("local", _temp_dir=folder, **small, **quiet)
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = is_enabled
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _read_token() -> None:
    """Make Ray read the environment's token again: it keeps the first that it has seen."""
    raylet: Any = import_module("ray._raylet")  # its stub leaves these out
    raylet.Config.initialize("")  # first, or a thread that still talks misses the old one
    raylet.AuthenticationTokenLoader.instance().reset_cache()


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
        self._connection: ClusterConnection | None = None
        self._actors = dict[str, Any]()  # by their ids
        self._batches = dict[str, list[Q]]()  # what busy actors have in hand; nothing: they load
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
            self._answered = self._deaths = self._vain = 0
            self._kinds = set[Hardware]()
            self._begin()
            for _ in range(self._share[0]):
                self._hire()
            patience = 0.0
            while self._batches and not (self._kinds and time.monotonic() > patience):
                patience = patience if self._kinds else time.monotonic() + LATE
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
        words = []
        if ready := len(self._actors) - loading:
            words.append(f"{_count_workers(ready)} answered {self._answered:,}")
        if loading:
            words.append(f"{_count_workers(loading)} loading or waiting for a free machine")
        if self._actors and self._deaths:
            words.append(f"{self._deaths:,} died and what they had in hand was asked again")
        return ", ".join(words)

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
            if self._connection is not None and not self._connection.list_nodes():
                raise TandemError(GONE) from None
            return []
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
    """Return the number of workers, and the cores and GPUs of each, so that all fit on `nodes`:
    machines with so many cores and GPUs.

    Each gets `gpus`, by default one if there are any, for which it waits instead of cores; else as
    many cores as leave room for all. If `workers` is None, there is one per GPU, or one for every
    `CORES` cores. Raises TandemError when they do not fit.
    """
    gpus = float(any(cards >= 1 for _, cards in nodes)) if gpus is None else gpus
    if gpus > 1 and gpus != int(gpus):
        raise TandemError(
            f"{option_ref('gpus_per_worker')} is {gpus:g}; it is a whole number, or less than 1"
        )

    def count_places(each: float) -> int:
        """Count the workers with so much each; none of them has parts of two GPUs."""
        at_one = int(1 / each + 1e-9)
        return sum(int(has[bool(gpus)]) * at_one or int(has[bool(gpus)] // each) for has in nodes)

    wanted = workers or count_places(gpus or CORES) or 1
    room = count_places(gpus or 1)
    if gpus and wanted <= room:
        return wanted, 0, gpus
    for cores in range(0 if gpus else room, 0, -1):
        if count_places(cores) >= wanted:
            return wanted, cores, gpus
    total = f"{sum(node[bool(gpus)] for node in nodes):g} {'GPUs' if gpus else 'cores'}"
    lower = f"{option_ref('workers')}{' or ' + option_ref('gpus_per_worker') if gpus else ''}"
    raise TandemError(
        f"the cluster has {total}, which is room for {_count_workers(room)}, not for {wanted}: "
        f"set {lower} lower"
    )


def _count_workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count:,} workers"
