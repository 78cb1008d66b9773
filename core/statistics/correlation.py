"""Correlations of predicted scores or ratings with the truth, and the accuracy over pairs.

`predicted` and `truth` are (m,) floats, one row per text, and `groups` or `systems` (m,) codes. A
row in which either value is NaN (never compared, no score) is left out and counted as `missing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .columns import Codes, Floats


def rankdata(values: Floats, *, axis: int | None = None) -> Floats:
    """Ranks from 1, the lowest first, of all values or along an axis; ties share the mean of their
    ranks. All are NaN where one value is.
    """
    from scipy import stats  # takes longer to import than the rest: `rank` does not wait for it

    return np.asarray(stats.rankdata(values, axis=axis), dtype=float)


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's tau-b (1945) of two columns (n,); NaN where either is constant."""
    from scipy import stats

    return float(stats.kendalltau(x, y).statistic)


Constant = Literal["drop", "zero"]
"""Whether an item whose predicted values are all equal is left out, or counts as 0."""

LARGE = 64  # texts in a group, beyond which sorting is faster than looking at every pair
CELLS = 10**6  # pairs of texts looked at at once


@dataclass(frozen=True)
class Correlations:
    """Coefficients in [-1, 1], NaN where undefined; `n` values used, `missing` rows left out."""

    pearson: float
    spearman: float
    kendall: float
    n: int
    missing: int


@dataclass(frozen=True)
class ItemCorrelations:
    """Coefficients averaged over `items` items; `undefined` further ones had nothing to correlate:
    `few` of these not two rows with both values, the others a constant column. In `constant` items
    it is the predicted one alone: `undefined`, or among the `items` where they count as 0.
    """

    pearson: float
    spearman: float
    kendall: float
    items: int
    undefined: int
    few: int
    constant: int
    missing: int


class PairAccuracy(NamedTuple):
    """Share of `pairs` ordered like the truth, in [0, 1]; NaN without a pair."""

    accuracy: float
    pairs: int


def correlations(predicted: Floats, truth: Floats) -> Correlations:
    """Pearson's r, Spearman's rho and Kendall's tau-b (Kendall 1945) of two columns; NaN where
    either is constant or holds fewer than two values.
    """
    known = _is_known(predicted, truth)
    r, rho, tau = _coefficients(predicted[known], truth[known])
    return Correlations(r, rho, tau, n=int(known.sum()), missing=int((~known).sum()))


def spearman(predicted: Floats, truth: Floats) -> float:
    """Spearman's rho of two columns without NaN; NaN where either is constant."""
    if len(predicted) < 2 or np.ptp(predicted) == 0 or np.ptp(truth) == 0:
        return np.nan
    return float(_cosines(rankdata(predicted)[None], rankdata(truth)[None])[0])


def correlate_by_item(
    groups: Codes, predicted: Floats, truth: Floats, *, constant: Constant = "drop"
) -> ItemCorrelations:
    """Mean of the correlations within each item, every item alike ("summary level", Bhandari et al.
    2020). An item where either column is constant, or with fewer than two values, is undefined;
    with `constant` zero, one whose predicted values alone are constant counts as 0 (Liu et al.
    2024, PairS, in their code). NaN if all are undefined.
    """
    known = _is_known(predicted, truth)
    found = _group_by_size(groups[known], predicted[known], truth[known])
    each = found.fill_coefficients(constant)
    defined = ~np.isnan(each[:, 1])
    r, rho, tau = each[defined].mean(axis=0) if defined.any() else (np.nan,) * 3
    every, place = np.unique(groups, return_inverse=True)
    items, few = int(defined.sum()), int((np.bincount(place, known, len(every)) < 2).sum())
    return ItemCorrelations(
        float(r), float(rho), float(tau), items=items, undefined=len(every) - items, few=few,
        constant=int(found.is_predicted_equal.sum()), missing=int((~known).sum()),
    )  # fmt: skip


def correlate_by_system(systems: Codes, predicted: Floats, truth: Floats) -> Correlations:
    """Correlate the systems' means over the same texts ("system level"); `n` counts systems."""
    known = _is_known(predicted, truth)
    _, codes = np.unique(systems[known], return_inverse=True)
    texts = np.bincount(codes)
    means = (np.bincount(codes, column[known]) / texts for column in (predicted, truth))
    r, rho, tau = _coefficients(*means)
    return Correlations(r, rho, tau, n=len(texts), missing=int((~known).sum()))


def pair_accuracy(groups: Codes, predicted: Floats, truth: Floats) -> PairAccuracy:
    """Compute the share of pairs that `predicted` orders like `truth`, over the pairs within a
    group whose truth differs; a predicted tie counts half. All pairs weigh the same.
    """
    known = _is_known(predicted, truth)
    found = _group_by_size(groups[known], predicted[known], truth[known])
    pairs = int(found.pairs.sum())
    return PairAccuracy(float(found.agreed.sum() / pairs) if pairs else np.nan, pairs)


class ResampledFigures(NamedTuple):
    """Figures of B resamples of the items (B,)."""

    pearson: Floats
    spearman: Floats
    kendall: Floats
    pair_accuracy: Floats


