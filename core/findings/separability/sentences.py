"""Sentences about separability and consistency, for pages, reports and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ...labels import KINDS, pluralize
from ...rendering import Column
from .columns import (
    BESIDE,
    BOUNDS,
    CEILING,
    DIFFERENCE,
    OVER_ITEMS,
    SEPARABILITY,
    SPEARMAN,
    average_within_pairs,
)

ALIKE = 0.9  # rank correlation from which two orders are called nearly the same
DIFFERENCES = {
    0: "it is unknown whether they can be told apart",
    1: "each system writes much the same text each time, so they are easy to tell apart",
    2: "both systems vary each time, so they are hard to tell apart",
    3: "one system writes much the same text each time, so they are easy to tell apart",
    4: "all texts are alike, so the systems are hard to tell apart",
}
"""What the texts of an item are like, by scenario."""


def summarise_items(items: pd.DataFrame) -> str:
    """Describe how many items separate the systems, and which systems. `items` are described
    items.
    """
    rows = items.dropna(subset="separability")
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
            f"{_count_near(near, n)} cannot tell these two systems apart (separability below "
            f"{low}); {above}."
        )
    means = rows.groupby("pair")["separability"].mean().sort_values()
    return (
        f"In {near:,} of {n:,} cases (an item and two systems), the systems cannot be told "
        f"apart (separability below {low}); {above}. {means.index[-1]} are the easiest to tell "
        f"apart (mean {means.iloc[-1]:.2f}), {means.index[0]} the hardest ({means.iloc[0]:.2f})."
    )


def _count_near(near: int, n: int) -> str:
    if n == 1:
        return "The only item" if near else "No item"
    return f"{near:,} of {n:,} items ({near / n:.0%})" if near else f"None of {n:,} items"


def describe_item(row: pd.Series) -> str:
    """Describe the texts of an item."""
    separability = SEPARABILITY.unit.write(row["separability"])
    return f"{row['item']}: {DIFFERENCES[int(row['scenario'])]} (separability {separability})."


def compare_bins(rows: pd.DataFrame) -> str:
    """Describe whether consistency rises with separability, for each kind of judge."""
    parts = []
    for kind in sorted(set(rows["kind"]), key=list(KINDS).index):
        ends = rows[rows["kind"] == kind].sort_values("low")["mean_consistency"].tolist()
        if len(ends) < 2:
            change = f"is {ends[0]:.2f}"
        elif ends[-1] > ends[0]:
            change = f"rises from {ends[0]:.2f} to {ends[-1]:.2f}"
        else:
            change = f"does not rise ({ends[0]:.2f} to {ends[-1]:.2f})"
        parts.append(f"of {KINDS[str(kind)]} {change}")
    return f"From the least to the most separable items, consistency {', '.join(parts)}."


def describe_prediction(facts: Mapping[str, Any], other: str = "The other metric") -> list[str]:
    """Describe how well separability predicts consistency, the upper bound, and the gain over
    another metric.
    """
    if pd.isna(facts.get("spearman")):
        return []
    cases = pluralize(facts["items"], "case")
    sentences = [
        f"Rank correlation of separability and consistency over {cases}: {_write(facts, SPEARMAN)}."
    ]
    if pd.notna(facts["ceiling"]):
        sentences.append(
            f"A perfect prediction would reach {_write(facts, CEILING)}, as far as "
            f"{facts['judges']:.3g} judges a case agree."
        )
    if pd.notna(facts.get("difference")):
        sentences.append(
            f"{other} alone reaches {BESIDE.write_with_range(facts)}. "
            f"This metric is ahead by {_write(facts, DIFFERENCE)}."
        )
    return [*sentences, OVER_ITEMS.caption]


def _write(facts: Mapping[str, Any], column: Column) -> str:
    """A figure with its interval; of several pairs of systems also within them."""
    text = column.write_with_range(facts)
    if facts["pairs"] < 2:
        return text
    within = average_within_pairs(column).write_with_range(facts)
    return f"{text}, {within} within pairs of systems and subsets"


def judge_sample_size(points: pd.DataFrame) -> str:
    """Describe whether the last text of each system still changes the order of the items."""
    rows = points[points["of"] == "samples"]
    if len(rows) < 2:
        return "There are too few texts to compare with a smaller study."
    before, last = rows.iloc[-2], rows.iloc[-1]
    if pd.isna(before["spearman"]):
        return "Too few items differ in separability to say whether more texts would help."
    fewer = f"with {before['value']:.0f} texts of each system instead of {last['value']:.0f}"
    ranks = f"rank correlation {before['spearman']:.2f}"
    if before["spearman"] < ALIKE:
        return f"No: {fewer}, items are ordered differently ({ranks}). Generate more texts."
    less, everything = f"{before['mean']:.2f}", f"{last['mean']:.2f}"
    means = f"stays {everything}" if less == everything else f"is {less} instead of {everything}"
    return f"Yes: {fewer}, items are ordered almost the same ({ranks}). Mean separability {means}."
