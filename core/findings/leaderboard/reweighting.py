"""Estimates about all comparisons from those that were asked: each counts 1 / the probability that
it was asked (Horvitz & Thompson 1952), as a share of the sum of these weights (Hajek's estimator:
Saerndal et al. 1992, 5.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema
from ...records import Kind
from ...statistics import Floats
from ...store import Campaign, Store
from ..judgements.answers import JUDGING, select_answered
from ..judgements.provenance import find_rest_campaigns
from ..judgements.selection import Selection, load_generations
from ..judgements.verdicts import TEXTS, orient

InclusionRows = Annotated[pd.DataFrame, Schema({float: "inclusion"}, is_open=True)]


def add_inclusion(store: Store, dataset: str, frame: pd.DataFrame) -> InclusionRows:
    """Judgements with the probability that each was asked for, in `inclusion`; 1 where everything
    was asked, for what was imported and for what comes out of marks.

    Where people answered in several campaigns about an attribute, those of each are multiplied by
    a number, so that a campaign counts as much as it has votes, however few of its pairs these are.
    """
    inclusion = frame["judgement"].map(store.inclusions.probabilities(dataset)).fillna(1.0)
    frame = frame.assign(inclusion=inclusion.astype(float))
    return frame.assign(inclusion=_balance_campaigns(frame))


def weigh_parts(store: Store, selection: Selection, frame: pd.DataFrame) -> pd.Series:
    """Return the `inclusion` of judgements, that of people's votes as `weigh_shared` has it: each
    part of the pairs that campaigns of the rest split counts for as many as it has.
    """
    votes = ~frame["kind"].isin(JUDGING)
    pairs = _list_split_pairs(store, selection)
    given = weigh_shared(store, selection.dataset, orient(frame[votes]), pairs)
    found = frame["inclusion"].copy()
    found[votes] = given * (1 / given).mean()
    return found


def _list_split_pairs(store: Store, selection: Selection) -> pd.DataFrame:
    texts = load_generations(store, selection)
    rows = [
        (attribute, *pair)
        for campaign in find_rest_campaigns(store, selection.dataset)
        for attribute in store.campaigns.attributes(campaign.id)
        for part in _list_parts(store, campaign)
        for pair in part
    ]
    pairs = pd.DataFrame(rows, columns=["attribute", *TEXTS])
    return pairs[pairs[TEXTS].isin(set(texts["generation"])).all(axis=1)]


def _list_parts(store: Store, campaign: Campaign) -> tuple[list[Any], list[Any], list[Any]]:
    """List the pairs that a campaign of the rest asks about, those of the rest that had votes
    before, and those that judges were trusted with.
    """
    asked = [row[:2] for row in store.campaigns.pairs(campaign.id)]
    return asked, campaign.choice["settled"], campaign.choice["trusted"]


def weigh_shared(store: Store, dataset: str, votes: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Return the `inclusion` of votes on pairs that campaigns about their attribute split into what
    judges were trusted with and the rest. Both frames have attribute, candidate_1 and candidate_2;
    `votes` have a row a vote or a pair with votes, `pairs` are all that count.

    Votes of each part count for as many pairs as it has. The rest is what a campaign asks about and
    what had votes before. Several campaigns make as many parts as they tell apart. Votes on pairs
    that none of them split count for as many as those before on pairs that were.
    """
    inclusion = votes["inclusion"].astype(float).copy()
    campaigns = find_rest_campaigns(store, dataset)
    for attribute, given in votes.groupby("attribute"):
        about = [one for one in campaigns if attribute in store.campaigns.attributes(one.id)]
        if not about:
            continue
        shown = _code_texts(given[TEXTS])
        every = np.unique(_code_texts(pairs.loc[pairs["attribute"] == attribute, TEXTS]))
        split = [[_code_texts(part) for part in _list_parts(store, one)] for one in about]
        part, of_pairs = (_code_parts(codes, split) for codes in (shown, every))
        own = np.array(inclusion[given.index])
        is_asked = np.isin(shown, np.concatenate([asked for asked, _, _ in split]))
        is_before = (part > 0) & ~is_asked
        if is_before.any() and (part == 0).any():
            own[part == 0] *= (1 / own[is_before]).sum() / (of_pairs > 0).sum()
        for asked, settled, _ in split:
            own[np.isin(shown, settled) & ~is_asked] = 1.0
            if (of_campaign := np.isin(shown, asked)).any():
                own[of_campaign] *= (1 / own[of_campaign]).mean()
        for one in np.unique(part[part > 0]):
            there = (part == one) & np.isin(shown, every)
            own[there] *= (1 / own[there]).sum() / max((of_pairs == one).sum(), 1)
        inclusion[given.index] = own
    return inclusion


def _code_parts(codes: NDArray[np.int64], split: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    """Return the part of each pair (m,): of each campaign whether it is of the rest, trusted, or
    neither; 0 where no campaign split it.
    """
    parts = np.zeros(len(codes), dtype=np.int64)
    for asked, settled, trusted in split:
        is_rest = np.isin(codes, np.union1d(asked, settled))
        parts = 3 * parts + np.where(is_rest, 2, np.isin(codes, trusted))
    return parts


def _code_texts(pairs: Any) -> NDArray[np.int64]:
    """Return a number for each pair of texts, the same in either order."""
    low, high = np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=1).T
    codes: NDArray[np.int64] = low * 2**32 + high
    return codes


def _balance_campaigns(frame: pd.DataFrame) -> pd.Series:
    """Scale inclusion so that weights, 1 / inclusion, have mean 1 in each of several campaigns.
    Each campaign alone gives an estimate for all pairs, with an error that falls with its votes.
    """
    people = frame[frame["kind"] == Kind.HUMAN]
    found = frame["inclusion"].copy()
    for _, votes in people.groupby("attribute", sort=False):
        campaign = votes["campaign"].fillna(0)
        if campaign.nunique() > 1:
            found[votes.index] *= (1 / votes["inclusion"]).groupby(campaign).transform("mean")
    return found


def compute_weights(inclusion: pd.Series) -> Floats:
    """Compute weights 1 / inclusion (m,), scaled to mean 1."""
    found: Floats = 1 / inclusion.to_numpy(float)
    found /= found.mean()
    return found


def is_uneven(store: Store, selection: Selection) -> bool:
    """Return whether inclusion probabilities differ between these judgements, so that re-weighting
    makes a difference.
    """
    if store.inclusions.probabilities(selection.dataset).empty:
        return False
    frame, _ = select_answered(store, selection)
    return add_inclusion(store, selection.dataset, frame)["inclusion"].nunique() > 1


def describe_weights(store: Store, dataset: str, frame: pd.DataFrame) -> tuple[str, ...]:
    """Note what a reader of a re-weighted estimate must know about its judgements."""
    w = compute_weights(frame["inclusion"])
    if np.ptp(w) < 1e-9:
        return (
            "All comparisons were equally likely to be asked, so re-weighting changes nothing.",
        )
    # Kish (1965), 11.2
    effective = w.sum() ** 2 / (w**2).sum()
    found = [
        f"Each judgement counts 1 / the probability that it was asked. The effective sample size "
        f"is {effective:,.0f} of {len(w):,}."
    ]
    several = store.inclusions.draws(dataset)
    for judge in frame["judge"].unique():
        if judge in several:
            found.append(
                f"{judge} was asked about {several[judge]} draws of items. Each item counts by its "
                "greatest probability, which is approximate."
            )
    return tuple(found)
