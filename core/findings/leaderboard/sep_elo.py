"""sep-Elo beside Elo: what weighting by separability changes for each system, and why (Ghosh et al.
2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...statistics import intervals, win_ratio
from ...store import Store
from ..judgements import Selection
from ..separability import applications
from .need import Need, PreparedComparisons
from .settings import RankSettings


def _prepare(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    frame, unknown = applications.with_separability(
        store, selection, frame, settings.separability, settings.encoder
    )
    left_out = (
        f"{describe_left_out(unknown, 'judgement')}: the item does not tell how separable its "
        "texts are."
    )
    return PreparedComparisons(frame, (left_out,) if unknown else ())


def _read(frame: pd.DataFrame, settings: RankSettings) -> Mapping[str, Any]:
    return {
        "separability": frame["separability"].to_numpy(float),
        "threshold": settings.sep_threshold,
        "alpha": settings.sep_alpha,
        "beta": settings.sep_beta,
    }


SEPARABILITY = Need("separability", _read, _prepare, requires="metrics")
"""How far the texts of an item tell the two systems apart."""


def compare_to_elo(
    columns: tuple[Any, Any, Any],
    separability: Any,
    elo: Any,
    change: tuple[Any, Any, Any],
    threshold: float,
) -> pd.DataFrame:
    """Compare sep-Elo to Elo for each system: columns elo, `change` (sep-Elo less Elo, and its
    interval), and `why`, a sentence.
    """
    above = separability >= threshold
    (won_far, far), (won_near, near) = (
        _count_wins(columns, part, len(elo)) for part in (above, ~above)
    )
    moved = map(_describe_change, *change)
    halves = map(partial(_describe_halves, threshold=threshold), won_far, far, won_near, near)
    why = [f"{how_far}: {where}." for how_far, where in zip(moved, halves, strict=True)]
    return pd.DataFrame({"elo": elo, **intervals.spread("change", change), "why": why})


def describe_mean_step(steps: Any, k: float) -> str:
    """Describe the effect of sep-Elo's mean step size on all ratings: more or less spread."""
    share = float(np.mean(steps)) / k
    spread = "more" if share > 1.005 else "less" if share < 0.995 else "as much"
    return (
        f"On average a comparison moves sep-Elo by {share:.0%} of Elo's step, which spreads all "
        f"ratings {spread}."
    )


def _count_wins(columns: tuple[Any, Any, Any], part: Any, n: int) -> tuple[Any, Any]:
    first, second, outcome = (column[part] for column in columns)
    times = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return win_ratio(first, second, outcome, n=n), times


def _describe_change(change: float, low: float, high: float) -> str:
    known = low < high
    sign = "Up" if change > 0 else "Down"
    moved = f"{sign} {abs(change):.1f}" if round(change, 1) else "Unchanged"
    moved += f" ({low:+.1f} to {high:+.1f})" if known else ""
    return f"{moved}, which may be chance" if known and low <= 0 <= high else moved


def _describe_halves(
    won_far: float, far: int, won_near: float, near: int, *, threshold: float
) -> str:
    if not near or not far:
        where = f"of {threshold:g} or more" if far else f"below {threshold:g}"
        if far + near == 1:
            return f"its comparison has a separability {where}"
        return f"all its {far + near:,} comparisons have a separability {where}"
    return (
        f"it won {won_far:.0%} of the {far:,} comparisons that count more (separability from "
        f"{threshold:g}) and {won_near:.0%} of the other {near:,}"
    )
