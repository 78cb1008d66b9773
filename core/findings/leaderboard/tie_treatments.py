"""Check whether the order of systems depends on how ties count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...records import TandemError
from ...settings import list_settings
from ...statistics import TIE_MODELS, Codes, Floats, TieFit, tie_fit
from .settings import RankSettings

ALIKE = 2.0  # in AIC: as little as says nothing (Burnham & Anderson 2002, 2.6)
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
            other = rate(frame, replace(settings, ties=ties, tie_model=RankSettings.tie_model))
        except TandemError:  # not a treatment of this method, or one that leaves nothing to rate
            continue
        turned = _find_swaps(ratings.to_numpy(float), other)
        if turned:
            found.append(
                f"{IF[ties]}, {_describe_swaps([(systems[i], systems[j]) for i, j in turned])}"
            )
    return found


def fit_tie_models(
    columns: tuple[Codes, Codes, Floats], n: int, weights: Floats | None
) -> dict[str, TieFit]:
    """model of ties -> how well it fits these comparisons; of none where nothing is tied."""
    if not (columns[2] == 0.5).any():
        return {}
    return {name: tie_fit(*columns, n=n, tie_model=name, weights=weights) for name in TIE_MODELS}


def describe_fits(found: Mapping[str, TieFit]) -> list[str]:
    """Name the model of ties with the better fit; empty without models."""
    if not found:
        return []
    best, other = sorted(found, key=lambda name: found[name].aic)
    apart = found[other].aic - found[best].aic
    if apart < ALIKE:
        return [f"Both models of ties fit as well: AIC {apart:.1f} apart."]
    names = list_settings(RankSettings)["tie_model"].choices
    return [
        f"{names[best]}'s model of ties fits better than {names[other]}'s: AIC {apart:.1f} lower."
    ]


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
