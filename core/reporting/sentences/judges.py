"""Judges beside each other, by what is known of them without labels."""

from __future__ import annotations

import pandas as pd

from core.findings.judgements import find_greatest, name_judge
from core.labels import percent, several


def beside(rows: pd.DataFrame, measure: str) -> str:
    """Whether the judge that is best by a `measure` without labels (value) is also the one that is
    right most often (accuracy), of labelled rows.
    """
    best, right = find_greatest(rows, rows["value"]), find_greatest(rows, rows["accuracy"])
    share = percent(right["accuracy"], right["accuracy_low"], right["accuracy_high"])
    if best["label"] == right["label"]:
        return f"{name_judge(right)} has most {measure}, and is right most often: {share}."
    low, high = best["accuracy_low"], best["accuracy_high"]
    return (
        f"{name_judge(best)} has most {measure}, and is right in "
        f"{percent(best['accuracy'], low, high)}. {name_judge(right)} is right most often: {share}."
    )


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
    best = find_greatest(known, known["value"])
    level = known.loc[known["value"] == best["value"], "judge"].nunique()
    share = percent(best["value"], best["low"], best["high"])
    if level > 1:
        alike = f"{level} judges keep their verdicts in both orders equally often"
        return f"{untold} {alike}, in {share}."
    most = " most often" if known["judge"].nunique() > 1 else ""
    pairs = several(int(best["n"]), "pair")
    keeps = f"{name_judge(best)} keeps its verdict{most} in both orders"
    return f"{untold} {keeps}: in {share} of {pairs}."
