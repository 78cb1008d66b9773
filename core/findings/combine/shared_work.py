"""Work shared between judges and people: judges answer the pairs that they are trusted with, and a
campaign asks people about the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...store import Campaign, Store


def weigh_shared(store: Store, campaigns: Sequence[Campaign], pairs: pd.DataFrame) -> pd.Series:
    """Return the inclusion of pairs with votes, as `load_answered` has them, where the newest of
    these campaigns about their attribute split them.

    Each part stands for itself: votes on its pairs count for as many as it has. The parts are what
    judges were trusted with, and the rest: those the campaign asks about and those that had votes
    before, a random part of it.
    """
    inclusion, done = pairs["inclusion"].astype(float).copy(), set[str]()
    for campaign in campaigns:
        names = set(store.campaigns.attributes(campaign.id)) - done
        done |= names
        here = pairs["attribute"].isin(names).to_numpy()
        asked = here & _are_among(pairs, (row[:2] for row in store.campaigns.pairs(campaign.id)))
        before = here & ~asked & _are_among(pairs, campaign.choice["settled"])
        voted = pairs["voted"].notna().to_numpy()
        inclusion[before] = 1.0
        inclusion[asked & voted] *= (1 / inclusion[asked & voted]).mean()
        for part in (asked | before, here & ~asked & ~before):
            inclusion[part & voted] *= (1 / inclusion[part & voted]).sum() / max(part.sum(), 1)
    return inclusion


def _are_among(pairs: pd.DataFrame, those: Iterable[Iterable[int]]) -> NDArray[np.bool_]:
    known = {tuple(sorted(pair)) for pair in those}
    texts = np.sort(pairs[["candidate_1", "candidate_2"]].to_numpy(), axis=1)
    return np.array([tuple(pair) in known for pair in texts.tolist()], dtype=bool)
