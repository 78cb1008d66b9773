"""Chart of probes: what each changes in the points of a text, by judge."""

from __future__ import annotations

import pandas as pd

from ...rendering.charts import AxisScale, Drawn, EstimateColumns, Picture, dots
from . import CHANGE


def draw_probes(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """Draw the change by each probe of each judge, the largest first. The line is no change."""
    shown = rows.dropna(subset="change").sort_values("change", key=lambda of: -of.abs())
    named = shown["probe"] + (" · " + shown["judge"] if shown["judge"].nunique() > 1 else "")
    low, high = str(CHANGE.low), str(CHANGE.high)
    points = 100 * shown[["change", low, high]]
    return dots(
        shown.assign(label=named, judge=named, **points), "change in points",
        EstimateColumns("change", low, high, "answers"), AxisScale(None, "+.0f", reference=0.0),
        theme=theme,
    )  # fmt: skip


PICTURE = Picture(
    lambda rows, facts, theme: draw_probes(rows, theme=theme),
    "What each probe changes",
    "change",
    "answer",
)
