"""How well predicted scores or ratings follow the truth: correlations, and the accuracy over pairs.

Everywhere `predicted` and `truth` are (m,) floats, one row per text, and `groups` or `systems` (m,) integer codes.
A row in which either value is NaN (never compared, no score) is left out and counted as `missing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Correlations:
    """Three coefficients in [-1, 1], all NaN where undefined; `n` values used, `missing` rows left out."""

    pearson: float
    spearman: float
    kendall: float
    n: int
    missing: int


@dataclass(frozen=True)
class ItemCorrelations:
    """Coefficients averaged over `items` items; in `undefined` further items there was nothing to correlate."""

    pearson: float
    spearman: float
    kendall: float
    items: int
    undefined: int
    missing: int


class PairAccuracy(NamedTuple):
    """Share of `pairs` ordered like the truth, in [0, 1]; NaN without a pair."""

    accuracy: float
    pairs: int


def correlations(predicted: Floats, truth: Floats) -> Correlations:
    """Pearson's r, Spearman's rho and Kendall's tau-b (Kendall 1945) of two columns.

    NaN where either column is constant or holds fewer than two values.
    """
    known = _known(predicted, truth)
    r, rho, tau = _coefficients(predicted[known], truth[known])
    return Correlations(r, rho, tau, n=int(known.sum()), missing=int((~known).sum()))


def by_item(groups: Codes, predicted: Floats, truth: Floats) -> ItemCorrelations:
    """Mean of the correlations within each item, every item alike ("summary level", Bhandari et al. 2020).

    An item where either column is constant, or with fewer than two values, is counted as undefined. NaN if all are.
    """
    known = _known(predicted, truth)
    columns = np.stack([predicted, truth])
    each = np.array([_coefficients(*columns[:, rows]) for rows in _rows(groups, known)]).reshape(-1, 3)
    defined = ~np.isnan(each[:, 1])
    r, rho, tau = each[defined].mean(axis=0) if defined.any() else (np.nan,) * 3
    return ItemCorrelations(
        float(r),
        float(rho),
        float(tau),
        items=int(defined.sum()),
        undefined=len(np.unique(groups)) - int(defined.sum()),
        missing=int((~known).sum()),
    )


def by_system(systems: Codes, predicted: Floats, truth: Floats) -> Correlations:
    """Correlations of the systems' mean values ("system level"); both means over the same texts. `n` counts systems."""
    known = _known(predicted, truth)
    _, codes = np.unique(systems[known], return_inverse=True)
    texts = np.bincount(codes)
    r, rho, tau = _coefficients(*(np.bincount(codes, column[known]) / texts for column in (predicted, truth)))
    return Correlations(r, rho, tau, n=len(texts), missing=int((~known).sum()))


def pair_accuracy(groups: Codes, predicted: Floats, truth: Floats) -> PairAccuracy:
    """Share of pairs that `predicted` orders like `truth`, over the pairs within a group whose truth differs.

    A predicted tie counts half, so that the chance level is 1/2. All pairs weigh the same, whatever their group: give
    the items as groups, or one group for all texts (pool) or for the systems' means (system).
    """
    known = _known(predicted, truth)
    agreed, pairs = 0.0, 0
    for rows in _rows(groups, known):
        x, y = predicted[rows], truth[rows]
        differ, told_apart = _untied(y), _untied(x)
        # Concordant less discordant pairs, a whole number, is the numerator of tau-b.
        excess = round(_tau_b(x, y) * np.sqrt(float(differ) * told_apart)) if differ and told_apart else 0
        agreed += (differ + excess) / 2
        pairs += differ
    return PairAccuracy(agreed / pairs if pairs else np.nan, pairs)


def _known(predicted: Floats, truth: Floats) -> NDArray[np.bool_]:
    return ~(np.isnan(predicted) | np.isnan(truth))


def _rows(groups: Codes, known: NDArray[np.bool_]) -> Iterator[Codes]:
    """The row numbers of each group that has known rows."""
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(groups[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(groups[rows])) + 1
    return (part for part in np.split(rows, starts) if part.size)


def _coefficients(x: Floats, y: Floats) -> tuple[float, float, float]:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan, np.nan
    return _cosine(x, y), _cosine(rankdata(x), rankdata(y)), _tau_b(x, y)


def _cosine(x: Floats, y: Floats) -> float:
    """Pearson's r as the cosine of the centred columns; divided by their range first, so that squares stay finite."""
    a, b = ((column - column.mean()) / np.ptp(column) for column in (x, y))
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def _tau_b(x: Floats, y: Floats) -> float:
    return float(kendalltau(x, y).statistic)


def _untied(values: Floats) -> int:
    """Number of pairs of different values."""
    _, times = np.unique(values, return_counts=True)
    return int(len(values) ** 2 - (times**2).sum()) // 2
