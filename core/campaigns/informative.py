"""Probabilities with which a campaign asks about pairs where votes are expected to be most
informative.

They depend on what judges, and people so far, have said, and on how distinct the texts are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from ..findings.judgements import POINTS, Selection, orient, select_answered
from ..pairing import Choice, DrawnItems, systematic
from ..records import Kind, Outcome, TandemError, option_ref
from ..seeds import draw
from ..statistics import Floats, active_choice, vote_planning
from ..store import Campaign, Store, stratum_of
from . import ordering
from .ordering import KEY, Place


def draw_pairs(
    store: Store, choice: Choice, attributes: Sequence[str], places: Sequence[Place], number: int
) -> DrawnItems:
    """Draw `number` of these pairs in proportion to how informative a vote on them is expected to
    be.

    Each two systems get their share, to within one pair. For several attributes the mean counts.
    Pairs that no judge has answered cannot be drawn, and are counted. Raises TandemError where no
    judge has answered any pair.
    """
    by_attribute = np.stack([_sizes(store, choice, name, places) for name in attributes])
    known = ~np.isnan(by_attribute).all(axis=0)
    there = np.flatnonzero(known)
    if not len(there):
        raise TandemError("no judge has answered one of these pairs: let one judge them first")
    sizes = np.nanmean(by_attribute[:, there], axis=0)
    strata = pd.factorize(pd.Series([frozenset(places[row][1]) for row in there.tolist()]))[0]
    rng = np.random.default_rng(draw(choice.seed, choice.drawn_as, "where a vote tells most"))
    taken, probability = systematic(sizes, min(number, len(there)), rng, strata)
    chances = np.zeros(len(places))
    chances[there] = probability
    return DrawnItems(there[taken], chances, int((~known).sum()))


def ask_first(store: Store, campaign: Campaign, choice: Choice) -> tuple[int, int]:
    """Draw the pairs of a campaign that people are asked about first, by how informative a vote is.

    About `budget` pairs without a vote come first, the others then at random. Returns how many were
    drawn, and how many of them have a vote already.

    Pairs with votes are drawn like the others, as their probability is to be that of any pair, and
    not asked again. The probability of each pair to be drawn is stored. Raises TandemError without
    a budget, and where no judge has answered.
    """
    if choice.budget is None:
        raise TandemError(f"say how many pairs come first: {option_ref('number')}")
    pairs = ordering.pairs_of(store, campaign)
    voted = store.campaigns.list_answered(campaign.id)
    number = round(choice.budget * len(pairs) / max(len(pairs) - len(voted), 1))
    places = [(item, (one, other)) for _, _, item, one, other in pairs]
    attributes = store.campaigns.attributes(campaign.id)
    taken = draw_pairs(store, choice, attributes, places, number)
    ordering.drawn_first(store, campaign, choice.way, taken, choice.seed)
    return len(taken.places), sum(pairs[place][:2] in voted for place in taken.places.tolist())


def _sizes(store: Store, choice: Choice, attribute: str, places: Sequence[Place]) -> Floats:
    """Compute the sizes (m,) in proportion to which these pairs are drawn.

    Their mean is 1 over those that a judge has answered; the others are NaN (see
    `core.statistics.vote_planning`).
    """
    key = pd.MultiIndex.from_tuples([(item, *sorted(pair)) for item, pair in places], names=KEY)
    by_judge = judges_said(store, choice.dataset, attribute, choice.judges).unstack("judge")
    said = by_judge.reindex(key).to_numpy(float)
    votes = people_said(store, choice.dataset, attribute)
    voted = votes.groupby(KEY).mean().reindex(key).to_numpy(float)
    there = ~np.isnan(said).all(axis=1)
    if not there.any():
        return np.full(len(key), np.nan)
    apart = None
    if metric := choice.separability:
        measured = ordering.measure_separability(
            store, choice.dataset, places, metric, choice.encoder
        )
        apart = measured[there]
    variance = vote_planning.residual_variance(said[there], voted[there], apart)
    names = sorted({name for _, pair in places for name in pair})
    first, second = (
        np.searchsorted(names, key.get_level_values(side)[there])
        for side in ("system_1", "system_2")
    )
    value = np.full(len(key), np.nan)
    value[there] = vote_planning.sampling_sizes(variance, first, second, n=len(names))
    return value


def judges_said(
    store: Store, dataset: str, attribute: str, judges: Sequence[str] = ()
) -> pd.Series:
    """Average each judge's probability that the first system, by name, is better.

    The index is (item, system_1, system_2, judge); the mean is over orders, samples and trials. No
    `judges` means all language models.

    Raises TandemError where none of them has answered.
    """
    wanted = tuple(judges) or (Kind.LLM.value,)
    frame, _ = select_answered(store, Selection(dataset, attribute=attribute, judges=wanted))
    first = frame["prob_a"].astype(float).fillna(frame["points"])
    sides = orient(frame.assign(points=first))
    return sides.groupby([*KEY, "judge"])["points_1"].mean()


def people_said(store: Store, dataset: str, attribute: str) -> pd.Series:
    """Return the points of the first system in each vote of a person who is not excluded.

    The index is (item, system_1, system_2).
    """
    frame = store.judgement_frames.load_all(dataset, attribute=attribute)
    frame = frame[(frame["kind"] == Kind.HUMAN) & frame["outcome"].notna()]
    sides = orient(frame.assign(points=frame["outcome"].map(POINTS).astype(float)))
    return sides.set_index(KEY)["points_1"]


ANEW_AFTER = 10
"""Fewest new votes after which the order is computed again; with many votes, about a hundredth of
them. The ranking does not change with every one.
"""

WAY = "active"


def strata(store: Store, campaign: Campaign) -> tuple[int, ...]:
    """Return the pairs of systems of an active campaign, the most informative first.

    It is empty for another campaign.
    """
    if campaign.choice.get("way") != WAY:
        return ()
    given = store.campaigns.size(campaign.id)["given"]
    rows = store.datasets.system_ids(campaign.dataset)
    named = {*(campaign.choice["systems"] or rows), campaign.choice["against"]}
    systems = tuple(sorted(row for name, row in rows.items() if name in named))
    return _order_system_pairs(store.path, campaign.id, systems, _age(given))


def _age(given: int) -> tuple[int, int]:
    """Return a pair of numbers that changes when the order is to be computed again."""
    step = ANEW_AFTER
    while step * 100 < given:
        step *= 2
    return step, given // step


@lru_cache(maxsize=64)
def _order_system_pairs(
    path: Path, campaign: int, systems: tuple[int, ...], age: tuple[int, int]
) -> tuple[int, ...]:
    """Order the pairs of systems, the most informative first.

    `age` is that of the answer: with newer votes it is another question.
    """
    with Store(path, create=False) as store:
        counts = store.campaigns.outcomes(campaign)
    place = {system: number for number, system in enumerate(systems)}
    wins = np.zeros((len(systems), len(systems)))
    for system_a, system_b, outcome, count in counts:
        if system_a in place and system_b in place:
            points = Outcome(outcome).points
            wins[place[system_a], place[system_b]] += points * count
            wins[place[system_b], place[system_a]] += (1 - points) * count
    worth = active_choice.worth_asking(wins)
    pairs = sorted(combinations(range(len(systems)), 2), key=lambda pair: -worth[pair])
    return tuple(stratum_of(systems[one], systems[other]) for one, other in pairs)
