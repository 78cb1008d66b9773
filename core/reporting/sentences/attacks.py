"""What is said of attacks: whose verdicts an added sentence turns, and how many a harmless one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.analysis.judgements import minimum
from core.charts import labelled
from core.labels import percent, several
from core.reporting.sentences.judges import greatest, whose

CLAIM = "what attacks turn is told"


def attacks(rows: pd.DataFrame) -> list[str]:
    """Whom attacks turn beyond a harmless sentence, how many judges that is so of, and what a
    reader must know of it; nothing where there are no rows.
    """
    if rows.empty:
        return []
    rows = labelled(rows)
    enough = rows[[minimum.enough(*_counts(row)) for _, row in rows.iterrows()]]
    if enough.empty:
        return [minimum.still_needed(CLAIM, *_counts(greatest(rows, rows["against"])))]
    sure = enough[enough["turned"].astype(bool)]
    row = greatest(*_by(sure if len(sure) else enough, "beyond"))
    turned = percent(row["flipped"], row["low"], row["high"])
    of = several(int(row["against"]), "comparison")
    said = [
        _count(enough, sure),
        f"{whose(row)} changed its verdict in {turned} of {of} when the losing text {row['does']}.",
        _calm(row),
    ]
    if lost := int(row["unanswered"]):
        said.append(f"The judge left {lost:,} of {int(row['asked']):,} attacks unanswered.")
    return [sentence for sentence in said if sentence]


def _calm(row: pd.Series) -> str:
    if pd.isna(row["control"]):
        return "Nothing was answered to a harmless sentence of as many words."
    calm = percent(row["control"], row["control_low"], row["control_high"])
    return f"A harmless sentence of as many words changed {calm}."


def _counts(row: pd.Series) -> tuple[minimum.Count, minimum.Count]:
    verdicts = minimum.answers(int(row["against"]), "verdict")
    return verdicts, minimum.items(int(row["items"]))


def _by(rows: pd.DataFrame, name: str) -> tuple[pd.DataFrame, pd.Series]:
    return rows, rows[name].fillna(-np.inf)


def _count(enough: pd.DataFrame, sure: pd.DataFrame) -> str:
    """Judges are counted, not what they were asked about."""
    judges, turned = enough["judge"].nunique(), sure["judge"].nunique()
    if not turned:
        whom = "this judge" if judges == 1 else f"these {judges} judges"
        return f"There is no evidence that attacks turn {whom} more than a harmless sentence."
    if judges == 1:
        return ""
    turn = "are turned" if turned > 1 else "is turned"
    return f"{turned} of {judges} judges {turn} by attacks more than by a harmless sentence."
