"""An LLM that writes its answer, once or several times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...failures import UNPARSED
from ...models import Member
from ...models.local import HF, WrittenText
from ...records import Answer
from ...seeds import seed_of
from ..forms import Statement, read_verdict, reply_budget
from ..judge import COMPARING_MODES
from ..llm_spec import READING, SAMPLING
from .local import OPTIONS, FilledQuestion, LocalJudge
from .readings import OUTCOMES, ParsedReply, decide_by_votes, read_reply


class Writer(LocalJudge):
    """A judge that reads the model's likeliest reply, stated in its prompt's form.

    `raw` has the text. More failures: "empty", "unparsed", "cut-off" (while it thinks). There is no
    probability: one text is not more or less sure.
    """

    mode = "generate"
    own: tuple[str, ...] = ()
    """What it takes besides the options of both."""

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
        [reading] = readings = self._read(filled, written)
        known = _reply_fields(filled, written, readings)
        if reading.stated is None:
            return Answer(failure=reading.failure, **known)
        stated = reading.stated
        return Answer(OUTCOMES[stated.label], strength=stated.strength, **known)

    def _read(self, filled: FilledQuestion, written: Sequence[WrittenText]) -> list[ParsedReply]:
        """Parse what each reply states."""

        def read(text: str, *, is_cut: bool) -> Statement:
            form, lenient = self._form.name, self.spec.lenient
            return read_verdict(text, filled.labels, form, is_cut=is_cut, lenient=lenient)

        return [
            read_reply(partial(read, is_cut=one.is_cut), one.text, is_cut=one.is_cut)
            for one in written
        ]


class Sampler(Writer):
    """p(A) = the share of K sampled answers that choose A, of those parsed (`decide_by_votes`).

    `votes` is how many parsed; none is a failure. Every vote has a seed of its own, from the
    judge's seed, the prompt and the trial, so that it does not matter what else is asked, and when.
    """

    mode = "sample"
    own = (*SAMPLING, "seed")
    draws = True

    def _seeds(self, filled: FilledQuestion) -> list[int]:
        trial = [filled.trial] if filled.trial else []
        return [
            seed_of(self.spec.seed, filled.tokens.prompt, vote, *trial)
            for vote in range(self.spec.votes)
        ]

    def _answer(self, filled: FilledQuestion, written: Sequence[WrittenText]) -> Answer:
        readings = self._read(filled, written)
        votes = [one.stated.label for one in readings if one.stated is not None]
        known = _reply_fields(filled, written, readings)
        if not votes:
            failures = [one.failure for one in readings]
            failure = UNPARSED if UNPARSED in failures else max(failures, key=failures.count)
            return Answer(failure=failure, votes=0, **known)
        return replace(decide_by_votes(votes), **known)


def _reply_fields(
    filled: FilledQuestion, written: Sequence[WrittenText], readings: Sequence[ParsedReply]
) -> dict[str, Any]:
    wrote = sum(one.tokens for one in written)
    spans = [one.span for one in readings]
    why = "; ".join(dict.fromkeys(one.why for one in readings if one.why))
    return {
        "raw": json.dumps(
            {"texts": [one.text for one in written]}
            | ({"detail": why} if why else {})
            | ({"read": spans} if any(spans) else {})
            | filled.note,
            ensure_ascii=False,
        ),
        "tokens": filled.read + wrote,
        "completion_tokens": wrote,
    }


MEMBERS = tuple(
    Member(
        HF,
        "comparisons",
        judge,
        mode=judge.mode,
        help=COMPARING_MODES[judge.mode],
        options=(*OPTIONS, *READING, *judge.own),
    )
    for judge in (Writer, Sampler)
)
