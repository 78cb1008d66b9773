"""Batches: the requests of a run handed over as files, and their results read whenever they come.

Which comparison a result answers is in its `custom_id`, with a digest of judge and prompt: results
of another store, judge or wording are recognized. A comparison that waits for a batch is asked by
nobody else, until it is answered, released or given up.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..failures import ERROR, TOO_LONG, describe_error
from ..judging import Batchable, unanswerable
from ..models.served import (
    MOST_BYTES,
    MOST_REQUESTS,
    BatchLineResult,
    BatchService,
    Completion,
    GoneError,
    read_result,
    request_line,
)
from ..output_files import check_new_output, write_output
from ..pairing import Request, plan_portions, planning
from ..records import Answer, Question, Status, TandemError, option_ref
from ..scratch import scratch
from ..store import RunRow, Store
from .locks import claim

STOP_THERE = "Stop it where the server lists its batches."
AT_ONCE = 500  # comparisons read and stored at a time
_ID = re.compile(r"c(\d{1,18})-t(\d{1,10})-v(\d{1,4})-(\d{1,4})-([0-9a-f]{12})")


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


@dataclass
class BatchCollection:
    """Result of collecting a batch.

    Comparisons: `answered`; of these `failed` with a reason, `too_long` ones among them; `expired`,
    which the model was never asked; `incomplete`, with some votes missing; and those still
    `waiting`.

    Lines: `repeated` ones were there already, `foreign` ones belong to something else, `unreadable`
    ones are no results.

    `states` describes each batch that the server was asked about. `unknown` ones are not there,
    or not for this key.
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
    unknown: int = 0
    tokens: int = 0
    completion_tokens: int = 0
    states: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Summarize in a line: 90 answered, 2 of them failed; 3 expired; 5 still wait."""
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
        if to:
            _write_files(store, row, judge, done, to, asked, limit)
        else:
            _upload(store, row, judge, done, asked, limit)
        done.waiting = store.batches.count_waiting(run).get(run, 0)
    return done


def _write_files(
    store: Store,
    row: RunRow,
    judge: Batchable,
    done: BatchSubmission,
    to: Path,
    asked: bool,
    limit: int | None,
) -> None:
    for number, part in enumerate(_parts(store, row, judge, asked, limit), 1):
        file = to if number == 1 else to.with_name(f"{to.stem}-{number}{to.suffix}")
        check_new_output(file)
        with write_output(file) as path:
            path.write_text("".join(part.lines), encoding="utf-8")
        store.batches.add(row.id, part.comparisons, file=file.name)
        done.names.append(str(file))
        done.comparisons += len(part.comparisons)
        done.requests += len(part.lines)


def _upload(
    store: Store,
    row: RunRow,
    judge: Batchable,
    done: BatchSubmission,
    asked: bool,
    limit: int | None,
) -> None:
    service = BatchService(judge.endpoint.primary)
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
class _FilePart:
    """Contents of one file of requests."""

    lines: list[str] = field(default_factory=list)
    comparisons: list[int] = field(default_factory=list)
    bytes: int = 0

    def has_room(self, lines: Sequence[str], size: int) -> bool:
        return (
            len(self.lines) + len(lines) <= MOST_REQUESTS and self.bytes + size <= MOST_BYTES
        ) or not self.lines


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
            if failure := unanswerable(question):
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
    digest = _digest(judge, bodies[0]["messages"][-1]["content"])
    head = f"c{question.comparison}-t{question.trial}"
    names = [f"{head}-v{each * n + 1}-{each * (n + 1)}-{digest}" for n in range(len(bodies))]
    return [
        request_line(name, body)
        for name, body in zip(names, bodies, strict=True)
        if name not in kept
    ]


def _digest(judge: Batchable, prompt: str) -> str:
    """Return a short hash of the judge and the prompt of a comparison."""
    return sha256(f"{judge.spec.name}\0{prompt}".encode()).hexdigest()[:12]


def collect_at_server(store: Store, run: int, judge: Batchable) -> BatchCollection:
    """Fetch what the judge's server has answered of the batches of a run, and store it.

    A batch that has ended waits no longer: what it did not answer may be asked again. A batch that
    the server does not show, or whose files it does not give, stays open: another key may see it.
    Raises TandemError when the server gives no state of any batch.
    """
    service, done = BatchService(judge.endpoint.primary), BatchCollection(run)
    batches = [batch for batch in store.batches.open(run) if batch.name]
    ended: dict[int, tuple[str, ...]] = {}
    files: dict[str, str] = {}
    refusals: list[TandemError] = []
    for batch in batches:
        try:
            now = service.progress(batch.name)
        except TandemError as refusal:
            done.states.append(f"{batch.name}: {refusal}")
            done.unknown += isinstance(refusal, GoneError)
            refusals += [] if isinstance(refusal, GoneError) else [refusal]
            continue
        wrong = f" ({now.error})" if now.error else ""
        done.states.append(f"{batch.name}: {now.state}, {now.completed:,} of {now.total:,}{wrong}")
        files |= dict.fromkeys(now.files, batch.name)
        if now.has_ended:
            ended[batch.id] = now.files
    if refusals and len(refusals) == len(batches):
        raise refusals[0]
    lost: set[str] = set()
    # votes may be in several files
    _take(store, run, judge, _fetch_lines(service, files, done, lost), done)
    for number, its_files in ended.items():
        if lost.isdisjoint(its_files):
            store.batches.end(number)
        else:
            done.unknown += 1
    return _close_batches(store, done)


def _fetch_lines(
    service: BatchService, files: Mapping[str, str], done: BatchCollection, lost: set[str]
) -> Iterator[str]:
    """Yield the lines of files of results, with the batch of each; those that the server does not
    have are `lost`.
    """
    for file, batch in files.items():
        try:
            yield from service.lines(file)
        except GoneError as gone:
            done.states.append(f"{batch}: {gone}")
            lost.add(file)


def collect(store: Store, run: int, judge: Batchable, lines: Iterable[str]) -> BatchCollection:
    """Store what the lines of a file of results say; in any order, in part, or more than once."""
    done = BatchCollection(run)
    _take(store, run, judge, lines, done)
    return _close_batches(store, done)


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
                BatchService(judge.endpoint.primary).cancel(batch.name)
            except TandemError as refusal:
                refusals.append(f"{refusal}: it may go on there, and cost. {STOP_THERE}")
        store.batches.end(batch.id)
    return GivenUp(waiting, tuple(refusals))


def _close_batches(store: Store, done: BatchCollection) -> BatchCollection:
    store.batches.end_answered(done.run)
    done.waiting = store.batches.count_waiting(done.run).get(done.run, 0)
    counts = store.runs.counts(done.run)
    if counts["asked"] >= counts["planned"]:
        standing = (Status.QUEUED, Status.CANCELLED, Status.FAILED)
        store.runs.set_status(done.run, Status.DONE, only_from=standing)
    return done


def _take(
    store: Store, run: int, judge: Batchable, lines: Iterable[str], done: BatchCollection
) -> None:
    """Store the answers among lines of results, some at a time, with the votes that were kept. The
    votes of comparisons that lack others are kept for these.
    """
    trial, kept = store.runs.get(run).trial, store.batches.kept_votes(run).values()
    gathered, unasked = _PartialVotes(judge.spec.votes), list[_Vote]()
    ready = [
        whole for line in kept if (whole := gathered.add(_vote(line, trial, BatchCollection(run))))
    ]
    try:
        for vote in (_vote(line, trial, done) for line in lines if line.strip()):
            if vote is None:
                continue
            if vote.result.unasked:
                unasked.append(vote)
            elif gathered.has_vote(vote):
                done.repeated += 1
            elif whole := gathered.add(vote):
                ready.append(whole)
            if len(ready) >= AT_ONCE:
                _store(store, run, judge, ready, done)
                ready = []
        _store(store, run, judge, ready, done)
    finally:
        lacking = store.runs.list_unanswered(
            run, list({vote.comparison for vote in gathered.votes})
        )
        rest = [vote for vote in gathered.votes if vote.comparison in lacking]
        store.batches.keep_votes(run, ((one.comparison, one.name, one.line) for one in rest))
    done.repeated += sum(vote.comparison not in lacking for vote in gathered.votes)
    freed = _release(store, run, judge, unasked, done)
    done.incomplete += len({vote.comparison for vote in rest} - freed)


@dataclass(frozen=True)
class _Vote:
    """A result, its line, and the votes of a comparison that it brings."""

    comparison: int
    span: tuple[int, int]
    digest: str
    result: BatchLineResult
    line: str

    @property
    def name(self) -> str:
        return self.result.custom_id

    @property
    def count(self) -> int:
        """The number of votes that were asked for."""
        return self.span[1] - self.span[0] + 1


class _PartialVotes:
    """Votes of comparisons that still lack some."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._parts: dict[tuple[int, str], dict[tuple[int, int], _Vote]] = {}

    @property
    def votes(self) -> list[_Vote]:
        return [vote for there in self._parts.values() for vote in there.values()]

    def has_vote(self, vote: _Vote) -> bool:
        return vote.span in self._parts.get((vote.comparison, vote.digest), {})

    def add(self, vote: _Vote | None) -> list[_Vote]:
        """Add a vote; return all votes of its comparison once it is whole, else an empty list."""
        if vote is None:
            return []
        key = vote.comparison, vote.digest
        there = self._parts.setdefault(key, {})
        there[vote.span] = vote
        if vote.span == (1, self._wanted):  # in one answer, whatever came one by one
            del self._parts[key]
            return [vote]
        if sum(vote.count for vote in there.values()) < self._wanted:
            return []
        return list(self._parts.pop(key).values())


