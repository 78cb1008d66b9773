"""Measures what a metric has not measured yet and stores it, some items at a time: killed, the next one goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import itemgetter

import numpy as np

from core.records import TandemError
from core.similarity import Group, Metric
from core.store import Store
from core.store.similarities import Chosen

CHARACTERS = 200_000
"""Texts that are in memory at once, with the embeddings of their tokens: about 50,000 tokens, or one item if that has more."""


@dataclass
class Progress:
    """How far a measurement is. `pairs` of generations, `measured` of them by now, `new` of those by this one."""

    items: int
    pairs: int
    measured: int
    new: int = 0
    seconds: float = 0.0
    cancelled: bool = False

    @property
    def missing(self) -> int:
        return self.pairs - self.measured


def outlook(store: Store, chosen: Chosen, metric: Metric) -> Progress:
    """What there is to measure, and how much of it is there. Raises TandemError when there are no two texts to compare."""
    found = Progress(*store.count_pairs(metric.signatures[metric.name], chosen))
    if not found.pairs:
        raise TandemError(
            f"data set {chosen.dataset!r} has no item with two texts to compare"
            f"{' among these' if chosen.systems or chosen.subset else ''}: import texts, several samples of each system"
        )
    return found


def measure(
    store: Store,
    chosen: Chosen,
    metric: Metric,
    *,
    progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Progress:
    """Measure every pair of the chosen generations of an item that has not been, within systems and across them.

    What else comes out of the same look at the texts is stored, too. `progress` hears of every batch once it is on disk;
    `cancelled` is asked before each. A second measurement loads no model.
    """
    result = outlook(store, chosen, metric)
    if result.missing:
        metric.load()
        began = time.monotonic()
        for batch in _batches(_missing(store, chosen, metric)):
            if cancelled():
                result.cancelled = True
                break
            rows = list(_measured(batch, metric))
            store.add_similarities(rows)
            result.new += sum(len(item.pairs) for item in batch)
            result.measured = min(result.pairs, result.measured + sum(len(item.pairs) for item in batch))
            result.seconds = time.monotonic() - began
            progress(result)
    return result


@dataclass(frozen=True)
class _Item:
    """The texts of one item by generation, and its pairs of generations that have not been measured."""

    texts: dict[int, str]
    pairs: list[tuple[int, int]]


def _missing(store: Store, chosen: Chosen, metric: Metric) -> Iterator[_Item]:
    signature = metric.signatures[metric.name]
    for rows in store.comparable(chosen):
        known = store.measured(signature, [generation for _, generation, _ in rows])
        for _, of_item in groupby(rows, key=itemgetter(0)):
            texts = {generation: text for _, generation, text in of_item}
            pairs = [pair for pair in combinations(sorted(texts), 2) if pair not in known]
            needed = {generation for pair in pairs for generation in pair}
            if pairs:
                yield _Item({g: text for g, text in texts.items() if g in needed}, pairs)


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    batch: list[_Item] = []
    size = 0
    for item in items:
        length = sum(map(len, item.texts.values()))
        if batch and size + length > CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += length
    if batch:
        yield batch


def _measured(batch: list[_Item], metric: Metric) -> Iterator[tuple[str, int, int, float]]:
    """Rows for the store. Texts that occur twice in an item are measured once."""
    groups, places = [], []
    for item in batch:
        number = {text: place for place, text in enumerate(dict.fromkeys(item.texts.values()))}
        of = {generation: number[text] for generation, text in item.texts.items()}
        numbered = [(min(of[one], of[other]), max(of[one], of[other])) for one, other in item.pairs]
        different = {pair: place for place, pair in enumerate(dict.fromkeys(numbered))}
        first, second = np.array(list(different), dtype=np.int64).T
        groups.append(Group(list(number), first, second))
        places.append([different[pair] for pair in numbered])
    signatures = metric.signatures
    for item, place, found in zip(batch, places, metric.measure(groups), strict=True):
        for name, values in found.items():
            yield from (
                (signatures[name], one, other, value)
                for (one, other), value in zip(item.pairs, values[place].tolist(), strict=True)
            )
