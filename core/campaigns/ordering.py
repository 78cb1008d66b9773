"""Order in which people are asked about pairs: at random, by the separability of their texts, or by
how informative a vote is expected to be; and the pairs that judges are not trusted with.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..findings.judgements import POINTS, Selection, orient, select_answered
from ..findings.separability import applications
from ..findings.share import ShareSettings, share_work
from ..pairing import BySeparability, Choice, DrawnItems, draw_by_separability, systematic
from ..records import Kind, Outcome, TandemError, option_ref
from ..seeds import draw
from ..statistics import Floats, active_choice, vote_planning
from ..store import Campaign, Store, stratum_of

Place = tuple[str, tuple[str, str]]
"""An item and two systems."""

KEY = ["item", "system_1", "system_2"]


def order_at_random(store: Store, campaign: Campaign) -> int:
    """Put the pairs of a campaign back in random order; return their number."""
    draws = _draws(store.datasets.origin(campaign.dataset), pairs_of(store, campaign), 0)
    return store.campaigns.reorder(
        campaign.id, "random", {pair: (place, 1.0) for pair, place in draws}
    )


def first_by_separability(
    store: Store,
    campaign: Campaign,
    how: BySeparability,
    *,
    metric: str,
    encoder: str = "",
    seed: int = 0,
) -> tuple[int, int]:
    """Ask first about pairs drawn by their separability (Ghosh et al. 2024, section 6).

    The others follow at random. Returns how many were drawn, and how many have no separability.

    Pairs that have votes stay where they are answered; only what comes next changes. The
    probability of each pair to be drawn is stored, also where it was not. Raises TandemError when
    nothing was measured, and when there are no pairs.
    """
    pairs, origin = pairs_of(store, campaign), store.datasets.origin(campaign.dataset)
    places = [(item, (one, other)) for _, _, item, one, other in pairs]
    values = measure_separability(store, campaign.dataset, places, metric, encoder)
    taken = draw_by_separability(
        values, how, np.random.default_rng(draw(seed, origin, "pairs by separability"))
    )
    drawn_first(store, campaign, f"{how.how}|{metric}", taken, seed)
    return len(taken.places), taken.unknown


def measure_separability(
    store: Store, dataset: str, places: Sequence[Place], metric: str, encoder: str
) -> Floats:
    """Return the separability of the texts of each place; NaN where it is not measured."""
    measured = applications.measure_ranked_systems(store, Selection(dataset), metric, encoder)
    key = pd.MultiIndex.from_tuples([(item, *sorted(pair)) for item, pair in places])
    return measured.set_index(KEY)["separability"].reindex(key).to_numpy(float)


def drawn_first(
    store: Store, campaign: Campaign, ordering: str, taken: DrawnItems, seed: int
) -> None:
    """Ask first about the drawn pairs of a campaign, in their order, then about the others at
    random.

    The chance of each pair is stored.
    """
    ranks = {place: rank for rank, place in enumerate(taken.places.tolist())}
    at_random = _draws(store.datasets.origin(campaign.dataset), pairs_of(store, campaign), seed)
    places = {
        pair: (ranks.get(place, later), chance)
        for place, ((pair, later), chance) in enumerate(
            zip(at_random, taken.chances.tolist(), strict=True)
        )
    }
    store.campaigns.reorder(campaign.id, ordering, places)


def forgotten(store: Store, campaign: Campaign) -> str:
    """Say in a sentence what another order makes re-weighting forget; empty where nothing. A pair
    has one probability, of the latest draw.
    """
    votes = store.campaigns.drawn_votes(campaign.id)
    if not votes:
        return ""
    given = "1 vote was" if votes == 1 else f"{votes:,} votes were"
    return (
        f"{given} given while pairs were asked in the order "
        f"{store.campaigns.ordering(campaign.id)!r}. From now on nobody knows how likely those "
        "were to be drawn. Export or rank them before, or keep that order"
    )


def pairs_of(store: Store, campaign: Campaign) -> list[tuple[int, int, str, str, str]]:
    """List the pairs that people are asked about: (generation, generation, item, system, system).

    Raises TandemError for a campaign without pairs.
    """
    found = store.campaigns.pairs(campaign.id)
    if not found:
        raise TandemError(
            f"campaign {campaign.name!r} has no pairs to ask about: import texts of at least "
            "two systems"
        )
    return found


def _draws(
    origin: str, pairs: list[tuple[int, int, str, str, str]], seed: int
) -> list[tuple[tuple[int, int], int]]:
    """Draw the place of each pair in random order, always the same."""
    return [((one, other), draw(seed, origin, item, a, b)) for one, other, item, a, b in pairs]


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
    pairs = pairs_of(store, campaign)
    voted = store.campaigns.list_answered(campaign.id)
    number = round(choice.budget * len(pairs) / max(len(pairs) - len(voted), 1))
    places = [(item, (one, other)) for _, _, item, one, other in pairs]
    attributes = store.campaigns.attributes(campaign.id)
    taken = draw_pairs(store, choice, attributes, places, number)
    drawn_first(store, campaign, choice.way, taken, choice.seed)
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
        measured = measure_separability(store, choice.dataset, places, metric, choice.encoder)
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


class RestPairs(NamedTuple):
    """Pairs of texts that are left for people, those of these that have votes, and those that
    judges are trusted with.
    """

    left: frozenset[tuple[int, int]]
    settled: tuple[tuple[int, int], ...]
    trusted: tuple[tuple[int, int], ...]


def read_request(choice: Choice) -> tuple[Selection, ShareSettings]:
    """Return the request to `share` that a choice of what judges are not trusted with makes."""
    selection = Selection(
        choice.dataset,
        subset=choice.subset or None,
        attribute=choice.attributes[0],
        judges=choice.judges,
        item_set=choice.item_set or None,
        seed=choice.seed,
    )
    return selection, ShareSettings(choice.accept_error, choice.certainty, choice.signal)


def find_rest(store: Store, choice: Choice, among: Collection[tuple[int, int]]) -> RestPairs:
    """Find the pairs, `among` those a campaign can ask about, that judges are not trusted with.

    Raises TandemError for several attributes or samples, where no threshold is found, and where
    nothing is left.
    """
    if len(choice.attributes) != 1:
        raise TandemError(
            f"a threshold is about one question: name one of {', '.join(choice.attributes)} with "
            f"{option_ref('attributes')}"
        )
    if choice.samples > 1:
        raise TandemError(f"{option_ref('samples')} is {choice.samples}: a threshold takes 1")
    shared = share_work(store, *read_request(choice))
    by, _ = shared.sureness.answer(shared.threshold)
    if not (by >= 0).any():
        raise TandemError(
            f"{' or '.join(shared.sureness.names)} may answer nothing alone yet: `share` says how "
            "many votes at random it takes"
        )
    pairs = shared.every.pairs
    texts = [
        tuple(sorted(pair)) for pair in pairs[["candidate_1", "candidate_2"]].to_numpy().tolist()
    ]
    voted = pairs["voted"].notna().to_numpy()
    known = np.array([pair in among for pair in texts])

    def take(places: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
        return tuple(pair for pair, one in zip(texts, places & known, strict=True) if one)

    left = take((by < 0) & ~voted)
    if not left:
        raise TandemError(
            "nothing is left to ask: judges or people answered every pair that can be asked"
        )
    return RestPairs(frozenset(left), take((by < 0) & voted), take(by >= 0))
