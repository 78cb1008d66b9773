"""Several metrics' separabilities as one order of the items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...statistics import Floats, rankdata


def rank_mean(members: Sequence[Floats], scale: Floats) -> Floats:
    """The values of `scale` (n,), put in the order of the mean of the members' ranks (n,): quantile
    normalisation (Bolstad et al. 2003), so that they can be read as separabilities.

    Each member's ranks are of its own values; NaN where a member or the scale has none. Values of
    equal mean rank share the mean of theirs.
    """
    known = ~np.isnan(np.stack([*members, scale])).any(axis=0)
    ordered: Floats = np.full(len(scale), np.nan)
    if not known.any():
        return ordered
    means = np.mean([rankdata(member[known]) for member in members], axis=0)
    _, place, times = np.unique(means, return_inverse=True, return_counts=True)
    starts = np.cumsum(times) - times
    of_place = np.add.reduceat(np.sort(scale[known]), starts) / times
    ordered[known] = of_place[place]
    return ordered
