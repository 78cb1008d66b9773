"""LLMs on this machine that compare two texts: by the probabilities of the labels, or by an answer
that they write, once or several times.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...failures import NO_LABEL, UNPARSED
from ...models import Member, Options
from ...models.local import HF, Tokens, WrittenText, common_prefix
from ...models.served import as_raw
from ...records import Answer, Outcome, TandemError, option_ref
from ...seeds import seed_of
from ..forms import read_verdict, reply_budget
from ..judge import COMPARING_MODES
from ..llm_spec import READING, SAMPLING
from .local import OPTIONS, FilledQuestion, LocalJudge
from .readings import OUTCOMES, ParsedReply, decide_by_votes, read_reply


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


class Writer(LocalJudge):
    """A judge that reads the model's likeliest reply, stated in its prompt's form.

    `raw` has the text. More failures: "empty", "unparsed", "cut-off" (while it thinks). There is no
    probability: one text is not more or less sure.
    """

    mode = "generate"
    own: tuple[str, ...] = READING

    @property
    def max_new_tokens(self) -> int:  # type: ignore[override]
        """The most tokens it may write after the prompt."""
        return reply_budget(self._form, self.mode, self.spec.max_tokens, served=False)

    def _answers(self, batch: Sequence[FilledQuestion]) -> list[Answer]:
        written = self._model.write(
            [filled.tokens for filled in batch],
            [self._seeds(filled) for filled in batch],
            most=self.max_new_tokens,
            temperature=self.spec.temperature,
            batch_tokens=self._options.batch_tokens,
        )
        return [self._answer(filled, texts) for filled, texts in zip(batch, written, strict=True)]

    def _seeds(self, filled: FilledQuestion) -> list[int]:
        return [0]

    def _answer(self, filled: FilledQuestion, written: Sequence[WrittenText]) -> Answer:
        [reading], kept = self._read(filled, written)
        stated = reading.stated
        if stated is None:
            return Answer(failure=reading.failure, **kept)
        return Answer(OUTCOMES[stated.label], strength=stated.strength, **kept)

    def _read(
        self, filled: FilledQuestion, written: Sequence[WrittenText]
    ) -> tuple[list[ParsedReply], dict[str, Any]]:
        """Parse what each reply states; with the fields of the answer that they give together."""
        form, lenient = self._form.name, self.spec.lenient
        read = partial(read_verdict, labels=filled.labels, form=form, lenient=lenient)
        readings = [read_reply(read, one.text, is_cut=one.is_cut) for one in written]
        spans = [one.span for one in readings]
        raw = as_raw(
            texts=[one.text for one in written],
            detail="; ".join(dict.fromkeys(one.why for one in readings if one.why)),
            read=spans if any(spans) else None,
            context_cut=filled.cut or None,
        )
        wrote = sum(one.tokens for one in written)
        kept = {"raw": raw, "tokens": filled.read + wrote, "completion_tokens": wrote}
        return readings, kept


class Sampler(Writer):
    """p(A) = the share of K sampled answers that choose A, of those parsed (`decide_by_votes`).

    `votes` is how many parsed; none is a failure. Every vote has a seed of its own, from the
    judge's seed, the prompt and the trial, so that it does not matter what else is asked, and when.
    """

    mode = "sample"
    own = (*READING, *SAMPLING, "seed")
    draws = True

    def _seeds(self, filled: FilledQuestion) -> list[int]:
        trial = [filled.trial] if filled.trial else []
        return [
            seed_of(self.spec.seed, filled.tokens.prompt, vote, *trial)
            for vote in range(self.spec.votes)
        ]

    def _answer(self, filled: FilledQuestion, written: Sequence[WrittenText]) -> Answer:
        readings, kept = self._read(filled, written)
        votes = [one.stated.label for one in readings if one.stated is not None]
        if not votes:
            failures = [one.failure for one in readings]
            failure = UNPARSED if UNPARSED in failures else max(failures, key=failures.count)
            return Answer(failure=failure, votes=0, **kept)
        return replace(decide_by_votes(votes), **kept)


MEMBERS = tuple(
    Member(
        HF,
        "comparisons",
        judge,
        mode=judge.mode,
        help=COMPARING_MODES[judge.mode],
        options=(*OPTIONS, *judge.own),
    )
    for judge in (PromptClassifier, Writer, Sampler)
)
