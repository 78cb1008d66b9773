"""Batches: the requests of a run handed over as files, and their results read whenever they come.

Which comparison a result answers is in its `custom_id`, with a digest of judge and prompt: results
of another store, judge or wording are told apart. A comparison that waits for a batch is asked by
nobody else, until it is answered, released or given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.failures import ERROR, TOO_LONG, because
from core.judging import Batchable, unanswerable
from core.models.served import (
    MOST_BYTES,
    MOST_REQUESTS,
    BatchService,
    Completion,
    Result,
    read_result,
    request_line,
)
from core.pairing import Request, plan_portions, planning
from core.records import Answer, Question, Status, TandemError, setting
from core.runs.locks import claim
from core.scratch import scratch
from core.store import RunRow, Store
from core.whole_files import written_whole

AT_ONCE = 500  # comparisons read and stored at a time
_ID = re.compile(r"c(\d{1,18})-t(\d{1,10})-v(\d{1,4})-(\d{1,4})-([0-9a-f]{12})")


@dataclass
class Submitted:
    """What was handed over: how many `comparisons` in how many `requests`, under which names of
    batches or files; `waiting` is how many comparisons of the run wait now.
    """

    run: int
    comparisons: int = 0
    requests: int = 0
    names: list[str] = field(default_factory=list)
    waiting: int = 0


@dataclass
class Collected:
    """What came of results: comparisons `answered`, of these `failed` with a reason (`too_long`
    ones among them); `expired`, which the model was never asked; `incomplete`, of whose votes some
    are missing; lines that were there already (`repeated`), belong to something else (`foreign`) or
    are no results (`unreadable`). `waiting` comparisons still wait. `states` tells of each batch
    that the server was asked about.
    """

    run: int
    answered: int = 0
    failed: int = 0
    too_long: int = 0
    expired: int = 0
    incomplete: int = 0
    repeated: int = 0
    foreign: int = 0
    unreadable: int = 0
    waiting: int = 0
    tokens: int = 0
    completion_tokens: int = 0
    states: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """90 answered, 2 of them failed; 3 expired; 5 still wait."""
        told = {
            "expired": self.expired,
            "incomplete": self.incomplete,
            "repeated": self.repeated,
            "of something else": self.foreign,
            "unreadable": self.unreadable,
            "still wait": self.waiting,
        }
        failed = f", {self.failed:,} of them unanswered for a reason" if self.failed else ""
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        return "; ".join([f"{self.answered:,} answers came{failed}", *parts])


def checked(judge: object, request: object) -> tuple[Batchable, Request]:
    """The judge and the request as ones that can be handed over. Raises TandemError otherwise."""
    if not isinstance(judge, Batchable) or not isinstance(request, Request):
        raise TandemError(
            f"{setting('batch')} belongs to openai:MODEL that compares two texts: leave it out"
        )
    if request.how.adaptive:
        raise TandemError(
            f"{request.strategy} chooses each comparison by the answers before it, so it cannot be "
            f"sent as a batch: choose other {setting('pairs')}"
        )
    return judge, request


def begin(
    store: Store,
    judge: Batchable,
    request: Request,
    execution: Mapping[str, Any],
    *,
    retry: bool = False,
) -> int:
    """The run of a request, for nobody to ask but by batches; see `planning.enqueue`. With `retry`
    what was asked and not answered is to be asked again.
    """
    with store.transaction():  # at no moment it is queued, for a worker to take it up
        run = planning.enqueue(store, judge.spec, request, execution)
        if retry:
            store.runs.withdraw_failures(run)
        store.runs.set_status(run, Status.CANCELLED, only_from=(Status.QUEUED,))
    return run


def submit(
    store: Store, run: int, judge: Batchable, *, to: Path | None, asked: bool, limit: int | None
) -> Submitted:
    """Hand over what a run has not asked: as files `to` a name, or at the judge's server. `asked`:
    the server was asked what it can.

    The same again hands over only what is new. Raises TandemError when somebody executes the run,
    when a file is there already, and when the server takes no batches.
    """
    with claim(store.path, f"run-{run}") as claimed:
        if claimed is None:
            raise TandemError(f"run {run} is being executed: stop it first, or let it end")
        row = store.runs.get(run)
        judge_id = store.judges.id_of(row.judge)
        portions = plan_portions(store, run, judge_id, Request.stored(row.settings))
        while next(portions):
            pass
        done = Submitted(run)
        if to:
            _write_files(store, row, judge, done, to, asked, limit)
        else:
            _upload(store, row, judge, done, asked, limit)
        done.waiting = store.batches.waiting(run).get(run, 0)
    return done


def _write_files(
    store: Store,
    row: RunRow,
    judge: Batchable,
    done: Submitted,
    to: Path,
    asked: bool,
    limit: int | None,
) -> None:
    for number, part in enumerate(_parts(store, row, judge, asked, limit), 1):
        file = to if number == 1 else to.with_name(f"{to.stem}-{number}{to.suffix}")
        if file.exists():
            raise TandemError(f"{file} is there already: give {setting('requests')} another name")
        with written_whole(file) as path:
            path.write_text("".join(part.lines), encoding="utf-8")
        store.batches.add(row.id, part.comparisons, file=file.name)
        done.names.append(str(file))
        done.comparisons += len(part.comparisons)
        done.requests += len(part.lines)


def _upload(
    store: Store,
    row: RunRow,
    judge: Batchable,
    done: Submitted,
    asked: bool,
    limit: int | None,
) -> None:
    service = BatchService(judge.endpoint.first)
    with scratch() as folder:
        for number, part in enumerate(_parts(store, row, judge, asked, limit), 1):
            file = Path(folder) / f"tandem-run-{row.id}-{number}.jsonl"
            file.write_text("".join(part.lines), encoding="utf-8")
            name = service.submit(file, f"run {row.id}")
            store.batches.add(row.id, part.comparisons, name=name, file=file.name)
            file.unlink()
            done.names.append(name)
            done.comparisons += len(part.comparisons)
            done.requests += len(part.lines)


@dataclass
class _Part:
    """What goes into one file."""

    lines: list[str] = field(default_factory=list)
    comparisons: list[int] = field(default_factory=list)
    bytes: int = 0

    def has_room(self, lines: Sequence[str], size: int) -> bool:
        return (
            len(self.lines) + len(lines) <= MOST_REQUESTS and self.bytes + size <= MOST_BYTES
        ) or not self.lines


def _parts(
    store: Store, row: RunRow, judge: Batchable, asked: bool, limit: int | None
) -> Iterator[_Part]:
    """What a run has not asked, in portions that a file may hold; the votes of a comparison stay
    together.
    """
    part, unsent = _Part(), store.batches.unsent(row.id)[:limit]
    judge_id = store.judges.id_of(row.judge)
    for start in range(0, len(unsent), AT_ONCE):
        for question in store.runs.questions(row.id, unsent[start : start + AT_ONCE]):
            if failure := unanswerable(question):
                told = [(question.comparison, failure)]
                store.judgements.add_answers(row.id, judge_id, row.trial, told)
                continue
            lines = _lines(judge, question, asked)
            size = sum(len(line.encode()) for line in lines)
            if not part.has_room(lines, size):
                yield part
                part = _Part()
            part.lines += lines
            part.comparisons.append(question.comparison)
            part.bytes += size
    if part.lines:
        yield part


def _lines(judge: Batchable, question: Question, asked: bool) -> list[str]:
    """The requests that ask a comparison; each says which of its votes it brings."""
    bodies, votes = judge.bodies(question, asked=asked), judge.spec.votes
    each = votes // len(bodies)
    digest = _digest(judge, bodies[0]["messages"][-1]["content"])
    head = f"c{question.comparison}-t{question.trial}"
    return [
        request_line(f"{head}-v{each * number + 1}-{each * (number + 1)}-{digest}", body)
        for number, body in enumerate(bodies)
    ]


def _digest(judge: Batchable, prompt: str) -> str:
    """Of what a comparison was asked with."""
    return sha256(f"{judge.spec.name}\0{prompt}".encode()).hexdigest()[:12]


def collect_at_server(store: Store, run: int, judge: Batchable) -> Collected:
    """Fetch what the judge's server has answered of the batches of a run, and store it. A batch
    that has ended waits no longer: what it did not answer may be asked again.
    """
    service, done = BatchService(judge.endpoint.first), Collected(run)
    for batch in store.batches.open(run):
        if not batch.name:
            continue
        now = service.progress(batch.name)
        wrong = f" ({now.error})" if now.error else ""
        done.states.append(f"{batch.name}: {now.state}, {now.completed:,} of {now.total:,}{wrong}")
        for file in now.files:
            _take(store, run, judge, service.lines(file), done)
        if now.ended:
            store.batches.end(batch.id)
    return _closed(store, done)


def collect(store: Store, run: int, judge: Batchable, lines: Iterable[str]) -> Collected:
    """Store what the lines of a file of results say; in any order, in part, or more than once."""
    done = Collected(run)
    _take(store, run, judge, lines, done)
    return _closed(store, done)


def give_up(store: Store, run: int, judge: Batchable | None) -> int:
    """Let nothing of a run wait any longer, and stop its batches at the judge's server: how many
    comparisons may be asked again. What was answered meanwhile can no longer be collected.
    """
    waiting = store.batches.waiting(run).get(run, 0)
    for batch in store.batches.open(run):
        if batch.name and judge:
            BatchService(judge.endpoint.first).cancel(batch.name)
        store.batches.end(batch.id)
    return waiting


def _closed(store: Store, done: Collected) -> Collected:
    store.batches.end_answered(done.run)
    done.waiting = store.batches.waiting(done.run).get(done.run, 0)
    counts = store.runs.counts(done.run)
    if counts["asked"] >= counts["planned"]:
        standing = (Status.QUEUED, Status.CANCELLED, Status.FAILED)
        store.runs.set_status(done.run, Status.DONE, only_from=standing)
    return done


def _take(store: Store, run: int, judge: Batchable, lines: Iterable[str], done: Collected) -> None:
    """Store the answers among lines of results, some at a time."""
    trial, votes = store.runs.get(run).trial, judge.spec.votes
    parts: dict[int, dict[tuple[int, int], _Vote]] = {}
    ready: list[list[_Vote]] = []
    for line in lines:
        if not line.strip():
            continue
        vote = _vote(line, trial, done)
        if vote is None:
            continue
        there = parts.setdefault(vote.comparison, {})
        if there.setdefault(vote.span, vote) is not vote:
            done.repeated += 1
            continue
        if sum(last - first + 1 for first, last in there) >= votes:
            ready.append(list(parts.pop(vote.comparison).values()))
        if len(ready) >= AT_ONCE:
            _store(store, run, judge, ready, done)
            ready = []
    _store(store, run, judge, ready, done)
    lacking = store.runs.unanswered(run, list(parts))
    done.incomplete += len(lacking)
    done.repeated += sum(len(spans) for number, spans in parts.items() if number not in lacking)


@dataclass(frozen=True)
class _Vote:
    """A result, and which votes of which comparison it brings."""

    comparison: int
    span: tuple[int, int]
    digest: str
    result: Result


def _vote(line: str, trial: int, done: Collected) -> _Vote | None:
    result = read_result(line)
    if result is None:
        done.unreadable += 1
        return None
    named = _ID.fullmatch(result.custom_id)
    if named is None or int(named[2]) != trial:
        done.foreign += 1
        return None
    return _Vote(int(named[1]), (int(named[3]), int(named[4])), named[5], result)


def _store(
    store: Store, run: int, judge: Batchable, ready: Sequence[list[_Vote]], done: Collected
) -> None:
    """Store the answers of comparisons of which all votes are there."""
    row = store.runs.get(run)
    every = {
        one.comparison: one for one in store.runs.questions(run, [v[0].comparison for v in ready])
    }
    unanswered = store.runs.unanswered(run, list(every))
    answers: dict[int, Answer] = {}
    released: list[int] = []
    for votes in ready:
        question = every.get(votes[0].comparison)
        if question is None or {vote.digest for vote in votes} != {_asked_with(judge, question)}:
            done.foreign += len(votes)
        elif question.comparison in answers or question.comparison not in unanswered:
            done.repeated += len(votes)
        elif any(vote.result.unasked for vote in votes):
            done.expired += 1
            released.append(question.comparison)
        else:
            answers[question.comparison] = _answer(judge, question, votes)
    judge_id = store.judges.id_of(row.judge)
    with store.transaction():
        store.judgements.add_answers(run, judge_id, row.trial, answers.items())
        store.batches.release(run, [*released, *answers])
    for answer in answers.values():
        done.answered += 1
        done.failed += bool(answer.failure)
        done.too_long += answer.failure == TOO_LONG
        done.tokens += answer.tokens
        done.completion_tokens += answer.completion_tokens


def _asked_with(judge: Batchable, question: Question) -> str:
    [body, *_] = judge.bodies(question, asked=False)
    return _digest(judge, body["messages"][-1]["content"])


def _answer(judge: Batchable, question: Question, votes: Sequence[_Vote]) -> Answer:
    try:
        each = [
            judge.completion(question, vote.result.status, vote.result.body)
            for vote in sorted(votes, key=lambda vote: vote.span)
        ]
        whole, wanted = sum(each, Completion(())), judge.spec.votes
        came = sum(not choice.failure for choice in whole.choices)
        if 0 < len(whole.choices) < wanted and came:
            return Answer(failure=f"{ERROR}: {came} of {wanted} votes came back", **whole.spent)
        return judge.answered(question, whole)
    except Exception as error:
        return Answer(failure=because(error))
