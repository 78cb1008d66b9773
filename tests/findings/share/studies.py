"""Two systems on many items: a judge is less sure from item to item, and people differ from it on some."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from core.records import Answer, Kind
from core.store import Store
from tests.findings.combine.studies import add, vote, vote_all
from tests.study import fill

ITEMS = 200
ONE, OTHER = "alpha", "beta"


def sure(item: int) -> float:
    """How sure the judge is that the first is better: .99 of the first item, just above one half of the last."""
    return 0.99 - 0.48 * item / ITEMS


def judged(
    store: Store, judge: str = "model", *, items: Collection[int] = range(ITEMS), less: float = 0.0
) -> None:
    votes = []
    for item in items:
        p = max(sure(item) - less, 0.501)
        votes.append(vote(item, ONE, OTHER, judge, Answer.from_probability(p), Kind.LLM))
        votes.append(vote(item, OTHER, ONE, judge, Answer.from_probability(1 - p), Kind.LLM))
    add(store, votes)


def differ(item: int) -> bool:
    """Whether people differ: never on the first half of the items, on every fourth of the second."""
    return item >= ITEMS // 2 and item % 4 == 0


def voted(store: Store, items: Collection[int], person: str = "Ada") -> None:
    vote_all(store, person, items, [(ONE, OTHER)], lambda item: not differ(item))


def drawn(number: int) -> list[int]:
    """So many items, at random."""
    return np.random.default_rng(0).permutation(ITEMS)[:number].tolist()


def begin(store: Store, votes: int = 120) -> Store:
    fill(store, items=ITEMS, systems=(ONE, OTHER))
    judged(store)
    voted(store, drawn(votes))
    return store
