"""What the Separability page says first."""

from __future__ import annotations

from core.charts import BOUNDS
from core.findings.separability import Separability


def separability(result: Separability) -> str:
    """How many items can tell the systems apart, and which systems."""
    rows = result.rows.dropna(subset="separability")
    if rows.empty:
        return (
            "No separability yet: it needs two texts of each system on an item, and "
            "similarities that differ."
        )
    low, high = BOUNDS
    near, far = int((rows["separability"] < low).sum()), int((rows["separability"] > high).sum())
    n = len(rows)
    above = f"{far:,} {'is' if far == 1 else 'are'} above {high}"
    if rows["pair"].nunique() == 1:
        return (
            f"{_share(near, n)} cannot tell these two systems apart (separability below {low}); "
            f"{above}."
        )
    means = rows.groupby("pair")["separability"].mean().sort_values()
    return (
        f"In {near:,} of {n:,} cases, each an item and two systems, the systems cannot be told "
        f"apart (separability below {low}); {above}. {means.index[-1]} are the easiest to tell "
        f"apart (mean {means.iloc[-1]:.2f}), {means.index[0]} the hardest ({means.iloc[0]:.2f})."
    )


def _share(near: int, n: int) -> str:
    """How many of n items, in words where there is a word for it."""
    if n == 1:
        return "The only item" if near else "No item"
    return f"{near:,} of {n:,} items ({near / n:.0%})" if near else f"None of {n:,} items"
