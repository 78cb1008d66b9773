"""Resampling for the intervals of ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from .columns import (
    Codes,
    Columns,
    Floats,
    Method,
    Weights,
    default_weights,
    share_pseudo_comparisons,
)
from .uncertainty import Uncertainty

MEMORY = 2 * 10**8  # bytes of weights held at once
LARGE_PART = 0.03  # of a system's comparisons, beyond which a cluster is left out, not drawn

Resolve = Literal["together", "pairwise", "always"]


@dataclass(frozen=True)
class Drawing:
    """Resampling plan: the clusters that are resampled, and how often.

    `groups` (m,) are the clusters, such as items; None makes every comparison its own cluster.
    `judges` (m,) are resampled as well if given. `weights` (m,), above 0, are those of the
    comparisons, such as 1 / inclusion probability (Hajek's estimator: Saerndal et al. 1992, 5.7);
    only their ratios matter. `resolve` sets the confidence for differences of systems: each pair
    alone (`pairwise`), all together, or all together at every look (`always`), when intervals of
    ratings hold so, too. It covers all of several `boards` (Bonferroni). `times` (m,) is the number
    of equal comparisons of one cluster in each row; without `groups` each of them is a cluster.
    They are not weights: a row of five counts like five rows.
    """

    rng: np.random.Generator
    resamples: int = 100
    groups: Codes | None = None
    weights: Floats | None = None
    confidence: float = 0.95
    judges: Codes | None = None
    resolve: Resolve = "together"
    boards: int = 1
    times: Floats | None = None

    def sources(self, m: int) -> Iterator[Codes]:
        """Iterate over codes of the clusters (m,): items; or items, judges, and both together."""
        groups = np.arange(m) if self.groups is None else _codes(self.groups)
        yield groups
        if self.judges is not None:
            judges = _codes(self.judges)
            yield judges
            yield _codes(groups * (judges.max(initial=0) + 1) + judges)


class _Rows(NamedTuple):
    """Comparisons with what each weighs, `base`; `origin` is the place of each among those that
    were made, and then among the pseudo-comparisons, which are drawn by their `size`.
    """

    first: Codes
    second: Codes
    outcome: Floats
    base: Floats
    origin: Codes
    size: Floats = np.zeros(0)


def resample_ratings(
    how: Method, columns: Columns, n: int, drawing: Drawing, settings: dict[str, Any]
) -> Uncertainty:
    """Estimate how ratings vary with the clusters. Large ones are left out one at a time (CV3:
    MacKinnon, Nielsen & Webb 2023), since resamples would ignore part of their leverage. The others
    are resampled by exponential weights (Rubin's Bayesian bootstrap, 1981). What has no ratings is
    left out, and counted.

    Where the method asks for them, each pair that was compared gets pseudo-comparisons, won and
    lost, each a cluster of its own: then a pair that always ends the same varies, too.
    """
    m = len(columns[0])
    times = default_weights(drawing.times, columns[0]).astype(float)
    weights = default_weights(drawing.weights, columns[0]).astype(float)
    rows = _Rows(*columns, weights * times, np.arange(m))
    rows, settings = _add_pseudo_comparisons(how, rows, times, n, settings)
    listed = how.in_order or any(np.ndim(value) for value in settings.values())
    known: Columns = rows[:3]
    cell = np.arange(len(rows.first))
    if not listed:
        cell, known = _distinct(rows, n, how, settings)
    alike = not listed and np.ptp(weights) == 0 and (drawing.groups is None or times.max() == 1)

    def rate(weights: Weights) -> Floats:
        return how.rate(*known, n=n, weights=weights, **settings)

    base = np.bincount(cell, rows.base, minlength=len(known[0]))
    centre, resamples = rate(base), 0
    compared = np.bincount(np.concatenate(columns[:2]), np.tile(times, 2), n).astype(float)
    deviations, clusters, unrated = list[Floats](), list[Floats](), 0
    for source in drawing.sources(m):
        single = alike and int(source.max(initial=-1)) + 1 == m
        parts = _divide_by_cluster(columns, source, n, weights * times)
        table = _table(rows, source, cell, len(known[0]), times if single else None)
        large = np.zeros(0, dtype=np.int64)
        if how.left_out and len(table.size) <= drawing.resamples:
            large = np.arange(len(table.size))
        elif not single and not how.is_order:
            large = np.unique(parts.indices[parts.data > LARGE_PART]).astype(np.int64)
        moved = _leave_out(rate, table, large, centre)
        drawn = _resample(rate, table, large, drawing)
        deviations.append(np.concatenate([moved, drawn]))
        squares = np.asarray(parts.power(2).sum(axis=0), dtype=float).ravel()
        effective = np.divide(1.0, squares, out=np.zeros(n), where=squares > 0)  # Kish 1965
        clusters.append(compared if single else effective)
        resamples = max(resamples, len(drawn))
        wanted = len(large) + drawing.resamples * (len(large) < len(table.size))
        unrated = max(unrated, wanted - len(deviations[-1]))
    return Uncertainty(centre, tuple(deviations), tuple(clusters), resamples, unrated)


def rate_halves(
    how: Method,
    columns: Columns,
    n: int,
    part: Codes,
    rng: np.random.Generator,
    splits: int,
    weights: Floats,
    times: Floats,
    settings: dict[str, Any],
) -> tuple[Floats, Floats]:
    """Ratings by either half of the comparisons, each (splits, n), where their parts (m,), such as
    judges, are split in two at random so often. NaN where a half has no comparison of a system.
    Pseudo-comparisons are in both halves. `weights` and `times` (m,) are those of a `Drawing`.
    """
    rows = _Rows(*columns, weights * times, np.arange(len(part)))
    rows, settings = _add_pseudo_comparisons(how, rows, times, n, settings)
    cell, known = _distinct(rows, n, how, settings)
    source = _codes(part)
    table = _table(rows, source, cell, len(known[0]), None)
    of_parts = _divide_by_cluster(columns, source, n, times)
    first = rng.permuted(np.tile(np.arange(table.real) < table.real // 2, (splits, 1)), axis=1)
    both = np.concatenate([first, ~first])
    drawn = np.hstack([both, np.tile(table.size[table.real :], (len(both), 1))])
    rating, at_once = np.empty((len(both), n)), _count_at_once(table)
    for start in range(0, len(both), at_once):
        few = slice(start, start + at_once)
        rating[few] = how.rate(*known, n=n, weights=drawn[few] @ table.adds, **settings)
    rating[both @ of_parts == 0] = np.nan
    return rating[:splits], rating[splits:]


class _Table(NamedTuple):
    """Weight each cluster adds to each comparison (clusters, comparisons); `size` (clusters,) is
    its mean weight. The first `real` are not pseudo-comparisons.
    """

    adds: sparse.csr_array
    size: Floats
    real: int


def _table(rows: _Rows, source: Codes, cell: Codes, width: int, single: Floats | None) -> _Table:
    """`single` (m,) is the number of clusters in each row, if rows are clusters."""
    m, size = len(source), np.ones(int(source.max(initial=-1)) + 1)
    if single is not None:
        # Single comparisons, each a cluster: the weights of all that are alike add up to one.
        source = _codes(cell[np.argsort(rows.origin)][:m])
        size = np.bincount(source, single).astype(float)
    pseudo = len(size) + np.arange(len(rows.origin) - m)
    cluster = np.concatenate([source, pseudo])[rows.origin]
    every = np.concatenate([size, rows.size])
    shape = (len(every), width)
    adds = sparse.csr_array((rows.base / every[cluster], (cluster, cell)), shape=shape)
    return _Table(adds, every, len(size))


def _count_at_once(table: _Table) -> int:
    return int(MEMORY // (8 * max(*table.adds.shape, 1))) + 1


def _leave_out(
    rate: Callable[[Weights], Floats], table: _Table, large: Codes, centre: Floats
) -> Floats:
    count = table.size[: table.real].sum()
    weights = np.tile(table.size, (len(large), 1))
    weights[np.arange(len(large)), large] = 0.0
    if not len(large):
        return np.zeros((0, len(centre)))
    moved = _keep_rated(rate(weights @ table.adds)) - centre
    scale = (count - 1) / count * len(large) / max(len(moved), 1)
    return np.asarray(np.nan_to_num(moved) * np.sqrt(scale))


def _keep_rated(samples: Floats) -> Floats:
    return samples[~np.isnan(samples).all(axis=1)]


def _resample(
    rate: Callable[[Weights], Floats], table: _Table, large: Codes, drawing: Drawing
) -> Floats:
    """Compute how ratings move in resamples of all clusters but the `large` ones (resamples, n).
    The total weight of the resampled clusters is constant. No rows if all clusters are large.
    """
    real, count = slice(0, table.real), table.size[: table.real].sum()
    if len(large) == len(table.size):
        return np.zeros((0, len(rate(table.size @ table.adds))))
    parts, left = [], drawing.resamples
    at_once = _count_at_once(table)
    while left:
        weights = drawing.rng.standard_gamma(table.size, (min(left, at_once), len(table.size)))
        if len(large):
            weights[:, large] = table.size[large]
        else:
            weights[:, real] *= count / weights[:, real].sum(axis=1, keepdims=True)
        parts.append(rate(weights @ table.adds))
        left -= len(weights)
    samples = _keep_rated(np.concatenate(parts))
    scale = (count + (not len(large))) / max(count - 1, 1) / max(len(samples) - 1, 1)
    return np.asarray(np.nan_to_num(samples - samples.mean(axis=0)) * np.sqrt(scale))


def _add_pseudo_comparisons(
    how: Method, rows: _Rows, times: Floats, n: int, settings: dict[str, Any]
) -> tuple[_Rows, dict[str, Any]]:
    """Add the pseudo-comparisons. Each system wins and loses `how.pseudo` of them, and more where
    few comparisons link it. They are spread evenly over the order of the comparisons.
    """
    if not how.pseudo:
        return rows, settings
    m = len(rows.first)
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    pairs, pair = np.unique(low * np.int64(n) + high, return_inverse=True)
    met = np.bincount(pair, times).astype(float)
    low, high = pairs // n, pairs % n
    share, size = share_pseudo_comparisons(low, high, met, n=n)
    each = how.pseudo * rows.base.sum() / times.sum() * share
    sides = [(low, high)]
    if settings.get("position"):  # as often with either side first
        each, sides = each / 2, [(low, high), (high, low)]
    added = len(pairs) * 2 * len(sides)
    place = np.concatenate([np.arange(m), (np.arange(added) + 0.5) * m / added])
    order = np.argsort(place, kind="stable")
    extended = _Rows(
        np.concatenate([rows.first, *(np.tile(first, 2) for first, _ in sides)])[order],
        np.concatenate([rows.second, *(np.tile(second, 2) for _, second in sides)])[order],
        np.concatenate([rows.outcome, np.tile(np.repeat([1.0, 0.0], len(pairs)), len(sides))])[
            order
        ],
        np.concatenate([rows.base, np.tile(each, 2 * len(sides))])[order],
        np.arange(m + added)[order],
        np.tile(size, 2 * len(sides)),
    )
    longer = {}
    for name, value in settings.items():
        if np.ndim(value):  # controls are 0, since texts are alike; else the mean
            alike = 0.0 if value.ndim == 2 else np.mean(value)
            filled = np.full((added, *value.shape[1:]), alike)
            longer[name] = np.concatenate([value, filled])[order]
    return extended, {**settings, **longer}


def _distinct(rows: _Rows, n: int, how: Method, settings: dict[str, Any]) -> tuple[Codes, Columns]:
    first, second, outcome = rows.first.astype(np.int64), rows.second.astype(np.int64), rows.outcome
    if how.mirrored and not settings.get("position"):
        outcome = np.where(first > second, 1.0 - outcome, outcome)
        first, second = np.minimum(first, second), np.maximum(first, second)
    values, value = np.unique(outcome, return_inverse=True)
    codes, cell = np.unique((first * n + second) * len(values) + value, return_inverse=True)
    pairs, value = np.divmod(codes, max(len(values), 1))
    return cell, (pairs // n, pairs % n, values[value])


def _codes(values: Codes) -> Codes:
    return np.unique(values, return_inverse=True)[1]


def _divide_by_cluster(columns: Columns, source: Codes, n: int, size: Floats) -> sparse.csc_array:
    place = (np.tile(source, 2), np.concatenate(columns[:2]))
    shape = (int(source.max(initial=-1)) + 1, n)
    there = sparse.csc_array((np.tile(size, 2), place), shape=shape)
    there.sum_duplicates()
    whole = np.asarray(there.sum(axis=0)).ravel()
    there.data = there.data / np.repeat(whole, np.diff(there.indptr))
    return there
