"""Tooltips of charts, written as in tables."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from ..columns import Column
from ..grids import lay_out


def write_tooltips(
    rows: pd.DataFrame, columns: Sequence[Column]
) -> tuple[pd.DataFrame, list[alt.Tooltip]]:
    """The rows with a text for each cell of a table, and the tooltips that show these."""
    grid = lay_out(rows, columns)
    texts = {
        f"tooltip_{place}": [row[place].whole or row[place].text for row in grid.rows]
        for place in range(len(grid.headings))
    }
    tooltips = [
        alt.Tooltip(f"tooltip_{place}:N", title=heading.label)
        for place, heading in enumerate(grid.headings)
    ]
    return rows.assign(**texts), tooltips
