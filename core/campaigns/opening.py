"""Opening a campaign: choose and plan its pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from ..findings.judgements import POINTS, orient
from ..pairing import (
    DRAWN,
    REST,
    BySeparability,
    Choice,
    candidate_pairs,
)
from ..records import TandemError, option_ref
from ..seeds import draw
from ..store import Campaign, PlannedPair, Store, stratum_of
from .design import Design
from .drafts import CampaignDraft
from .known_answers import count_possible_attention, list_pair_checks
from .ordering import KEY, draw_pairs, draw_separable, find_rest

_ITEM_BITS = 31
"""Low bits of a place in the order, for the pair within its item; the high ones are the item's."""


@dataclass(frozen=True)
class _Set:
    """The pairs of texts of two systems on an item: one, or one of each sample. Of a set that is
    asked about: how likely it was to be, and its place where that is not drawn.
    """

    item: str
    systems: tuple[str, str]
    pairs: tuple[tuple[int, int], ...]
    probability: float = 1.0
    place: int | None = None


def open_campaign(store: Store, name: str, choice: Choice, design: Design) -> Campaign:
    """Open a new campaign with all its pairs planned.

    A campaign that import opened and nobody has answered is paused: somebody who designs a campaign
    does not mean that one. Raises TandemError for a name that is taken or empty, for a last day
    that is over, and for a choice without pairs.
    """
    if design.is_over():
        raise TandemError(
            f"{option_ref('deadline')} {design.deadline} is over everywhere: choose a later day"
        )
    choice = choice.validate(store)
    sets = _sets(store, choice)
    if not sets:
        if count_identical(store, choice):
            raise TandemError(
                f"all pairs of this kind in data set {choice.dataset!r} are of identical texts: "
                "nobody can say which is better"
            )
        raise TandemError(
            f"data set {choice.dataset!r} has no such pairs: two systems need a text on the "
            "same item of the subset"
        )
    choice, chosen = _choose_all(store, choice, sets)
    with store.transaction():
        campaign = store.campaigns.add(
            choice.dataset, name, design=design.to_stored(), choice=choice.to_stored()
        )
        for attribute, pairs in chosen.items():
            _plan(store, campaign, attribute, pairs, choice, design)
        for other in store.campaigns.list_all(campaign.dataset):
            if not other.choice and other.open and not store.campaigns.size(other.id)["given"]:
                store.campaigns.set_status(other.id, "paused")
    return campaign


def extend(store: Store, campaign: Campaign, budget: int | None) -> int:
    """Plan more pairs for a campaign at random: up to `budget` for each attribute, None = all. How
    many pairs are new. What is planned stays. Raises TandemError for a campaign whose pairs were
    chosen in another way.
    """
    if campaign.choice.get("way", "random") not in ("random", "active"):
        raise TandemError(
            f"the pairs of campaign {campaign.name!r} were drawn as a whole: create another one "
            "for more"
        )
    before = Choice.from_campaign(campaign)
    size = store.campaigns.size(campaign.id)
    planned = size["pairs"] // size["attributes"]
    if before.way == "random" and budget and budget * before.samples < planned:
        raise TandemError(
            f"campaign {campaign.name!r} asks about {planned} pairs for each attribute already: "
            f"{budget} would be fewer"
        )
    choice = replace(before, budget=budget).validate(store)
    design = Design.from_stored(campaign.design)
    with store.transaction():
        sets = _sets(store, choice)
        for attribute in store.campaigns.attributes(campaign.id):
            pairs = _choose(store, choice, attribute, sets)
            _plan(store, campaign, attribute, pairs, choice, design)
        store.campaigns.set_budget(campaign.id, budget)
        return store.campaigns.size(campaign.id)["pairs"] - size["pairs"]


class CampaignOutlook(NamedTuple):
    """The questions of a planned campaign: `pairs` of texts of so many `systems`, over all
    `attributes`.

    `identical` pairs are left out, as their texts are identical. `example` is one of the pairs
    (rows) with its attribute, None without any. So many `checks` come between the pairs, of which
    `attention` are attention checks.
    """

    pairs: int
    attributes: int
    systems: int
    identical: int
    example: tuple[str, int, int] | None
    checks: int = 0
    attention: int = 0


