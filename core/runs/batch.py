"""Batches: the requests of a run handed over as files. `batch_results` reads what comes back.

A comparison that waits for a batch is asked by nobody else, until it is answered, released or given
up.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..judging import Batchable
from ..models.served import MOST_BYTES, MOST_REQUESTS, BatchService, request_line
from ..output_files import check_new_output, write_output
from ..pairing import Request, plan_portions, planning
from ..records import Question, Status, TandemError, option_ref
from ..scratch import scratch
from ..store import RunRow, Store
from .batch_results import AT_ONCE, make_digest
from .batch_results import collect as collect
from .batch_results import collect_at_server as collect_at_server
from .execution import claim

STOP_THERE = "Stop it where the server lists its batches."


@dataclass
class BatchSubmission:
    """Result of submitting a batch: `comparisons` in `requests`, under the `names` of batches or
    files. `waiting` counts the comparisons of the run that wait now.
    """

    run: int
    comparisons: int = 0
    requests: int = 0
    names: list[str] = field(default_factory=list)
    waiting: int = 0


def check_batchable(judge: object, request: object) -> tuple[Batchable, Request]:
    """Check that a judge and a request can be handed over as a batch; return both.

    Raises TandemError otherwise.
    """
    if not isinstance(judge, Batchable) or not isinstance(request, Request):
        raise TandemError(
            f"{option_ref('batch')} belongs to openai:MODEL that compares two texts: leave it out"
        )
    if request.pairing_strategy.adaptive:
        raise TandemError(
            f"{request.strategy} chooses each comparison by the answers before it, so it cannot be "
            f"sent as a batch: choose other {option_ref('pairs')}"
        )
    return judge, request


def begin(
    store: Store,
    judge: Batchable,
    request: Request,
    execution: Mapping[str, Any],
    *,
    retry: bool = False,
    kind: str = "",
) -> int:
    """Begin the run of a request that only batches ask; see `planning.enqueue`.

    With `retry`, all failures are asked again, or those of one `kind`.
    """
    with store.transaction():  # at no moment it is queued, for a worker to take it up
        run = planning.enqueue(store, judge.spec, request, execution)
        if retry:
            store.runs.withdraw_failures(run, kind)
        store.runs.set_status(run, Status.CANCELLED, only_from=(Status.QUEUED,))
    return run


def submit(
    store: Store, run: int, judge: Batchable, *, to: Path | None, asked: bool, limit: int | None
) -> BatchSubmission:
    """Hand over what a run has not asked: as files named after `to`, or at the judge's server.

    `asked` says whether the server was asked for its abilities. A repeated call hands over only
    what is new. Raises TandemError when another process executes the run, when a file is there
    already, and when the server takes no batches.
    """
    with claim(store.path, f"run-{run}") as claimed:
        if claimed is None:
            raise TandemError(f"run {run} is being executed: stop it first, or let it end")
        row = store.runs.get(run)
        judge_id = store.judges.id_of(row.judge)
        portions = plan_portions(store, run, judge_id, Request.from_settings(row.settings))
        while next(portions):
            pass
        done = BatchSubmission(run)
        for number, part in enumerate(_parts(store, row, judge, asked, limit), 1):
            if to:
                name, file = "", to if number == 1 else to.with_stem(f"{to.stem}-{number}")
                check_new_output(file)
                with write_output(file) as path:
                    path.write_text("".join(part.lines), encoding="utf-8")
            else:
                with scratch() as folder:
                    file = Path(folder) / f"tandem-run-{run}-{number}.jsonl"
                    file.write_text("".join(part.lines), encoding="utf-8")
                    name = BatchService(judge.endpoint).submit(file, f"run {run}")
            store.batches.add(row.id, part.comparisons, name=name, file=file.name)
            done.names.append(name or str(file))
            done.comparisons += len(part.comparisons)
            done.requests += len(part.lines)
        done.waiting = store.batches.count_waiting(run).get(run, 0)
    return done


@dataclass
class _FilePart:
    lines: list[str] = field(default_factory=list)
    comparisons: list[int] = field(default_factory=list)
    bytes: int = 0

    def has_room(self, lines: Sequence[str], size: int) -> bool:
        has_room = len(self.lines) + len(lines) <= MOST_REQUESTS
        return not self.lines or (has_room and self.bytes + size <= MOST_BYTES)


def _parts(
    store: Store, row: RunRow, judge: Batchable, asked: bool, limit: int | None
) -> Iterator[_FilePart]:
    """Yield the comparisons a run has not asked, in portions that fit into a file. The votes of a
    comparison stay together.
    """
    part, unsent = _FilePart(), store.batches.list_unsent(row.id)[:limit]
    judge_id, kept = store.judges.id_of(row.judge), store.batches.kept_votes(row.id)
    for start in range(0, len(unsent), AT_ONCE):
        for question in store.runs.questions(row.id, unsent[start : start + AT_ONCE]):
            if failure := judge.refuse(question):
                told = [(question.comparison, failure)]
                store.judgements.add_answers(row.id, judge_id, row.trial, told)
                continue
            lines = _lines(judge, question, asked, kept)
            size = sum(len(line.encode()) for line in lines)
            if not part.has_room(lines, size):
                yield part
                part = _FilePart()
            part.lines += lines
            part.comparisons.append(question.comparison)
            part.bytes += size
    if part.lines:
        yield part


def _lines(judge: Batchable, question: Question, asked: bool, kept: Container[str]) -> list[str]:
    """Build the requests of a comparison, except those whose votes were kept.

    Each says which votes it brings.
    """
    bodies, votes = judge.bodies(question, asked=asked), judge.spec.votes
    each = votes // len(bodies)
    digest = make_digest(judge, bodies[0]["messages"][-1]["content"])
    head = f"c{question.comparison}-t{question.trial}"
    names = [f"{head}-v{each * n + 1}-{each * (n + 1)}-{digest}" for n in range(len(bodies))]
    requests = zip(names, bodies, strict=True)
    return [request_line(name, body) for name, body in requests if name not in kept]


@dataclass(frozen=True)
class GivenUp:
    """Result of giving up batches: how many comparisons no longer wait, and a message for each
    batch that was `not_stopped`.
    """

    comparisons: int
    not_stopped: tuple[str, ...] = ()


def give_up(store: Store, run: int, judge: Batchable | None) -> GivenUp:
    """Give up the batches of a run, and stop them at the judge's server where it can be reached.

    Their comparisons wait no longer, and may be asked again. What was answered meanwhile can no
    longer be collected.
    """
    waiting = store.batches.count_waiting(run).get(run, 0)
    refusals = []
    for batch in store.batches.open(run):
        if batch.name and judge:
            try:
                BatchService(judge.endpoint).cancel(batch.name)
            except TandemError as refusal:
                refusals.append(f"{refusal}: it may go on there, and cost. {STOP_THERE}")
        store.batches.end(batch.id)
    return GivenUp(waiting, tuple(refusals))
