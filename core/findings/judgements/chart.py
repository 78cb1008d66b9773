"""The chart that several findings about judges have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from ...rendering import Column
from ...rendering.charts import AxisScale, Drawn, EstimateColumns, Picture, dots
from .judges import label_rows


def picture_judges(title: str, axis: str, share: Column, n: str) -> Picture:
    """A share of each judge, of so many `n`, highest first: a dot and its interval."""
    estimate = EstimateColumns(share.name, share.low, share.high, n)
    return Picture(partial(_draw_shares, axis, estimate), title, share.name)


def _draw_shares(
    axis: str, estimate: EstimateColumns, rows: pd.DataFrame, facts: Mapping[str, Any], theme: str
) -> Drawn:
    shown = label_rows(rows).sort_values(estimate.value, ascending=False)
    return dots(shown, axis, estimate, AxisScale(reference=0.5), theme=theme)
