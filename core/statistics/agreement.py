"""Whether judges agree: raw agreement, Cohen's kappa, Krippendorff's alpha for nominal verdicts.

A verdict is one of the codes FIRST, NEITHER, SECOND: which of the two texts of a unit is better.
Three parallel columns (m,) say who gave it on what: `judge`, `unit` and `verdict`, at most one row
for each judge and unit; what was not answered has no row. `item` are the groups that are drawn when
resampling: verdicts on the same item are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.statistics.columns import Codes, Floats
from core.statistics.intervals import Share, percentiles, resample_counts, shares_by

FIRST, NEITHER, SECOND = range(3)
CATEGORIES = 3
CELLS = CATEGORIES**2
BATCH = 10**7  # resampled cells held at once


class Alpha(NamedTuple):
    """Krippendorff's alpha, at most 1, 0 as by chance, with its interval, over `units` with two or
    more verdicts.
    """

    alpha: float
    low: float
    high: float
    units: int


class Meetings(NamedTuple):
    """Every two verdicts on the same unit, by judges `judge_1` < `judge_2`."""

    judge_1: Codes
    judge_2: Codes
    unit: Codes
    verdict_1: Codes
    verdict_2: Codes


@dataclass(frozen=True)
class Compared:
    """Two sides' verdicts compared, for each of n columns: `confusion` (n, k, k) counts, the one
    side's verdicts as rows; the share of equal verdicts; Cohen's kappa, at most 1, 0 as by chance,
    NaN where both always say the same one thing.
    """

    confusion: NDArray[np.int64]
    agreement: Share
    kappa: Floats
    low: Floats
    high: Floats


def counted(unit: Codes, verdict: Codes, units: int) -> NDArray[np.int64]:
    """(units, k) how many judges gave each verdict."""
    return np.bincount(unit * CATEGORIES + verdict, minlength=units * CATEGORIES).reshape(
        units, CATEGORIES
    )


def alpha(
    counts: NDArray[np.int64], item: Codes, *, resamples: int, rng: np.random.Generator
) -> Alpha:
    """Krippendorff's alpha for nominal data: 1 - observed / expected disagreement (Krippendorff
    2018, ch. 12).

    `counts` (units, k) how many judges gave each verdict, `item` (units,). Units with fewer than
    two verdicts are left out. NaN where all verdicts are the same: then there is nothing to agree
    about.
    """
    n = counts.sum(axis=1)
    paired = n >= 2
    counts, n = counts[paired], n[paired]
    if not len(counts):
        return Alpha(np.nan, np.nan, np.nan, 0)
    disagreement = (n**2 - (counts**2).sum(axis=1)) / (n - 1)
    items, row = np.unique(item[paired], return_inverse=True)
    terms = np.column_stack([np.bincount(row, column) for column in (disagreement, *counts.T)])
    samples = _alpha(resample_counts(len(items), resamples, rng) @ terms)
    low, high = percentiles(samples)
    return Alpha(float(_alpha(terms.sum(axis=0))), float(low), float(high), len(counts))


def _alpha(terms: Floats) -> Floats:
    """From sums (..., 1 + k) over units: their disagreement, and how often each verdict was
    given."""
    disagreement, given = terms[..., 0], terms[..., 1:]
    n = given.sum(axis=-1)
    expected = n**2 - (given**2).sum(axis=-1)
    ratio = np.divide(
        (n - 1) * disagreement, expected, out=np.full(expected.shape, np.nan), where=expected > 0
    )
    value: Floats = 1.0 - ratio
    return value


def plurality(counts: NDArray[np.int64]) -> Codes:
    """What most say of each unit, from `counts` (units, k); a draw is NEITHER, and so is a unit
    without verdicts.
    """
    most = counts.max(axis=1, keepdims=True)
    alone = (counts == most).sum(axis=1) == 1
    return np.where(alone, counts.argmax(axis=1), NEITHER)


def meetings(judge: Codes, unit: Codes, verdict: Codes) -> Meetings:
    """Every two verdicts on the same unit, each pair of judges in the order of their codes."""
    order = np.lexsort((judge, unit))
    judge, unit, verdict = judge[order], unit[order], verdict[order]
    parts = []
    for apart in range(1, int(np.bincount(unit).max(initial=0))):
        first = np.flatnonzero(unit[:-apart] == unit[apart:])
        second = first + apart
        parts.append((judge[first], judge[second], unit[first], verdict[first], verdict[second]))
    empty = np.array([], dtype=np.int64)
    return (
        Meetings(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if parts
        else Meetings(*[empty] * 5)
    )


def compare(
    column: Codes,
    item: Codes,
    verdicts: tuple[Codes, Codes],
    *,
    n: int,
    resamples: int,
    rng: np.random.Generator,
    symmetric: NDArray[np.bool_] | None = None,
) -> Compared:
    """Verdicts of two sides on the same units (m,), apart for each `column`
    0..n-1: raw agreement, and kappa = (agreement - chance) / (1 - chance) (Cohen 1960) with a
    bootstrap interval over items.

    In a `symmetric` column (n,) it does not matter which side is which, so kappa's chance is that
    of both together.
    """
    items, row = np.unique(item, return_inverse=True)
    one, other = verdicts
    cell = (column * CATEGORIES + one) * CATEGORIES + other
    table = sparse.csr_array((np.ones(len(cell)), (row, cell)), shape=(len(items), n * CELLS))
    confusion = np.asarray(table.sum(axis=0)).reshape(n, CATEGORIES, CATEGORIES)
    turned = np.zeros(n, dtype=bool) if symmetric is None else symmetric
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    drawn = resample_counts(len(items), resamples, rng)
    at_once = max(1, BATCH // (CELLS * max(resamples, 1)))
    by_column = sparse.csc_array(table)
    for start in range(0, n if len(items) else 0, at_once):
        end = min(start + at_once, n)
        cells = drawn @ by_column[:, start * CELLS : end * CELLS]
        samples = kappa(
            _folded(
                cells.reshape(resamples, end - start, CATEGORIES, CATEGORIES), turned[start:end]
            )
        )
        low[start:end], high[start:end] = percentiles(samples)
    return Compared(
        np.rint(confusion).astype(np.int64),
        shares_by((one == other).astype(float), row, column, n=n),
        kappa(_folded(confusion, turned)),
        low,
        high,
    )


def _folded(confusion: Floats, turned: NDArray[np.bool_]) -> Floats:
    """With the tables of the `turned` columns made symmetric."""
    return np.where(turned[:, None, None], (confusion + confusion.swapaxes(-1, -2)) / 2, confusion)


def kappa(confusion: Floats) -> Floats:
    """Cohen's kappa (1960) of tables (..., k, k); NaN of an empty one, and where chance alone
    agrees always.
    """
    n = confusion.sum(axis=(-1, -2))
    agreed = np.trace(confusion, axis1=-2, axis2=-1) * n
    chance = (confusion.sum(axis=-1) * confusion.sum(axis=-2)).sum(axis=-1)
    rest = n**2 - chance
    value: Floats = np.divide(
        agreed - chance, rest, out=np.full(rest.shape, np.nan), where=rest > 1e-9 * n**2
    )
    return value
