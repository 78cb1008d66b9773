"""Fitting questions to a model: to what it can read, by leaving out the end of the context, never a
candidate or the question; and to its memory, by halving what was too much at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from ...failures import TOO_LONG, describe_error
from ...records import Candidate, Question, TandemError


class FilledQuestion(Protocol):
    """A question as the model reads it: how many tokens that is, and how many characters of the
    context were `cut`.
    """

    @property
    def length(self) -> int:
        """Number of tokens of the filled question."""

    @property
    def cut(self) -> int:
        """Number of characters that were cut from the context."""


Q = TypeVar("Q", Question, Candidate)
F = TypeVar("F", bound=FilledQuestion)
A = TypeVar("A")


def fit(question: Q, fill: Callable[[Q], F], limit: int) -> F | None:
    """Return the question with as much of its context as `limit` tokens hold, or None when that is
    nothing.

    Cut between words; in writing without spaces, between stretches of 20 characters.
    """
    filled = fill(question)
    if filled.length <= limit:
        return filled
    ends = [match.end() for match in re.finditer(r"\S{1,20}", question.context)]

    def cut_context(end: int) -> Q:
        return replace(question, context=question.context[:end])

    kept = bisect_right(ends, limit, key=lambda end: fill(cut_context(end)).length)
    if not kept:
        return None
    shortened: Any = fill(cut_context(ends[kept - 1]))
    fitted: F = replace(shortened, cut=len(question.context) - ends[kept - 1])
    return fitted


def answer_questions(
    questions: Sequence[Q],
    refused: Callable[[Q], A | None],
    fill: Callable[[Q], F],
    limit: Callable[[], int],
    answer: Callable[[Sequence[F]], list[A]],
    failed: Callable[[str], A],
) -> list[A]:
    """Answer questions, in their order; an error with one becomes its failure, `failed(reason)`.

    `refused` gives the failure of a question that is not to be asked: such questions need no model,
    not even its `limit`. A TandemError concerns all questions, and is raised.
    """
    found: dict[int, A] = {}
    asked: dict[int, F] = {}
    for index, question in enumerate(questions):
        if (failure := refused(question)) is not None:
            found[index] = failure
            continue
        try:
            fitted = fit(question, fill, limit())
        except TandemError:
            raise
        except Exception as error:
            found[index] = failed(describe_error(error))
        else:
            if fitted is None:
                found[index] = failed(TOO_LONG)
            else:
                asked[index] = fitted
    answers = halving(list(asked.values()), answer, lambda error: failed(describe_error(error)))
    found |= zip(asked, answers, strict=True)
    return [found[index] for index in range(len(questions))]


def halving(
    batch: Sequence[F], answer: Callable[[Sequence[F]], list[A]], broken: Callable[[Exception], A]
) -> list[A]:
    """Return the answers to a batch; one that breaks (memory) is halved, until a question breaks on
    its own.
    """
    if not batch:
        return []
    try:
        return answer(batch)
    except Exception as error:
        if len(batch) == 1:
            return [broken(error)]
    # Not within `except`: the error would hold on to all that the failed try has put into the
    # memory.
    half = len(batch) // 2
    return halving(batch[:half], answer, broken) + halving(batch[half:], answer, broken)