def _vote(line: str, trial: int, done: BatchCollection) -> _Vote | None:
    result = read_result(line)
    if result is None:
        done.unreadable += 1
        return None
    named = _ID.fullmatch(result.custom_id)
    if named is None or int(named[2]) != trial:
        done.foreign += 1
        return None
    return _Vote(int(named[1]), (int(named[3]), int(named[4])), named[5], result, line)


def _store(
    store: Store, run: int, judge: Batchable, ready: Sequence[list[_Vote]], done: BatchCollection
) -> None:
    """Store the answers of comparisons with all their votes."""
    row = store.runs.get(run)
    every = _questions(store, run, [votes[0].comparison for votes in ready])
    unanswered = store.runs.list_unanswered(run, list(every))
    answers: dict[int, Answer] = {}
    for votes in ready:
        question = every.get(votes[0].comparison)
        if question is None or votes[0].digest != _asked_with(judge, question):
            done.foreign += len(votes)
        elif question.comparison in answers or question.comparison not in unanswered:
            done.repeated += len(votes)
        else:
            answers[question.comparison] = _answer(judge, question, votes)
    judge_id = store.judges.id_of(row.judge)
    with store.transaction():
        store.judgements.add_answers(run, judge_id, row.trial, answers.items())
        store.batches.release(run, list(answers))
    for answer in answers.values():
        done.answered += 1
        done.failed += bool(answer.failure)
        done.too_long += answer.failure == TOO_LONG
        done.tokens += answer.tokens
        done.completion_tokens += answer.completion_tokens


