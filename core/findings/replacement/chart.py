"""Charts of the alternative annotator test."""

from __future__ import annotations

import pandas as pd

from core.findings.judgements import label_rows
from core.rendering.charts import Drawn, Estimate, Picture, Scale, dots


def advantages(rows: pd.DataFrame, epsilon: float, *, theme: str = "light") -> Drawn:
    """How much more often one judge than each annotator is the better of the two, in the eyes of
    the others, with intervals: rows annotator, advantage, low, high, items, adjusted (its p). Left
    of the line the judge is worse by more than epsilon.
    """
    tested = rows.dropna(subset="adjusted").sort_values("advantage", ascending=False)
    shown = tested.assign(
        kind="human",
        label=[f"{who} · p {p:.3f}" for who, p in zip(tested["annotator"], tested["adjusted"],
                                                      strict=True)],
    )  # fmt: skip
    return dots(
        shown.drop(columns="attribute", errors="ignore"), "advantage of the judge",
        Estimate("advantage", "low", "high", "items"),
        Scale(None, "+.0%", reference=-epsilon), theme=theme,
    )  # fmt: skip


def probabilities(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """How often each judge does as well as an annotator, or better, highest first."""
    shown = label_rows(rows).sort_values("probability", ascending=False)
    return dots(
        shown, "as good as an annotator, or better",
        Estimate("probability", "low", "high", "items"), Scale(reference=0.5), theme=theme,
    )  # fmt: skip


PICTURE = Picture(
    lambda rows, facts, theme: probabilities(rows, theme=theme),
    "How often each judge does as well as an annotator",
    "probability",
)
