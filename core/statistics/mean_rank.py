"""Mean place in whole rankings."""

from __future__ import annotations

from .columns import Codes, Floats, Weights, default_weights
from .method import Method
from .win_ratio import win_ratio


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
        first,
        second,
        outcome,
        n=n,
        weights=default_weights(weights, first) * default_weights(share, first),
    )


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
