"""Sentences of the lab: the judge that is right most often, its lead, and what the split lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...labels import percent, pluralize
from ..accuracy import REFERENCES
from ..judgements import (
    describe_difference,
    find_closest,
    find_most_extreme,
    label_rows,
    name_judge,
)
from .columns import FAIRNESS, LABELS
from .settings import FEWEST, TEST


def describe_lab(
    rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]
) -> list[str]:
    """Describe the best judge on a side of the items, its lead, and what the split still lacks."""
    return [
        _describe_best(rows, tables["differences"], facts),
        *_describe_unlabelled(tables["without_labels"]),
        *_describe_split(facts),
        *facts["cautions"],
    ]


def _describe_best(rows: pd.DataFrame, differences: pd.DataFrame, facts: Mapping[str, Any]) -> str:
    usable = rows[~rows["judge"].isin(facts["unusable"]) & (rows["correction"] == "none")]
    shown = label_rows(usable if len(usable) else rows)
    side = facts["side"]
    items = pluralize(facts[side], f"{side} item")
    figure = "accuracy" if facts["against"] else FAIRNESS.name
    best = find_most_extreme(shown, shown[figure], len(shown))
    value = percent(best[figure], best[f"{figure}_low"], best[f"{figure}_high"])
    judges = shown["judge"].nunique()
    among = f", the best of {judges}" if judges > 1 else ""
    if not facts["against"]:
        return (
            f"Nothing tells who is right. {name_judge(best)} is the fairest between positions on "
            f"{items}: {value}{among}."
        )
    said = (
        f"{name_judge(best)} is right in {value} of {pluralize(int(best['answers']), 'answer')} on "
        f"{items}, according to {REFERENCES[facts['against']]}{among}."
    )
    closest = find_closest(differences, best["judge"], best["attribute"])
    lead = "" if closest is None else describe_difference(closest, "is right")
    return " ".join(filter(None, [said, lead]))


def _describe_unlabelled(rows: pd.DataFrame) -> Iterator[str]:
    known = rows[rows["low"] > 0]
    if known.empty:
        return
    row = known.iloc[int(np.argmax(known["spearman"].to_numpy(float)))]
    label, lost = LABELS[row["figure"]], "is the best"
    if row["lost"] > 0:
        lost = f"is right {100 * row['lost']:.0f} points less often than the best"
    rho = f"Spearman {row['spearman']:.2f}, {row['low']:.2f} to {row['high']:.2f}"
    judges = pluralize(row["judges"], "judge")
    of = f" of {row['attribute']}" * (rows["attribute"].nunique() > 1)
    yield f"Without labels, {label!r} goes best with accuracy{of} ({judges}, {rho})."
    yield f"The judge with most of it {lost}."


def _describe_split(facts: Mapping[str, Any]) -> Iterator[str]:
    opened = facts["openings"]
    state = f"opened {pluralize(opened, 'time')}" if opened else "shut"
    yield (
        f"{pluralize(facts['tried'], 'judge')} tried on "
        f"{pluralize(facts['development'], 'development item')}; "
        f"{pluralize(facts['test'], 'test item')}, {state}."
    )
    if facts["side"] != TEST and facts["tried"] > 1 and facts["against"]:
        yield (
            "The best of several looks better here than it is: only the test items tell how good "
            "it is."
        )
    for side in ("development", TEST):
        if facts[side] < FEWEST:
            missing = pluralize(FEWEST - facts[side], "item")
            yield f"The {side} side is small: {missing} more make it {FEWEST}."
