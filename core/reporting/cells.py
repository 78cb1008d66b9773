"""Figures as a reader meets them in a table: rounded, with their interval, a dash where there is
none.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

NONE = "–"


def count(value: float) -> str:
    """1,234"""
    return NONE if pd.isna(value) else f"{int(value):,}"


def percent(value: float, low: float | None = None, high: float | None = None) -> str:
    """72% (68 to 76)"""
    return _with_interval(value, low, high, lambda share: f"{_rounded(100 * share, 0):.0f}", "%")


def decimal(value: float, low: float | None = None, high: float | None = None) -> str:
    """0.44 (0.38 to 0.50)"""
    return _with_interval(value, low, high, lambda figure: f"{_rounded(figure, 2):.2f}")


def whole(value: float, low: float | None = None, high: float | None = None) -> str:
    """1,099 (1,046 to 1,149)"""
    return _with_interval(value, low, high, lambda figure: f"{_rounded(figure, 0):,.0f}")


def _rounded(value: float, digits: int) -> float:
    """Never -0."""
    return round(value, digits) + 0.0


def _with_interval(
    value: float,
    low: float | None,
    high: float | None,
    written: Callable[[float], str],
    unit: str = "",
) -> str:
    if pd.isna(value):
        return NONE
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return f"{written(value)}{unit}"
    return f"{written(value)}{unit} ({written(low)} to {written(high)})"
