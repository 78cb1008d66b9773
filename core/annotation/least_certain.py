"""Which two systems an active campaign asks about next: those whose order is least certain."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from core.records import Outcome
from core.statistics import least_certain
from core.store import Campaign, Store

ANEW_AFTER = 10
"""Judgements after which it is computed anew: the ranking does not change with every one."""

WAY = "active"


def wanted(store: Store, campaign: Campaign) -> int | None:
    """How many more votes an active campaign wants; None of any other, whose pairs say it."""
    if campaign.choice.get("way") != WAY:
        return None
    size = store.campaigns.size(campaign.id)
    return max(0, size["wanted"] - size["given"])


def strata(store: Store, campaign: Campaign) -> tuple[int, ...]:
    """The pairs of systems of an active campaign, the one most worth asking about first; none of
    another campaign.
    """
    if campaign.choice.get("way") != WAY:
        return ()
    age = store.campaigns.latest_judgement() // ANEW_AFTER
    return _ordered(store.path, campaign.id, age)


@lru_cache(maxsize=64)
def _ordered(path: Path, campaign: int, age: int) -> tuple[int, ...]:
    """`age` is that of the answer: with newer judgements it is another question."""
    with Store(path, create=False) as store:
        pairs, counts = store.campaigns.strata(campaign), store.campaigns.outcomes(campaign)
    systems = sorted({system for two in pairs.values() for system in two})
    place = {system: number for number, system in enumerate(systems)}
    wins = np.zeros((len(systems), len(systems)))
    for system_a, system_b, outcome, count in counts:
        if system_a in place and system_b in place:
            points = Outcome(outcome).points
            wins[place[system_a], place[system_b]] += points * count
            wins[place[system_b], place[system_a]] += (1 - points) * count
    worth = least_certain.worth_asking(wins)
    return tuple(sorted(pairs, key=lambda pair: -worth[tuple(place[s] for s in pairs[pair])]))
