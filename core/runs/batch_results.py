"""Results of batches, read whenever they come: in any order, in part, or more than once.

Which comparison a result answers is in its `custom_id`, with a digest of judge and prompt: results
of another store, judge or wording are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
    service, collector = BatchService(judge.endpoint), _Collector(store, run, judge)
    batches = [batch for batch in store.batches.open(run) if batch.name]
    done, refusals = collector.done, list[TandemError]()
    ended: dict[int, tuple[str, ...]] = {}
    files: dict[str, str] = {}
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

    def fetch() -> Iterator[str]:
        for file, batch in files.items():
            try:
                yield from service.lines(file)
            except GoneError as gone:
                done.states.append(f"{batch}: {gone}")
                lost.add(file)

    collector.take(fetch())  # together: votes of a comparison may be in several files
    for number, its_files in ended.items():
        if lost.isdisjoint(its_files):
            store.batches.end(number)
        else:
            done.unknown += 1
    return collector.close()


def collect(store: Store, run: int, judge: Batchable, lines: Iterable[str]) -> BatchCollection:
    """Store what the lines of a file of results say; in any order, in part, or more than once."""
    collector = _Collector(store, run, judge)
    collector.take(lines)
    return collector.close()


@dataclass(frozen=True)
class _Vote:
    """A result, its line, and the votes of a comparison that it brings."""

    comparison: int
    span: tuple[int, int]
    digest: str
    result: BatchLineResult
    line: str

    @property
    def count(self) -> int:
        """The number of votes that were asked for."""
        return self.span[1] - self.span[0] + 1


class _Collector:
    """It stores the results of a run's batches, and counts in `done` what came.

    The votes of comparisons that lack others are kept for these.
    """

    def __init__(self, store: Store, run: int, judge: Batchable) -> None:
        self._store, self._judge, self._run = store, judge, store.runs.get(run)
        self._partial: dict[tuple[int, str], dict[tuple[int, int], _Vote]] = {}
        self.done = BatchCollection(run)

    def take(self, lines: Iterable[str]) -> None:
        """Store the answers among lines of results, some at a time, with the votes kept before."""
        run, batches = self._run.id, self._store.batches
        ready, unasked = list[list[_Vote]](), list[_Vote]()
        for line in batches.kept_votes(run).values():
            if vote := self._read_vote(line, BatchCollection(run)):
                ready += self._gather(vote)
        try:
            for line in filter(str.strip, lines):
                vote = self._read_vote(line, self.done)
                if vote is None:
                    continue
                if vote.result.unasked:
                    unasked.append(vote)
                elif vote.span in self._partial.get((vote.comparison, vote.digest), {}):
                    self.done.repeated += 1
                else:
                    ready += self._gather(vote)
                if len(ready) >= AT_ONCE:
                    self._store_answers(ready)
                    ready = []
            self._store_answers(ready)
        finally:
            votes = [vote for there in self._partial.values() for vote in there.values()]
            lacking = self._store.runs.list_unanswered(
                run, list({vote.comparison for vote in votes})
            )
            rest = [vote for vote in votes if vote.comparison in lacking]
            kept = ((vote.comparison, vote.result.custom_id, vote.line) for vote in rest)
            batches.keep_votes(run, kept)
        self.done.repeated += len(votes) - len(rest)
        freed = self._release(unasked)
        self.done.incomplete += len({vote.comparison for vote in rest} - freed)

    def close(self) -> BatchCollection:
        """End the batches for which nothing waits any more, and the run where all is answered."""
        run, done = self._run.id, self.done
        self._store.batches.end_answered(run)
        done.waiting = self._store.batches.count_waiting(run).get(run, 0)
        counts = self._store.run_counts.counts(run)
        if counts["asked"] >= counts["planned"]:
            standing = (Status.QUEUED, Status.CANCELLED, Status.FAILED)
            self._store.runs.set_status(run, Status.DONE, only_from=standing)
        return done

    def _read_vote(self, line: str, done: BatchCollection) -> _Vote | None:
        """Read a line, or count in `done` why it holds no vote of this run."""
        result = read_result(line)
        if result is None:
            done.unreadable += 1
            return None
        named = _ID.fullmatch(result.custom_id)
        if named is None or int(named[2]) != self._run.trial:
            done.foreign += 1
            return None
        return _Vote(int(named[1]), (int(named[3]), int(named[4])), named[5], result, line)

    def _gather(self, vote: _Vote) -> list[list[_Vote]]:
        """Add a vote; return all votes of its comparison, in a list, once it is whole."""
        key, wanted = (vote.comparison, vote.digest), self._judge.spec.votes
        there = self._partial.setdefault(key, {})
        there[vote.span] = vote
        if vote.span == (1, wanted):  # in one answer, whatever came one by one
            del self._partial[key]
            return [[vote]]
        if sum(one.count for one in there.values()) < wanted:
            return []
        return [list(self._partial.pop(key).values())]

    def _match(self, groups: Sequence[list[_Vote]]) -> Iterator[tuple[Question, list[_Vote]]]:
        """Yield the votes of each comparison that has no answer, and count the others."""
        runs, run = self._store.runs, self._run.id
        questions = runs.questions(run, [votes[0].comparison for votes in groups])
        asked = {question.comparison: question for question in questions}
        unanswered = runs.list_unanswered(run, list(asked))
        for votes in groups:
            question = asked.get(votes[0].comparison)
            if question is None or votes[0].digest != self._asked_with(question):
                self.done.foreign += len(votes)
            elif question.comparison not in unanswered:
                self.done.repeated += len(votes)
            else:
                yield question, votes

    def _store_answers(self, ready: Sequence[list[_Vote]]) -> None:
        run, done, answers = self._run, self.done, dict[int, Answer]()
        for question, votes in self._match(ready):
            if question.comparison in answers:
                done.repeated += len(votes)
            else:
                answers[question.comparison] = self._answer(question, votes)
        judge = self._store.judges.id_of(run.judge)
        with self._store.transaction():
            self._store.judgements.add_answers(run.id, judge, run.trial, answers.items())
            self._store.batches.release(run.id, list(answers))
        for answer in answers.values():
            done.answered += 1
            done.failed += bool(answer.failure)
            done.too_long += answer.failure == TOO_LONG
            done.tokens += answer.tokens
            done.completion_tokens += answer.completion_tokens

    def _release(self, unasked: Sequence[_Vote]) -> set[int]:
        """Free the unanswered comparisons with a vote that was never asked; return their rows."""
        freed: set[int] = set()
        for start in range(0, len(unasked), AT_ONCE):
            votes = [[vote] for vote in unasked[start : start + AT_ONCE]]
            freed |= {question.comparison for question, _ in self._match(votes)}
        self._store.batches.release(self._run.id, list(freed))
        self.done.expired += len(freed)
        return freed

    def _asked_with(self, question: Question) -> str:
        [body, *_] = self._judge.bodies(question, asked=False)
        return make_digest(self._judge, body["messages"][-1]["content"])

    def _answer(self, question: Question, votes: Sequence[_Vote]) -> Answer:
        try:
            each = [
                self._judge.completion(question, vote.result.status, vote.result.body, vote.count)
                for vote in sorted(votes, key=lambda vote: vote.span)
            ]
            whole, wanted = sum(each, Completion(())), self._judge.spec.votes
            came = sum(not choice.failure for choice in whole.choices)
            if 0 < len(whole.choices) < wanted and came:
                failure = f"{ERROR}: {came} of {wanted} votes came back"
                return Answer(failure=failure, **whole.usage)
            return self._judge.build_answer(question, whole)
        except Exception as error:
            return Answer(failure=describe_error(error))
