"""The registry of rating methods, and leaderboards with bootstrap intervals by any of them. To add
a method, write its file and name it here.

The columns are those of `core.statistics.columns`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from core.statistics.bradley_terry import BRADLEY_TERRY, BRADLEY_TERRY_SOFT
from core.statistics.columns import Codes, Floats, Weights, components
from core.statistics.elo import ELO, SEP_ELO
from core.statistics.likelihood_ranking import LIKELIHOOD
from core.statistics.mean_rank import PAIRS
from core.statistics.method import Method
from core.statistics.product_of_experts import PRODUCT_OF_EXPERTS
from core.statistics.win_ratio import AVERAGE_PROBABILITY, WIN_RATIO

MEMORY = 2 * 10**8  # bytes of weights held at once

RATINGS: dict[str, Method] = {
    method.name: method
    for method in (
        WIN_RATIO,
        AVERAGE_PROBABILITY,
        BRADLEY_TERRY,
        BRADLEY_TERRY_SOFT,
        PRODUCT_OF_EXPERTS,
        LIKELIHOOD,
        ELO,
        SEP_ELO,
        PAIRS,
    )
}


def record(first: Codes, second: Codes, outcome: Floats, *, n: int) -> NDArray[np.int64]:
    """Wins, losses and ties of each system in either position, (n, 3)."""
    won, lost, tied = outcome > 0.5, outcome < 0.5, outcome == 0.5
    columns = ((won, lost), (lost, won), (tied, tied))
    return np.stack(
        [
            np.bincount(first[a], minlength=n) + np.bincount(second[b], minlength=n)
            for a, b in columns
        ],
        axis=1,
    )


@dataclass(frozen=True)
class Leaderboard:
    """Ratings with percentile intervals and ranks (1 is best), all (n,) floats, NaN where there is
    nothing to say.

    `samples` (resamples, n) are the ratings in each resample: two methods with the same seed and
    groups share them.
    """

    rating: Floats
    low: Floats
    high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    connected: bool
    note: str
    samples: Floats


def leaderboard(
    method: str,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    rng: np.random.Generator,
    groups: Codes | None = None,
    weights: Floats | None = None,
    resamples: int = 100,
    confidence: float = 0.95,
    **settings: Any,
) -> Leaderboard:
    """Ratings by `method` with bootstrap percentile intervals (Efron & Tibshirani 1993, ch. 13).

    `groups` (m,) are the units drawn with replacement, such as items; None makes every comparison
    its own. Resamples keep the order of the comparisons: shuffled ones give Elo intervals of the
    wrong width. `settings` go to the method.

    `weights` (m,), above 0, say how much each comparison counts, such as 1 / its probability of
    inclusion (Hajek's estimator: Saerndal et al. 1992, 5.7); only their ratios matter. What is
    drawn anew keeps its weight. Raises ValueError on an unknown method, on an outcome outside [0,
    1], and on weights of a method that is not `weighable`.
    """
    if method not in RATINGS:
        raise ValueError(f"unknown rating method {method!r}; there are: {', '.join(RATINGS)}")
    if not ((outcome >= 0) & (outcome <= 1)).all():
        raise ValueError(
            "an outcome is no number between 0 and 1; leave unanswered comparisons out"
        )
    how, m = RATINGS[method], len(first)
    if weights is not None:
        if not how.weighable:
            raise ValueError(f"{method} takes no weights")
        weights = weights / weights.mean()  # a prior is worth some comparisons of the usual weight
    columns, counts = (first, second, outcome), None
    each = groups is None or len(np.unique(groups)) == m
    per_comparison = any(np.ndim(value) for value in settings.values())
    if each and not how.in_order and not per_comparison and weights is None:
        # Single comparisons whose order does not matter: it is enough to know how many there are of
        # each.
        columns, counts = _distinct(
            *columns, n, mirrored=how.mirrored and not settings.get("position")
        )
    rating = how.rate(*columns, n=n, weights=counts if weights is None else weights, **settings)

    def drawn(times: int) -> Weights:
        if counts is not None:
            return _resample_counts(counts, times, rng)
        often = resample_weights(np.arange(m) if groups is None else groups, times, rng)
        return often if weights is None else often * weights

    samples = np.full((resamples, n), np.nan)
    # A weight is two bytes where the method reads it as it is, and becomes a float where sums are
    # taken of it.
    batch = MEMORY // (2 * m if how.in_order else 8 * max(len(columns[0]), n * n)) + 1 if m else 1
    for done in range(0, resamples if m else 0, batch):
        part = samples[done : done + batch]
        part[:] = how.rate(*columns, n=n, weights=drawn(len(part)), **settings)
    low, high = interval(samples, confidence)
    rank_low, rank_high = interval(ranks(samples), confidence)
    used = columns[2] != 0.5 if settings.get("ties") == "drop" else slice(None)
    parts = components(columns[0][used], columns[1][used], n=n)
    apart = (
        f"The systems fall into {parts} sets that were never compared with each other."
        if parts > 1
        else ""
    )
    note = " ".join(filter(None, [apart, how.remark(*columns, n=n, **settings)]))
    return Leaderboard(
        rating,
        low,
        high,
        ranks(rating),
        np.floor(rank_low),
        np.ceil(rank_high),
        parts <= 1,
        note,
        samples,
    )


def unresolved(board: Leaderboard, confidence: float = 0.95) -> NDArray[np.bool_]:
    """(n, n) whether it is open which of two systems is better: the interval of their difference,
    over the same resamples, holds 0. Without resamples only those that are level.
    """
    apart = board.rating[:, None] - board.rating[None, :]
    open_ = np.abs(apart) < 1e-7
    for i in range(len(board.rating)) if len(board.samples) else ():
        low, high = interval(board.samples[:, [i]] - board.samples, confidence)
        open_[i] = (low <= 0) & (high >= 0)
    np.fill_diagonal(open_, False)
    return open_ & ~np.isnan(apart)


def ranks(rating: Floats) -> Floats:
    """1 + the number of systems rated higher, along the last axis; NaN for a system without a
    rating.
    """
    # Systems with the same record differ by rounding only, and share a rank.
    best_first = rankdata(-np.nan_to_num(np.round(rating, 7), nan=-np.inf), method="min", axis=-1)
    return np.where(np.isnan(rating), np.nan, best_first)


def resample_weights(groups: Codes, times: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """(times, m) how often each comparison is in a resample: as often as its group in as many draws
    as groups.
    """
    units, unit = np.unique(groups, return_inverse=True)
    weights = np.empty(
        (times, len(groups)), dtype=np.int16
    )  # a quarter of the memory, and far above what occurs
    for row in weights:
        row[:] = np.bincount(rng.integers(len(units), size=len(units)), minlength=len(units))[unit]
    return weights


def _distinct(
    first: Codes, second: Codes, outcome: Floats, n: int, *, mirrored: bool
) -> tuple[tuple[Codes, Codes, Floats], NDArray[np.int64]]:
    """The distinct comparisons, and how often each occurs."""
    wide = first.astype(np.int64), second.astype(np.int64)
    if mirrored:
        turned = first > second
        outcome = np.where(turned, 1.0 - outcome, outcome)
        wide = np.minimum(*wide), np.maximum(*wide)
    values = np.unique(outcome)
    codes = (wide[0] * n + wide[1]) * len(values) + np.searchsorted(values, outcome)
    cells, counts = np.unique(codes, return_counts=True)
    pairs, value = np.divmod(cells, max(len(values), 1))
    return (pairs // n, pairs % n, values[value]), counts


def _resample_counts(counts: NDArray[np.int64], times: int, rng: np.random.Generator) -> Weights:
    """(times, cells) how often each distinct comparison is in a resample.

    Poisson numbers: given their total they are multinomial, and no method cares for the total. A
    third of the time.
    """
    return rng.poisson(counts[:, None], size=(len(counts), times)).T


def interval(samples: Floats, confidence: float = 0.95) -> Floats:
    """(2, n) percentile bounds over the resamples in which a system has a value."""
    bounds = np.full((2, samples.shape[1]), np.nan)
    known = ~np.isnan(samples).all(axis=0)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # "weibull": of B resamples the interval holds the share `confidence` of B + 1, so that one more
    # falls in as often.
    bounds[:, known] = np.nanquantile(samples[:, known], tails, axis=0, method="weibull")
    return bounds
