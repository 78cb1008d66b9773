"""Charts of the budget: how well rankings from part of the comparisons follow that from all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ...rendering import Column
from ...rendering.charts import PALETTES, Picture, apply_theme, legend_columns, write_tooltips
from .columns import COMPARISONS, FEWER, FIGURES, WAY

STROKES = {
    "light": ("#0072B2", "#BF5300", "#00795A", "#A3487C", "#4b5157", "#8a6d00", "#5a4fcf"),
    "dark": ("#56B4E9", "#E69F00", "#3DBE97", "#E08DBB", "#c8ced3", "#F0E442", "#a79bff"),
}
"""A line for each strategy; each also has its own point, for those who tell no colours apart."""
POINTS = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
)  # fmt: skip
HEIGHT = 340
ROOM = 0.1
"""The least that an axis of shares or correlations spans."""


@dataclass(frozen=True)
class Level:
    """A line across a chart: `value`, and what it is called."""

    value: float
    label: str


def draw_by_comparisons(
    rows: pd.DataFrame, figure: Column, *, level: Level | None = None, theme: str = "light"
) -> alt.LayerChart:
    """A line for each `strategy` of `rows` (of one method and correction): the mean of a `figure`
    over replays against comparisons an item, in a band that holds 95% of the replays, `level` being
    a line to hold them against.
    """
    x = alt.X(
        "comparisons:Q",
        title="comparisons an item",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(tickCount=8, format="~g", grid=False),
    )
    return _draw_lines(rows, x, figure, (WAY[0], COMPARISONS), level, theme)


def draw_by_candidates(
    rows: pd.DataFrame, figure: Column, *, theme: str = "light"
) -> alt.LayerChart:
    """The share of pairs of candidates in the same order, against how many are compared alone, in a
    band that holds 95% of the draws.
    """
    x = alt.X(
        "candidates:Q",
        title="candidates compared with each other",
        scale=alt.Scale(nice=False, padding=12),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
    )
    shown = rows.assign(strategy="win ratio")
    return _draw_lines(shown, x, replace(figure, label="share of pairs"), FEWER[:1], None, theme)


def _draw_lines(
    rows: pd.DataFrame,
    x: alt.X,
    figure: Column,
    about: Sequence[Column],
    level: Level | None,
    theme: str,
) -> alt.LayerChart:
    p, title = PALETTES[theme], figure.label
    shown, tooltip = write_tooltips(rows.dropna(subset=figure.name), (*about, figure))
    shown = shown.rename(columns={figure.low: "low", figure.high: "high", figure.name: "value"})
    names = list(dict.fromkeys(shown["strategy"]))
    ends = shown[["value", "low", "high"]].to_numpy(float)
    low, high = np.nanmin(ends), np.nanmax(ends)
    if level is not None:
        low, high = min(low, level.value), max(high, level.value)
    middle, half = (low + high) / 2, max(high - low, ROOM) / 2
    high = min(middle + half, 1.0)  # no figure here exceeds 1
    y = alt.Y(
        "value:Q",
        title=title,
        scale=alt.Scale(
            zero=False, nice=True, domain=[float(min(middle - half, high - 2 * half)), float(high)]
        ),
        axis=alt.Axis(format="~g"),
    )
    legend = (
        alt.Legend(title=None, orient="top", columns=legend_columns(3, 6), symbolOpacity=1)
        if len(names) > 1
        else None
    )
    colour = alt.Color(
        "strategy:N", scale=alt.Scale(domain=names, range=list(STROKES[theme])), legend=legend
    )
    shape = alt.Shape(
        "strategy:N", scale=alt.Scale(domain=names, range=list(POINTS)), legend=legend
    )
    base = alt.Chart(shown).encode(x=x, color=colour)
    layers: list[alt.Chart] = [
        base.mark_area(opacity=0.14, aria=False).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        base.mark_point(size=70, filled=True, opacity=1).encode(y=y, shape=shape, tooltip=tooltip),
    ]
    if level is not None:
        line = pd.DataFrame({"value": [level.value], "label": [level.label]})
        rule = alt.Chart(line).mark_rule(color=p.quiet, strokeDash=[4, 4])
        words = alt.Chart(line).mark_text(align="left", baseline="bottom", dy=-3, color=p.quiet)
        layers += [rule.encode(y=y), words.encode(y=y, x=alt.value(4), text="label:N")]
    chart = alt.LayerChart(layer=layers, height=HEIGHT, width="container")
    told = f"{title[:1].upper()}{title[1:]}, a line for each of {len(names)}: {', '.join(names)}."
    return apply_theme(chart, told, theme)


def _draw_first(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    named = rows[(rows["method"] == facts["method"]) & (rows["debias"] == facts["debias"])]
    sorts = rows[~rows["method"].isin(facts["methods"])]
    figure = next(column for column in FIGURES if column.name == facts["figure"])
    shown = pd.concat([named, sorts])
    return draw_by_comparisons(shown, figure, level=Level(facts["goal"], "goal"), theme=theme)


PICTURE = Picture(_draw_first, "How few comparisons would have done", "spearman")
