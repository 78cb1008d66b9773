"""Sentences on whether a judge may replace an annotator."""

from __future__ import annotations

import pandas as pd

from ...labels import percent, pluralize
from ...statistics import ReplacementTerms

ANNOTATORS = 3
"""Fewest annotators for the test. With two, it only says which of them the judge agrees with
(Calderon et al. 2025, FAQ).
"""
SUITS = {0.2: "experts", 0.15: "skilled annotators", 0.1: "crowd workers"}
"""Whom an epsilon is meant for (Calderon et al. 2025, section 3.3)."""
MOST = 5  # judges and attributes of which something is said; the table has all


def sentences(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> list[str]:
    """Describe the verdict for each judge and attribute. Cases without enough data share one
    sentence.
    """
    several_attributes = rows["attribute"].nunique() > 1
    known = rows[rows["verdict"] != "cannot tell"]
    ranked = known.sort_values("probability", ascending=False, kind="stable")
    found = [
        _verdict(row, terms, several_attributes, len(known))
        for _, row in ranked.head(MOST).iterrows()
    ]
    if len(ranked) > MOST:
        found.append(f"The table has {pluralize(len(ranked) - MOST, 'more verdict')}.")
    if len(known) < len(rows):
        found.append(_cannot_tell(rows, each, terms))
    return found


def _verdict(row: pd.Series, terms: ReplacementTerms, named: bool, verdicts: int) -> str:
    """Render the verdict; `verdicts` is the number of testable judges and attributes."""
    who = f"{row['judge']} ({row['attribute']})" if named else str(row["judge"])
    may = "may replace" if row["verdict"] == "may replace" else "was not shown fit to replace"
    suits = SUITS.get(terms.epsilon, "")
    meant = f" (meant for {suits})" if suits else ""
    won = f"it wins against {row['won']} of {pluralize(row['annotators'], 'annotator')}"
    by_chance = row["p"] <= terms.level < row["adjusted"]
    chance = f", as one of {verdicts:,} may by chance" * by_chance
    share = percent(row["probability"], row["low"], row["high"])
    return (
        f"{who} {may} an annotator here: {won} at epsilon {terms.epsilon:g}{meant}{chance}. It "
        "does as well as an annotator, or better, on "
        f"{share} of {pluralize(row['items'], 'item')}."
    )


def _cannot_tell(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> str:
    """Describe what the test needs, and what the judge closest to it has."""
    untold = rows[rows["verdict"] == "cannot tell"]
    judges = untold["judge"].unique()
    who = judges[0] if len(judges) == 1 else pluralize(len(judges), "judge")
    there = int(untold["annotators"].max())
    most = max([0, *each.merge(untold[["judge", "attribute"]])["items"]])
    return (
        f"Whether {who} may replace an annotator is still open. It takes {ANNOTATORS} "
        f"annotators with {terms.least} items each that another one and the judge have "
        f"answered. There {('is' if there == 1 else 'are')} {there} so far; the most that "
        f"anybody has is {pluralize(int(most), 'item')}."
    )
