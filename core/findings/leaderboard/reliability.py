"""Reliability of a leaderboard's ratings, as in comparative judgement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...labels import pluralize
from ...statistics import is_counted, ratings, reliability
from .needs import list_arguments
from .rating_input import SYSTEMS, extract_columns, get_times, get_weights
from .settings import RankSettings

FEW_SYSTEMS = 5
"""Below so many, correlations of ratings are high or low by chance."""


def estimate_reliability(
    frame: pd.DataFrame,
    systems: Any,
    board: ratings.Leaderboard,
    settings: RankSettings,
    seed: int,
) -> dict[str, Any]:
    """Estimate `separation_reliability`, the share of the ratings' variance that is not error, and
    `split_half`, how closely two random halves of the judges or, of fewer than four, of the items
    rate alike: its `reliability`, which of them they are (`of`), and how many (`parts`). Each is
    None where it is not known, as without intervals, or where too few comparisons join groups.
    """
    if board.uncertainty is None or board.weakest_cut or not board.connected:
        return {"separation_reliability": None, "split_half": None}
    variance, _ = board.uncertainty.variance()
    # Ratings and errors of the same fits, in which each system has won and lost half a comparison
    found = reliability.estimate_scale_separation(board.uncertainty.centre, variance)
    halves = (
        _split_half(frame, systems, settings, seed) if is_counted(settings.rating_method) else None
    )
    return {
        "separation_reliability": None if np.isnan(found) else found,
        "split_half": halves,
    }


def _split_half(
    frame: pd.DataFrame, systems: Any, settings: RankSettings, seed: int
) -> dict[str, Any] | None:
    judges = frame["judge"].nunique() if "judge" in frame else 0
    of = "judge" if judges >= reliability.FEWEST_PARTS else "item"
    part = pd.factorize(frame["judge" if of == "judge" else "family"])[0]
    times = get_times(frame)
    found = reliability.estimate_split_half(
        settings.rating_method,
        *extract_columns(frame, SYSTEMS, systems),
        n=len(systems),
        part=part,
        rng=np.random.default_rng(seed),
        times=times,
        weights=None if times is not None else get_weights(frame),
        **list_arguments(settings, frame),
    )
    if np.isnan(found):
        return None
    return {"reliability": found, "of": of, "parts": int(part.max()) + 1}


def describe_reliability(facts: Mapping[str, Any], systems: int) -> str:
    """Both figures, what they are and when they flatter; '' where neither is known."""
    separation, halves = facts["separation_reliability"], facts["split_half"]
    said = []
    if separation == 0:
        said.append(
            "Scale separation reliability is 0: the ratings differ by no more than their errors."
        )
    elif separation is not None:
        said.append(
            f"Scale separation reliability is {separation:.2f}: that share of the ratings' "
            "variance is not error."
        )
    if halves is not None:
        said.append(
            f"Split-half reliability is {halves['reliability']:.2f}: so closely do ratings by two "
            f"random halves of the {pluralize(halves['parts'], halves['of'])} correlate."
        )
    if said and systems < FEW_SYSTEMS:
        said.append(f"With {systems} systems that says little.")
    elif said:
        said.append("Pairs that earlier answers chose make it too high.")
    return " ".join(said)
