"""Sentences about which judge to trust."""

from __future__ import annotations

import pandas as pd

from ...labels import percent, pluralize
from ...rendering import Column
from ..judgements import find_most_extreme, name_judge
from .columns import name_measure


def describe_most(rows: pd.DataFrame, measure: Column) -> str:
    """Describe whether the judge that is best without labels is also right most often. `rows` have
    labels.
    """
    best, right = (
        find_most_extreme(rows, rows[name], len(rows)) for name in (measure.name, "accuracy")
    )
    most = f"{name_judge(best)} has most {name_measure(measure)}, and is right"
    if best["label"] == right["label"]:
        return f"{most} most often: {_share(right, 'accuracy')}."
    return (
        f"{most} in {_share(best, 'accuracy')}. {name_judge(right)} is right most often: "
        f"{_share(right, 'accuracy')}."
    )


def describe_unlabelled(rows: pd.DataFrame, *, voted: bool = False) -> str:
    """Name the most consistent judge among those whose accuracy the votes do not show. `voted`:
    there are votes.
    """
    untold = (
        "No vote names a winner where a judge answered, so nothing tells how often one is right."
        if voted
        else "Without human votes, nobody can say how often a judge is right."
    )
    known = rows.dropna(subset="consistent")
    if known.empty:
        return untold
    best = find_most_extreme(known, known["consistent"], len(known))
    level = known.loc[known["consistent"] == best["consistent"], "judge"].nunique()
    share = _share(best, "consistent")
    if level > 1:
        alike = f"{level} judges keep their verdicts in both orders equally often"
        return f"{untold} {alike}, in {share}."
    most = " most often" if known["judge"].nunique() > 1 else ""
    pairs = pluralize(int(best["consistent_n"]), "pair")
    keeps = f"{name_judge(best)} keeps its verdict{most} in both orders"
    return f"{untold} {keeps}: in {share} of {pairs}."


def _share(row: pd.Series, name: str) -> str:
    return percent(row[name], row[f"{name}_low"], row[f"{name}_high"])
