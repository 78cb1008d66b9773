"""A trial: a judge's first few answers, timed and kept nowhere.

It shows what a run will take before it starts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..judging import Judge, Scorer, fill, fill_scoring, fill_system
from ..pairing import planning
from ..prices import Prices
from ..records import Answer, Candidate, JudgeSpec, Mark, Question
from ..store import Store
from . import score
from .execution import PART_READ


@dataclass(frozen=True)
class Trial:
    """Answers of a judge to the first questions of a request, and an estimate for all of them at
    that rate.

    `unit` is what is counted: comparisons, or scores of single texts.
    """

    judge: str
    unit: str
    planned: int
    asked: Sequence[tuple[Question | Candidate, str, str, Answer | Mark]]
    seconds: float
    prices: Prices
    note: str = ""

    @property
    def expected_seconds(self) -> float:
        """Seconds that all answers take at this rate."""
        return self.seconds / max(len(self.asked), 1) * self.planned

    @property
    def expected_cost(self) -> float:
        """Cost of all answers at this rate, by the prices."""
        return self.prices.cost(*self.expected_tokens)

    @property
    def expected_tokens(self) -> tuple[int, int]:
        """Tokens read and written by all answers at that rate, and how many of them are written."""
        return self._extrapolate("tokens"), self._extrapolate("completion_tokens")

    def _extrapolate(self, name: str) -> int:
        total: int = sum(getattr(answer, name) for *_, answer in self.asked)
        return round(total / max(len(self.asked), 1) * self.planned)

    def document(self) -> dict[str, Any]:
        """Return the document that the command line prints with --json."""
        return {
            "judge": self.judge,
            "unit": self.unit,
            "planned": self.planned,
            "seconds": round(self.seconds, 3),
            "expected_seconds": round(self.expected_seconds, 1),
            "expected_tokens": self.expected_tokens[0],
            "expected_written": self.expected_tokens[1],
            "expected_cost": round(self.expected_cost, 6),
            "failed": sum(bool(answer.failure) for *_, answer in self.asked),
            "answers": [_describe_trial(*one) for one in self.asked],
            "note": self.note,
        }


def _describe_trial(
    question: Question | Candidate, system: str, prompt: str, answer: Answer | Mark
) -> dict[str, Any]:
    texts = (
        {"text_a": question.text_a, "text_b": question.text_b}
        if isinstance(question, Question)
        else {"text": question.text, "reference": next(iter(question.references), None)}
    )
    given = (
        {"outcome": answer.outcome, "prob_a": answer.prob_a}
        if isinstance(answer, Answer)
        else {"value": answer.value}
    )
    common = {
        "failure": answer.failure,
        "raw": answer.raw,
        "tokens": answer.tokens,
        "completion_tokens": answer.completion_tokens,
        "seconds": answer.seconds,
    }
    about = {"attribute": question.attribute.name, "context": question.context}
    return {**about, **texts, "system": system, "prompt": prompt, **given, **common}


def trial(
    store: Store,
    by: Judge | Scorer,
    request: planning.Request | score.ScoringRequest,
    prices: Prices,
    n: int = 5,
) -> Trial:
    """Ask a judge or scorer the first `n` questions of a request; nothing is written.

    Loading is not timed. Raises TandemError as planning and loading do.
    """
    questions: list[Any]
    if isinstance(request, score.ScoringRequest):
        unit, planned, questions = (
            "scores",
            score.outlook(store, request),
            list(score.list_first_candidates(store, request, n)),
        )
    else:
        unit, planned = "comparisons", planning.outlook(store, request).comparisons
        questions = list(planning.preview_questions(store, request, n))
    by.load()
    began = time.monotonic()
    answers: list[Any] = list(by.answers(questions))
    seconds = time.monotonic() - began
    asked = [
        (question, fill_system(by.spec, question), read(by.spec, question), answer)
        for question, answer in zip(questions, answers, strict=True)
    ]
    part = sum(answer.part_read > 0 for answer in answers)
    notes = [by.note, PART_READ.format(f"{part} of these") if part else ""]
    return Trial(
        by.spec.name, unit, planned, asked, seconds, prices, "; ".join(filter(None, notes))
    )


def read(spec: JudgeSpec, question: Question | Candidate) -> str:
    """Return the words a judge reads; a baseline reads none."""
    if spec.prompt is None:
        return ""
    if isinstance(question, Candidate):
        return fill_scoring(spec.prompt, question, spec.mode, spec.scale)
    return fill(spec.prompt, question, spec.labels)
