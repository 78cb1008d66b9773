"""A study in which models answered every pair in both orders, and people voted on some items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np
from scipy.special import expit

from core.records import Answer, JudgeSpec, Kind, Outcome
from core.store import Store
from tests.study import DATASET, fill
from tests.votes import Vote, add_votes

SYSTEMS = ("alpha", "beta", "gamma")
ITEMS = 40


def vote(item: int, a: str, b: str, judge: str, answer: Answer, kind: Kind = Kind.HUMAN) -> Vote:
    return Vote(f"i{item}", a, b, judge, answer, kind, attribute="coherence")


def add(store: Store, votes: list[Vote], dataset: str = DATASET) -> None:
    """With whoever gave them."""
    store.judges.add(
        [JudgeSpec(name, kind) for name, kind in {vote.judge: vote.kind for vote in votes}.items()]
    )
    add_votes(store, dataset, votes)


def points(value: float) -> Answer:
    return Answer({1.0: Outcome.A, 0.0: Outcome.B}.get(value, Outcome.TIE))


def vote_all(
    store: Store,
    who: str,
    items: Iterable[int],
    pairs: Iterable[Sequence[str]],
    value: float | Callable[[int], float],
    kind: Kind = Kind.HUMAN,
) -> None:
    """Somebody's answers about pairs of systems on each item: points of the first, by the item."""
    every, of = list(pairs), value if callable(value) else lambda _: value
    add(store, [vote(i, a, b, who, points(float(of(i))), kind) for i in items for a, b in every])


def worth(seed: int = 3) -> np.ndarray:
    """(ITEMS, 3) how good each text is."""
    return np.random.default_rng(seed).normal(size=(ITEMS, 3)) + np.array([0.0, 0.5, 1.0])


def said(store: Store, judge: str = "model", *, first: float = 0.5, noise: float = 0.7) -> None:
    """A model that sees what texts are worth, and likes what is shown first."""
    rng, every = np.random.default_rng(len(judge)), worth()
    votes = []
    for item in range(ITEMS):
        for a, b in combinations(range(3), 2):
            gap = every[item, a] - every[item, b] + rng.normal() * noise
            for one, other, sign in ((a, b, 1), (b, a, -1)):
                answer = Answer.from_probability(float(expit(2 * sign * gap + first)))
                votes.append(vote(item, SYSTEMS[one], SYSTEMS[other], judge, answer, Kind.LLM))
    add(store, votes)


def voted(store: Store, person: str = "Ada", items: int = 15) -> None:
    """A person who prefers the text that is worth more, on the first items."""
    every, votes = worth(), []
    for item in range(items):
        for a, b in combinations(range(3), 2):
            won = points(float(every[item, b] > every[item, a]))
            votes.append(vote(item, SYSTEMS[b], SYSTEMS[a], person, won))
    add(store, votes)


def begin(store: Store, items: int = 15) -> Store:
    fill(store, items=ITEMS, systems=SYSTEMS)
    said(store)
    voted(store, items=items)
    return store
