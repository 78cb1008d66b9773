"""A trial: a judge's first few answers, timed and kept nowhere, so that one knows what a run will take before it starts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core import planning
from core.costs import Prices
from core.judging import Judge
from core.planning import Request
from core.prompts import fill
from core.records import Answer, Question
from core.store import Store


@dataclass(frozen=True)
class Trial:
    """What a judge said to the first comparisons of a request, and what all of them will take at that rate."""

    judge: str
    comparisons: int
    asked: Sequence[tuple[Question, str, Answer]]
    seconds: float
    prices: Prices

    @property
    def expected_seconds(self) -> float:
        return self.seconds / max(len(self.asked), 1) * self.comparisons

    @property
    def expected_cost(self) -> float:
        tokens, written = (
            sum(getattr(answer, name) for _, _, answer in self.asked) for name in ("tokens", "completion_tokens")
        )
        return self.prices.cost(tokens, written) / max(len(self.asked), 1) * self.comparisons

    def document(self) -> dict[str, Any]:
        """As the command line prints it with --json."""
        return {
            "judge": self.judge,
            "comparisons": self.comparisons,
            "seconds": round(self.seconds, 3),
            "expected_seconds": round(self.expected_seconds, 1),
            "expected_cost": round(self.expected_cost, 6),
            "failed": sum(bool(answer.failure) for _, _, answer in self.asked),
            "answers": [
                {
                    "text_a": question.text_a,
                    "text_b": question.text_b,
                    "attribute": question.attribute.name,
                    "prompt": prompt,
                    "outcome": answer.outcome,
                    "prob_a": answer.prob_a,
                    "failure": answer.failure,
                    "raw": answer.raw,
                    "tokens": answer.tokens,
                }
                for question, prompt, answer in self.asked
            ],
        }


def trial(store: Store, judge: Judge, request: Request, prices: Prices, n: int = 5) -> Trial:
    """The first `n` comparisons of a request put to a judge. Nothing is written; loading a model is not timed.

    Raises TandemError as planning and loading do.
    """
    comparisons = planning.outlook(store, request).comparisons
    questions = planning.first(store, request, n)
    judge.load()
    began = time.monotonic()
    answers = judge.answers(questions)
    seconds = time.monotonic() - began
    asked = [(question, read_by(judge, question), answer) for question, answer in zip(questions, answers, strict=True)]
    return Trial(judge.spec.name, comparisons, asked, seconds, prices)


def read_by(judge: Judge, question: Question) -> str:
    """The words a judge reads; a baseline reads none."""
    return fill(judge.spec.prompt, question, judge.spec.labels) if judge.spec.prompt else ""
