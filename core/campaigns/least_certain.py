"""Which two systems an active campaign asks about next: those whose order is least certain."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np

from core.records import Outcome
from core.statistics import least_certain
from core.store import Campaign, Store, stratum_of

ANEW_AFTER = 10
"""Votes after which it is computed anew, at least; of many, a hundredth of them: the ranking does
not change with every one.
"""

WAY = "active"


def strata(store: Store, campaign: Campaign) -> tuple[int, ...]:
    """The pairs of systems of an active campaign, the one most worth asking about first; none of
    another campaign.
    """
    if campaign.choice.get("way") != WAY:
        return ()
    given = store.campaigns.size(campaign.id)["given"]
    rows = store.datasets.system_ids(campaign.dataset)
    named = {*(campaign.choice["systems"] or rows), campaign.choice["against"]}
    systems = tuple(sorted(row for name, row in rows.items() if name in named))
    return _ordered(store.path, campaign.id, systems, _age(given))


def _age(given: int) -> tuple[int, int]:
    """The same for so long as the order is not computed anew."""
    step = ANEW_AFTER
    while step * 100 < given:
        step *= 2
    return step, given // step


@lru_cache(maxsize=64)
def _ordered(
    path: Path, campaign: int, systems: tuple[int, ...], age: tuple[int, int]
) -> tuple[int, ...]:
    """`age` is that of the answer: with newer votes it is another question."""
    with Store(path, create=False) as store:
        counts = store.campaigns.outcomes(campaign)
    place = {system: number for number, system in enumerate(systems)}
    wins = np.zeros((len(systems), len(systems)))
    for system_a, system_b, outcome, count in counts:
        if system_a in place and system_b in place:
            points = Outcome(outcome).points
            wins[place[system_a], place[system_b]] += points * count
            wins[place[system_b], place[system_a]] += (1 - points) * count
    worth = least_certain.worth_asking(wins)
    pairs = sorted(combinations(range(len(systems)), 2), key=lambda pair: -worth[pair])
    return tuple(stratum_of(systems[one], systems[other]) for one, other in pairs)
