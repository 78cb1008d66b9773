"""Agreement of judges: raw agreement, Cohen's kappa, Krippendorff's alpha for nominal verdicts.

A verdict is one of FIRST, NEITHER, SECOND, which of the two texts of a unit is better, or
CONTRADICTS, of a judge whose own answers are evenly split: it is equal to no verdict. Which text is
the first is a convention, so in chance each unit counts in both orientations
(docs/statistics/agreement.md, "Kappa and alpha").

Three parallel columns (m,) say who gave it on what: `judge`, `unit` and `verdict`, at most one row
for each judge and unit. Verdicts on the same item, or by the same judge, are not independent:
intervals leave out one item at a time (the jackknife, Efron & Stein 1981), and one judge at a time
where judges could have been others. As a sample does not show what is rare, two verdicts never
given together count as one item in the variance, and one judge more that answers as by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, logit, stdtrit

from .columns import Codes, Floats
from .intervals import NOTHING, Share, score, shares_by
from .uncertainty import ENOUGH_JUDGES, two_way

FIRST, NEITHER, SECOND, CONTRADICTS = range(4)
MIRRORED = [SECOND, NEITHER, FIRST, CONTRADICTS]
SHARED = 3  # categories that two verdicts can have in common
CATEGORIES = 4
CELLS = CATEGORIES**2
BATCH = 10**7  # cells held at once
FIXED = -1  # population code of a judge that is not one of several, and is not resampled


class Alpha(NamedTuple):
    """Krippendorff's alpha, at most 1, 0 as by chance, with its interval, over `units` with two or
    more verdicts, of `items` by `judges`; `drawn` is whether the interval is over judges as well.
    The variance is that by items alone, and what judges add to it.
    """

    alpha: float
    low: float
    high: float
    units: int
    drawn: bool
    items: int
    judges: int
    by_items: float
    by_judges: float


class Meetings(NamedTuple):
    """Pairs of verdicts on the same unit, by judges `judge_1` < `judge_2`."""

    judge_1: Codes
    judge_2: Codes
    unit: Codes
    verdict_1: Codes
    verdict_2: Codes


@dataclass(frozen=True)
class VerdictComparison:
    """Two sides' verdicts compared, for each of n columns: `confusion` (n, k, k) counts, the one
    side's verdicts as rows; the share of equal verdicts, and that by `chance`; kappa (see
    `compare`), NaN where both always say neither; whether intervals are over judges as well,
    `drawn`.
    """

    confusion: NDArray[np.int64]
    agreement: Share
    chance: Floats
    kappa: Floats
    low: Floats
    high: Floats
    drawn: NDArray[np.bool_]


def is_same_verdict(one: Codes, other: Codes) -> NDArray[np.bool_]:
    """Return whether two verdicts (m,) are equal. All measures of agreement use this."""
    return np.asarray((one == other) & (one != CONTRADICTS))


def tabulate_verdicts(unit: Codes, verdict: Codes, units: int) -> NDArray[np.int64]:
    """Count the judges that gave each verdict (units, k)."""
    counts = np.bincount(unit * CATEGORIES + verdict, minlength=units * CATEGORIES)
    return counts.reshape(units, CATEGORIES)


def alpha(
    judge: Codes,
    unit: Codes,
    verdict: Codes,
    item: Codes,
    *,
    over_judges: bool = True,
    over_items: bool = True,
    min_judges: int = ENOUGH_JUDGES,
) -> Alpha:
    """Krippendorff's alpha for nominal data, each unit in both orientations: 1 - observed /
    expected disagreement (Krippendorff 2018, ch. 12). NaN where all verdicts are NEITHER.

    `item` (units,). Units with fewer than two verdicts are left out. `over_judges`: judges are left
    out one at a time, too, where there are `min_judges` or more; or they alone, without
    `over_items`.
    """
    counts = tabulate_verdicts(unit, verdict, len(item))
    rest = counts[unit]
    rest[np.arange(len(unit)), verdict] -= 1
    terms = _terms(counts)
    less = terms[unit] - _terms(rest)  # by which the terms of its unit fall without each verdict
    paired = counts.sum(axis=1) >= 2
    if not paired.any():
        return Alpha(np.nan, np.nan, np.nan, 0, False, 0, 0, np.nan, np.nan)
    total = terms.sum(axis=0)
    estimate = _alpha(total)
    of_item = item[paired]
    by_items = _spread(_alpha(total - _sums(of_item, terms[paired])), estimate)
    known = paired[unit]
    judges = np.unique(judge[known])
    drawn = over_judges and len(judges) >= min_judges
    items = len(np.unique(of_item))
    unseen = _estimate_unseen_alpha(counts[paired], total, items)
    variance, freedom = by_items, np.array(items - 1.0)
    if drawn:
        row = judge[known].astype(np.int64)
        by_judges = _spread(_alpha(total - _sums(row, less[known])), estimate)
        by_judges = by_judges + (2 / (len(judges) + 1) * estimate) ** 2
        variance, freedom = by_judges, np.array(len(judges) - 1.0)
    if drawn and over_items:
        cell = row * len(item) + item[unit[known]]
        by_both = _spread(_alpha(total - _sums(cell, less[known])), estimate)
        variance, freedom = two_way(
            by_items, by_judges, by_both, np.array(float(items)), freedom + 1
        )
    of_items = by_items + unseen if over_items else np.zeros(())
    variance = variance + unseen if over_items else variance
    low, high = _student(estimate, variance, freedom)
    return Alpha(
        float(estimate), float(low), float(high), int(paired.sum()), drawn, items, len(judges),
        float(of_items), float(variance - of_items),
    )  # fmt: skip


def _terms(counts: NDArray[np.int64]) -> Floats:
    """Disagreement within each unit and its verdict counts (units, 1 + k); 0 of single verdicts."""
    n = counts.sum(axis=-1, keepdims=True)
    disagreement = (n**2 - _squares(counts)[..., None]) / np.maximum(n - 1, 1)
    return np.where(n >= 2, np.concatenate([disagreement, counts], axis=-1), 0.0)


def _squares(counts: NDArray[Any]) -> NDArray[Any]:
    """Sum of squares of counts (..., k) over categories, each CONTRADICTS being its own."""
    own = counts[..., SHARED:].sum(axis=-1)
    return np.asarray((counts[..., :SHARED] ** 2).sum(axis=-1) + own)


def _sums(cluster: Codes, rows: Floats) -> Floats:
    _, place = np.unique(cluster, return_inverse=True)
    return np.stack([np.bincount(place, column) for column in rows.T], axis=1)


def _spread(without: Floats, estimate: Floats) -> Floats:
    """The jackknife's variance from figures without each cluster (G, ...), around the figure."""
    count = len(without)
    return np.asarray((count - 1) / max(count, 1) * ((without - estimate) ** 2).sum(axis=0))


