"""Results of batches, read whenever they come: in any order, in part, or more than once.

Which comparison a result answers is in its `custom_id`, with a digest of judge and prompt: results
of another store, judge or wording are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ..failures import ERROR, TOO_LONG, describe_error
from ..judging import Batchable
from ..models.served import BatchLineResult, BatchService, Completion, GoneError, read_result
from ..records import Answer, Question, Status, TandemError
from ..store import Store

AT_ONCE = 500  # comparisons read and stored at a time
_ID = re.compile(r"c(\d{1,18})-t(\d{1,10})-v(\d{1,4})-(\d{1,4})-([0-9a-f]{12})")


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


def make_digest(judge: Batchable, prompt: str) -> str:
    """Return a short hash of the judge and the prompt of a comparison."""
    return sha256(f"{judge.spec.name}\0{prompt}".encode()).hexdigest()[:12]


def collect_at_server(store: Store, run: int, judge: Batchable) -> BatchCollection:
    """Fetch what the judge's server has answered of the batches of a run, and store it.

    A batch that has ended waits no longer: what it did not answer may be asked again. A batch that
    the server does not show, or whose files it does not give, stays open: another key may see it.
    Raises TandemError when the server gives no state of any batch.
    """
    service, done = BatchService(judge.endpoint), BatchCollection(run)
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


def _close_batches(store: Store, done: BatchCollection) -> BatchCollection:
    store.batches.end_answered(done.run)
    done.waiting = store.batches.count_waiting(done.run).get(done.run, 0)
    counts = store.run_counts.counts(done.run)
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
    return make_digest(judge, body["messages"][-1]["content"])


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
