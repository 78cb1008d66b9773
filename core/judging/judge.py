"""Judging and scoring: a question about two texts becomes one answer, a text on its own one mark.

`make("baseline:longer")`, `make("hf:google/flan-t5-small")` or `make("openai:gpt-4o-mini")` gives a
judge, `make("baseline:rouge1")` or a model with `Options(mode="g-eval")` a scorer;
`judge.answers(questions)` gives as many answers in the same order. To make one is cheap: a model is
loaded by `judge.load()`, or by the first answer.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..failures import NO_REFERENCE, NO_TEXT
from ..models import Family, Respondent
from ..models.served import Completion, Endpoint
from ..records import Answer, Candidate, JudgeSpec, Mark, Question
from .prompts import needs_reference

BASELINE = Family("baseline")

COMPARING_MODES = {
    "classifier": "the probabilities the model gives the label words, in one reading",
    "generate": "what the model writes when it writes the likeliest words",
    "sample": "the share of several sampled answers",
}
"""How an LLM's answer to a comparison becomes a judgement."""

MARKING_MODES = {
    "score": "the score that the model writes, from 1 to 10 by default",
    "g-eval": "the expected score, over the probabilities the model gives the scores of the scale",
    "gptscore": "how likely the text is as the answer to a prompt that asks for it: mean "
    "log-likelihood of its tokens",
}
"""How a model marks a text."""


Q = TypeVar("Q", Question, Candidate)
A = TypeVar("A", Answer, Mark)


class JudgingRespondent(Respondent[Q, A]):
    """A respondent that judges texts. `spec` holds all that can change an answer."""

    spec: JudgeSpec

    def refuse(self, question: Q) -> A | None:
        """Return the failure of a question that nobody can answer, None where it can: a text is
        not available ('' is a text), or the reference that the prompt shows.
        """
        if isinstance(question, Candidate):
            texts = [question.text]
        else:
            texts = [question.text_a, question.text_b]
        if None not in texts and (question.references or not needs_reference(self.spec)):
            return None
        failure = NO_TEXT if None in texts else NO_REFERENCE
        return self.reply_type(failure=failure)  # type: ignore[no-any-return]


class Judge(JudgingRespondent[Question, Answer]):
    """A respondent that says which of two texts is better."""

    reply_type = Answer


class Scorer(JudgingRespondent[Candidate, Mark]):
    """A respondent that marks a text on its own."""

    reply_type = Mark


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

    def refuse(self, question: Question) -> Answer | None:
        """Return the failure of a question that it cannot answer, None where it can."""

    def bodies(self, question: Question, *, asked: bool) -> list[dict[str, Any]]:
        """Return the request bodies of a question; `asked`: the server was asked what it can."""

    def completion(self, question: Question, status: int, body: Any, n: int) -> Completion:
        """Return the completion that a server's status and body make of `n` texts asked for."""

    def build_answer(self, question: Question, completion: Completion) -> Answer:
        """Build the answer to a question from its completion."""
