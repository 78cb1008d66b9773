"""The chart of a plan."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...rendering.charts import PALETTES, Picture, apply_theme, log_ticks, write_tooltips
from . import COLUMNS, WAYS

LINES = ("together", "people")
"""The ways that have a line."""
SHAPES = ("circle", "square")
TICKS = 4  # of the votes, beside 0: as many as a phone has room for


def chances(rows: pd.DataFrame, level: float, *, theme: str = "light") -> alt.LayerChart:
    """The chance that ranks are told apart, against how many more votes there are: a line with
    judges, and one of votes alone. `rows` are those of `plan`; where they are of new items the
    points are hollow.
    """
    p = PALETTES[theme]
    shown, tooltip = write_tooltips(rows[rows["way"].isin(LINES)], _TOOLTIP)
    shown["way"] = shown["way"].map(WAYS)
    words = [WAYS[way] for way in LINES]
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.b])
    more = shown["more"].to_numpy(dtype=float)
    ticks = log_ticks(more[more > 0], TICKS) if (more > 0).any() else []
    base = alt.Chart(shown).encode(
        x=alt.X(
            "more:Q",
            title="more pairs with votes",
            scale=alt.Scale(type="symlog", constant=100, nice=False),
            axis=alt.Axis(values=[0, *ticks], format=",.0f", grid=False),
        ),
        y=alt.Y(
            "settled:Q",
            title=f"chance that ranks are told apart at {level:.0%}",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        color=alt.Color("way:N", scale=colours, legend=legend),
        tooltip=tooltip,
    )
    # Both lines are seen where they lie on each other.
    line = base.mark_line(aria=False).encode(
        strokeWidth=alt.StrokeWidth("way:N", scale=_order(words, [5, 2]), legend=None)
    )
    dots = base.mark_point(opacity=1).encode(
        size=alt.Size("way:N", scale=_order(words, [110, 30]), legend=None),
        shape=alt.Shape("way:N", scale=alt.Scale(domain=words, range=list(SHAPES)), legend=legend),
        fill=alt.Fill("way:N", scale=colours, legend=legend),
        fillOpacity=alt.condition("datum.new_items", alt.value(0), alt.value(1)),
    )
    layers = alt.LayerChart(layer=[line, dots], height=320, width="container")
    told = (
        "The chance that ranks are told apart against more votes, with judges and by votes alone."
    )
    return apply_theme(layers, told, theme)


def _order(words: list[str], values: list[int]) -> alt.Scale:
    return alt.Scale(type="ordinal", domain=words, range=values)


_TOOLTIP = [column for column in COLUMNS if column.name in ("way", "votes", "settled", "new_items")]
PICTURE = Picture(
    lambda rows, facts, theme: chances(rows, facts["level"], theme=theme),
    "How many more votes the combined estimate needs",
)
