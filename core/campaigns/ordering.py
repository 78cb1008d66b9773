"""Order in which people are asked about pairs: at random or by the separability of their texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..findings.judgements import Selection
from ..findings.separability import applications
from ..pairing import BySeparability, DrawnItems, draw_by_separability
from ..records import TandemError
from ..seeds import draw
from ..statistics import Floats
from ..store import Campaign, Store

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