def _student(estimate: Floats, variance: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Student's interval of the logit of (estimate + 1) / 2, within [-1, 1]; else NaN."""
    half = stdtrit(np.maximum(freedom, 1.0), 0.975) * np.sqrt(variance)
    half = np.where(variance > NOTHING, half, np.nan)
    slope = (1 - estimate**2) / 2  # of the estimate by its logit
    inside = slope > NOTHING
    far = np.divide(half, slope, out=np.zeros_like(half), where=inside)
    low, high = (2 * expit(logit((estimate + 1) / 2) + end) - 1 for end in (-far, far))
    return (
        np.where(inside, low, np.maximum(estimate - half, -1.0)),
        np.where(inside, high, np.minimum(estimate + half, 1.0)),
    )


def _estimate_unseen_alpha(counts: NDArray[np.int64], total: Floats, items: int) -> Floats:
    """The variance of alpha by verdicts that were given, and never two by two about one unit, from
    `counts` (units, k) and their terms: as if each two once were, about a whole item.
    """
    n = counts.sum(axis=1, keepdims=True)
    together = counts.T @ (counts / (n - 1)) - np.diag((counts / (n - 1)).sum(axis=0))
    together, of = _average_orientations(together), total[1:] + total[1:][MIRRORED]
    estimate, added = _alpha(total), np.zeros(())
    verdicts = float(n.sum()) / items
    for one, other in zip(*np.triu_indices(CATEGORIES), strict=True):
        if min(of[one], of[other]) > 0 and together[one, other] < NOTHING:
            two = np.bincount([one, other], minlength=CATEGORIES)
            with_item = total + _terms(two[None])[0] * verdicts / 2
            added = added + (_alpha(with_item) - estimate) ** 2
    return added


def _alpha(terms: Floats) -> Floats:
    """Compute alpha from sums over units (..., 1 + k), each in both orientations."""
    disagreement, given = 2 * terms[..., 0], terms[..., 1:] + terms[..., 1:][..., MIRRORED]
    n = given.sum(axis=-1)
    expected = n**2 - _squares(given)
    nothing = np.full(expected.shape, np.nan)
    ratio = np.divide((n - 1) * disagreement, expected, out=nothing, where=expected > 0)
    return np.asarray(1.0 - ratio)


def plurality(counts: NDArray[np.int64]) -> Codes:
    """Plurality of each unit's verdicts (units, k); NEITHER in a draw. CONTRADICTS have no vote."""
    counts = counts[:, :SHARED]
    most = counts.max(axis=1, keepdims=True)
    alone = (counts == most).sum(axis=1) == 1
    return np.where(alone, counts.argmax(axis=1), NEITHER)


def meetings(judge: Codes, unit: Codes, verdict: Codes) -> Meetings:
    """List every two verdicts on the same unit, each pair of judges in the order of their codes."""
    order = np.lexsort((judge, unit))
    judge, unit, verdict = judge[order], unit[order], verdict[order]
    parts = []
    for apart in range(1, int(np.bincount(unit).max(initial=0))):
        first = np.flatnonzero(unit[:-apart] == unit[apart:])
        second = first + apart
        parts.append((judge[first], judge[second], unit[first], verdict[first], verdict[second]))
    empty = np.array([], dtype=np.int64)
    columns = zip(*parts, strict=True) if parts else [[empty]] * 5
    return Meetings(*(np.concatenate(column) for column in columns))


class JudgeSides(NamedTuple):
    """Judges compared: `judge_1` and `judge_2` (m,), the `population` (judges,) of each, or FIXED,
    whether items are resampled, and the fewest judges to generalise to others.
    """

    judge_1: Codes
    judge_2: Codes
    population: Codes
    over_items: bool = True
    min_judges: int = ENOUGH_JUDGES


def compare(
    column: Codes,
    item: Codes,
    verdicts: tuple[Codes, Codes],
    *,
    n: int,
    symmetric: NDArray[np.bool_] | None = None,
    sides: JudgeSides | None = None,
) -> VerdictComparison:
    """Verdicts of two sides on the same units (m,), apart for each `column` 0..n-1: raw agreement,
    and kappa = (agreement - chance) / (1 - chance) (Cohen 1960), each unit in both orientations.

    In a `symmetric` column (n,) it does not matter which side is which, so kappa's chance is that
    of both together: it is Fleiss' kappa (1971, eq. 1-7) where all judges answered the same units,
    and of two judges Scott's pi (1955). Intervals are over items, and over judges of `sides` (or
    over these alone) in columns in which three or more of one population meet.
    """
    _, row = np.unique(item, return_inverse=True)
    one, other = verdicts
    cell = one * CATEGORIES + other
    confusion = np.bincount(column * CELLS + cell, minlength=n * CELLS).astype(float)
    confusion = confusion.reshape(n, CATEGORIES, CATEGORIES)
    turned = np.zeros(n, dtype=bool) if symmetric is None else symmetric
    estimate = kappa(_symmetrize(confusion, turned))
    variance, in_column = _jackknife_items(column, row, cell, confusion, turned)
    unseen = _estimate_unseen_kappa(confusion, turned, in_column)
    variance, freedom = variance + unseen, in_column - 1
    agreed = shares_by(is_same_verdict(one, other).astype(float), row, column, n=n)
    drawn = np.zeros(n, dtype=bool)
    order = np.argsort(column, kind="stable")
    places, starts = np.unique(column[order], return_index=True)
    for place, within in zip(places.tolist(), np.split(order, starts)[1:], strict=True):
        found = _two_way(row[within], cell[within], sides, within, turned[place])
        if found is None:
            continue
        drawn[place] = True
        (of_share, of_kappa), (share_freedom, freedom[place]), judges = found
        over_items = sides is None or sides.over_items
        variance[place] = of_kappa + unseen[place] * over_items
        low, high = score(
            agreed.share[place], of_share, share_freedom, most=agreed.n[place],
            alike=np.fmin(judges, in_column[place] if over_items else np.inf),
        )  # fmt: skip
        agreed.low[place], agreed.high[place] = low, high
    low, high = _student(estimate, variance, freedom)
    chance = _chance(_symmetrize(confusion, turned))
    return VerdictComparison(confusion.astype(np.int64), agreed, chance, estimate, low, high, drawn)


def _jackknife_items(
    column: Codes, item: Codes, cell: Codes, confusion: Floats, turned: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    n = len(confusion)
    items = int(item.max(initial=0)) + 1
    met, row = np.unique(column * np.int64(items) + item, return_inverse=True)
    of = met // items
    table = sparse.csr_array((np.ones(len(row)), (row, cell)), shape=(len(met), CELLS))
    whole = kappa(_symmetrize(confusion, turned))
    squares = np.zeros(len(met))
    for start in range(0, len(met), BATCH // CELLS):
        part = slice(start, start + BATCH // CELLS)
        left_out = table[part].toarray().reshape(-1, CATEGORIES, CATEGORIES)
        without = kappa(_symmetrize(confusion[of[part]] - left_out, turned[of[part]]))
        squares[part] = (without - whole[of[part]]) ** 2
    count = np.bincount(of, minlength=n).astype(float)
    variance = (count - 1) / np.maximum(count, 1) * np.bincount(of, squares, minlength=n)
    return np.where(count > 0, variance, np.nan), count


def _estimate_unseen_kappa(confusion: Floats, turned: NDArray[np.bool_], items: Floats) -> Floats:
    """(n,) the variance of kappa by cells of its table that are empty though either side gives
    their verdicts: as if one of the `items` (n,) were in each.
    """
    table, added = _symmetrize(confusion, turned), np.zeros(len(confusion))
    whole, size = kappa(table), confusion.sum(axis=(1, 2)) / np.maximum(items, 1)
    for one, other in np.ndindex(CATEGORIES, CATEGORIES):
        used = (table[:, one].sum(axis=1) > 0) & (table[:, :, other].sum(axis=1) > 0)
        empty = np.flatnonzero(used & (table[:, one, other] == 0) & (~turned | (one <= other)))
        with_item = confusion[empty]
        with_item[:, one, other] += size[empty]
        added[empty] += (kappa(_symmetrize(with_item, turned[empty])) - whole[empty]) ** 2
    return added


def _two_way(
    item: Codes, cell: Codes, sides: JudgeSides | None, within: Codes, turned: np.bool_
) -> tuple[Floats, Floats, float] | None:
    """Variances of agreement and kappa (2,) over judges, and over items too unless `sides` say
    otherwise, with degrees of freedom, and of how many judges; None where these are too few. Each
    comparison of two verdicts is left out with either judge.
    """
    if sides is None:
        return None
    judges = np.concatenate([sides.judge_1[within], sides.judge_2[within]]).astype(np.int64)
    of = sides.population[np.unique(judges)]
    sizes = np.bincount(of[of != FIXED], minlength=int(sides.population.max(initial=0)) + 1)
    many = np.where(sides.population == FIXED, 0, sizes[sides.population]).astype(float)
    drawn = many[judges] >= sides.min_judges
    if not drawn.any():
        return None
    judges = judges[drawn]
    both = np.tile(np.arange(len(item)), 2)[drawn]
    total = np.bincount(cell, minlength=CELLS).astype(float)

    def figures(tables: Floats) -> Floats:
        shaped = tables.reshape(-1, CATEGORIES, CATEGORIES)
        folded = _symmetrize(shaped, np.full(len(shaped), turned))
        share = _diagonal(shaped) / np.maximum(shaped.sum(axis=(1, 2)), 1e-300)
        return np.stack([share, kappa(folded)], axis=1)

    def variance(cluster: Codes, rows: Codes, scale: Floats | float = 1.0) -> Floats:
        names, place = np.unique(cluster, return_inverse=True)
        codes = place * CELLS + cell[rows]
        sums = np.bincount(codes, minlength=len(names) * CELLS).reshape(-1, CELLS)
        away = (figures(total - sums) - figures(total[None])) ** 2
        return np.asarray((away.T * scale).sum(axis=1))

    items = len(np.unique(item))
    names, met = np.unique(judges, return_counts=True)
    fewest = float(many[names].min())
    by_judges = variance(judges, both, 1 - 1 / many[names])
    parts = np.bincount(sides.population[names], met / len(item) / (many[names] + 1))
    share, beyond = figures(total[None])[0]
    table = _average_orientations(total.reshape(CATEGORIES, CATEGORIES))
    careless = (parts**2).sum() * np.array([share - _chance(table), beyond]) ** 2
    by_judges = by_judges + careless
    if not sides.over_items:
        return by_judges, np.full(2, fewest - 1), fewest
    of_both = two_way(
        variance(item, np.arange(len(item))) * (items - 1) / items,
        by_judges,
        variance(judges * (int(item.max()) + 1) + item[both], both),
        np.full(2, float(items)),
        np.full(2, fewest),
    )
    return *of_both, fewest


def _average_orientations(tables: Floats) -> Floats:
    return np.asarray((tables + tables[..., MIRRORED, :][..., MIRRORED]) / 2)


def _symmetrize(confusion: Floats, turned: NDArray[np.bool_]) -> Floats:
    """Average over both orientations, and make tables of the `turned` columns symmetric."""
    tables = _average_orientations(confusion)
    return np.where(turned[:, None, None], (tables + tables.swapaxes(-1, -2)) / 2, tables)


def kappa(confusion: Floats) -> Floats:
    """Cohen's kappa (1960) of tables (..., k, k); NaN if empty, or where chance always agrees."""
    chance = _chance(confusion)
    agreed = _diagonal(confusion) / np.maximum(confusion.sum(axis=(-1, -2)), 1e-300)
    nothing = np.full(chance.shape, np.nan)
    return np.asarray(np.divide(agreed - chance, 1 - chance, out=nothing, where=1 - chance > 1e-9))


def _chance(confusion: Floats) -> Floats:
    """Share of equal verdicts by chance, from tables (..., k, k); NaN of an empty one."""
    n = confusion.sum(axis=(-1, -2))
    equal = (confusion.sum(axis=-1) * confusion.sum(axis=-2))[..., :SHARED].sum(axis=-1)
    return np.asarray(np.divide(equal, n**2, out=np.full(n.shape, np.nan), where=n > 0))


def _diagonal(confusion: Floats) -> Floats:
    return np.asarray(np.trace(confusion[..., :SHARED, :SHARED], axis1=-2, axis2=-1))
