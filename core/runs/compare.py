"""Comparing: the work of a run that asks a judge for comparisons, and canaries: items that it has
answered, and is asked about again to see whether it changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

from ..judging import Judge, ServerList, remake
from ..pairing import Request, pairs_of, plan_next, plan_portions, planning
from ..records import Answer, Question, TandemError, option_ref
from ..seeds import draw
from ..store import RunRow, Store
from .answering import Answering, Ledger


class PlannedComparisons(Answering[Question, Answer]):
    """Work of a judge: the planned comparisons without an answer, item by item."""

    unit = "comparisons"

    def __init__(self, store: Store, run: RunRow, judge: Judge | None = None) -> None:
        permit = ServerList(store.path).permit
        self._spec = store.judges.spec(run.judge)
        super().__init__(store, run, judge or remake(self._spec, run.execution, permit))
        self._judge_id = store.judges.id_of(run.judge)

    @staticmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        return Ledger(
            lambda: itemgetter("planned", "asked")(store.run_counts.counts(run.id)),
            partial(store.run_counts.failures, run.id),
            partial(store.runs.withdraw_failures, run.id),
        )

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


def choose_canaries(store: Store, dataset: str, judge: str, number: int, *, seed: int) -> Request:
    """Choose items that a judge was asked about once, and return the request that asks the same
    about them again, as the next trial.

    An item is a canary once: its first answer can be held against one later answer only, or a test
    at every look would count it twice. Fewer than `number` are chosen where fewer are left.

    Raises TandemError where the judge has compared nothing, or every item was a canary.
    """
    runs = store.runs.load_asking(dataset)
    of_judge = [store.runs.get(int(run)) for run in runs.loc[runs["judge"] == judge, "run"]]
    first = next((run for run in of_judge if run.task == "compare" and not run.trial), None)
    if first is None:
        raise TandemError(
            f"{judge} has compared nothing here yet: leave out {option_ref('again')} the first time"
        )
    answered = store.judgement_frames.load_all(dataset)
    answered = answered[(answered["judge"] == judge) & answered["outcome"].notna()]
    later = answered["trial"] > 0
    left = set(answered.loc[~later, "item"]) - set(answered.loc[later, "item"])
    if not left:
        raise TandemError(
            f"{judge} was asked again about every item: a change can be tested on new items only"
        )
    request = Request.from_settings(first.settings)
    if request.pairing_strategy.adaptive:  # what it asks depends on the answers
        request = replace(request, strategy="full", budget=None, beam_size=None, prob_gap=None)
    trial = int(answered["trial"].max()) + 1
    chosen = sorted(left, key=lambda item: (draw(seed, request.drawn_as, trial, item), item))
    drawn = tuple((item, min(number, len(left)) / len(left)) for item in chosen[:number])
    return planning.check_request(
        store, replace(request, dataset=dataset, trial=trial, drawn=drawn)
    )
