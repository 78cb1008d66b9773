"""Instance separability, rating consistency and preference strength (Ghosh, Srinivasan, Swayamdipta
2024, "Compare without Despair").

Similarities of one item are `within_1` (K1, K1) and `within_2` (K2, K2), symmetric, with the
diagonal ignored, and `across` (K1, K2); NaN where a pair was not measured. K is the number of
sampled generations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Codes, Floats
from .intervals import TAIL

Mask = NDArray[np.bool_]


class Blocks(NamedTuple):
    """The similarities of one item's texts: within each system, and across the two."""

    within_1: Floats
    within_2: Floats
    across: Floats


class Bins(NamedTuple):
    """`edges` (bins + 1,) and of each value its bin, -1 where the value is NaN."""

    edges: Floats
    member: Codes


def self_alignment(within: Floats) -> float:
    """A_XX: mean similarity of the pairs of one system's generations; NaN if K < 2 or missing."""
    pairs = within[np.triu_indices(len(within), 1)]
    return float(pairs.mean()) if len(pairs) else np.nan


def cross_alignment(across: Floats, drawn: Mask | None = None) -> float:
    """A_XY: mean similarity of two systems' pairs, all or `drawn` (Ghosh et al. 2024, eq. 2)."""
    pairs = across.ravel() if drawn is None else across[drawn]
    return float(pairs.mean()) if len(pairs) else np.nan


def draw_pairs(
    shape: tuple[int, int], cross: int | None, *, rng: np.random.Generator
) -> Mask | None:
    """Draw `cross` pairs across two systems without replacement; None stands for all."""
    size = shape[0] * shape[1]
    if cross is None or cross >= size:
        return None
    drawn = np.zeros(size, dtype=bool)
    drawn[rng.choice(size, cross, replace=False)] = True
    return drawn.reshape(shape)


def separability(self_1: Floats, self_2: Floats, cross: Floats) -> Floats:
    """Compute delta = max(A_11, A_22) - A_12 (Ghosh et al. 2024, eq. 3), in [-1, 1], or NaN."""
    return np.asarray(np.maximum(self_1, self_2) - cross)


def scenario(
    self_1: Floats, self_2: Floats, cross: Floats, *, apart: float = 0.2, alike: float = 0.5
) -> Codes:
    """Classify the texts of an item into the four scenarios of Ghosh et al. 2024, figure 2; 0 where
    any alignment is NaN. The bounds are ours, for alignments from 0 to 1.

    1: both systems' texts are tight, and apart: each is `apart` or more above the cross alignment.
    3: only one of them is. 2: neither is, and the texts are spread: the cross alignment is below
    `alike`. 4: neither is, and all texts are alike.
    """
    tight = (self_1 - cross >= apart).astype(np.int64) + (self_2 - cross >= apart)
    found: Codes = np.select([tight == 2, tight == 1, cross < alike], [1, 3, 2], 4)
    found[np.isnan(self_1) | np.isnan(self_2) | np.isnan(cross)] = 0
    return found


def span(*alignments: Floats) -> tuple[float, float]:
    """The least and the greatest of the alignments; NaN where all are equal, or unknown."""
    known = np.concatenate([np.ravel(a) for a in alignments]) if alignments else np.array([])
    known = known[~np.isnan(known)]
    if not len(known) or known.min() == known.max():
        return np.nan, np.nan
    return float(known.min()), float(known.max())


def bootstrap(
    blocks: Blocks,
    drawn: Mask | None = None,
    *,
    rng: np.random.Generator,
    resamples: int = 200,
) -> tuple[float, float]:
    """Compute the percentile interval of an item's separability when each system's generations are
    resampled, none compared with itself. NaN where separability is.
    """
    within_1, within_2, across = blocks
    sizes = across.shape
    if min(sizes) < 2:
        return np.nan, np.nan
    first, second = (
        rng.multinomial(k, np.full(k, 1 / k), size=resamples).astype(float) for k in sizes
    )
    pairs = np.ones(sizes) if drawn is None else drawn.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        deltas = separability(
            _average_weighted(first, within_1, 1 - np.eye(sizes[0]), first),
            _average_weighted(second, within_2, 1 - np.eye(sizes[1]), second),
            _average_weighted(first, across, pairs, second),
        )
    deltas = deltas[~np.isnan(deltas)]  # a pair that is missing makes them all NaN, drawn or not
    if not len(deltas):
        return np.nan, np.nan
    low, high = np.quantile(deltas, [TAIL, 1 - TAIL])
    return float(low), float(high)


def _average_weighted(left: Floats, similarity: Floats, pairs: Floats, right: Floats) -> Floats:
    values = np.where(pairs > 0, similarity, 0.0)
    weight = ((left @ pairs) * right).sum(axis=1)
    return np.asarray(((left @ (values * pairs)) * right).sum(axis=1) / weight)


def consistency(ratings: Floats) -> float:
    """Compute c of one rating set: 0 if both signs occur, else the mean of |r| (Ghosh et al. 2024,
    eq. 4). `ratings` (N,) are -1, 0 and +1; in [0, 1], and 0 for nothing but ties.
    """
    return 0.0 if (ratings > 0).any() and (ratings < 0).any() else float(np.abs(ratings).mean())


def strength(ratings: Floats) -> float:
    """Preference strength of one rating set: the mean of r (Ghosh et al. 2024, eq. 7), in [-1,
    1]."""
    return float(ratings.mean())


def bin_values(values: Floats, *, bins: int, binning: str) -> Bins:
    """Bins of equal `width`, or with about as many values each, by `quantile`; one if all are
    equal. A value on an inner edge belongs below it.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return Bins(np.array([]), np.full(len(values), -1))
    if known.min() == known.max():
        edges = np.array([known[0], known[0]])
    elif binning == "quantile":
        edges = np.unique(np.quantile(known, np.linspace(0, 1, bins + 1)))
    else:
        edges = np.linspace(known.min(), known.max(), bins + 1)
    member = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, max(0, len(edges) - 2))
    member[np.isnan(values)] = -1
    return Bins(edges, member.astype(np.int64))
