"""Comparing: the work of a run that asks a judge for comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..judging import Judge, ServerList, remake
from ..pairing import Request, pairs_of, plan_next, plan_portions
from ..records import Answer, Question
from ..store import RunRow, Store
from .answering import Answering


class PlannedComparisons(Answering[Question, Answer]):
    """Work of a judge: the planned comparisons without an answer, item by item."""

    unit = "comparisons"

    def __init__(self, store: Store, run: RunRow, judge: Judge | None = None) -> None:
        permit = ServerList(store.path).permit
        self._spec = store.judges.spec(run.judge)
        super().__init__(store, run, judge or remake(self._spec, run.execution, permit))
        self._judge_id = store.judges.id_of(run.judge)

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]:
        """Count the comparisons of a run: (planned, asked)."""
        counts = store.run_counts.counts(run.id)
        return counts["planned"], counts["asked"]

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]:
        return store.run_counts.failures(run.id)

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow, kind: str = "") -> int:
        return store.runs.withdraw_failures(run.id, kind)

    def next_tasks(self, n: int) -> list[Question]:
        """Return up to `n` planned comparisons that are not asked yet."""
        return self._store.runs.list_pending(self._run.id, n)

    def key(self, question: Question) -> Hashable:
        return question.comparison

    def keep(self, answered: Sequence[tuple[Question, Answer]]) -> None:
        pairs = ((question.comparison, answer) for question, answer in answered)
        self._store.judgements.add_answers(
            self._run.id, self._judge_id, self._run.trial, pairs, execution=self._execution
        )


class Comparing(PlannedComparisons):
    """Comparisons that a strategy chooses, in portions or as the answers come."""

    def __init__(self, store: Store, run: RunRow, judge: Judge | None = None) -> None:
        super().__init__(store, run, judge)
        self._request = request = Request.from_settings(run.settings)
        self._items = list(pairs_of(store, request)) if request.pairing_strategy.adaptive else []
        each = (
            request.pairing_strategy.bound(pairs, request.budget, request.sorting)
            for _, pairs in self._items
        )
        self._most = sum(each) * len(request.attributes)
        self._portions = plan_portions(store, run.id, self._judge_id, request)

    def count_expected(self) -> int:
        """Return the most comparisons that the run may come to.

        An adaptive run has planned only its next step.
        """
        return self._most

    def plan_more(self) -> bool:
        """Plan the next comparisons; return whether there were any.

        An adaptive strategy chooses them by the answers so far.
        """
        if not self._request.pairing_strategy.adaptive:
            return next(self._portions, False)
        return plan_next(self._store, self._run.id, self._judge_id, self._request, self._items)
