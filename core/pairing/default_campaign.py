"""The campaign that every data set has as soon as it has texts: what people are asked about it
unless somebody plans otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice

from core.pairing.strategy import Pair, candidates
from core.seeds import draw
from core.store import Chosen, PlannedPair, Store

MOST_OTHERS = 40
"""Texts of its item that a text is compared with. All pairs of n texts are n (n - 1) / 2: a file of
100 kB may have millions.
"""

PORTION = 5000  # questions written at a time: whoever votes meanwhile waits for these alone


def open_default(store: Store, dataset: str, *, seed: int = 0) -> int:
    """Open a campaign of every system pair on every item, sample 0, in seeded order, about each
    attribute; of an item whose pairs a file lists, of just these. Where an item has more than
    `MOST_OTHERS` + 1 texts, of so many pairs that each text is in `MOST_OTHERS` of them. Returns
    how many pairs are left out as their texts are identical.

    Asking again plans just what is new. The order of a pair is the same in each attribute's plan,
    so that one person can be asked all attributes of a pair together.
    """
    if not store.datasets.has_texts(Chosen(dataset, samples=1)):
        return 0
    attributes = store.datasets.attributes(dataset)
    identical = list[int]()
    size = max(1, PORTION // max(1, len(attributes)))
    planned = _planned(store, dataset, seed, identical)
    while portion := list(islice(planned, size)):
        with store.transaction():
            campaign = store.campaigns.default(dataset)
            for attribute in attributes:
                plan = store.campaigns.add_plan(campaign, attribute.name, seed=seed)
                store.campaigns.add_pairs(plan, portion)
    return sum(identical)


def identical_note(pairs: int) -> list[str]:
    """What is said of pairs that nobody is asked about; nothing where there are none."""
    number = "1 pair of identical texts is" if pairs == 1 else f"{pairs:,} identical pairs are"
    return [f"{number} not asked about: nobody can say which is better."] if pairs else []


def _planned(store: Store, dataset: str, seed: int, identical: list[int]) -> Iterator[PlannedPair]:
    """The pairs to ask about. Nobody can say which of two identical texts is better: how many such
    pairs there are is added to `identical`.
    """
    origin = store.datasets.origin(dataset)
    for portion in store.datasets.portions(dataset, "key", PORTION):
        keys = [key for (key,) in portion]
        generations = store.datasets.generations(dataset, texts=False, items=keys)
        same = store.datasets.identical_pairs(dataset, keys)
        listed = store.imported_votes.listed_pairs(dataset, keys)
        systems = dict(zip(generations["generation"], generations["system"], strict=True))
        for item, [texts] in candidates(generations):
            drawn = partial(draw, seed, origin, item)
            for pair in _of_item(texts, systems, drawn, listed.get(item)):
                if same and tuple(sorted(pair[:2])) in same:
                    identical.append(1)
                else:
                    yield pair


def _of_item(
    texts: Sequence[int],
    systems: Mapping[int, str],
    drawn: Callable[..., int],
    listed: Sequence[Pair] | None,
) -> Iterator[PlannedPair]:
    pairs: Iterable[Pair] = combinations(texts, 2)
    share = 1.0
    if listed is not None:
        pairs = [(a, b) if systems[a] < systems[b] else (b, a) for a, b in listed]
    elif len(texts) > MOST_OTHERS + 1:
        ring = sorted(texts, key=lambda text: drawn(systems[text]))
        pairs, share = _neighbours(ring, texts), MOST_OTHERS / (len(texts) - 1)
    for a, b in pairs:
        yield PlannedPair(a, b, drawn(systems[a], systems[b]), share)


def _neighbours(ring: Sequence[int], texts: Sequence[int]) -> Iterator[Pair]:
    """Each text of a ring with its neighbours, oriented as among `texts`: all are compared equally
    often, and each with each in a few steps.
    """
    place = {text: at for at, text in enumerate(texts)}
    for at, text in enumerate(ring):
        for step in range(1, MOST_OTHERS // 2 + 1):
            other = ring[(at + step) % len(ring)]
            yield (text, other) if place[text] < place[other] else (other, text)
