"""What the rows of a chart are called."""

from __future__ import annotations

import pandas as pd


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With what a row is called in a chart: its judge, and its attribute where there are
    several.
    """
    several = rows["attribute"].nunique() > 1
    return rows.assign(
        label=rows["judge"] + " · " + rows["attribute"] if several else rows["judge"]
    )
