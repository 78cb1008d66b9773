"""Chart of the weight of each judge in a jury."""

from __future__ import annotations

import pandas as pd

from ...rendering.charts import AxisScale, Drawn, EstimateColumns, dots


def draw_discriminations(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """Draw the discrimination of each judge of a jury: a dot and its interval. `rows`: judge, kind,
    discrimination, low, high, answers. The line at 1 is the average answer.
    """
    return dots(
        rows.assign(label=rows["judge"]), "discrimination (1 is the average answer)",
        EstimateColumns("discrimination", "low", "high", "answers"),
        AxisScale(domain=None, form=".2f", reference=1.0), theme=theme,
    )  # fmt: skip
