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

CampaignPair = tuple[int, int, str, str, str]
"""Two generations, their item and their systems."""

KEY = ["item", "system_1", "system_2"]


def order_at_random(store: Store, campaign: Campaign) -> int:
    """Put the pairs of a campaign back in random order; return their number."""
    pairs = list_pairs(store, campaign)
    nothing = DrawnItems(np.array([], int), np.ones(len(pairs)), 0)
    _ask_first(store, campaign, "random", pairs, nothing, seed=0)
    return len(pairs)


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
    pairs = list_pairs(store, campaign)
    chosen = Choice(
        dataset=campaign.dataset,
        separability=metric,
        encoder=encoder,
        seed=seed,
        origin=store.datasets.origin(campaign.dataset),
    )
    taken = draw_separable(store, chosen, _list_places(pairs), how)
    _ask_first(store, campaign, f"{how.how}|{metric}", pairs, taken, seed)
    return len(taken.places), taken.unknown


def draw_separable(
    store: Store, choice: Choice, places: Sequence[Place], how: BySeparability
) -> DrawnItems:
    """Draw places by the separability of their texts. Raises TandemError where it is unknown."""
    metric, encoder = choice.separability, choice.encoder
    values = measure_separability(store, choice.dataset, places, metric, encoder)
    rng = np.random.default_rng(draw(choice.seed, choice.drawn_as, "pairs by separability"))
    return draw_by_separability(values, how, rng)


def measure_separability(
    store: Store, dataset: str, places: Sequence[Place], metric: str, encoder: str
) -> Floats:
    """Return the separability of the texts of each place; NaN where it is not measured."""
    measured = applications.measure_ranked_systems(store, Selection(dataset), metric, encoder)
    return measured.set_index(KEY)["separability"].reindex(_index_places(places)).to_numpy(float)


def _index_places(places: Sequence[Place]) -> pd.MultiIndex:
    return pd.MultiIndex.from_tuples([(item, *sorted(pair)) for item, pair in places], names=KEY)


def _ask_first(
    store: Store,
    campaign: Campaign,
    ordering: str,
    pairs: Sequence[CampaignPair],
    taken: DrawnItems,
    seed: int,
) -> None:
    """Ask first about the drawn pairs, in their order, then about the others at random, always in
    the same order. The chance of each pair is stored.
    """
    ranks = {place: rank for rank, place in enumerate(taken.places.tolist())}
    origin, chances = store.datasets.origin(campaign.dataset), taken.chances.tolist()
    places = {
        (one, other): (ranks.get(place, draw(seed, origin, *names)), chances[place])
        for place, (one, other, *names) in enumerate(pairs)
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


def list_pairs(store: Store, campaign: Campaign) -> list[CampaignPair]:
    """List the pairs that people are asked about. Raises TandemError for a campaign without any."""
    pairs = store.campaigns.pairs(campaign.id)
    if not pairs:
        raise TandemError(
            f"campaign {campaign.name!r} has no pairs to ask about: import texts of at least "
            "two systems"
        )
    return pairs


def _list_places(pairs: Sequence[CampaignPair]) -> list[Place]:
    return [(item, (one, other)) for _, _, item, one, other in pairs]


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
    pairs = list_pairs(store, campaign)
    voted = store.campaigns.list_answered(campaign.id)
    number = round(choice.budget * len(pairs) / max(len(pairs) - len(voted), 1))
    attributes = store.campaigns.attributes(campaign.id)
    taken = draw_pairs(store, choice, attributes, _list_places(pairs), number)
    _ask_first(store, campaign, choice.way, pairs, taken, choice.seed)
    return len(taken.places), sum(pairs[place][:2] in voted for place in taken.places.tolist())


def _sizes(store: Store, choice: Choice, attribute: str, places: Sequence[Place]) -> Floats:
    """Compute the sizes (m,) in proportion to which these pairs are drawn.

    Their mean is 1 over those that a judge has answered; the others are NaN (see
    `core.statistics.vote_planning`).
    """
    key = _index_places(places)
    judges = tuple(choice.judges) or (Kind.LLM.value,)
    asked = Selection(choice.dataset, attribute=attribute, judges=judges)
    answers, _ = select_answered(store, asked)
    # The mean is over orders, samples and trials.
    first = answers["prob_a"].astype(float).fillna(answers["points"])
    by_judge = orient(answers.assign(points=first)).groupby([*KEY, "judge"])["points_1"].mean()
    said = by_judge.unstack("judge").reindex(key).to_numpy(float)
    votes = store.judgement_frames.load_all(choice.dataset, attribute=attribute)
    votes = votes[(votes["kind"] == Kind.HUMAN) & votes["outcome"].notna()]
    sides = orient(votes.assign(points=votes["outcome"].map(POINTS).astype(float)))
    voted = sides.groupby(KEY)["points_1"].mean().reindex(key).to_numpy(float)
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


ANEW_AFTER = 10
"""Fewest new votes after which the order is computed again; with many votes, about a hundredth of
them. The ranking does not change with every one.
"""


def strata(store: Store, campaign: Campaign) -> tuple[int, ...]:
    """Return the pairs of systems of an active campaign, the most informative first.

    It is empty for another campaign.
    """
    if campaign.choice.get("way") != "active":
        return ()
    rows = store.datasets.system_ids(campaign.dataset)
    named = {*(campaign.choice["systems"] or rows), campaign.choice["against"]}
    systems = tuple(sorted(row for name, row in rows.items() if name in named))
    step, given = ANEW_AFTER, store.campaigns.size(campaign.id)["given"]
    while step * 100 < given:
        step *= 2
    return _order_system_pairs(store.path, campaign.id, systems, (step, given // step))


@lru_cache(maxsize=64)
def _order_system_pairs(
    path: Path, campaign: int, systems: tuple[int, ...], age: tuple[int, int]
) -> tuple[int, ...]:
    """Order the pairs of systems, the most informative first; anew for another `age` of votes."""
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
