"""Runs: work done bit by bit, so that nothing is lost or done twice when the power goes.

A run is planned into the store, then executed by the process with its lock: the command line in the
foreground, or the worker process for the pages. Only what is not there yet is done, and what has
come is written at once, so killing the process at any moment costs at most the answers in hand.
"""

from __future__ import annotations

import fcntl
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from ..judging import ServerList
from ..records import FaultError, Status, TandemError, option_ref
from ..store import Store
from .answering import Answering
from .compare import Comparing
from .generate import TextSampling
from .measure import Measuring
from .probe import Probing
from .score import Marking

Work = Answering[Any, Any]

WORKS: dict[str, type[Work]] = {
    "compare": Comparing,
    "score": Marking,
    "generate": TextSampling,
    "measure": Measuring,
    "attack": Probing,  # as stores of 1.0 call it
}
"""The works by task. Each is made from a store, a run of it and, optionally, the respondent to use
instead of the stored one.
"""


CHUNK = 500  # questions read from the store at once
LOOK = 0.2  # seconds between two looks whether a lock is free
HERE = "ray"  # the cluster that whoever runs this machine has started
MEMORY = 10.0  # seconds: of the pace, what is longer ago fades
PATIENCE = 20.0  # seconds that a stopped run waits for what it has asked


@dataclass
class ExecutionResult:
    """Progress of an execution. `done`, and of these `failed`, count the whole run; `answered`, the
    seconds and the tokens count this execution.
    """

    run: int
    planned: int = 0
    done: int = 0
    failed: int = 0
    already_there: int = 0
    answered: int = 0
    seconds: float = 0.0
    pace: float = 0.0  # answers a second of late
    tokens: int = 0
    completion_tokens: int = 0
    status: Status = Status.RUNNING
    situation: str = ""  # how it goes, in words, where there is something to tell

    @property
    def per_second(self) -> float:
        """Answers a second; 0 before any time was measured."""
        return self.answered / self.seconds if self.seconds else 0.0

    def count(self, answered: Sequence[tuple[Any, Any]], seconds: float) -> None:
        """Take in what was answered by now, `seconds` after the start."""
        self.answered += len(answered)
        self.done += len(answered)
        self.failed += sum(bool(answer.failure) for _, answer in answered)
        self.tokens += sum(answer.tokens for _, answer in answered)
        self.completion_tokens += sum(answer.completion_tokens for _, answer in answered)
        took = seconds - self.seconds
        now = len(answered) / max(took, 1e-6)
        share = min(1.0, took / MEMORY) if self.pace else 1.0
        self.pace += (now - self.pace) * share
        self.seconds = seconds


