"""Sampling of the pairs that people voted on: the combined estimate relies on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from ...labels import pluralize
from ...pairing import Choice
from ...store import Campaign, Store
from ..judgements.provenance import is_rest
from ..judgements.selection import Selection

BY_ANSWERS = {
    "active": "where the ranking was least certain",
    "uncertain": "where a model was unsure",
}
"""Ways to choose pairs by answers, under which the inclusion probability of a pair is unknown."""


class Sampling(NamedTuple):
    """Number of votes on pairs sampled with unknown probability, and notes."""

    unknown: int
    notes: list[str]


def check_sampling(
    store: Store, selection: Selection, votes: pd.DataFrame, pairs: pd.DataFrame
) -> Sampling:
    """Check the sampling of `votes` (a row each, with `campaign`) among the judged `pairs`."""
    voted = pairs.dropna(subset="voted")
    if len(voted) == len(pairs):
        return Sampling(0, [])
    if votes["campaign"].isna().all():
        note = (
            "The store does not say how pairs for people were chosen: this holds if they are a "
            "random sample."
        )
        return Sampling(0, [note])
    unknown, notes = _count_unknown_by_campaign(store, selection, votes, pairs)
    if imported := int(votes["campaign"].isna().sum()):
        notes.append(
            f"How pairs were chosen is not stored for {imported:,} of {len(votes):,} votes: they "
            "came by import."
        )
    if np.ptp(voted["inclusion"].to_numpy(float)) > 0:
        notes.append("Each pair counts 1 / the probability that people were asked about it.")
    if unknown:
        notes.append(
            "Ask about pairs at random, or where a vote tells most: then their probabilities are "
            "known."
        )
    usual = "All pairs were as likely to be asked about, as the estimate needs."
    return Sampling(unknown, notes or [usual])


def _count_unknown_by_campaign(
    store: Store, selection: Selection, votes: pd.DataFrame, pairs: pd.DataFrame
) -> tuple[int, list[str]]:
    unknown, notes = 0, []
    for campaign in store.campaigns.list_all(selection.dataset):
        number = int((votes["campaign"] == campaign.id).sum())
        ordering = store.campaigns.ordering(campaign.id)
        where = number and _describe_covered_pairs(campaign, ordering, selection, pairs)
        if where:
            unknown += number
            notes.append(
                f"Campaign {campaign.name!r} asked {where}: how likely a pair was is not known, "
                f"for {pluralize(number, 'vote')}."
            )
    return unknown, notes


def _describe_covered_pairs(
    campaign: Campaign, ordering: str, selection: Selection, pairs: pd.DataFrame
) -> str:
    """Describe the pairs a campaign covered, if some judged pairs had no chance or an unknown
    one.
    """
    if is_rest(campaign):
        return ""  # see `reweighting.weigh_shared`
    choice = Choice.from_campaign(campaign)
    if choice.way in BY_ANSWERS:
        return BY_ANSWERS[choice.way]
    how = ordering.split("|")[0]
    if how == "order":
        return "about the most separable pairs"
    some = choice.low > -1 or choice.high < 1
    if some or (how == "range" and choice.way != "separability"):
        return "about a range of separability"
    if choice.subset not in ("", selection.subset):
        return f"about the subset {choice.subset} only"
    if choice.item_set not in ("", selection.item_set):
        return f"about the item set {choice.item_set!r} only"
    met = pairs[["system_1", "system_2"]].drop_duplicates().itertuples(index=False)
    return (
        ""
        if all(choice.is_about_pair((one, other)) for one, other in met)
        else "about some systems"
    )
