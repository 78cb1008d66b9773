"""What is said of accuracy: who is right most often, and how far ahead of the next."""

from __future__ import annotations

import pandas as pd

from core.findings.accuracy.settings import REFERENCES
from core.findings.judgements import (
    Finding,
    describe_difference,
    find_closest,
    find_most_extreme,
    label_rows,
    name_judge,
)
from core.labels import percent, several


def describe_accuracy(result: Finding) -> str:
    """Who is right most often."""
    rows = label_rows(result.rows)
    row = find_most_extreme(rows, rows["accuracy"], len(rows))
    most = f", the best of {len(rows)}" if len(rows) > 1 else ""
    right = percent(row["accuracy"], row["low"], row["high"])
    reference = REFERENCES[result.facts["against"]]
    both = (
        f" In both orders of a pair, it is right on {row['accuracy_both_orders']:.0%} of "
        f"{several(row['pairs_both_orders'], 'pair')}."
        if row["pairs_both_orders"]
        else ""
    )
    return (
        f"{name_judge(row)} is right in {right} of {several(row['comparisons'], 'answer')}, "
        f"according to {reference}{most}. Chance is 50%.{both}"
        f"{_ahead(result.tables['differences'], row)}"
    )


def _ahead(differences: pd.DataFrame, row: pd.Series) -> str:
    """How far the best is ahead of who comes closest, on the pairs that both answered."""
    next_best = find_closest(differences, row["judge"], row["attribute"])
    return "" if next_best is None else f" {describe_difference(next_best, 'is right')}"
