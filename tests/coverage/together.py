"""Votes and judges together: intervals that hold however wrong the judges are."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.statistics.prediction_powered import combine, estimate_lead, find_significant_leads
from core.statistics.ratings import RATINGS
from tests.coverage.simulation import Simulation, cases, hold
from tests.statistics.judged_studies import World, everybody, study

Floats = NDArray[np.float64]
METHODS = {"win-ratio": "win ratio", "bradley-terry": "Bradley-Terry strength"}


@cache
def truth(world: World, method: str) -> Floats:
    """What everybody's votes on 40,000 items come to."""
    pairs = everybody(world)
    return RATINGS[method].rate(pairs.first, pairs.second, pairs.voted, n=pairs.n)


def same_truth(world: World) -> World:
    """The world with whatever does not change the truth as it is anyway."""
    kept = ("systems", "ties", "by_item", "taste", "spread")
    return World(**{name: getattr(world, name) for name in kept})


def rated(rng: np.random.Generator, *, world: World, method: str, of: str = "combined") -> Floats:
    """Whether each system's interval holds what everybody's votes would give."""
    found = getattr(combine(study(world, rng), method), of)
    right = truth(same_truth(world), method)
    return hold(found.low, right, found.high)


def led(rng: np.random.Generator, *, world: World, method: str) -> bool:
    """Whether the interval of how far the first is ahead of the second holds the truth."""
    found = combine(study(world, rng), method)
    first, second = np.argsort(-found.combined.rating)[:2]
    _, low, high = estimate_lead(found, int(first), int(second))
    right = truth(same_truth(world), method)
    return bool(low <= right[first] - right[second] <= high)


def told_apart(rng: np.random.Generator, *, world: World, method: str) -> bool:
    """Whether no two of systems that are equal are told apart."""
    return not find_significant_leads(combine(study(world, rng), method), rng).any()


WORLDS = {
    "a good judge, 10 items with votes": World(voted=10),
    "a good judge, 20 items": World(voted=20),
    "a good judge, 50 items": World(voted=50),
    "a worthless judge, 10 items": World(voted=10, quality=(0.0,)),
    "a worthless judge, 20 items": World(voted=20, quality=(0.0,)),
    "a worthless judge, 50 items": World(voted=50, quality=(0.0,)),
    "a perfect judge, 10 items": World(voted=10, quality=(np.inf,)),
    "a perfect judge, 20 items": World(voted=20, quality=(np.inf,)),
    "a judge with probabilities, 20 items": World(voted=20, soft=True),
    "three judges, 20 items": World(voted=20, quality=(1.0, 1.0, 1.0)),
    "one good and five worthless judges, 20 items": World(voted=20, quality=(1.0, *[0.0] * 5)),
    "a judge, its two copies and another, 20 items": World(voted=20, quality=(1.0, 1.0), copies=2),
    "a third of votes tied, 20 items": World(voted=20, ties=0.33),
    "one pair an item, 40 items": World(voted=40, pairs_each=1),
    "three pairs an item, 20 items": World(voted=20, pairs_each=3),
    "answers of an item alike, 20 items": World(voted=20, by_item=1.5),
    "items with unequal chances, 30 expected": World(voted=30, unequal=True),
    "unequal chances, three pairs an item": World(voted=30, unequal=True, pairs_each=3),
}
"""Of six systems and 200 items that the judges answered."""

LABELS = {label: method for method, label in METHODS.items()}


def some(*situations: str) -> dict[str, World]:
    return {situation: WORLDS[situation] for situation in situations}


COMBINED = tuple(
    Simulation(
        f"{label} by votes and judges",
        "`combine`: `combined_low`, `combined_high`",
        cases("{world}", rated, world=WORLDS, method=[method]),
        studies=200,
    )
    for method, label in METHODS.items()
)  # fmt: skip
VOTES = Simulation(
    "ratings by votes alone, beside them",
    "`combine`: `human_low`, `human_high`",
    cases("{method}, {world}", rated, method=LABELS,
          world=some(
              "a good judge, 10 items with votes",
              "a good judge, 20 items",
              "one pair an item, 40 items",
              "unequal chances, three pairs an item",
          ),
          of=["human"]),
    studies=200,
)  # fmt: skip
LEADS = Simulation(
    "how far the first system is ahead",
    "`combine`: `leads`",
    cases("{method}, {world}", led, "the first and the second are chosen by the same data",
          method=LABELS, world=some("a good judge, 20 items", "a perfect judge, 20 items")),
    studies=200,
)  # fmt: skip
EQUAL = {
    "a good judge, 20 items": World(voted=20, spread=0.0),
    "a worthless judge, 20 items": World(voted=20, quality=(0.0,), spread=0.0),
    "a perfect judge, 50 items": World(voted=50, quality=(np.inf,), spread=0.0),
    # Each of six systems has votes on 4 or 12 items, which the judge never got wrong.
    **{
        f"a perfect judge, {voted} items of one pair each": World(
            voted=voted, pairs_each=1, quality=(np.inf,), spread=0.0
        )
        for voted in (12, 36)
    },
}
TOLD = Simulation(
    "ranks by votes and judges, all systems together",
    "`combine`: `rank_low`, `rank_high`, `tied_with`: studies in which no two of six equal systems "
    "are told apart",
    cases("{method}, {world}", told_apart, most=1.0, method=LABELS, world=EQUAL),
    studies=200,
)  # fmt: skip

TOGETHER_WITH_JUDGES = (*COMBINED, VOTES, LEADS, TOLD)
