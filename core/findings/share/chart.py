"""The picture of shared work: how far accepted answers differ from people's, by how many are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from ...labels import shorten_judges
from ...rendering.charts import PALETTES, Drawn, Picture, apply_theme, write_tooltips
from .compute import FRONTIER

SHAPES = ("circle", "square", "triangle-up", "diamond")
TOOLTIP = [column for column in FRONTIER if column.name != "is_chosen"]
AXES = {
    "accepted": ("share of pairs that is accepted", alt.Scale(domain=[0, 1]), "%"),
    "money": ("what judges' answers cost for all pairs", alt.Scale(zero=False), "~g"),
}


def draw_frontier(
    rows: pd.DataFrame, facts: Mapping[str, Any], theme: str = "light", *, along: str = "accepted"
) -> Drawn:
    """Draw a line for each judge, and one for all in a row: error, with the bound of a test, by the
    share of pairs that is accepted, or by `money`; a rule at the error that was chosen. `rows` are
    those of the table `frontier`; the threshold that holds is a large point.
    """
    p = PALETTES[theme]
    shown, tooltip = write_tooltips(rows.dropna(subset="error"), TOOLTIP)
    shown["judge"] = shown["way"].map(shorten_judges)
    names = list(dict.fromkeys(shown["judge"]))
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if len(names) > 1 else None
    colours = alt.Scale(domain=names, range=[p.a, p.b, p.ink, p.tie])
    greatest = float(shown["error"].max()) if len(shown) else 0.0
    most = max(2.5 * facts["accept_error"], 1.1 * greatest)
    y = alt.Scale(domain=[0, min(1.0, most)], clamp=True)
    title, scale, form = AXES[along]
    axis = alt.Axis(format=form, grid=False, tickCount=8, labelOverlap=True)
    base = alt.Chart(shown).encode(
        x=alt.X(f"{along}:Q", title=title, scale=scale, axis=axis),
        color=alt.Color("judge:N", scale=colours, legend=legend),
    )  # fmt: skip
    axis = alt.Axis(format="%", tickCount=6)
    error = alt.Y("error:Q", title="differs from people", scale=y, axis=axis)
    band = base.mark_area(opacity=0.14, aria=False).encode(
        y=error, y2=alt.Y2("bound:Q"), detail="judge:N"
    )
    line = base.mark_line(strokeWidth=2, aria=False).encode(y=error, order="threshold:Q")
    shape = alt.Shape("judge:N", scale=alt.Scale(domain=names, range=list(SHAPES)), legend=legend)
    dots = base.mark_point(filled=True, opacity=1).encode(
        y=error, shape=shape, tooltip=tooltip,
        size=alt.condition("datum.is_chosen", alt.value(260), alt.value(36)),
    )  # fmt: skip
    goal = pd.DataFrame({"error": [facts["accept_error"]], "label": ["at most"]})
    rule = alt.Chart(goal).mark_rule(color=p.quiet, strokeDash=[4, 4]).encode(y=error)
    words = alt.Chart(goal).mark_text(align="left", baseline="bottom", dy=-3, color=p.quiet)
    told = f"How far the answers that are accepted differ from people's, of {', '.join(names)}."
    layers = [band, line, dots, rule, words.encode(y=error, x=alt.value(4), text="label:N")]
    return apply_theme(alt.LayerChart(layer=layers, height=320, width="container"), told, theme)


PICTURE = Picture(draw_frontier, "How far accepted answers differ from people's", table="frontier")
COST_PICTURE = Picture(
    partial(draw_frontier, along="money"), "What fewer differences cost", table="frontier"
)
