"""The chart of people at work: how badly each person's decisions fit the others'."""

from __future__ import annotations

import pandas as pd

from ...records import Kind
from ...rendering.charts import AxisScale, Drawn, EstimateColumns, dots


def draw_fits(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """Draw the infit of each person who has one, the worst first, with the usual range."""
    shown = rows.assign(label=rows["annotator"], kind=Kind.HUMAN.value)
    estimate = EstimateColumns("infit", "usual_low", "usual_high", "decisions")
    scale = AxisScale(domain=None, form=".2f", reference=1.0)
    return dots(shown, "infit, and the range that is usual", estimate, scale, theme=theme)
