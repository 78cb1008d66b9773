"""Judges and scorers on this machine: what all ways to get an answer out of a model have in common.

A question is fitted to what the model reads by leaving out the end of its context, never a
candidate or the question; and to its memory by halving what was too much at once.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...failures import TOO_LONG, describe_error
from ...models import Options
from ...models.local import OnThisMachine, Tokens, halve_broken, loading
from ...records import Answer, Prompt, Question, TandemError
from .. import prompts
from ..judge import A, Judge, JudgingRespondent, Q
from ..llm_spec import COMPARING, llm_spec

READ_BY = ("system_prompt", "truncation", "batch_tokens", "dtype", "engine")
OPTIONS = (*COMPARING, *READ_BY)
"""The options of every local model that compares."""


@dataclass(frozen=True)
class FilledQuestion:
    """A question as the model reads it, which takes `length` tokens; `cut` characters of its
    context were left out. `labels` are the words that answer a comparison, in its own nouns.
    """

    tokens: Tokens
    length: int
    labels: tuple[str, ...] = ()
    trial: int = 0
    cut: int = 0

    @property
    def read(self) -> int:
        """Number of prompt tokens that the model reads."""
        return len(self.tokens.prompt)

    @property
    def note(self) -> dict[str, int]:
        """Note in the stored answer of the characters cut from the context; empty if none were."""
        return {"context_cut": self.cut} if self.cut else {}


class LocalRespondent(OnThisMachine[Q, A], JudgingRespondent[Q, A]):
    """A language model as a judge or scorer, with a prompt.

    Where the prompt is too long for the model (or for `truncation`), the end of the context is left
    out; `raw` then says by how many characters. Failures of every mode: "no-text", "no-reference",
    "too-long" (even without context), "error: ...".
    """

    mode: str
    max_new_tokens = 0
    """How many tokens it may write after the prompt."""
    draws = False
    """Whether the seed plays a part."""

    def __init__(self, name: str, options: Options, prompt: Prompt) -> None:
        spec, called = loading.identity(name)
        own = replace(options, mode=self.mode)
        self.spec = llm_spec(spec, called, prompt, own, seed=options.seed if self.draws else 0)
        self._prompt, self._options = prompt, options

    @property
    def model_name(self) -> str:
        return self.spec.spec.removeprefix("hf:")

    def answers(self, questions: Sequence[Q]) -> list[A]:
        answers: dict[int, A] = {}
        asked: dict[int, FilledQuestion] = {}
        for index, question in enumerate(questions):
            # Such a question needs no model, not even its limit.
            if (failure := self.refuse(question)) is not None:
                answers[index] = failure
                continue
            try:
                limit = self._model.limit
                most = min(limit - self.max_new_tokens, self.spec.truncation or limit)
                fitted = fit(question, self._fill, most)
            except TandemError:
                raise
            except Exception as error:
                answers[index] = self._fail(error)
            else:
                if fitted is None:
                    answers[index] = self.reply_type(failure=TOO_LONG)
                else:
                    asked[index] = fitted
        found = halve_broken(list(asked.values()), self._answer_fitted, self._fail)
        answers |= zip(asked, found, strict=True)
        return [answers[index] for index in range(len(questions))]

    def _fail(self, error: Exception) -> A:
        return self.reply_type(failure=describe_error(error))  # type: ignore[no-any-return]

    def _answer_fitted(self, batch: Sequence[FilledQuestion]) -> list[A]:
        return [
            replace(answer, context_cut=filled.cut)
            for filled, answer in zip(batch, self._answers(batch), strict=True)
        ]

    def _log_probabilities(self, batch: Sequence[FilledQuestion]) -> list[tuple[float, ...]]:
        return self._model.log_probabilities(
            [filled.tokens for filled in batch], self._options.batch_tokens
        )

    @abstractmethod
    def _fill(self, question: Q) -> FilledQuestion: ...

    @abstractmethod
    def _answers(self, batch: Sequence[FilledQuestion]) -> list[A]: ...


class LocalJudge(Judge, LocalRespondent[Question, Answer]):
    """A language model as a judge."""

    own: tuple[str, ...] = ()
    """What it takes besides the options of all of them."""

    def __init__(self, name: str, options: Options) -> None:
        prompt = options.prompt or prompts.PROMPTS["comparative"]
        prompts.check(prompt.template, tie=options.tie)
        super().__init__(name, options, prompt)
        self._form = prompts.form_of(prompt)

    def _fill(self, question: Question) -> FilledQuestion:
        text = prompts.fill(self._prompt, question, self.spec.labels)
        labels = prompts.fill_labels(self.spec.labels, question)
        tokens = self._tokens(text, labels, prompts.fill_system(self.spec, question))
        return FilledQuestion(tokens, self._model.length(tokens), labels, question.trial)

    def _tokens(self, text: str, labels: tuple[str, ...], system: str) -> Tokens:
        return self._model.tokens(text, system=system)


def fit(question: Q, fill: Callable[[Q], FilledQuestion], limit: int) -> FilledQuestion | None:
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
    end = ends[kept - 1]
    return replace(fill(cut_context(end)), cut=len(question.context) - end)
