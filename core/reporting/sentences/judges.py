"""One judge in a sentence, and two on the same items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.labels import percent, several


def greatest(rows: pd.DataFrame, figures: pd.Series) -> pd.Series:
    """The first of the rows whose figure is greatest."""
    return rows.iloc[int(np.nanargmax(figures.to_numpy(float)))]


def whose(row: pd.Series) -> str:
    """The judge of a labelled row in a sentence, with its attribute where the label has it."""
    plain = row["label"] == row["judge"]
    return str(row["judge"] if plain else f"{row['judge']} ({row['attribute']})")


def beside(rows: pd.DataFrame, measure: str) -> str:
    """Whether the judge that is best by a `measure` without labels (value) is also the one that is
    right most often (accuracy), of labelled rows.
    """
    best, right = greatest(rows, rows["value"]), greatest(rows, rows["accuracy"])
    share = percent(right["accuracy"], right["accuracy_low"], right["accuracy_high"])
    if best["label"] == right["label"]:
        return f"{whose(right)} has most {measure}, and is right most often: {share}."
    low, high = best["accuracy_low"], best["accuracy_high"]
    return (
        f"{whose(best)} has most {measure}, and is right in "
        f"{percent(best['accuracy'], low, high)}. {whose(right)} is right most often: {share}."
    )


def compared(row: pd.Series, does: str) -> str:
    """Two judges on the same items: which of them `does` something more often, or that this cannot
    be told. `row` is one of a table `differences`.
    """
    same = f"On the same {several(row['items'], 'item')}"
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
    """In percentage points, with a digit more where there is less than one."""
    points = 100 * share
    return f"{points:.1f}" if 0.05 <= abs(points) < 1 else f"{round(points):d}"


def closest(differences: pd.DataFrame, judge: str = "", attribute: str = "") -> pd.Series | None:
    """The row of a table `differences` that holds the judge farthest ahead against who comes
    closest, of those with an interval if there are any; None where no two have answered the same
    items, or one only.
    """
    rows = differences[differences["difference"].notna() & (differences["items"] > 1)]
    for name, chosen in (("judge_1", judge), ("attribute", attribute)):
        rows = rows[rows[name] == chosen] if chosen else rows
    known = rows.dropna(subset="low")
    rows = known if len(known) else rows
    return None if rows.empty else greatest(rows, -rows["difference"].abs())


def without_labels(rows: pd.DataFrame, *, voted: bool = False) -> str:
    """Of `labelled` judges of whom votes, if anybody has `voted`, do not tell how often they are
    right: which keeps its verdict most often when the order of the texts is turned.
    """
    untold = (
        "No vote names a winner where a judge answered, so nothing tells how often one is right."
        if voted
        else "Without human votes, nobody can say how often a judge is right."
    )
    known = rows[rows["measure"] == "consistent"]
    if known.empty:
        return untold
    best = greatest(known, known["value"])
    level = known.loc[known["value"] == best["value"], "judge"].nunique()
    share = percent(best["value"], best["low"], best["high"])
    if level > 1:
        alike = f"{level} judges keep their verdicts in both orders equally often"
        return f"{untold} {alike}, in {share}."
    most = " most often" if known["judge"].nunique() > 1 else ""
    pairs = several(int(best["n"]), "pair")
    return f"{untold} {whose(best)} keeps its verdict{most} in both orders: in {share} of {pairs}."
