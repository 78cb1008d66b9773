"""One judge in a sentence, and two on the same items."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...labels import pluralize

MOST_RANGED = 2
"""Up to so many rows a sentence gives the interval of the most extreme one. Among more it was
selected for being extreme, which its interval ignores: the 95% interval of the leader of 6 or 20
equal systems holds the truth in 87 or 56% of studies. Its differences from the others remain valid.
"""
LabelledRows = Annotated[pd.DataFrame, Schema({str: "judge attribute label"}, is_open=True)]


def label_rows(rows: pd.DataFrame) -> LabelledRows:
    """Add a `label` to each row: its judge, and its attribute if there are several."""
    several = rows["attribute"].nunique() > 1
    return rows.assign(
        label=rows["judge"] + " · " + rows["attribute"] if several else rows["judge"]
    )


def find_greatest(rows: pd.DataFrame, figures: pd.Series) -> pd.Series:
    """Return the first of the rows whose figure is greatest."""
    return rows.iloc[int(np.nanargmax(figures.to_numpy(float)))]


def find_most_extreme(rows: pd.DataFrame, figures: pd.Series, looked_at: int) -> pd.Series:
    """Return the first row whose figure is greatest. If more than MOST_RANGED rows were looked at,
    its intervals are removed.
    """
    row = find_greatest(rows, figures).copy()
    if looked_at > MOST_RANGED:
        row[[name for name in row.index if name.split("_")[-1] in ("low", "high")]] = np.nan
    return row


def name_judge(row: pd.Series) -> str:
    """The judge of a labelled row in a sentence, with its attribute where the label has it."""
    plain = row["label"] == row["judge"]
    return str(row["judge"] if plain else f"{row['judge']} ({row['attribute']})")


def describe_difference(row: pd.Series, does: str) -> str:
    """Describe which of two judges on the same items `does` something more often, or that it is
    unknown. `row` is one of a table `differences`.
    """
    same = f"On the same {pluralize(row['items'], 'item')}"
    first, second = str(row["judge_1"]), str(row["judge_2"])
    points = _so_many(row["difference"])
    if pd.isna(row["low"]):
        if not row["difference"]:
            return f"{same}, {first} and {second} do not differ at all."
        return f"{same}, {first} and {second} differ by {points}; that has no interval."
    low, high = (_points(row[name]) for name in ("low", "high"))
    if row["low"] <= 0 <= row["high"]:
        apart = f"(difference {points}, 95% interval {low} to {high})"
        return f"{same}, {first} and {second} cannot be told apart {apart}."
    if row["high"] < 0:
        low, high = (_points(-row[name]) for name in ("high", "low"))
        points = _so_many(-row["difference"])
    often = f"{points} {'more' if row['low'] > 0 else 'less'} often"
    return f"{same}, {first} {does} {often} than {second} ({low} to {high} points)."


def _so_many(share: float) -> str:
    points = _points(share)
    return f"{points} point{'' if points in ('1', '-1') else 's'}"


def _points(share: float) -> str:
    """Render percentage points, with one more digit below 1."""
    points = 100 * share
    return f"{points:.1f}" if 0.05 <= abs(points) < 1 else f"{round(points):d}"


def find_closest(
    differences: pd.DataFrame, judge: str = "", attribute: str = ""
) -> pd.Series | None:
    """The row of a table `differences` that holds the judge farthest ahead against who comes
    closest, of those with an interval if there are any; None where no two have answered the same
    items, or one only.
    """
    rows = differences[differences["difference"].notna() & (differences["items"] > 1)]
    for name, chosen in (("judge_1", judge), ("attribute", attribute)):
        rows = rows[rows[name] == chosen] if chosen else rows
    known = rows.dropna(subset="low")
    rows = known if len(known) else rows
    return None if rows.empty else find_greatest(rows, -rows["difference"].abs())
