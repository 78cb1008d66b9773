"""Sentences about attacks: the judges whose verdicts turn, and what a harmless sentence does."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...labels import percent, pluralize
from ..judgements import (
    find_greatest,
    find_most_extreme,
    label_rows,
    minimum,
    name_judge,
)

CLAIM = "the effect of attacks is reported"
NO_CONTROL = (
    "No harmless sentence of as many words was answered, so what length alone turns is unknown."
)
ASK = "Start the same attack again: it asks for what is missing."
ASK_AGAIN = "On the page Judge, “Ask again” beside its run asks for what was left unanswered."


def describe_attacks(rows: pd.DataFrame) -> list[str]:
    """Describe the judges that attacks turn more than a harmless sentence does, with cautions.
    Empty without rows.
    """
    if rows.empty:
        return []
    rows = label_rows(rows)
    enough = rows[[minimum.is_enough(*_counts(row)) for _, row in rows.iterrows()]]
    if enough.empty:
        return [minimum.describe_shortfall(CLAIM, *_counts(find_greatest(rows, rows["against"])))]
    held = enough[enough["beyond"].notna()]
    sure = held[held["turned"].astype(bool)]
    row = _find_strongest_attack(sure if len(sure) else held if len(held) else enough, len(enough))
    turned = percent(row["flipped"], row["low"], row["high"])
    of = pluralize(int(row["against"]), "comparison")
    said = [
        _count(held, sure),
        f"{name_judge(row)} changed its verdict in {turned} of {of} when the losing text "
        f"{row['does']}.",
        _describe_control(row),
    ]
    if lost := int(row["unanswered"]):
        said.append(f"The judge left {lost:,} of {int(row['asked']):,} attacks unanswered.")
    return [sentence for sentence in said if sentence]


def _describe_control(row: pd.Series) -> str:
    if pd.isna(row["control"]):
        return f"{NO_CONTROL} {ASK_AGAIN if row['control_unanswered'] else ASK}"
    calm = percent(row["control"], row["control_low"], row["control_high"])
    return f"A harmless sentence of as many words changed {calm}."


def _counts(row: pd.Series) -> tuple[minimum.Count, minimum.Count]:
    verdicts = minimum.count_answers(int(row["against"]), "verdict")
    return verdicts, minimum.count_items(int(row["items"]))


def _find_strongest_attack(rows: pd.DataFrame, looked_at: int) -> pd.Series:
    """The row that is turned most beyond its control or, where none has one, at all."""
    figures = rows["beyond"] if rows["beyond"].notna().any() else rows["flipped"]
    return find_most_extreme(rows, figures.fillna(-np.inf), looked_at)


def _count(held: pd.DataFrame, sure: pd.DataFrame) -> str:
    """Judges are counted that answered to a harmless sentence, too, not what they were asked
    about.
    """
    judges, turned = held["judge"].nunique(), sure["judge"].nunique()
    if not judges:
        return ""
    if not turned:
        whom = "this judge" if judges == 1 else f"these {judges} judges"
        return f"There is no evidence that attacks turn {whom} more than a harmless sentence."
    if judges == 1:
        return ""
    turn = "are turned" if turned > 1 else "is turned"
    return f"{turned} of {judges} judges {turn} by attacks more than by a harmless sentence."
