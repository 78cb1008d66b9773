"""Axes of figures: where there are many rows, what they mean stands above them as well as below."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

TALL = 16  # rows beyond which the axis below is out of sight of the first of them
TICKS = 10  # as many as an axis has at most
CLOSE = 24  # rows beyond which they stand closer together


def ends(rows: int, **axis: Any) -> tuple[alt.Axis, alt.Axis | None]:
    """The axis below so many rows, and the one above; None where few rows need no other. They are
    for two layers of a chart whose axes are independent.
    """
    above = alt.Axis(**{**axis, "title": None, "grid": False}, orient="top")
    return alt.Axis(**axis), above if rows > TALL else None


def step(rows: int, *, lines: int = 1, wide: int = 28) -> alt.Step:
    """The height of each of so many rows with names of so many lines."""
    return alt.Step(40 if lines > 1 else wide if rows <= CLOSE else 20)


def significant(values: np.ndarray) -> int:
    """How many digits tell apart the ticks of an axis over these values, which are above 0."""
    finite = values[np.isfinite(values)]
    if not len(finite) or np.ptp(finite) == 0:
        return 2
    return max(2, 1 + math.ceil(-math.log10(np.ptp(finite) / finite.max() / TICKS)))
