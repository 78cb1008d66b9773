"""Sentences about accuracy: the judge that is right most often, and its lead over the next."""

from __future__ import annotations

import pandas as pd

from ...labels import percent, pluralize
from ..judgements import (
    Finding,
    describe_difference,
    find_closest,
    find_greatest,
    find_most_extreme,
    label_rows,
    minimum,
    name_judge,
)
from .settings import REFERENCES

CLAIM = "who is right most often is named"


def describe_accuracy(result: Finding) -> str:
    """Name the judge that is right most often, among those with enough answers.

    Annotators whose votes should be read before they count are not named.
    """
    rows = label_rows(result.rows)
    doubtful = rows["judge"].isin(result.facts["flagged"])
    rows = rows[~doubtful] if (~doubtful).any() else rows
    enough = rows[rows["comparisons"] >= minimum.ANSWERS]
    usable = enough[~enough["judge"].isin(result.facts["unusable"])]
    enough = enough if usable.empty else usable
    if enough.empty:
        row = find_greatest(rows, rows["comparisons"])
        needed = minimum.describe_shortfall(CLAIM, minimum.count_answers(int(row["comparisons"])))
        return f"{_describe_right(result, row)}. {needed}"
    row = find_most_extreme(enough, enough["accuracy"], len(enough))
    best = f", the best of {len(enough)}" if len(enough) > 1 else ""
    few = len(rows) - len(enough)
    both = (
        f"In both orders of a pair, it is right on {row['accuracy_both_orders']:.0%} of "
        f"{pluralize(row['pairs_both_orders'], 'pair')}."
        if row["pairs_both_orders"]
        else ""
    )
    said = [
        f"{_describe_right(result, row)}{best}.",
        "Chance is 50%.",
        both,
        *result.facts["cautions"],
        _describe_lead(result.tables["differences"], row),
        f"There are too few answers of {pluralize(few, 'more judge')} to compare." * bool(few),
    ]
    return " ".join(filter(None, said))


def _describe_right(result: Finding, row: pd.Series) -> str:
    right = percent(row["accuracy"], row["low"], row["high"])
    return (
        f"{name_judge(row)} is right in {right} of {pluralize(row['comparisons'], 'answer')}, "
        f"according to {REFERENCES[result.facts['against']]}"
    )


def _describe_lead(differences: pd.DataFrame, row: pd.Series) -> str:
    """Describe the lead of the best judge over the closest one, on the pairs that both answered."""
    next_best = find_closest(differences, row["judge"], row["attribute"])
    return "" if next_best is None else describe_difference(next_best, "is right")
