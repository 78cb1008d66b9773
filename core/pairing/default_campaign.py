"""The campaign that every data set has as soon as it has texts: what people are asked about it
unless somebody plans otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, groupby, islice, product
from operator import itemgetter

from ..seeds import draw
from ..store import ChosenGenerations, PlannedPair, Store

Text = tuple[int, str]
"""A generation and its system."""

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
    if not store.texts.has_texts(ChosenGenerations(dataset, samples=1)):
        return 0
    attributes = store.datasets.attributes(dataset)
    identical = list[int]()
    planned = _plan_pairs(store, dataset, seed, identical)
    size = max(1, PORTION // max(1, len(attributes)))
    while portion := list(islice(planned, store.connection.size_write(size))):
        with store.transaction():
            campaign = store.campaigns.default(dataset)
            for attribute in attributes:
                row = store.campaigns.add_attribute(campaign, attribute.name, seed=seed)
                store.campaigns.add_pairs(row, portion)
    return sum(identical)


def identical_note(pairs: int) -> list[str]:
    """Return the note on identical pairs, which nobody is asked about; empty for 0 pairs."""
    number = "1 pair of identical texts is" if pairs == 1 else f"{pairs:,} identical pairs are"
    return [f"{number} not asked about: nobody can say which is better."] if pairs else []


def _plan_pairs(
    store: Store, dataset: str, seed: int, identical: list[int]
) -> Iterator[PlannedPair]:
    """Yield the pairs to ask about.

    Nobody can say which of two identical texts is better: how many such pairs there are is added to
    `identical`.
    """
    origin = store.datasets.origin(dataset)
    for portion in store.texts.compared_texts(dataset, PORTION):
        if not portion:
            continue
        rows = portion[0][0], portion[-1][0]
        same = store.texts.identical_pairs(dataset, rows)
        listed = store.imported_votes.listed_pairs(*rows)
        for (row, item), texts in groupby(portion, key=itemgetter(0, 1)):
            drawn = partial(draw, seed, origin, item)
            for pair in _plan_item([text[2:] for text in texts], drawn, listed.get(row)):
                if same and tuple(sorted(pair[:2])) in same:
                    identical.append(1)
                else:
                    yield pair


def _plan_item(
    texts: Sequence[Text],
    drawn: Callable[..., int],
    listed: Sequence[tuple[int, int, str, str]] | None,
) -> Iterator[PlannedPair]:
    pairs: Iterable[tuple[Text, Text]] = combinations(texts, 2)
    share = 1.0
    if listed is not None:
        pairs = [_orient((a, of_a), (b, of_b)) for a, b, of_a, of_b in listed]
    elif len(texts) > MOST_OTHERS + 1:
        # With its neighbours on a ring each text is compared equally often, and each with each in a
        # few steps.
        ring = sorted(texts, key=lambda text: drawn(text[1]))
        places = product(range(len(ring)), range(1, MOST_OTHERS // 2 + 1))
        pairs = (_orient(ring[at], ring[(at + step) % len(ring)]) for at, step in places)
        share = MOST_OTHERS / (len(texts) - 1)
    for (a, of_a), (b, of_b) in pairs:
        yield PlannedPair(a, b, drawn(of_a, of_b), share)


def _orient(one: Text, other: Text) -> tuple[Text, Text]:
    return (one, other) if one[1] < other[1] else (other, one)
