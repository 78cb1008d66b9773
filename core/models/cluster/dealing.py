"""Dealing: questions in portions, those about one item to one worker.

Prompts of an item begin alike, and a worker reads what they have in common once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Q = TypeVar("Q")

STRETCH = 4
"""Portions read ahead for a worker, so that an item stays with it. They are asked even if the run
is stopped meanwhile, and so are few."""

TRIES = 3
"""Workers that may die of a question before it counts as not answered."""


@dataclass(eq=False)
class Portion(Generic[Q]):
    """Questions for a worker. `deaths` workers have died with them in hand; they are then asked one
    by one, to find out which it was.
    """

    questions: list[Q]
    deaths: int = 0


@dataclass(eq=False)
class Dealer(Generic[Q]):
    """Deals out questions as they are wanted; `about` says which belong together."""

    questions: Iterator[Q]
    about: Callable[[Q], Hashable]
    _suspects: deque[Portion[Q]] = field(default_factory=deque)
    _returned: deque[deque[Q]] = field(default_factory=deque)
    _own: dict[int, deque[Q]] = field(default_factory=dict)
    _read: deque[Q] = field(default_factory=deque)  # at most one, beyond the end of a stretch

    def portion(self, worker: int, size: int) -> Portion[Q] | None:
        """The next questions for a worker, None when there are no more: those a worker has died of,
        its own, new ones or, these being at an end, half of what another one has left.
        """
        if self._suspects:
            return self._suspects.popleft()
        own = self._own.get(worker)
        if not own:
            own = self._own[worker] = self._stretch(size) or self._half()
        questions = [own.popleft() for _ in range(min(size, len(own)))]
        return Portion(questions) if questions else None

    @property
    def done(self) -> bool:
        """Whether all has been dealt."""
        if not self._read and (question := next(self.questions, None)) is not None:
            self._read.append(question)
        return not (self._suspects or self._returned or self._read or any(self._own.values()))

    def lost(self, portion: Portion[Q]) -> list[Q]:
        """A worker died with this portion in hand. Its questions are asked again, one by one; those
        given up are returned.
        """
        deaths = portion.deaths + 1
        if len(portion.questions) > 1:
            self._suspects += [Portion([question], deaths) for question in portion.questions]
        elif deaths < TRIES:
            self._suspects.appendleft(Portion(portion.questions, deaths))
        else:
            return portion.questions
        return []

    def back(self, portion: Portion[Q]) -> None:
        """Nobody has looked at this portion: it is dealt anew."""
        if portion.deaths:
            self._suspects.appendleft(portion)
        else:
            self._returned.appendleft(deque(portion.questions))

    def gone(self, worker: int) -> None:
        """What a worker had before it goes to the others."""
        if own := self._own.pop(worker, None):
            self._returned.append(own)

    def _stretch(self, size: int) -> deque[Q]:
        """What belongs together, up to a few portions; or as much of several as fills one."""
        if self._returned:
            return self._returned.popleft()
        stretch: deque[Q] = deque()
        while (question := self._next()) is not None:
            same = bool(stretch) and self.about(question) == self.about(stretch[-1])
            if len(stretch) >= (STRETCH * size if same else size):
                self._read.append(question)
                break
            stretch.append(question)
        return stretch

    def _next(self) -> Q | None:
        return self._read.popleft() if self._read else next(self.questions, None)

    def _half(self) -> deque[Q]:
        longest = max(self._own.values(), key=len, default=deque[Q]())
        half = deque(longest.pop() for _ in range(len(longest) // 2))
        half.reverse()
        return half
