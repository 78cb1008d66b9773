"""An LLM as a prompt-based classifier of comparisons."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core import prompts
from core.judging import NO_LABEL, TOO_LONG, Judge, because, unanswerable
from core.models import language
from core.models.fitting import fit, in_batches
from core.records import Answer, JudgeSpec, Kind, Prompt, Question, TandemError


@dataclass(frozen=True)
class Filled:
    """A comparison as the model reads it; `cut` characters of its context were left out."""

    tokens: language.Tokens
    length: int
    cut: int = 0


class PromptClassifier(Judge):
    """p(A) = P(w_A | prompt) / (P(w_A | prompt) + P(w_B | prompt)) (Liusie et al. 2024, eq. 3).

    w_A and w_B are the label words, "Summary A" and "Summary B"; a label's probability is the product over its
    teacher-forced tokens, without an end-of-text token. Where the prompt is too long for the model (or for `truncation`),
    the end of the context is left out, never a candidate or the question; `raw` then says by how many characters.
    Failures: "no-text", "too-long" (even without context), "no-label" (neither label has a probability), "error: ...".
    """

    def __init__(
        self,
        name: str,
        *,
        prompt: Prompt,
        labels: tuple[str, ...] = prompts.DEFAULT_LABELS,
        truncation: int | None = None,
        batch_size: int = 8,
    ) -> None:
        prompts.check(prompt.template)
        spec, short = language.identity(name)
        options = [f"labels:{'/'.join(labels)}"] if labels != prompts.DEFAULT_LABELS else []
        options += [f"truncation:{truncation}"] if truncation is not None else []
        self.spec = JudgeSpec(
            name="|".join([short, f"{prompt.name}@{prompt.version}", "classifier", *options]),
            kind=Kind.LLM,
            spec=spec,
            prompt=prompt,
            mode="classifier",
            labels=labels,
            truncation=truncation,
        )
        self._prompt, self._labels, self._batch_size = prompt, labels, batch_size

    def load(self) -> None:
        _ = self._model

    @cached_property
    def _model(self) -> language.LanguageModel:
        return language.load(self.spec.spec.removeprefix("hf:"))

    @property
    def _limit(self) -> int:
        return min(self._model.limit, self.spec.truncation or self._model.limit)

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        prepared = [self._prepare(question) for question in questions]
        answers = {index: item for index, item in enumerate(prepared) if isinstance(item, Answer)}
        filled = {index: item for index, item in enumerate(prepared) if isinstance(item, Filled)}
        answers |= in_batches(filled, self._batch_size, self._judge, lambda error: Answer(failure=because(error)))
        return [answers[index] for index in range(len(questions))]

    def _prepare(self, question: Question) -> Filled | Answer:
        if failure := unanswerable(question):
            return failure
        try:
            return fit(question, self._fill, self._limit) or Answer(failure=TOO_LONG)
        except TandemError:
            raise
        except Exception as error:
            return Answer(failure=because(error))

    def _fill(self, question: Question) -> Filled:
        text = prompts.fill(self._prompt, question, self._labels)
        tokens = self._model.tokens(text, prompts.fill_labels(self._labels, question))
        return Filled(tokens, self._model.length(tokens))

    def _judge(self, batch: Sequence[Filled]) -> list[Answer]:
        scores = self._model.log_probabilities([filled.tokens for filled in batch])
        return [_answer(filled, *score) for filled, score in zip(batch, scores, strict=True)]


def _answer(filled: Filled, logp_a: float, logp_b: float) -> Answer:
    note = {"logp_a": logp_a, "logp_b": logp_b} | ({"context_cut": filled.cut} if filled.cut else {})
    tokens = len(filled.tokens.prompt)
    raw = json.dumps({key: _json(value) for key, value in note.items()})
    if math.isnan(logp_a) or math.isnan(logp_b) or max(logp_a, logp_b) == -math.inf:
        return Answer(failure=NO_LABEL, raw=raw, tokens=tokens)
    # In logarithms: the product over a long label may underflow, the ratio does not.
    top = max(logp_a, logp_b)
    weight_a, weight_b = math.exp(logp_a - top), math.exp(logp_b - top)
    return Answer.from_probability(weight_a / (weight_a + weight_b), raw=raw, tokens=tokens)


def _json(value: float) -> float | str:
    """JSON has no infinity and no NaN."""
    return round(value, 6) if math.isfinite(value) else str(value)
