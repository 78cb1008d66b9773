"""Estimates about all comparisons from those that were asked: each counts 1 / the probability that
it was asked (Horvitz & Thompson 1952), as a share of the sum of these weights (Hajek's estimator:
Saerndal et al. 1992, 5.7).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Kind
from ...statistics import Floats
from ...store import Store
from ..judgements import Selection, select_answered

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
