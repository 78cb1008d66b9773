"""Judging: a question about two texts becomes one answer.

`make("baseline:longer")`, `make("hf:google/flan-t5-small")` or `make("openai:gpt-4o-mini")` gives a
judge; `judge.answers(questions)` gives as many answers in the same order. To make a judge is cheap:
a model is loaded by `judge.load()`, or by the first answer.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Protocol, runtime_checkable

from ..failures import NO_TEXT
from ..models import Family, Respondent
from ..models.served import Completion, Endpoint
from ..records import Answer, JudgeSpec, Question

BASELINE = Family("baseline")

COMPARING_MODES = {
    "classifier": "the probabilities the model gives the label words, in one reading",
    "generate": "what the model writes when it writes the likeliest words",
    "sample": "the share of several sampled answers",
}
"""How an LLM's answer to a comparison becomes a judgement."""


class Judge(Respondent[Question, Answer]):
    """A respondent that says which of two texts is better.

    `spec` holds all that can change an answer.
    """

    spec: JudgeSpec


def unanswerable(question: Question) -> Answer | None:
    """Return the failure of a question no judge can answer: a text is not available.

    An empty text ('') is a text.
    """
    return Answer(failure=NO_TEXT) if question.text_a is None or question.text_b is None else None


@runtime_checkable
class Batchable(Protocol):
    """A judge whose requests can be handed over as a file, and answered whenever that comes back.

    `bodies` are the requests that ask a comparison; `completion` is what came back for one of them,
    HTTP status and body; `build_answer` makes the answer to a comparison of all completions.
    """

    spec: JudgeSpec
    note: str
    endpoint: Endpoint
    sampling_ways: MutableMapping[str, int] | None

    def load(self) -> None:
        """Prepare what answering needs. Raises TandemError if that fails."""

    def bodies(self, question: Question, *, asked: bool) -> list[dict[str, Any]]:
        """Return the request bodies of a question; `asked`: the server was asked what it can."""

    def completion(self, question: Question, status: int, body: Any, n: int) -> Completion:
        """Return the completion that a server's status and body make of `n` texts asked for."""

    def build_answer(self, question: Question, completion: Completion) -> Answer:
        """Build the answer to a question from its completion."""
