"""An LLM as a prompt-based classifier of comparisons."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from ...failures import NO_LABEL
from ...models import Member, Options
from ...models.local import HF, Tokens, common_prefix
from ...records import Answer, Outcome, TandemError, option_ref
from ..judge import COMPARING_MODES
from .local import OPTIONS, FilledQuestion, LocalJudge


class PromptClassifier(LocalJudge):
    """p(A) = P(w_A | prompt) / (P(w_A | prompt) + P(w_B | prompt)) (Liusie et al. 2024, eq. 3).

    w_A and w_B are the label words, "Summary A" and "Summary B"; a label's probability is the
    product over its teacher-forced tokens, without an end-of-text token. One reading answers a
    comparison where the labels differ in their last token alone. With a tie offered, p(A) still
    leaves its label out, and the outcome is a tie where that label is the likeliest of the three.
    `raw` has the labels' log-probabilities. One more failure: "no-label" (no label has a
    probability).
    """

    mode = "classifier"

    def __init__(self, name: str, options: Options) -> None:
        super().__init__(name, options)
        if self._form.name != "label-first":
            raise TandemError(
                f"{option_ref('mode')} classifier reads an answer that begins with a label, and "
                f"the prompt has the form {self._form.name}. Take {option_ref('mode')} generate "
                "or sample, or a prompt in the form label-first"
            )

    def _tokens(self, text: str, labels: tuple[str, ...], system: str) -> Tokens:
        tokens = self._model.tokens(text, labels, system)
        _must_differ(tokens, labels)
        return tokens

    def _answers(self, batch: Sequence[FilledQuestion]) -> list[Answer]:
        scores = self._log_probabilities(batch)
        return [_answer(filled, *of) for filled, of in zip(batch, scores, strict=True)]


def _answer(
    filled: FilledQuestion, logp_a: float, logp_b: float, logp_tie: float | None = None
) -> Answer:
    note = {"logp_a": logp_a, "logp_b": logp_b} | (
        {"logp_tie": logp_tie} if logp_tie is not None else {}
    )
    raw = json.dumps({key: _json(value) for key, value in note.items()} | filled.note)
    tokens = filled.read
    if any(map(math.isnan, note.values())) or max(note.values()) == -math.inf:
        return Answer(failure=NO_LABEL, raw=raw, tokens=tokens)
    top = max(logp_a, logp_b)
    if top == -math.inf:
        return Answer(Outcome.TIE, raw=raw, tokens=tokens)
    # In logarithms: the product over a long label may underflow, the ratio does not.
    weight_a, weight_b = math.exp(logp_a - top), math.exp(logp_b - top)
    answer = Answer.from_probability(weight_a / (weight_a + weight_b), raw=raw, tokens=tokens)
    return (
        replace(answer, outcome=Outcome.TIE) if logp_tie is not None and logp_tie > top else answer
    )


def _must_differ(tokens: Tokens, labels: tuple[str, ...]) -> None:
    """Check that no label begins another one.

    It would be the likelier for any model. Raises TandemError otherwise.
    """
    for index, first in enumerate(tokens.labels):
        for other, second in enumerate(tokens.labels[:index]):
            if common_prefix(first, second) == min(len(first), len(second)):
                raise TandemError(
                    f"to this model the label words {labels[other]!r} and {labels[index]!r} "
                    "begin alike; give other ones"
                )


def _json(value: float) -> float | str:
    """JSON has no infinity and no NaN."""
    return round(value, 6) if math.isfinite(value) else str(value)


MEMBER = Member(
    HF,
    "comparisons",
    PromptClassifier,
    mode="classifier",
    help=COMPARING_MODES["classifier"],
    options=OPTIONS,
)
