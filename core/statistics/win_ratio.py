"""Win ratio, of decisions and of probabilities, over comparisons or over opponents."""

from __future__ import annotations

import numpy as np

from .columns import Codes, Floats, Method, Weights, default_weights, sums, times_compared


def win_ratio(
    first: Codes, second: Codes, outcome: Floats, *, n: int, weights: Weights | None = None
) -> Floats:
    """Mean points per comparison in either position, in [0, 1]: (wins + ties/2) / comparisons; with
    probabilities as outcomes the average probability of being preferred (Liusie et al. 2023).
    """
    w = default_weights(weights, first)
    points = sums(w, first, outcome, n) + sums(w, second, 1.0 - outcome, n)
    times = times_compared(w, first, second, n)
    return np.divide(points, times, out=np.full_like(points, np.nan), where=times > 0)


def macro_win_ratio(
    first: Codes, second: Codes, outcome: Floats, *, n: int, weights: Weights | None = None
) -> Floats:
    """Mean over a system's opponents of its points per comparison with each, in [0, 1]."""
    w = default_weights(weights, first)
    system, (one, other) = _code_opponents(first, second, n)
    times = sums(w, one, 1.0, len(system)) + sums(w, other, 1.0, len(system))
    points = sums(w, one, outcome, len(system)) + sums(w, other, 1.0 - outcome, len(system))
    ratio = np.divide(points, times, out=np.zeros_like(points), where=times > 0)
    total, opponents = sums(ratio, system, 1.0, n), sums((times > 0) * 1.0, system, 1.0, n)
    return np.divide(total, opponents, out=np.full_like(total, np.nan), where=opponents > 0)


def _per_opponent(
    first: Codes, second: Codes, *, n: int, weights: Weights | None = None
) -> tuple[Floats, Floats]:
    w = default_weights(weights, first)
    system, (one, other) = _code_opponents(first, second, n)
    times = sums(w, one, 1.0, len(system)) + sums(w, other, 1.0, len(system))
    return w / times[one], w / times[other]


def _code_opponents(first: Codes, second: Codes, n: int) -> tuple[Codes, tuple[Codes, Codes]]:
    """The system of each (system, opponent) that met, and the code of each comparison's two."""
    wide = np.int64(n)
    codes = np.concatenate([first * wide + second, second * wide + first])
    met, place = np.unique(codes, return_inverse=True)
    return met // wide, (place[: len(first)], place[len(first) :])


WIN_RATIO = Method(
    "win-ratio",
    "win ratio",
    "the share of comparisons won, a tie counting half",
    "share of comparisons won (ties count half)",
    win_ratio,
    share=True,
    weighable=True,
    cites=("liusie2024comparative",),
)
MACRO_WIN_RATIO = Method(
    "macro-win-ratio",
    "macro win ratio",
    "the mean of the win ratios against each opponent, every opponent counting the same",
    "mean share won against each opponent (ties count half)",
    macro_win_ratio,
    share=True,
    weighable=True,
    counts=_per_opponent,
)
AVERAGE_PROBABILITY = Method(
    "average-probability",
    "average probability",
    "the mean probability a judge gives the system, for judges that give probabilities",
    "mean probability of being preferred",
    win_ratio,
    share=True,
    outcome="probabilities",
    weighable=True,
    cites=("liusie2024comparative",),
)


def mean_rank(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    share: Floats | None = None,
    weights: Weights | None = None,
) -> Floats:
    """Mean over rankings of the share of the others that a system is ranked above, in [0, 1]. A
    ranking of N comes as its N (N - 1) / 2 pairs, the better first, each of `share` 1 / (N - 1).
    """
    w = default_weights(weights, first) * default_weights(share, first)
    return win_ratio(first, second, outcome, n=n, weights=w)


PAIRS = Method(
    "pairs",
    "PairS rankings",
    "the mean rank over the rankings that runs by merge sort have made",
    "mean relative rank in the PairS rankings (1 = always first)",
    mean_rank,
    share=True,
    outcome="rankings",
    needs=("share",),
    cites=("liu2024aligning",),
)
