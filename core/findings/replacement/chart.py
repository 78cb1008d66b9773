"""Charts of the alternative annotator test."""

from __future__ import annotations

import pandas as pd

from ...rendering.charts import AxisScale, Drawn, EstimateColumns, dots
from ..judgements.chart import picture_judges
from . import PROBABILITY


def advantages(rows: pd.DataFrame, epsilon: float, *, theme: str = "light") -> Drawn:
    """Draw the advantage of one judge over each annotator, by agreement with the other annotators,
    with intervals. `rows`: annotator, advantage, low, high, items, adjusted (its p). Left of the
    line the judge is worse by more than epsilon.
    """
    tested = rows.dropna(subset="adjusted").sort_values("advantage", ascending=False)
    shown = tested.assign(
        kind="human",
        label=[f"{who} · p {p:.3f}" for who, p in zip(tested["annotator"], tested["adjusted"],
                                                      strict=True)],
    )  # fmt: skip
    return dots(
        shown.drop(columns="attribute", errors="ignore"), "advantage of the judge",
        EstimateColumns("advantage", "low", "high", "items"),
        AxisScale(None, "+.0%", reference=-epsilon), theme=theme,
    )  # fmt: skip


PICTURE = picture_judges(
    "How often each judge does as well as an annotator",
    "as good as an annotator, or better",
    PROBABILITY,
    "items",
)
