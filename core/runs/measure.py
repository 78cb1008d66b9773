"""Measuring: how alike the generations of each item are, by a metric; each pair is measured only
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby, islice
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from ..models import SPREADING, Options, Respondent, WorkerPool
from ..pairing import begin
from ..records import Reply, TandemError
from ..similarity import METRICS, Group, MeasurementRequest, Metric
from ..store import ChosenGenerations, Extent, RunRow, Store
from .answering import Answering, Ledger

CHARACTERS = 60_000
"""Texts that are measured together, with the embeddings of their tokens: about 15,000 tokens, or
one item that has more.
"""


def outlook(store: Store, wanted: MeasurementRequest) -> Extent:
    """Count what there is to measure, and how much of it is already measured.

    Raises TandemError for fewer than two texts to compare.
    """
    chosen, found = wanted.chosen, _load_extent(store, wanted)
    if not found.pairs:
        raise TandemError(
            f"data set {chosen.dataset!r} has no item with two texts to compare"
            f"{' among these' if chosen.systems or chosen.subset else ''}: import texts, "
            "several samples of each system"
        )
    return found


def _load_extent(store: Store, wanted: MeasurementRequest) -> Extent:
    signature = wanted.make().signatures[wanted.metric]
    return store.similarities.extent(signature, wanted.chosen)


def enqueue(
    store: Store, wanted: MeasurementRequest, execution: Mapping[str, Any] | None = None
) -> int:
    """Queue a run that measures what is missing; a repeated request gives the same run.

    `execution` says how it is done. Raises as `outlook` does.
    """
    found = outlook(store, wanted)
    run = begin(store, wanted.chosen.dataset, "measure", wanted.settings(), execution)
    if found.n_missing:
        store.runs.requeue(run)
    return run


def expected_seconds(found: Extent, characters: int, metric: str) -> float:
    """Estimate the seconds that measuring what is missing takes on two CPU cores; a GPU is faster.

    `characters` are of all texts.
    """
    return METRICS[metric].pace.seconds(
        characters * found.n_missing / max(found.pairs, 1), found.n_missing
    )


@dataclass(frozen=True)
class Texts:
    """Texts of one item (its id) by generation, and its pairs that are not measured."""

    item: int
    texts: Mapping[int, str]
    pairs: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Similar(Reply):
    """Similarities of one item: (metric signature, generation, generation, value).

    Nothing here fails or costs tokens.
    """

    rows: Sequence[tuple[str, int, int, float]] = ()


class Measurer(Respondent[Texts, Similar]):
    """A metric as a respondent: about `CHARACTERS` are measured together, on a GPU more."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def load(self) -> None:
        self._metric.load()

    def answers(self, questions: Sequence[Texts]) -> list[Similar]:
        return [similar for batch in self.stream(iter(questions)) for _, similar in batch]

    def stream(self, questions: Iterator[Texts]) -> Iterator[list[tuple[Texts, Similar]]]:
        batch, size = list[Texts](), 0
        for item in questions:
            batch.append(item)
            size += sum(map(len, item.texts.values()))
            if size >= CHARACTERS * self._metric.breadth:
                yield list(zip(batch, self._measure(batch), strict=True))
                batch, size = [], 0
        if batch:
            yield list(zip(batch, self._measure(batch), strict=True))

    def _measure(self, batch: Sequence[Texts]) -> Iterator[Similar]:
        """Measure the pairs of items; texts that occur twice in an item are measured once."""
        groups, places = [], []
        for item in batch:
            number = {text: place for place, text in enumerate(dict.fromkeys(item.texts.values()))}
            of = {generation: number[text] for generation, text in item.texts.items()}
            numbered = [
                (min(of[one], of[other]), max(of[one], of[other])) for one, other in item.pairs
            ]
            different = {pair: place for place, pair in enumerate(dict.fromkeys(numbered))}
            first, second = np.array(list(different), dtype=np.int64).T
            groups.append(Group(list(number), first, second))
            places.append([different[pair] for pair in numbered])
        measured, signatures = self._metric.measure(groups), self._metric.signatures
        for item, place, found in zip(batch, places, measured, strict=True):
            yield Similar(
                [
                    (signatures[name], one, other, value)
                    for name, values in found.items()
                    for (one, other), value in zip(item.pairs, values[place].tolist(), strict=True)
                ]
            )


def measurer(
    wanted: MeasurementRequest, execution: Mapping[str, Any]
) -> Respondent[Texts, Similar]:
    """Return the respondent that measures: this process or, if the execution of a run says so, the
    workers of a cluster.
    """
    spreading = {name: execution[name] for name in SPREADING if name in execution}
    if not spreading.get("on"):
        return Measurer(wanted.make())
    return WorkerPool(partial(measurer, wanted, {}), Options(**spreading), _broken)


def _broken(reason: str) -> Similar:
    raise TandemError(f"an item cannot be measured ({reason}): leave its texts out")


class Measuring(Answering[Texts, Similar]):
    """Work of a metric: the pairs that are not measured, item by item.

    Other values that come out of the same look at the texts are stored, too. If nothing is missing,
    no model is loaded.
    """

    unit = "items"

    def __init__(
        self, store: Store, run: RunRow, by: Respondent[Texts, Similar] | None = None
    ) -> None:
        wanted = MeasurementRequest.from_run(run)
        super().__init__(store, run, by or measurer(wanted, run.execution))
        self._source = _find_unmeasured_texts(
            store, wanted.chosen, wanted.make().signatures[wanted.metric]
        )
        self._waiting: dict[int, Texts] = {}  # read, and not kept yet, in the order of items

    @staticmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        """Return the account of items: with pairs, and with all pairs measured. None fails."""
        wanted = MeasurementRequest.from_run(run)
        return Ledger(lambda: attrgetter("items", "done")(_load_extent(store, wanted)))

    def load(self) -> None:
        """Load the metric's model, unless nothing is left to measure."""
        if self.next_tasks(1):
            self.respondent.load()

    def next_tasks(self, n: int) -> list[Texts]:
        """Return the texts of up to `n` items with pairs that are not measured."""
        for texts in islice(self._source, max(0, n - len(self._waiting))):
            self._waiting[texts.item] = texts
        return list(islice(self._waiting.values(), n))

    def key(self, texts: Texts) -> int:
        return texts.item

    def keep(self, measured: Sequence[tuple[Texts, Similar]]) -> None:
        self._store.similarities.add(row for _, similar in measured for row in similar.rows)
        for texts, _ in measured:
            del self._waiting[texts.item]


def _find_unmeasured_texts(
    store: Store, chosen: ChosenGenerations, signature: str
) -> Iterator[Texts]:
    for rows in store.similarities.iterate_texts(chosen):
        known = store.similarities.list_measured(
            signature, [generation for _, generation, _ in rows]
        )
        for item, of_item in groupby(rows, key=itemgetter(0)):
            texts = {generation: text for _, generation, text in of_item}
            pairs = [pair for pair in combinations(sorted(texts), 2) if pair not in known]
            needed = {generation for pair in pairs for generation in pair}
            if pairs:
                yield Texts(item, {g: text for g, text in texts.items() if g in needed}, pairs)
