"""An LLM that writes its answer, once or several times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.failures import EMPTY, UNPARSED
from core.judging.judge import COMPARING_MODES
from core.judging.judges.local import OPTIONS, Filled, LocalJudge
from core.judging.judges.outcomes import OUTCOMES, of_votes
from core.judging.llm_spec import SAMPLING
from core.judging.reply_parsing import choice
from core.models import Member
from core.models.local import HF, Written
from core.records import Answer
from core.seeds import seed_of

MOST = 32
"""Tokens an answer may have: enough for "Summary A is more coherent because" and a model that
repeats the question first.
"""


class Writer(LocalJudge):
    """What the model writes when it writes the likeliest words, parsed (`parsing.choice`).

    `raw` has the text. More failures: "empty", "unparsed". There is no probability: one text is not
    more or less sure.
    """

    mode = "generate"
    writes = MOST

    def _answers(self, batch: Sequence[Filled]) -> list[Answer]:
        written = self._model.write(
            [filled.tokens for filled in batch],
            [self._seeds(filled) for filled in batch],
            most=MOST,
            temperature=self.spec.temperature,
            batch_tokens=self._batch_tokens,
        )
        return [self._answer(filled, texts) for filled, texts in zip(batch, written, strict=True)]

    def _seeds(self, filled: Filled) -> list[int]:
        return [0]

    def _answer(self, filled: Filled, written: Sequence[Written]) -> Answer:
        [one] = written
        chosen = choice(one.text, filled.labels)
        known = _told(filled, written)
        if chosen is None:
            return Answer(failure=UNPARSED if one.text else EMPTY, **known)
        return Answer(OUTCOMES[chosen], **known)


class Sampler(Writer):
    """p(A) = the share of K sampled answers that choose A, of those that parsed (`of_votes`).

    `votes` is how many parsed; none is a failure. Every vote has a seed of its own, from the
    judge's seed, the prompt and the trial, so that it does not matter what else is asked, and when.
    """

    mode = "sample"
    draws = True

    def _seeds(self, filled: Filled) -> list[int]:
        trial = [filled.question.trial] if filled.question.trial else []
        return [
            seed_of(self.spec.seed, filled.tokens.prompt, vote, *trial)
            for vote in range(self.spec.votes)
        ]

    def _answer(self, filled: Filled, written: Sequence[Written]) -> Answer:
        chosen = [choice(one.text, filled.labels) for one in written]
        votes, known = [label for label in chosen if label is not None], _told(filled, written)
        if not votes:
            return Answer(
                failure=UNPARSED if any(one.text for one in written) else EMPTY, votes=0, **known
            )
        return replace(of_votes(votes), **known)


def _told(filled: Filled, written: Sequence[Written]) -> dict[str, Any]:
    wrote = sum(one.tokens for one in written)
    return {
        "raw": json.dumps(
            {"texts": [one.text for one in written]} | filled.note, ensure_ascii=False
        ),
        "tokens": len(filled.tokens.prompt) + wrote,
        "completion_tokens": wrote,
        "context_cut": filled.cut,
    }


MEMBERS = (
    Member(
        HF,
        "comparisons",
        Writer,
        mode="generate",
        help=COMPARING_MODES["generate"],
        options=OPTIONS,
    ),
    Member(
        HF,
        "comparisons",
        Sampler,
        mode="sample",
        help=COMPARING_MODES["sample"],
        options=(*OPTIONS, *SAMPLING, "seed"),
    ),
)
