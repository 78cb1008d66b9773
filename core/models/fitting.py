"""Fitting questions to a model: to what it can read, by leaving out the end of the context, never a candidate or the
question; and to its memory, in batches of about the same length."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from core.records import Candidate, Question


class Filled(Protocol):
    """A question as the model reads it: how many tokens that is, and how many characters of the context were `cut`."""

    @property
    def length(self) -> int: ...

    @property
    def cut(self) -> int: ...


Q = TypeVar("Q", Question, Candidate)
F = TypeVar("F", bound=Filled)
A = TypeVar("A")


def fit(question: Q, fill: Callable[[Q], F], limit: int) -> F | None:
    """The question with as much of its context as `limit` tokens hold, or None when that is nothing.

    Cut between words; in writing without spaces, between stretches of 20 characters.
    """
    filled = fill(question)
    if filled.length <= limit:
        return filled
    ends = [match.end() for match in re.finditer(r"\S{1,20}", question.context)]

    def until(end: int) -> Q:
        return replace(question, context=question.context[:end])

    kept = bisect_right(ends, limit, key=lambda end: fill(until(end)).length)
    if not kept:
        return None
    shortened: Any = fill(until(ends[kept - 1]))
    fitted: F = replace(shortened, cut=len(question.context) - ends[kept - 1])
    return fitted


def in_batches(
    filled: Mapping[int, F], size: int, answer: Callable[[Sequence[F]], list[A]], broken: Callable[[Exception], A]
) -> dict[int, A]:
    """Each question's answer. A batch that breaks (memory) is halved, until a question breaks on its own."""

    def answers(batch: Sequence[F]) -> list[A]:
        try:
            return answer(batch)
        except Exception as error:
            if len(batch) == 1:
                return [broken(error)]
            half = len(batch) // 2
            return answers(batch[:half]) + answers(batch[half:])

    # Neighbours of about the same length leave little to padding.
    order = sorted(filled, key=lambda index: filled[index].length)
    found: dict[int, A] = {}
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        found |= zip(batch, answers([filled[index] for index in batch]), strict=True)
    return found
