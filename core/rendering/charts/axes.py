"""Axes of figures: a chart with many rows has its axis title above them as well as below."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import altair as alt
import numpy as np

TALL = 16  # rows beyond which the axis below is out of sight of the first of them
EVEN = 5  # the ends of a logarithmic axis apart, up to which its ticks are evenly spaced
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


def log_ticks(values: np.ndarray, most: int) -> list[float]:
    """Choose round ticks of a logarithmic axis over these values (> 0), up to a maximum number."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    steps = _even if high < EVEN * low else _decades
    return next(ticks for ticks in steps(low, high) if len(ticks) <= most)


def _even(low: float, high: float) -> Iterator[list[float]]:
    """Multiples of ever greater round steps: a short logarithmic axis is almost even."""
    span = max(high - low, 1e-6 * high)
    for power in count(math.floor(math.log10(span)) - 1):
        for step in (1, 2, 5):
            first, last = (round(end / 10.0**power / step, 9) for end in (low, high))
            whole = range(math.ceil(first), math.floor(last) + 1)
            yield [float(f"{number * step}e{power}") for number in whole]


def _decades(low: float, high: float) -> Iterator[list[float]]:
    """1, 2 and 5 of every power of ten, 1 and 3, then ever fewer powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ways = chain([(1, (1, 2, 5)), (1, (1, 3))], ((apart, (1,)) for apart in count(1)))
    for apart, digits in ways:
        every = (power for power in powers if not power % apart)
        ticks = [float(f"{digit}e{power}") for power in every for digit in digits]
        yield [tick for tick in ticks if low <= tick <= high]
