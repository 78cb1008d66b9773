"""The chart of a plan."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.findings.plan.columns import COLUMNS, WAYS
from core.rendering.charts import PALETTES, Picture, themed, write_tooltips

LINES = ("together", "people")
"""The ways that have a line."""
SHAPES = ("circle", "square")


def chances(rows: pd.DataFrame, level: float, *, theme: str = "light") -> alt.LayerChart:
    """The chance that ranks are settled, against how many more votes there are: a line with judges,
    and one of votes alone. `rows` are those of `plan`; where they are of new items the points are
    hollow.
    """
    p = PALETTES[theme]
    shown, tooltip = write_tooltips(rows[rows["way"].isin(LINES)], _TOOLTIP)
    shown["way"] = shown["way"].map(WAYS)
    words = [WAYS[way] for way in LINES]
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.b])
    base = alt.Chart(shown).encode(
        x=alt.X(
            "more:Q",
            title="more pairs with votes",
            scale=alt.Scale(type="symlog", constant=100, nice=False),
            axis=alt.Axis(tickCount=6, format=",.0f", grid=False),
        ),
        y=alt.Y(
            "settled:Q",
            title=f"chance that ranks are settled at {level:.0%}",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        color=alt.Color("way:N", scale=colours, legend=legend),
        tooltip=tooltip,
    )
    line = base.mark_line(strokeWidth=2, aria=False)
    dots = base.mark_point(size=60, opacity=1).encode(
        shape=alt.Shape("way:N", scale=alt.Scale(domain=words, range=list(SHAPES)), legend=legend),
        fill=alt.Fill("way:N", scale=colours, legend=legend),
        fillOpacity=alt.condition("datum.new_items", alt.value(0), alt.value(1)),
    )
    layers = alt.LayerChart(layer=[line, dots], height=320, width="container")
    told = "The chance that ranks are settled against more votes, with judges and by votes alone."
    return themed(layers, told, theme)


_TOOLTIP = [column for column in COLUMNS if column.name in ("way", "votes", "settled", "new_items")]
PICTURE = Picture(
    lambda rows, facts, theme: chances(rows, facts["level"], theme=theme),
    "How many more votes settle the ranks",
)
