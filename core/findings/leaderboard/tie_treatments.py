"""Check whether the order of systems depends on how ties count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...records import TandemError
from ...settings import list_settings
from .settings import RankSettings

LEVEL = 1e-7  # ratings this close differ by rounding
IF = {
    "half": "If ties counted half",
    "drop": "If ties were left out",
    "model": "If ties were modelled",
}


def note_treatments(
    frame: pd.DataFrame,
    ratings: pd.Series,
    settings: RankSettings,
    rate: Callable[[pd.DataFrame, RankSettings], NDArray[np.float64]],
) -> list[str]:
    """For each other treatment of ties that the method takes, which systems would change places;
    nothing where none would.

    `frame` holds the comparisons with their ties, `ratings` those shown by system, and `rate` gives
    others in that order.
    """
    if not (frame["points"] == 0.5).any():
        return []
    found, systems = [], ratings.index
    for ties in list_settings(RankSettings)["ties"].choices:
        if ties == settings.ties:
            continue
        try:
            other = rate(frame, replace(settings, ties=ties))
        except TandemError:  # not a treatment of this method, or one that leaves nothing to rate
            continue
        turned = _find_swaps(ratings.to_numpy(float), other)
        if turned:
            found.append(
                f"{IF[ties]}, {_describe_swaps([(systems[i], systems[j]) for i, j in turned])}"
            )
    return found


def _find_swaps(shown: NDArray[np.float64], other: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Find the pairs whose order changes if ties count otherwise; best first."""
    best_first = np.argsort(-np.nan_to_num(shown, nan=-np.inf), kind="stable")
    ahead = shown[best_first, None] - shown[None, best_first] > LEVEL
    behind = other[best_first, None] - other[None, best_first] < -LEVEL
    return [(int(best_first[i]), int(best_first[j])) for i, j in np.argwhere(ahead & behind)]


def _describe_swaps(pairs: list[tuple[str, str]]) -> str:
    first, second = pairs[0]
    if len(pairs) == 1:
        return f"{second} would stand above {first}."
    return f"{len(pairs)} pairs of systems would change places, such as {first} and {second}."
