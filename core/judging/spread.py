"""Judges, scorers and text writers whose questions are spread over the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable

from ..models import Options, Respondent
from ..models.cluster import WorkerPool
from ..records import Answer, Candidate, Draft, Mark, Question, Slot
from .judge import Judge
from .scorer import Scorer


class SpreadJudge(WorkerPool[Question, Answer], Judge):
    """A judge that each worker makes by `make`. Its name is the judge's own: who computes the
    answers changes none of them.
    """

    def __init__(self, judge: Judge, make: Callable[[], Judge], options: Options) -> None:
        super().__init__(make, options, lambda why: Answer(failure=why))
        self.spec, self.note = judge.spec, judge.note


class SpreadScorer(WorkerPool[Candidate, Mark], Scorer):
    """A scorer that each worker makes by `make`, as with `SpreadJudge`."""

    def __init__(self, scorer: Scorer, make: Callable[[], Scorer], options: Options) -> None:
        super().__init__(make, options, lambda why: Mark(failure=why))
        self.spec = scorer.spec


class SpreadWriter(WorkerPool[Slot, Draft]):
    """A text writer that each worker makes by `make`."""

    def __init__(self, make: Callable[[], Respondent[Slot, Draft]], options: Options) -> None:
        super().__init__(make, options, lambda why: Draft(failure=why))
