"""Ordering: which pairs people are asked about first, at random or by how far their texts can be
told apart.
"""

from __future__ import annotations

import numpy as np

from core.analysis.judgements import Selection
from core.analysis.separability.applied import of_ranked
from core.pairing import BySeparability, by_separability
from core.records import TandemError
from core.seeds import draw
from core.store import Store


def at_random(store: Store, dataset: str) -> int:
    """People are asked in random order again: how many pairs there are."""
    return store.campaigns.reorder(
        dataset,
        "random",
        {pair: (place, 1.0) for pair, place in _draws(dataset, _pairs(store, dataset), 0)},
    )


def first_by_separability(
    store: Store,
    dataset: str,
    how: BySeparability,
    *,
    metric: str,
    encoder: str = "",
    seed: int = 0,
) -> tuple[int, int]:
    """People are asked first about the pairs that are drawn by their separability (Ghosh et al.
    2024, section 6), then about the others at random: how many were drawn, and how many pairs have
    no separability.

    Pairs that have votes stay where they are answered; only what comes next changes. Stored of
    every pair, drawn or not, is how likely it was to be drawn. Raises TandemError when nothing was
    measured, and when there are no pairs.
    """
    pairs = _pairs(store, dataset)
    found = of_ranked(store, Selection(dataset), metric, encoder)
    of = {
        (item, frozenset((one, other))): value
        for item, one, other, value in found[
            ["item", "system_1", "system_2", "separability"]
        ].itertuples(index=False)
    }
    values = np.array(
        [of.get((item, frozenset((one, other))), np.nan) for _, _, item, one, other in pairs],
        dtype=float,
    )
    taken = by_separability(
        values, how, np.random.default_rng(draw(seed, dataset, "pairs by separability"))
    )
    ranks = {place: rank for rank, place in enumerate(taken.places.tolist())}
    places = {
        pair: (ranks.get(place, at_random), chance)
        for place, ((pair, at_random), chance) in enumerate(
            zip(_draws(dataset, pairs, seed), taken.chances.tolist(), strict=True)
        )
    }
    store.campaigns.reorder(dataset, f"{how.how}|{metric}", places)
    return len(ranks), taken.unknown


def forgotten(store: Store, dataset: str) -> str:
    """What another order makes re-weighting forget, in a sentence; empty where nothing. A pair has
    one probability, of the latest draw.
    """
    votes = store.campaigns.drawn_votes(dataset)
    if not votes:
        return ""
    given = "1 vote was" if votes == 1 else f"{votes:,} votes were"
    return (
        f"{given} given while pairs were asked in the order "
        f"{store.campaigns.ordering(dataset)!r}: from now on re-weighting no "
        "longer knows how likely those were to be drawn, so export or rank them before, or keep "
        "that order"
    )


def _pairs(store: Store, dataset: str) -> list[tuple[int, int, str, str, str]]:
    """(generation, generation, item, system, system) of what people are asked about."""
    found = store.campaigns.pairs(dataset)
    if not found:
        raise TandemError(
            f"data set {dataset!r} has no pairs to ask people about: import texts of at least "
            "two systems"
        )
    return found


def _draws(
    dataset: str, pairs: list[tuple[int, int, str, str, str]], seed: int
) -> list[tuple[tuple[int, int], int]]:
    """The place of each pair in random order, the same whenever it is asked for."""
    return [((one, other), draw(seed, dataset, item, a, b)) for one, other, item, a, b in pairs]