def compute_outlook(store: Store, draft: CampaignDraft) -> CampaignOutlook:
    """Compute the questions that a campaign would ask, without opening it.

    A pair that is a check is asked as that alone. An active campaign may ask about any pair; those
    that it will ask about count. Raises TandemError for known answers that do not fit.
    """
    choice = draft.choice.validate(store)
    sets = _sets(store, choice)
    choice, chosen = _choose_all(store, choice, sets)
    unsaved = Campaign(0, choice.dataset, "", "open", draft.design.to_stored(), {}, "")
    of_pairs = list_pair_checks(store, unsaved, choice.attributes, draft.checks)
    texts = {pair[0] for one in chain(*chosen.values()) for pair in one.pairs}
    attention = count_possible_attention(store, draft.checks, texts)
    as_checks = {
        (check.attribute, frozenset((check.generation_1, check.generation_2))) for check in of_pairs
    }
    row = {name: store.datasets.attribute_id(choice.dataset, name) for name in chosen}
    pairs = sum(
        (row[name], frozenset(pair)) not in as_checks
        for name, members in chosen.items()
        for one in members
        for pair in one.pairs
    )
    if choice.way == "active" and choice.budget:
        pairs = min(pairs, choice.budget * choice.samples * len(chosen))
    first = next(((name, *some[0].pairs[0]) for name, some in chosen.items() if some), None)
    systems = {name for one in chain(*chosen.values()) for name in one.systems}
    return CampaignOutlook(
        pairs, len(chosen), len(systems), count_identical(store, choice), first,
        sum(check.role != "training" for check in of_pairs) + attention, attention,
    )  # fmt: skip


def _plan(
    store: Store,
    campaign: Campaign,
    attribute: str,
    chosen: Sequence[_Set],
    choice: Choice,
    design: Design,
) -> None:
    ordering = choice.way if choice.way in (*DRAWN, REST) else "random"
    if choice.way == "separability":
        ordering = f"{choice.draw}|{choice.separability}"
    row = store.campaigns.add_attribute(
        campaign,
        attribute,
        strategy=choice.way,
        overlap=design.overlap,
        seed=choice.seed,
        ordering=ordering,
    )
    rows = store.datasets.system_ids(choice.dataset)
    active = choice.way == "active"
    planned = [
        PlannedPair(
            *pair,
            priority=_priority(one, choice, design) if one.place is None else one.place,
            probability=one.probability,
            stratum=stratum_of(*(rows[name] for name in one.systems)) if active else 0,
            bundle=draw("set", one.item, *one.systems) if choice.samples > 1 else 0,
        )
        for one in chosen
        for pair in one.pairs
    ]
    store.campaigns.add_pairs(row, planned)


def _priority(pairs: _Set, choice: Choice, design: Design) -> int:
    """Draw a place in random order, always the same; a design may keep the pairs of an item in a
    row.
    """
    place = draw(choice.seed, choice.drawn_as, pairs.item, *pairs.systems)
    if design.order != "item":
        return place
    of_item = draw(choice.seed, choice.drawn_as, pairs.item) >> _ITEM_BITS
    return of_item << _ITEM_BITS | place >> (63 - _ITEM_BITS)


def _sets(store: Store, choice: Choice) -> list[_Set]:
    """List all sets of pairs to choose from, without identical texts. Rating sets, of several
    samples, stay whole: how alike their texts are is what they measure.
    """
    same = store.texts.identical_pairs(choice.dataset) if choice.samples == 1 else set()
    sets: dict[tuple[str, tuple[str, str]], list[tuple[int, int]]] = defaultdict(list)
    for item, systems, pair in _pairs(store, choice):
        if pair not in same:
            sets[item, systems].append(pair)
    return [_Set(item, systems, tuple(pairs)) for (item, systems), pairs in sets.items()]


def count_identical(store: Store, choice: Choice) -> int:
    """Count the pairs that a campaign leaves out as their texts are identical."""
    if choice.samples > 1:
        return 0
    same = store.texts.identical_pairs(choice.dataset)
    return sum(pair in same for _, _, pair in _pairs(store, choice)) if same else 0


