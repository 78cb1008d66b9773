"""Win ratio, of decisions and of probabilities."""

from __future__ import annotations

import numpy as np

from core.statistics.columns import Codes, Floats, Weights, given, sums, times_compared
from core.statistics.method import Method


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


WIN_RATIO = Method(
    "win-ratio",
    "win ratio",
    "the share of comparisons won, a tie counting half",
    "share of comparisons won (ties count half)",
    win_ratio,
    share=True,
    weighable=True,
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
)
