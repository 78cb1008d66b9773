"""Questions in batches for the workers of a pool, those about one item to one worker.

Prompts of an item begin alike, and a worker reads what they have in common once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Q = TypeVar("Q")

STRETCH = 4
"""Batches read ahead for a worker, so that an item stays with it. They are asked even if the run
is stopped meanwhile, and so are few."""

TRIES = 3
"""Workers that may die of a question before it counts as not answered."""


@dataclass(eq=False)
class QuestionBatch(Generic[Q]):
    """Questions for a worker. `deaths` workers have died with them in hand; they are then asked one
    by one, to find out which it was.
    """

    questions: list[Q]
    deaths: int = 0


@dataclass(eq=False)
class TaskQueue(Generic[Q]):
    """Deals out questions as they are wanted; `about` says which belong together."""

    questions: Iterator[Q]
    about: Callable[[Q], Hashable]
    _suspects: deque[QuestionBatch[Q]] = field(default_factory=deque)
    _returned: deque[deque[Q]] = field(default_factory=deque)
    _owned: dict[int, deque[Q]] = field(default_factory=dict)
    _read: deque[Q] = field(default_factory=deque)  # at most one, beyond the end of a stretch

    def take_batch(self, worker: int, size: int) -> QuestionBatch[Q] | None:
        """Return the next questions for a worker, None when there are no more: those a worker has
        died of, its own, new ones or, these being at an end, half of what another one has left.
        """
        if self._suspects:
            return self._suspects.popleft()
        own = self._owned.get(worker)
        if not own:
            own = self._owned[worker] = self._read_stretch(size) or self._take_half()
        questions = [own.popleft() for _ in range(min(size, len(own)))]
        return QuestionBatch(questions) if questions else None

    @property
    def is_done(self) -> bool:
        """Return whether all questions have been dealt."""
        if not self._read and (question := next(self.questions, None)) is not None:
            self._read.append(question)
        return not (self._suspects or self._returned or self._read or any(self._owned.values()))

    def record_death(self, batch: QuestionBatch[Q]) -> list[Q]:
        """Count that a worker died with this batch in hand, and return the questions that are given
        up. The others are asked again, one by one.
        """
        deaths = batch.deaths + 1
        if len(batch.questions) > 1:
            self._suspects += [QuestionBatch([question], deaths) for question in batch.questions]
        elif deaths < TRIES:
            self._suspects.appendleft(QuestionBatch(batch.questions, deaths))
        else:
            return batch.questions
        return []

    def put_back(self, batch: QuestionBatch[Q]) -> None:
        """Put back a batch that no worker has looked at."""
        if batch.deaths:
            self._suspects.appendleft(batch)
        else:
            self._returned.appendleft(deque(batch.questions))

    def release(self, worker: int) -> None:
        """Give what a worker had to the others."""
        if own := self._owned.pop(worker, None):
            self._returned.append(own)

    def _read_stretch(self, size: int) -> deque[Q]:
        """Read questions that belong together, up to a few batches, or as many of several groups as
        fill one batch.
        """
        if self._returned:
            return self._returned.popleft()
        stretch: deque[Q] = deque()
        while (question := self._read_next()) is not None:
            same = bool(stretch) and self.about(question) == self.about(stretch[-1])
            if len(stretch) >= (STRETCH * size if same else size):
                self._read.append(question)
                break
            stretch.append(question)
        return stretch

    def _read_next(self) -> Q | None:
        return self._read.popleft() if self._read else next(self.questions, None)

    def _take_half(self) -> deque[Q]:
        longest = max(self._owned.values(), key=len, default=deque[Q]())
        half = deque(longest.pop() for _ in range(len(longest) // 2))
        half.reverse()
        return half