def system_means(
    items: Codes, systems: Codes, predicted: Floats, truth: Floats, counts: Floats
) -> tuple[Floats, Floats]:
    """Average systems 0..S-1 on B resamples (B, S); `counts` (B, I) says how often each of the
    items 0..I-1 is drawn; NaN for a system without a text in one.
    """
    known, size = _is_known(predicted, truth), int(systems.max(initial=-1)) + 1
    place, shape = (items[known], systems[known]), (counts.shape[1], size)
    texts, *sums = (
        counts @ sparse.csr_array((values, place), shape=shape)
        for values in (np.ones(len(place[0])), predicted[known], truth[known])
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return sums[0] / texts, sums[1] / texts


def resample_correlations(
    level: str,
    items: Codes,
    predicted: Floats,
    truth: Floats,
    counts: Floats,
    *,
    constant: Constant = "drop",
) -> ResampledFigures:
    """Compute `correlate_by_item` or `correlations`, and `pair_accuracy`, on resamples. `items`
    (m,) are codes 0..I-1 and `counts` (B, I) how often each item is drawn.
    """
    known = _is_known(predicted, truth)
    items, predicted, truth = items[known], predicted[known], truth[known]
    if level == "item":
        found = _group_by_size(items, predicted, truth)
        drawn = counts[:, found.groups]
        each = found.fill_coefficients(constant)
        defined = ~np.isnan(each[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            means = drawn[:, defined] @ each[defined] / drawn[:, defined].sum(axis=1, keepdims=True)
            accuracy = drawn @ found.agreed / (drawn @ found.pairs)
        pearson, spearman, kendall = means.T
        return ResampledFigures(pearson, spearman, kendall, accuracy)
    figures = np.full((len(counts), 4), np.nan)
    order = np.argsort(items, kind="stable")
    for figure, times in zip(figures, counts, strict=True):
        rows = np.repeat(order, times[items[order]].astype(np.int64))
        (figure[:3],), (agreed,), (pairs,) = _correlate_large_group(predicted[rows], truth[rows])
        figure[3] = agreed / pairs if pairs else np.nan
    return ResampledFigures(*figures.T)


class _GroupResults(NamedTuple):
    """Results for each group: coefficients (G, 3), NaN where undefined; agreed of pairs (G,)."""

    groups: Codes
    coefficients: Floats
    agreed: Floats
    pairs: Floats

    @property
    def is_predicted_equal(self) -> NDArray[np.bool_]:
        """Return whether all predicted values are equal, but not all true ones (G,)."""
        return np.isnan(self.coefficients[:, 1]) & (self.pairs > 0)

    def fill_coefficients(self, constant: Constant) -> Floats:
        """The coefficients, those of `is_predicted_equal` being 0 where they are to count."""
        counted = self.is_predicted_equal[:, None] & (constant == "zero")
        return np.where(counted, 0.0, self.coefficients)


def _group_by_size(groups: Codes, x: Floats, y: Floats) -> _GroupResults:
    """Groups of the same size at once: a data set's items mostly have as many texts."""
    codes, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    starts = np.cumsum(sizes) - sizes
    coefficients = np.full((len(codes), 3), np.nan)
    agreed, pairs = np.zeros(len(codes)), np.zeros(len(codes))
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        at_once = max(1, CELLS // size**2) if size <= LARGE else 1
        for few in np.split(of_size, range(at_once, len(of_size), at_once)):
            if size > LARGE:
                rows = order[starts[few[0]] :][:size]
                figures = _correlate_large_group(x[rows], y[rows])
            else:
                rows = order[starts[few, None] + np.arange(size)]
                figures = _correlate_small_groups(x[rows], y[rows])
            coefficients[few], agreed[few], pairs[few] = figures
    return _GroupResults(codes, coefficients, agreed, pairs)


def _correlate_small_groups(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Coefficients (g, 3), agreed and pairs (g,) of g groups (g, n), by every pair of texts."""
    a, b = np.triu_indices(x.shape[1], 1)
    dx, dy = np.sign(x[:, a] - x[:, b]), np.sign(y[:, a] - y[:, b])
    excess = (dx * dy).sum(axis=1)
    told_apart, differ = np.abs(dx).sum(axis=1), np.abs(dy).sum(axis=1)
    defined = (told_apart > 0) & (differ > 0)
    coefficients = np.full((len(x), 3), np.nan)
    if defined.any():
        u, v = x[defined], y[defined]
        rho = _cosines(rankdata(u, axis=1), rankdata(v, axis=1))
        tau = excess[defined] / np.sqrt(told_apart[defined] * differ[defined])
        coefficients[defined] = np.column_stack([_cosines(u, v), rho, tau])
    return coefficients, (differ + excess) / 2, differ


def _correlate_large_group(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    sizes = (np.unique(values, return_counts=True)[1] for values in (y, x))
    differ, told_apart = (int(len(x) ** 2 - (size**2).sum()) // 2 for size in sizes)
    coefficients = _coefficients(x, y)
    # Concordant less discordant pairs, a whole number, is the numerator of tau-b.
    both = np.sqrt(float(differ) * told_apart)
    excess = round(coefficients[2] * both) if both else 0
    return np.array([coefficients]), np.array([(differ + excess) / 2]), np.array([float(differ)])


def _is_known(predicted: Floats, truth: Floats) -> NDArray[np.bool_]:
    return ~(np.isnan(predicted) | np.isnan(truth))


def _coefficients(x: Floats, y: Floats) -> tuple[float, float, float]:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan, np.nan, np.nan
    r, rho = _cosines(np.stack([x, rankdata(x)]), np.stack([y, rankdata(y)])).tolist()
    return r, rho, tau_b(x, y)


def _cosines(x: Floats, y: Floats) -> Floats:
    """Pearson's r of rows (g, n), divided by their range first so that squares stay finite."""
    a, b = (
        (rows - rows.mean(axis=1, keepdims=True)) / np.ptp(rows, axis=1, keepdims=True)
        for rows in (x, y)
    )
    r = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.asarray(np.clip(r, -1.0, 1.0))
