"""Judging with a model on this machine: what all ways to get an answer out of it have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...failures import NO_REFERENCE
from ...models import Options
from ...models.local import OnThisMachine, Tokens, loading
from ...records import Answer, Question
from .. import prompts
from ..judge import Judge, unanswerable
from ..llm_spec import COMPARING, llm_spec
from .context_fitting import answer_questions

READ_BY = ("system_prompt", "truncation", "batch_tokens", "dtype", "engine")
OPTIONS = (*COMPARING, *READ_BY)
"""The options of every local model that compares."""


@dataclass(frozen=True)
class FilledComparison:
    """A comparison as the model reads it; `cut` characters of its context were left out."""

    question: Question
    tokens: Tokens
    length: int
    labels: tuple[str, ...]
    cut: int = 0

    @property
    def note(self) -> dict[str, int]:
        """Note in the stored answer of the characters cut from the context; empty if none were."""
        return {"context_cut": self.cut} if self.cut else {}


class LocalJudge(OnThisMachine, Judge):
    """A language model as a judge.

    Where the prompt is too long for the model (or for `truncation`), the end of the context is left
    out, never a candidate or the question; `raw` then says by how many characters. Failures of
    every mode: "no-text", "too-long" (even without context), "error: ...".
    """

    mode: str
    max_new_tokens = 0
    """How many tokens it may write after the prompt."""
    draws = False
    """Whether the seed plays a part."""

    def __init__(self, name: str, options: Options) -> None:
        spec, called = loading.identity(name)
        prompt = options.prompt or prompts.PROMPTS["comparative"]
        prompts.check(prompt.template, tie=options.tie)
        own = replace(options, mode=self.mode)
        self.spec = llm_spec(spec, called, prompt, own, seed=options.seed if self.draws else 0)
        self._prompt, self._labels = prompt, self.spec.labels
        self._form = prompts.form_of(prompt)
        self._options = options

    @property
    def model_name(self) -> str:
        return self.spec.spec.removeprefix("hf:")

    def _limit(self) -> int:
        return min(
            self._model.limit - self.max_new_tokens, self.spec.truncation or self._model.limit
        )

    def _find_refusal(self, question: Question) -> Answer | None:
        missing = not question.references and prompts.needs_reference(self.spec)
        return unanswerable(question) or (Answer(failure=NO_REFERENCE) if missing else None)

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return answer_questions(
            questions,
            self._find_refusal,
            self._fill,
            self._limit,
            self._answers,
            lambda why: Answer(failure=why),
        )

    def _fill(self, question: Question) -> FilledComparison:
        text = prompts.fill(self._prompt, question, self._labels)
        labels = prompts.fill_labels(self._labels, question)
        tokens = self._tokens(text, labels, prompts.fill_system(self.spec, question))
        return FilledComparison(question, tokens, self._model.length(tokens), labels)

    def _tokens(self, text: str, labels: tuple[str, ...], system: str) -> Tokens:
        return self._model.tokens(text, system=system)

    @abstractmethod
    def _answers(self, batch: Sequence[FilledComparison]) -> list[Answer]: ...
