"""Marking: the work of a run that asks a scorer for marks, one for each text and attribute."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

from ..judging import Scorer, ServerList, remake
from ..pairing import TextRequest, begin
from ..records import Candidate, JudgeSpec, Mark, TandemError
from ..seeds import draw
from ..store import RunRow, Store, WantedScores
from .answering import Answering, Ledger

ITEMS = 50  # looked through at once for what is not marked yet


class ScoringRequest(TextRequest):
    """Request for marks: the texts that a run is to mark, and the attributes."""

    def select_marks(self, judge: int) -> WantedScores:
        """Return the selection of the marks that this judge (row) is asked for."""
        return WantedScores(self.chosen_texts, self.attributes, judge, self.trial)


def outlook(store: Store, request: ScoringRequest) -> int:
    """Count the marks that a request asks for. Raises TandemError for a request without any."""
    planned, _ = store.scores.counts(request.fill_attributes(store).select_marks(judge=0))
    if not planned:
        raise TandemError(
            f"data set {request.dataset!r} has no texts to score"
            f"{' among these' if request.systems or request.subset else ''}: import generations "
            "with their texts"
        )
    return planned


def order_items(keys: Mapping[int, str], seed: int) -> list[int]:
    """Order items (row -> key) by the seed, as they are marked."""
    return sorted(keys, key=lambda item: draw(seed, keys[item]))


def enqueue_scoring(
    store: Store,
    spec: JudgeSpec,
    request: ScoringRequest,
    execution: Mapping[str, Any] | None = None,
) -> int:
    """Queue a run of a scorer; a repeated request gives the same run, with the texts that are new.

    `execution` says how it is done, limits and prices, and does not identify a run.
    """
    request = request.fill_attributes(store)
    outlook(store, request)
    run = begin(store, request.dataset, "score", vars(request), execution, spec)
    planned, done = store.scores.counts(request.select_marks(store.judges.id_of(spec.name)))
    if done < planned:
        store.runs.requeue(run)
    return run


class Marking(Answering[Candidate, Mark]):
    """Generations x attributes: those without a live mark of this judge and trial, item by item in
    seeded order.
    """

    unit = "scores"

    def __init__(self, store: Store, run: RunRow, by: Scorer | None = None) -> None:
        permit = ServerList(store.path).permit
        stored = store.judges.spec(run.judge)
        super().__init__(store, run, by or remake(stored, run.execution, permit))
        self._wanted = wanted_marks(store, run)
        self._items = order_items(store.scores.items_of(self._wanted.chosen), run.settings["seed"])
        self._at = 0  # before it, all items were marked when they were last looked at

    @staticmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        scores, wanted = store.scores, wanted_marks(store, run)
        return Ledger(
            partial(scores.counts, wanted),
            partial(scores.failures, wanted),
            partial(scores.withdraw_failures, wanted),
        )

    def next_tasks(self, n: int) -> list[Candidate]:
        """Return up to `n` texts, each with an attribute, that have no mark yet."""
        found = self._collect_tasks(n)
        if not found and self._at:  # what was taken back meanwhile
            self._at = 0
            found = self._collect_tasks(n)
        return found

    def _collect_tasks(self, n: int) -> list[Candidate]:
        found: list[Candidate] = []
        at = self._at
        while len(found) < n and at < len(self._items):
            found += self._store.scores.list_unmarked(
                self._wanted, self._items[at : at + ITEMS], n - len(found)
            )
            at += ITEMS
            if not found:
                self._at = at
        return found

    def key(self, question: Candidate) -> Hashable:
        return question.generation, question.attribute.name

    def keep(self, answered: Sequence[tuple[Candidate, Mark]]) -> None:
        self._store.scores.add_marks(
            self._run.id, self._wanted, answered, execution=self._execution
        )


def wanted_marks(store: Store, run: RunRow) -> WantedScores:
    """Return the marks that a stored run asks for."""
    request = ScoringRequest.from_settings(run.settings)
    return request.select_marks(store.judges.id_of(run.judge))
