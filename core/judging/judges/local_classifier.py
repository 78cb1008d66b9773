"""An LLM as a prompt-based classifier of comparisons."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from ...failures import NO_LABEL
from ...models import Member, Options
from ...models.local import HF, LogProbabilities, Tokens, common_prefix
from ...records import Answer, Outcome, TandemError, option_ref
from ..judge import COMPARING_MODES
from .local import OPTIONS, FilledComparison, LocalJudge


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

    def _answers(self, batch: Sequence[FilledComparison]) -> list[Answer]:
        scores = self._model.log_probabilities(
            [filled.tokens for filled in batch], self._options.batch_tokens
        )
        return [
            replace(_answer(filled, *of), context_cut=filled.cut)
            for filled, of in zip(batch, scores, strict=True)
        ]


def _answer(
    filled: FilledComparison, logp_a: float, logp_b: float, logp_tie: float | None = None
) -> Answer:
    note = {"logp_a": logp_a, "logp_b": logp_b} | (
        {"logp_tie": logp_tie} if logp_tie is not None else {}
    )
    raw = json.dumps({key: _json(value) for key, value in note.items()} | filled.note)
    tokens = len(filled.tokens.prompt)
    scores: LogProbabilities = tuple(note.values())
    if any(map(math.isnan, scores)) or max(scores) == -math.inf:
        return Answer(failure=NO_LABEL, raw=raw, tokens=tokens)
    if max(logp_a, logp_b) == -math.inf:
        return Answer(Outcome.TIE, raw=raw, tokens=tokens)
    # In logarithms: the product over a long label may underflow, the ratio does not.
    top = max(logp_a, logp_b)
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