def _release(
    store: Store, run: int, judge: Batchable, unasked: Sequence[_Vote], done: BatchCollection
) -> set[int]:
    """Free the unanswered comparisons with a vote that was never asked; return their rows."""
    freed: set[int] = set()
    for start in range(0, len(unasked), AT_ONCE):
        votes = unasked[start : start + AT_ONCE]
        every = _questions(store, run, [vote.comparison for vote in votes])
        unanswered = store.runs.list_unanswered(run, list(every))
        for vote in votes:
            question = every.get(vote.comparison)
            if question is None or vote.digest != _asked_with(judge, question):
                done.foreign += 1
            elif vote.comparison not in unanswered:
                done.repeated += 1
            else:
                freed.add(vote.comparison)
    store.batches.release(run, list(freed))
    done.expired += len(freed)
    return freed


def _questions(store: Store, run: int, comparisons: Sequence[int]) -> dict[int, Question]:
    return {each.comparison: each for each in store.runs.questions(run, comparisons)}


def _asked_with(judge: Batchable, question: Question) -> str:
    [body, *_] = judge.bodies(question, asked=False)
    return _digest(judge, body["messages"][-1]["content"])


def _answer(judge: Batchable, question: Question, votes: Sequence[_Vote]) -> Answer:
    try:
        each = [
            judge.completion(question, vote.result.status, vote.result.body, vote.count)
            for vote in sorted(votes, key=lambda vote: vote.span)
        ]
        whole, wanted = sum(each, Completion(())), judge.spec.votes
        came = sum(not choice.failure for choice in whole.choices)
        if 0 < len(whole.choices) < wanted and came:
            return Answer(failure=f"{ERROR}: {came} of {wanted} votes came back", **whole.usage)
        return judge.build_answer(question, whole)
    except Exception as error:
        return Answer(failure=describe_error(error))
