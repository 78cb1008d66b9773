"""Pairs of texts in the order of their systems' names, whichever was shown first."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema

OrientedRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            bool: "turned",
            str: "system_1 system_2",
            int: "candidate_1 candidate_2",
            float: "points_1",
        },
        is_open=True,
    ),
]


def orient(frame: pd.DataFrame) -> OrientedRows:
    """Judgements with their `points` for A, and: `turned` (B's system is the first by name),
    system_1 < system_2, their texts candidate_1 and candidate_2, and points_1, those for the first.
    """
    turned = (frame["system_a"] > frame["system_b"]).to_numpy(bool)
    points = frame["points"].to_numpy(float)
    sides = {"system_1": "system", "system_2": "system"}
    texts = {"candidate_1": "generation", "candidate_2": "generation"}
    ordered = {
        name: np.where(
            turned == name.endswith("1"),
            frame[f"{what}_b"].to_numpy(),
            frame[f"{what}_a"].to_numpy(),
        )
        for name, what in (sides | texts).items()
    }
    return frame.assign(**ordered, points_1=np.where(turned, 1 - points, points), turned=turned)


def is_order_confounded(answered: pd.DataFrame) -> bool:
    """Return whether position and systems are confounded: no two systems were shown in both
    orders.
    """
    shown = set(zip(answered["system_a"], answered["system_b"], strict=True))
    return not any((second, first) in shown for first, second in shown)
