"""Judges of known quality on every pair in both orders, and three people, as plain records too."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from core.records import Answer, Kind
from core.store import Store
from tests.findings.combine.studies import SYSTEMS, add, points, vote
from tests.study import DATASET, fill


class Said(NamedTuple):
    """An answer: who said how many points of the text of `a`, shown first."""

    judge: str
    item: int
    a: str
    b: str
    points: float


JUDGES = {"sharp": (0.9, 0.0), "fair": (0.75, 0.1), "first": (0.6, 0.5), "coin": (0.5, 0.2)}
"""How often each is right, and how often it takes the first text whatever it is."""


def answers(items: int = 80, people: int = 3, seed: int = 1) -> list[Said]:
    """Everything that judges (in both orders) and people (in one) say."""
    rng, said = np.random.default_rng(seed), list[Said]()
    for item in range(items):
        for a, b in combinations(SYSTEMS, 2):
            better = rng.random() < {"alpha": 0.35, "beta": 0.5}[a]
            for judge, (right, lazy) in JUDGES.items():
                wins = better == (rng.random() < right)
                for one, other, won in ((a, b, wins), (b, a, not wins)):
                    said.append(Said(judge, item, one, other, float(won or rng.random() < lazy)))
            for number in range(people):
                won = better == (rng.random() < 0.85)
                said.append(Said(f"p{number}", item, a, b, float(won)))
    return said


def load(store: Store, said: list[Said], *, dataset: str = DATASET) -> Store:
    if dataset not in store.datasets.names():
        fill(store, items=80, systems=SYSTEMS, dataset=dataset)
    kinds = {one.judge: Kind.HUMAN if one.judge[0] == "p" else Kind.LLM for one in said}
    votes = [vote(s.item, s.a, s.b, s.judge, make_answer(s), kinds[s.judge]) for s in said]
    add(store, votes, dataset)
    return store


def make_answer(one: Said) -> Answer:
    """Judge `sharp` gives probabilities."""
    sure = Answer.from_probability(0.9 if one.points else 0.2)
    return sure if one.judge == "sharp" else points(one.points)
