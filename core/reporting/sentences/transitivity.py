"""What the Bias page says of three texts: who contradicts themselves, and what position has to do
with it.
"""

from __future__ import annotations

import pandas as pd

from core.charts import labelled
from core.findings.judgements import minimum
from core.labels import percent, several
from core.reporting.sentences.judges import greatest, whose

CLAIM = "contradictions among three texts are counted"


def transitivity(rows: pd.DataFrame) -> str:
    """Of a table `triples`, the judge that contradicts itself most often; '' where there is no
    triple.
    """
    rows = labelled(rows)
    rows = rows[rows["decided"] > 0]
    if rows.empty:
        return ""
    told = rows[[minimum.enough(*_counts(row)) for _, row in rows.iterrows()]]
    if told.empty:
        return minimum.still_needed(CLAIM, *_counts(greatest(rows, rows["decided"])))
    row = greatest(told, told["cyclic"])
    judges = told["judge"].nunique()
    if not row["cyclic"]:
        who = whose(row) if len(told) == 1 else several(judges, "judge")
        triples = several(int(told["decided"].sum()), "triple")
        return f"No verdicts of {who} contradict each other among three texts ({triples})."
    most = " most often" if len(told) > 1 else ""
    share = percent(row["cyclic"], row["low"], row["high"])
    triples = several(int(row["decided"]), "triple")
    said = f"Verdicts of {whose(row)} contradict each other{most} among three texts"
    return f"{said}: {share} of {triples} are cyclic. {_by_position(row)}".strip()


def _counts(row: pd.Series) -> tuple[minimum.Count, minimum.Count]:
    return minimum.answers(int(row["decided"]), "triple"), minimum.items(int(row["items"]))


def _by_position(row: pd.Series) -> str:
    """What one order of each pair would have shown, where both were asked."""
    if pd.isna(row["one_order"]):
        return ""
    return (
        f"Asked in one order only, {percent(row['one_order'])} would be cyclic: "
        f"{percent(row['by_position'])} through position alone."
    )