@contextmanager
def claim(path: Path, what: str) -> Iterator[int | None]:
    """Take a lock of this store and yield its file descriptor; None while somebody else holds it.

    It is a lock of the system, not a row in the store: it is released when its process dies, for
    any reason. Its file stays, because removing it would let two others hold the lock at once, one
    on the old file and one on the new. Raises FaultError where the disk takes no lock.
    """
    if str(path) == ":memory:":  # nobody else can open that store
        yield 0
        return
    folder = Path(f"{path}.locks")
    try:
        folder.mkdir(exist_ok=True)
        file = (folder / what).open("w")
    except OSError as error:
        raise FaultError(
            f"{folder} cannot be written ({error.strerror}): free some space, or make it writable"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held: int | None = file.fileno()
        except BlockingIOError:
            held = None
        yield held


@contextmanager
def wait_for_lock(path: Path, what: str) -> Iterator[None]:
    """Hold a lock of this store, once nobody else does. Where the disk takes none, nobody waits."""
    with ExitStack() as holding:
        held: int | None = None
        while held is None:
            try:
                held = holding.enter_context(claim(path, what))
            except FaultError:
                break
            if held is None:
                holding.close()
                time.sleep(LOOK)
        yield


def refuse_waiting(store: Store, run: int) -> None:
    """Raise TandemError for a run that waits for a batch: it would be asked twice."""
    if waiting := store.batches.count_waiting(run).get(run):
        raise TandemError(
            f"run {run} waits for {waiting:,} answers of a batch: collect them "
            f"({option_ref('batch')} collect), or give them up ({option_ref('batch')} cancel)"
        )


class BusyError(TandemError):
    """Error for a run that another process is executing."""


def load_progress(store: Store, run: int) -> ExecutionResult:
    """Return the progress of a run, whichever process made it."""
    row = store.runs.get(run)
    ledger = WORKS[row.task].ledger(store, row)
    (planned, done), failed = ledger.counts(), sum(ledger.failures().values())
    return ExecutionResult(
        run, planned, done, failed, already_there=done, status=Status(row.status)
    )


def execute(
    store: Store,
    run: int,
    *,
    by: Any = None,
    limit: int | None = None,
    only_from: Iterable[Status] = tuple(Status),
    progress: Callable[[ExecutionResult], None] = lambda result: None,
    leaving: Callable[[], bool] = lambda: False,
    after_fault: Status = Status.FAILED,
    how: Mapping[str, Any] | None = None,
) -> ExecutionResult:
    """Do what a run has not done yet, and store it.

    It stops after `limit` answers, or when the run is cancelled. `by` answers instead of the
    respondent made from what is stored; settings in `how` go before the stored ones. Once this
    process is `leaving` it stops likewise, but the run is queued, for another process. After a
    fault of the disk or a lock the run gets the status `after_fault`.

    Raises BusyError when another process executes it, and TandemError when its status is not one of
    `only_from`. Any other error marks the run failed, keeps what was answered and is raised.
    """
    with claim(store.path, f"run-{run}") as claimed:
        if claimed is None:
            raise BusyError(
                f"run {run} is being executed by another process: `runs` shows how far it is"
            )
        refuse_waiting(store, run)
        if not store.runs.set_status(run, Status.RUNNING, only_from=only_from):
            raise TandemError(f"run {run} was cancelled meanwhile")
        try:
            row = store.runs.get(run)
            on = str(row.execution.get("on") or HERE)
            if by is None and "on" not in (how or {}) and on != HERE:
                # A cluster elsewhere would be sent the texts, and could run code here.
                ServerList(store.path).permit(on)
            if how and not row.served:  # a server needs no other way
                row = replace(row, execution={**row.execution, **how})
            work = WORKS[row.task](store, row, by)
            with closing(work.respondent):
                work.load()  # before the clock starts: the pace would be that of loading
                result = _execute(store, run, _Feed(work, limit), progress, leaving)
        except KeyboardInterrupt:
            store.runs.set_status(run, Status.CANCELLED)
            raise
        except Exception as error:
            status = after_fault if isinstance(error, FaultError) else Status.FAILED
            store.runs.set_status(
                run, status, error=str(error).split("\n")[0][:500] or type(error).__name__
            )
            raise
        # Not over a cancellation that arrived meanwhile.
        store.runs.set_status(run, result.status, only_from=(Status.RUNNING,))
    return result


def _execute(
    store: Store,
    run: int,
    feed: _Feed,
    progress: Callable[[ExecutionResult], None],
    leaving: Callable[[], bool],
) -> ExecutionResult:
    result, work = load_progress(store, run), feed.work
    most_planned, started = work.count_expected(), time.monotonic()
    while result.status is Status.RUNNING:
        if leaving():  # as loading may have taken minutes
            feed.stop()
        for answered in work.respondent.stream(iter(feed)):
            result.count(answered, time.monotonic() - started)
            result.situation = work.respondent.situation
            with store.transaction():  # in which its data set cannot go
                beat = store.runs.beat(run, result.pace, result.situation)
                work.keep(answered)
            feed.flying -= {work.key(question) for question, _ in answered}
            if beat is Status.CANCELLED or leaving():
                feed.stop()
            result.planned = max(result.planned, most_planned)
            progress(result)
            if feed.given_up:
                # with the stream ends what is in flight; it is asked again when the run goes on
                break
        if feed.is_stopped:
            result.status = Status.QUEUED if leaving() else Status.CANCELLED
        elif not work.next_tasks(1) and not work.plan_more():
            result.status = Status.DONE
        elif feed.is_full:
            result.status = Status.CANCELLED
    now = load_progress(store, run)  # another run may have had a hand in it
    result.planned, result.done, result.failed = now.planned, now.done, now.failed
    return result


class _Feed:
    """Feed of the questions of a work that are not answered and not in flight.

    It reads them from the store as they are wanted.
    """

    def __init__(self, work: Work, limit: int | None) -> None:
        self.work, self._limit, self._given = work, limit, 0
        self.flying = set[Any]()  # keys of questions that were given and are not answered
        self._stopped = math.inf  # when

    @property
    def is_full(self) -> bool:
        """Return whether as many questions were given as the limit allows."""
        return self._limit is not None and self._given >= self._limit

    def __iter__(self) -> Iterator[Any]:
        while not self.is_full:
            waiting = self.work.next_tasks(len(self.flying) + CHUNK)
            new = [question for question in waiting if self.work.key(question) not in self.flying]
            if not new:
                return
            for question in new:
                if self.is_stopped or self.is_full:
                    return
                self._given += 1
                self.flying.add(self.work.key(question))
                yield question

    def stop(self) -> None:
        """Give no more. What is in flight is still waited for and kept, for a while."""
        self._stopped = min(self._stopped, time.monotonic())

    @property
    def is_stopped(self) -> bool:
        return self._stopped < math.inf

    @property
    def given_up(self) -> bool:
        """Return whether the questions in flight have had their time. A server that does not answer
        is not waited for through every retry.
        """
        return time.monotonic() > self._stopped + PATIENCE


def failures(store: Store, run: int) -> dict[str, int]:
    """Count the tasks of a run that have no answer, by reason."""
    row = store.runs.get(run)
    return WORKS[row.task].ledger(store, row).failures()


def describe_partial_reads(store: Store, run: int) -> str:
    """Return a warning about answers to prompts that a server has not read in full; '' = none.

    The server's own token count decides.
    """
    count, unit = store.run_counts.read_in_part(run), WORKS[store.runs.get(run).task].unit
    return PART_READ.format(f"{count:,} {unit}") if count else ""


PART_READ = (
    "for {} the server says it has read fewer tokens than the prompt has words. It cuts long "
    "prompts, or counts only what is new to it: raise its context length"
)


def retry(store: Store, run: int, kind: str = "") -> int:
    """Withdraw what was not answered in a run, or failed for one kind of reason, and queue just
    that again: how many there were.
    """
    row = store.runs.get(run)
    # Both or neither: a run that is done with answers missing would not be looked at again.
    with store.transaction():
        withdrawn = WORKS[row.task].ledger(store, row).withdraw(kind)
        if withdrawn:
            store.runs.set_status(run, Status.QUEUED)
    return withdrawn


def cancel(store: Store, run: int) -> None:
    """Stop a run after what is in hand. Raises TandemError when there is nothing to stop."""
    if not store.runs.set_status(run, Status.CANCELLED, only_from=(Status.QUEUED, Status.RUNNING)):
        raise TandemError(f"run {run} is not queued or running; `runs` lists what there is")


def resume(store: Store, run: int) -> None:
    """Queue a run again that was stopped, whose process died, or that has more to do since texts
    were added. Raises TandemError when another process executes it, or all is done.
    """
    refuse_waiting(store, run)
    now = load_progress(store, run)
    grown = (Status.DONE,) if now.done < now.planned else ()
    with claim(store.path, f"run-{run}") as free:
        died = (Status.RUNNING,) if free is not None else ()
        from_here = (Status.CANCELLED, Status.FAILED, Status.QUEUED, *grown, *died)
        if not store.runs.set_status(run, Status.QUEUED, only_from=from_here):
            raise TandemError(f"run {run} is not cancelled or failed; `runs` lists what there is")


RunOverview = Annotated[
    pd.DataFrame,
    Schema({int: "done failed batched", float: "per_second", object: "failures"}, is_open=True),
]


def load_overview(
    store: Store, *, dataset: str | None = None, kind: str | None = None
) -> RunOverview:
    """Load runs and campaigns, newest first, of all data sets or one, of both kinds or one.

    Columns are the store's, `done` (asked, or with all its votes), `failed` and by reason
    `failures`, how many comparisons are `batched` and wait for it, and `per_second` of those at
    work (0 = not known).
    """
    frame = store.runs.list_all(dataset=dataset, kind=kind).rename(columns={"asked": "done"})
    failed = [
        failures(store, run) if kind == "run" else {}
        for run, kind in zip(frame["run"], frame["kind"], strict=True)
    ]
    for row in frame.index[(frame["kind"] == "run") & (frame["task"] != "compare")]:
        standing = load_progress(store, int(frame["run"][row]))
        frame.loc[row, ["planned", "done"]] = standing.planned, standing.done
    waiting = store.batches.count_waiting()
    return frame.assign(
        batched=[waiting.get(int(run), 0) for run in frame["run"]],
        failed=[sum(reasons.values()) for reasons in failed],
        failures=pd.Series(failed, dtype=object),
        per_second=frame["per_second"].where(frame["status"] == Status.RUNNING, 0.0),
    )


def describe_identical_samples(store: Store, run: int) -> str:
    """Return a warning if the samples of each of a run's many questions are all alike; '' =
    none.
    """
    row, said = store.runs.get(run), ""
    if row.task == "generate":
        system = row.settings["system"]
        if items := store.generated_texts.count_identical(row.dataset).get(system, 0):
            said = f"the texts of {system} are the same within each of {items:,} items"
    elif row.judge in store.judges.unanimous():
        said = "all sampled votes agree in every comparison, and count without probabilities"
    return f"{said}; perhaps the model does not sample" if said else ""


SPLIT = "{:,} votes were split evenly, which is a tie by our rule"
