"""Ratings of systems from comparisons: win ratio, Elo, and the registry of every method, with bootstrap intervals.

The columns are those of `core.statistics.comparisons`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from scipy.stats import rankdata

from core.statistics import bradley_terry as bt
from core.statistics import experts
from core.statistics.bradley_terry import Ties, bradley_terry, has_maximum
from core.statistics.comparisons import SCALE, START, Codes, Floats, Weights, components, given, sums, times_compared
from core.statistics.experts import product_of_experts
from core.statistics.likelihood import likelihood_ranking

MEMORY = 2 * 10**8  # bytes of weights held at once


def win_ratio(first: Codes, second: Codes, outcome: Floats, *, n: int, weights: Weights | None = None) -> Floats:
    """Mean points per comparison in either position: (wins + ties/2) / comparisons (DESIGN.md, "Win ratio").

    In [0, 1]. With probabilities as outcomes this is the average probability of being preferred (Liusie et al. 2023).
    """
    w = given(weights, first)
    points = sums(w, first, outcome, n) + sums(w, second, 1.0 - outcome, n)
    times = times_compared(w, first, second, n)
    return np.divide(points, times, out=np.full_like(points, np.nan), where=times > 0)


def elo(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    k: ArrayLike = 4.0,
    weights: Weights | None = None,
    start: float = START,
) -> Floats:
    """Elo ratings, one update per comparison in the order given (Elo 1978; base 10, scale 400).

    `k` is one step size, or one per comparison (sep-Elo: Ghosh et al. 2024, eq. 6). Weights scale the step, never the
    outcome, so that a comparison drawn twice moves the ratings twice as far in the same direction.
    """
    w = given(weights, first)
    # Plain floats for one run, (B,) arrays for B resamples: the same expressions do for both, and are fast for both.
    ratings: list[Any] = [start if w.ndim == 1 else np.full(len(w), start) for _ in range(n)]
    steps = np.broadcast_to(np.asarray(k, dtype=float), first.shape)
    multiples = w.tolist() if w.ndim == 1 else w.T
    for i, j, points, step, times in zip(
        first.tolist(), second.tolist(), outcome.tolist(), steps.tolist(), multiples, strict=True
    ):
        change = step * times * (points - expit((ratings[i] - ratings[j]) / SCALE))
        ratings[i] += change
        ratings[j] -= change
    return np.where(times_compared(w, first, second, n) > 0, np.array(ratings).T, np.nan)


def record(first: Codes, second: Codes, outcome: Floats, *, n: int) -> NDArray[np.int64]:
    """Wins, losses and ties of each system in either position, (n, 3)."""
    won, lost, tied = outcome > 0.5, outcome < 0.5, outcome == 0.5
    columns = ((won, lost), (lost, won), (tied, tied))
    return np.stack(
        [np.bincount(first[a], minlength=n) + np.bincount(second[b], minlength=n) for a, b in columns], axis=1
    )


# --- the registry and the leaderboard --------------------------------------------------------------------------------


OPEN_POSITION = (
    "These comparisons cannot tell the effect of being shown first from the strengths, so that both are a convention: "
    "ask some pairs in the other order."
)


def _prior_remark(
    first: Codes, second: Codes, outcome: Floats, *, n: int, ties: Ties = "half", position: bool = False
) -> str:
    if not has_maximum(first, second, outcome, n=n, ties=ties):
        return "Some systems won or lost everything against the rest: their strengths are finite only by a weak prior."
    if position and not has_maximum(first, second, outcome, n=n, ties=ties, position=True):
        return OPEN_POSITION
    return ""


def _position_remark(first: Codes, second: Codes, outcome: Floats, *, n: int, position: bool = False, **_: Any) -> str:
    return OPEN_POSITION if position and not experts.tells_position(first, second, n=n) else ""


@dataclass(frozen=True)
class Method:
    """A way to rate. `in_order` if the order of the comparisons matters; `remark` is what a reader must know, or ''.

    `outcome`: whether it is made for decisions, for probabilities, or for whichever there are ("either"). `takes` names
    its own settings. `position_effect` gives the position term in rating points, for methods that take `position`.
    """

    rate: Callable[..., Floats]
    in_order: bool = False
    remark: Callable[..., str] = lambda *columns, **settings: ""
    outcome: str = "decisions"
    takes: tuple[str, ...] = ()
    position_effect: Callable[..., float] | None = None


RATINGS: dict[str, Method] = {
    "win-ratio": Method(win_ratio),
    "average-probability": Method(win_ratio, outcome="probabilities"),
    "bradley-terry": Method(
        bradley_terry, remark=_prior_remark, takes=("ties", "position"), position_effect=bt.position_effect
    ),
    "bradley-terry-soft": Method(
        bradley_terry,
        remark=_prior_remark,
        outcome="probabilities",
        takes=("position",),
        position_effect=bt.position_effect,
    ),
    "product-of-experts": Method(
        product_of_experts,
        remark=_position_remark,
        outcome="probabilities",
        takes=("position", "experts"),
        position_effect=experts.position_effect,
    ),
    "likelihood": Method(likelihood_ranking, outcome="either", takes=("decisions",)),
    "elo": Method(elo, in_order=True, takes=("k",)),
}


@dataclass(frozen=True)
class Leaderboard:
    """Ratings with percentile intervals and ranks (1 is best), all (n,) floats, NaN where there is nothing to say."""

    rating: Floats
    low: Floats
    high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    connected: bool
    note: str
    resamples: int


def leaderboard(
    method: str,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    rng: np.random.Generator,
    groups: Codes | None = None,
    resamples: int = 100,
    confidence: float = 0.95,
    **settings: Any,
) -> Leaderboard:
    """Ratings by `method` with bootstrap percentile intervals (Efron & Tibshirani 1993, ch. 13).

    `groups` (m,) are the units drawn with replacement, such as items; None makes every comparison its own. Resamples
    keep the order of the comparisons: shuffled ones give Elo intervals of the wrong width. `settings` go to the method.
    Raises ValueError on an unknown method and on an outcome outside [0, 1].
    """
    if method not in RATINGS:
        raise ValueError(f"unknown rating method {method!r}; there are: {', '.join(RATINGS)}")
    if not ((outcome >= 0) & (outcome <= 1)).all():
        raise ValueError("an outcome is no number between 0 and 1; leave unanswered comparisons out")
    how = RATINGS[method]
    columns = (first, second, outcome)
    rating = how.rate(*columns, n=n, **settings)
    samples = _resampled(how, columns, groups, resamples, rng, n=n, **settings)
    low, high = _interval(samples, confidence)
    rank_low, rank_high = _interval(ranks(samples), confidence)
    used = outcome != 0.5 if settings.get("ties") == "drop" else slice(None)
    parts = components(first[used], second[used], n=n)
    apart = f"The systems fall into {parts} sets that were never compared with each other." if parts > 1 else ""
    note = " ".join(filter(None, [apart, how.remark(*columns, n=n, **settings)]))
    return Leaderboard(
        rating, low, high, ranks(rating), np.floor(rank_low), np.ceil(rank_high), parts <= 1, note, resamples
    )


def ranks(rating: Floats) -> Floats:
    """1 + the number of systems rated higher, along the last axis; NaN for a system without a rating."""
    # Systems with the same record differ by rounding only, and share a rank.
    best_first = rankdata(-np.nan_to_num(np.round(rating, 7), nan=-np.inf), method="min", axis=-1)
    return np.where(np.isnan(rating), np.nan, best_first)


def resample_weights(groups: Codes, times: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """(times, m) how often each comparison is in a resample: as often as its group in as many draws as groups."""
    units, unit = np.unique(groups, return_inverse=True)
    weights = np.empty((times, len(groups)), dtype=np.int16)  # a quarter of the memory, and far above what occurs
    for row in weights:
        row[:] = np.bincount(rng.integers(len(units), size=len(units)), minlength=len(units))[unit]
    return weights


def _resampled(
    how: Method,
    columns: tuple[Codes, Codes, Floats],
    groups: Codes | None,
    resamples: int,
    rng: np.random.Generator,
    *,
    n: int,
    **settings: Any,
) -> Floats:
    """(resamples, n) ratings, in batches of bounded memory."""
    m = len(columns[0])
    groups = np.arange(m) if groups is None else groups
    if how.in_order or len(np.unique(groups)) < m:
        draw: Callable[[int, np.random.Generator], Weights] = partial(resample_weights, groups)
    else:  # single comparisons whose order does not matter: draw how many of each distinct one
        columns, counts = _distinct(*columns, n)
        draw = partial(_resample_counts, counts)
    samples = np.full((resamples, n), np.nan)
    # A weight is two bytes where the method reads it as it is, and becomes a float where sums are taken of it.
    batch = MEMORY // (2 * m if how.in_order else 8 * max(len(columns[0]), n * n)) + 1 if m else 1
    for done in range(0, resamples if m else 0, batch):
        part = samples[done : done + batch]
        part[:] = how.rate(*columns, n=n, weights=draw(len(part), rng), **settings)
    return samples


def _distinct(
    first: Codes, second: Codes, outcome: Floats, n: int
) -> tuple[tuple[Codes, Codes, Floats], NDArray[np.int64]]:
    """The distinct comparisons, and how often each occurs."""
    values, value = np.unique(outcome, return_inverse=True)
    codes = (first * np.int64(n) + second) * len(values) + value
    _, row, counts = np.unique(codes, return_index=True, return_counts=True)
    return (first[row], second[row], outcome[row]), counts


def _resample_counts(counts: NDArray[np.int64], times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=times)


def _interval(samples: Floats, confidence: float) -> Floats:
    """(2, n) percentile bounds over the resamples in which a system has a value."""
    bounds = np.full((2, samples.shape[1]), np.nan)
    known = ~np.isnan(samples).all(axis=0)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # "weibull": of B resamples the interval holds the share `confidence` of B + 1, so that one more falls in as often.
    bounds[:, known] = np.nanquantile(samples[:, known], tails, axis=0, method="weibull")
    return bounds
