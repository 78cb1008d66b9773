"""The chart of how well judges correlate with scores."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ...rendering import SHARE, Column
from ...rendering.charts import AxisScale, Drawn, EstimateColumns, Picture, dots
from ..judgements import label_rows
from .columns import CEILED, CEILING, declare_figures


def draw_correlation(rows: pd.DataFrame, column: Column, *, theme: str = "light") -> Drawn:
    """A dot and its interval for each labelled row, and beside what the noise of raters bounds a
    mark at what a perfect judge would reach.
    """
    ceiling = CEILING.name if column.name in CEILED else ""
    estimate = EstimateColumns(column.name, column.low, column.high, "n", ceiling)
    scale = AxisScale(reference=0.5)
    if column.unit is not SHARE:
        ends = rows[[*column.names, *filter(None, [ceiling])]].to_numpy(float)
        low, high = np.nanmin(ends, initial=0), np.nanmax(ends, initial=0)
        domain = math.floor(10 * low) / 10, math.ceil(10 * high) / 10
        scale = AxisScale(domain, column.unit.form, 0.0)
    return dots(rows, column.label, estimate, scale, theme=theme)


PICTURE = Picture(
    lambda rows, facts, theme: draw_correlation(
        label_rows(rows).sort_values("spearman", ascending=False),
        declare_figures(facts["level"])[0],
        theme=theme,
    ),
    "How well each judge follows the scores",
    "spearman",
)
