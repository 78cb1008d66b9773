"""Respondents: whoever answers many questions on its own, a model, a server or a rule.

A judge answers comparisons, a scorer marks single texts, a sampler writes texts. What they have in
common is how they are fed: questions come as an iterator, answers leave as they are there, so that
a run can put them into the store at once and never holds more than it needs.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")

BATCH_SECONDS = 1.0  # answers leave about this long after they exist
MOST = 2000  # questions at once, however fast the answers


class Respondent(ABC, Generic[Q, A]):
    """Whoever answers questions on its own.

    `load` gets ready what answering needs, and raises TandemError when that fails (a model is not
    there); again it does nothing. `answers` keeps order and length. No single question makes it
    raise: what cannot be answered is an answer with a failure. It raises TandemError when the
    respondent itself cannot work (its labels are unusable).
    """

    def load(self) -> None:
        """Nothing to get ready."""

    @abstractmethod
    def answers(self, questions: Sequence[Q]) -> list[A]: ...

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        """Answers with their questions, in lists at most a second or so apart, until the questions
        end.

        Here in batches that take about that long. Who has several questions in flight at once
        overrides it; an empty list then says that it is still there.
        """
        size = 4
        while batch := list(islice(questions, size)):
            began = time.monotonic()
            yield list(zip(batch, self.answers(batch), strict=True))
            took = time.monotonic() - began
            size = max(1, min(int(size * BATCH_SECONDS / max(took, 1e-3)), 4 * size, MOST))