def _pairs(store: Store, choice: Choice) -> Iterator[tuple[str, tuple[str, str], tuple[int, int]]]:
    """Yield item, systems (by name) and generations (the lower id first) of all possible pairs."""
    frame = store.texts.generations(choice.dataset, texts=False)
    if choice.subset:
        frame = frame[frame["subset"] == choice.subset]
    if choice.item_set:
        items = store.item_sets.items(choice.dataset, choice.item_set)
        frame = frame[frame["item"].isin(items)]
    if choice.systems:
        frame = frame[frame["system"].isin([*choice.systems, choice.against])]
    system = dict(zip(frame["generation"].tolist(), frame["system"].tolist(), strict=True))
    for item, pairs in candidate_pairs(frame, samples=choice.samples):
        for one, other in pairs:
            systems = (system[one], system[other])
            if choice.is_about_pair(systems):
                yield item, systems, (min(one, other), max(one, other))


def _choose_all(
    store: Store, choice: Choice, sets: Sequence[_Set]
) -> tuple[Choice, dict[str, list[_Set]]]:
    """Choose the sets of each attribute. What judges are trusted with is kept with the choice."""
    if choice.way == REST:
        rest = find_rest(store, choice, {one.pairs[0] for one in sets})
        choice = replace(choice, settled=rest.settled, trusted=rest.trusted)
        sets = [one for one in sets if one.pairs[0] in rest.left]
    return choice, {name: _choose(store, choice, name, sets) for name in choice.attributes}


def _choose(store: Store, choice: Choice, attribute: str, sets: Sequence[_Set]) -> list[_Set]:
    if choice.way in ("separability", "informative", REST):
        places = [(one.item, one.systems) for one in sets]
        if choice.way == "separability":
            how = BySeparability(choice.draw, choice.budget, choice.low, choice.high)
            drawn = draw_separable(store, choice, places, how)
        else:  # in proportion to what votes are expected to tell; of the rest, half
            number = (len(sets) + 1) // 2 if choice.way == REST else choice.budget or len(sets)
            drawn = draw_pairs(store, choice, [attribute], places, number)
        chances = drawn.chances.tolist()
        ranks = {row: rank for rank, row in enumerate(drawn.places.tolist())}
        # Of the rest all are asked about: those that are drawn come first, the others at random.
        rows: Iterable[int] = range(len(sets)) if choice.way == REST else ranks
        return [replace(sets[row], probability=chances[row], place=ranks.get(row)) for row in rows]
    if choice.way == "uncertain":
        sets = _select_uncertain_sets(store, choice, attribute, sets)
    return _draw_sets_at_random(choice, sets)


def _draw_sets_at_random(choice: Choice, sets: Sequence[_Set]) -> list[_Set]:
    """Draw sets at random, as evenly over each two systems as possible. An active campaign may ask
    about any.
    """
    if choice.budget is None or choice.budget >= len(sets) or choice.way == "active":
        return list(sets)
    of_systems: dict[tuple[str, str], list[tuple[int, _Set]]] = defaultdict(list)
    for one in sets:
        place = draw(choice.seed, choice.drawn_as, one.item, *one.systems)
        of_systems[one.systems].append((place, one))
    ranked = [
        (rank, place, one)
        for members in of_systems.values()
        for rank, (place, one) in enumerate(sorted(members, key=lambda member: member[0]))
    ]
    taken = sorted(ranked, key=lambda row: row[:2])[: choice.budget]
    counts = Counter(one.systems for _, _, one in taken)
    return [
        replace(one, probability=counts[one.systems] / len(of_systems[one.systems]))
        for _, _, one in taken
    ]


def _select_uncertain_sets(
    store: Store, choice: Choice, attribute: str, sets: Sequence[_Set]
) -> list[_Set]:
    frame = store.judgement_frames.load_all(choice.dataset, attribute=attribute)
    frame = frame[(frame["judge"] == choice.judge) & frame["outcome"].notna()]
    if frame.empty:
        raise TandemError(
            f"{choice.judge} has answered nothing about {attribute}: let it judge first"
        )
    points = frame["prob_a"].astype(float).fillna(frame["outcome"].map(POINTS).astype(float))
    mean = orient(frame.assign(points=points)).groupby(KEY)["points_1"].mean()
    unsure = set(mean.index[(mean - 0.5).abs() <= choice.gap + 1e-9])
    taken = [one for one in sets if (one.item, *sorted(one.systems)) in unsure]
    if not taken:
        raise TandemError(
            f"{choice.judge} is nowhere within {choice.gap:g} of one half about {attribute}: "
            "choose a wider gap"
        )
    return taken
