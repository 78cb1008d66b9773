"""Histogram of a judge's confidence in the text shown first."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...rendering.charts import PALETTES, apply_theme
from ..judgements.chart import picture_judges
from .columns import P_FIRST


def histogram(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """Draw the distribution of the probability of the first text. `rows`: low and high (of the
    bin), judgements. Bins that prefer the first text have A's colour.
    """
    p = PALETTES[theme]
    shown = rows.assign(
        prefers=rows["low"].ge(0.5).map({True: "the first (A)", False: "the second (B)"})
    )
    sides = ["the second (B)", "the first (A)"]
    bars = (
        alt.Chart(shown)
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                axis=alt.Axis(
                    format=".2~f",
                    values=[0, 0.25, 0.5, 0.75, 1],
                    title="probability that the first is better",
                ),
            ),
            x2="high:Q",
            y=alt.Y("judgements:Q", axis=alt.Axis(title="judgements", format="~s", tickCount=4)),
            color=alt.Color(
                "prefers:N",
                scale=alt.Scale(domain=sides, range=[p.b, p.a]),
                legend=alt.Legend(title="prefers", orient="top"),
            ),
            tooltip=[
                alt.Tooltip("low:Q", title="from"),
                alt.Tooltip("high:Q", title="to"),
                alt.Tooltip("judgements:Q", format=","),
            ],
        )
    )
    layers = alt.LayerChart(layer=[bars], height=220, width="container")
    told = f"Histogram of the probability that the first is better, in {len(shown)} bins."
    return apply_theme(layers, told, theme)


PICTURE = picture_judges(
    "How often each judge chose the first text",
    "decisive answers for the first",
    P_FIRST,
    "decisive",
)
