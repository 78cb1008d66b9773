"""Ratings of systems from comparisons: win ratio, Elo, and the registry of every method, with
bootstrap intervals.

The columns are those of `core.statistics.comparisons`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from scipy.stats import rankdata

from core.statistics import bradley_terry as bt
from core.statistics import product_of_experts as experts
from core.statistics.bradley_terry import Ties, bradley_terry, has_maximum
from core.statistics.columns import (
    SCALE,
    START,
    Codes,
    Floats,
    Weights,
    components,
    given,
    sums,
    times_compared,
)
from core.statistics.likelihood_ranking import likelihood_ranking
from core.statistics.product_of_experts import product_of_experts

MEMORY = 2 * 10**8  # bytes of weights held at once


def win_ratio(
    first: Codes, second: Codes, outcome: Floats, *, n: int, weights: Weights | None = None
) -> Floats:
    """Mean points per comparison in either position: (wins + ties/2) / comparisons
    (docs/definitions.md, "Win ratio").

    In [0, 1]. With probabilities as outcomes this is the average probability of being preferred
    (Liusie et al. 2023).
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

    `k` is one step size, or one per comparison. Weights scale the step, never the outcome, so that
    a comparison drawn twice moves the ratings twice as far in the same direction.
    """
    w = given(weights, first)
    # Plain floats for one run, (B,) arrays for B resamples: the same expressions do for both, and
    # are fast for both.
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


def sep_steps(
    separability: Floats,
    *,
    k: float = 4.0,
    threshold: float = 0.4,
    alpha: float = 2.0,
    beta: float = 6.0,
) -> Floats:
    """The Elo step of each comparison by the separability of its two systems on its item (Ghosh et
    al. 2024, eq. 6).

    K alpha / (1 + exp(-beta (delta - T))): K alpha / 2 at the threshold T, with alpha = 2 the plain
    step; at most K alpha where the systems are far apart, next to nothing where they cannot be told
    apart.
    """
    steps: Floats = k * alpha * expit(beta * (np.asarray(separability, dtype=float) - threshold))
    return steps


def sep_elo(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    separability: Floats,
    k: float = 4.0,
    threshold: float = 0.4,
    alpha: float = 2.0,
    beta: float = 6.0,
    weights: Weights | None = None,
) -> Floats:
    """Elo ratings whose step is scaled by separability (m,), in [-1, 1] (sep-Elo: Ghosh et al.
    2024, eq. 6).
    """
    steps = sep_steps(separability, k=k, threshold=threshold, alpha=alpha, beta=beta)
    return elo(first, second, outcome, n=n, k=steps, weights=weights)


def mean_rank(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    share: Floats | None = None,
    weights: Weights | None = None,
) -> Floats:
    """Mean over rankings of the share of the others that a system is ranked above, in [0, 1]; 1 is
    always best.

    A ranking of N systems comes as its N (N - 1) / 2 pairs, the one ranked above with outcome 1,
    each of `share` 1 / (N - 1): so every ranking counts once for each of its systems, however many
    it ranks.
    """
    return win_ratio(
        first, second, outcome, n=n, weights=given(weights, first) * given(share, first)
    )


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


# --- the registry and the leaderboard
# --------------------------------------------------------------------------------


OPEN_POSITION = (
    "These comparisons cannot tell the effect of being shown first from the strengths, so that "
    "both are a convention: "
    "ask some pairs in the other order."
)


def _prior_remark(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    ties: Ties = "half",
    position: bool = False,
) -> str:
    if not has_maximum(first, second, outcome, n=n, ties=ties):
        return (
            "Some systems won or lost everything against the rest: their strengths are "
            "finite only by a weak prior."
        )
    if position and not has_maximum(first, second, outcome, n=n, ties=ties, position=True):
        return OPEN_POSITION
    return ""


def _position_remark(
    first: Codes, second: Codes, outcome: Floats, *, n: int, position: bool = False, **_: Any
) -> str:
    return OPEN_POSITION if position and not experts.tells_position(first, second, n=n) else ""


@dataclass(frozen=True)
class Method:
    """A way to rate. `in_order` if the order of the comparisons matters; `remark` is what a reader
    must know, or ''.

    `outcome`: whether it is made for decisions, for probabilities, for whichever there are
    ("either"), or for the pairs of whole rankings. `takes` names its own settings.
    `position_effect` gives the position term in rating points, for methods that take `position`.
    `weighable`: whether comparisons can count more or less than once, so that estimates can be
    re-weighted.
    """

    rate: Callable[..., Floats]
    in_order: bool = False
    remark: Callable[..., str] = lambda *columns, **settings: ""
    outcome: str = "decisions"
    takes: tuple[str, ...] = ()
    position_effect: Callable[..., float] | None = None
    # whether a comparison means the same with its sides turned round (without a position term)
    mirrored: bool = True
    weighable: bool = False


RATINGS: dict[str, Method] = {
    "win-ratio": Method(win_ratio, weighable=True),
    "average-probability": Method(win_ratio, outcome="probabilities", weighable=True),
    "bradley-terry": Method(
        bradley_terry,
        remark=_prior_remark,
        takes=("ties", "position"),
        position_effect=bt.position_effect,
        weighable=True,
    ),
    "bradley-terry-soft": Method(
        bradley_terry,
        remark=_prior_remark,
        outcome="probabilities",
        takes=("position",),
        position_effect=bt.position_effect,
        weighable=True,
    ),
    "product-of-experts": Method(
        product_of_experts,
        remark=_position_remark,
        outcome="probabilities",
        takes=("position", "experts"),
        position_effect=experts.position_effect,
        weighable=True,
    ),
    "likelihood": Method(
        likelihood_ranking, outcome="either", takes=("decisions",), mirrored=False
    ),
    "elo": Method(elo, in_order=True, takes=("k",)),
    "sep-elo": Method(
        sep_elo, in_order=True, takes=("k", "separability", "threshold", "alpha", "beta")
    ),
    "pairs": Method(mean_rank, outcome="rankings", takes=("share",)),
}


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
