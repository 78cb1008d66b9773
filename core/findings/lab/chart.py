"""The picture of the lab: how good each judge is, beside what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from ...labels import KINDS, short_names, shorten_judges
from ...rendering.charts import PALETTES, SLIM, Drawn, Picture, apply_theme, shapes, write_tooltips
from ..judgements.chart import label_rows
from .columns import COLUMNS, FAIRNESS, JUDGE

LETTERS, NAMED = 28, 12  # of a name; judges whose names are written
LEAST = 0.005  # of what every judge costs, below which an axis would show zeros alone
BY_NAME = {column.name: column for column in COLUMNS}


def draw_quality(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str = "light") -> Drawn:
    """Draw each judge as a point: accuracy (without labels fairness) with its interval up, and cost
    along, else seconds, else its answers for the first text.
    """
    quality = BY_NAME["accuracy" if facts["against"] else FAIRNESS.name]
    cost = next(
        (BY_NAME[name] for name in ("money", "seconds") if rows[name].min(skipna=False) >= LEAST),
        BY_NAME["p_first"],
    )
    palette, scale = PALETTES[theme], alt.Scale(zero=False, nice=True, padding=16)
    shown = label_rows(rows).dropna(subset=[quality.name, cost.name])
    shown, tooltip = write_tooltips(
        shown.assign(of=shown["kind"].map(KINDS)), [JUDGE, BY_NAME["correction"], quality, cost]
    )
    labels = shown["label"].map(shorten_judges)
    shown["called"] = labels.map(short_names(labels.tolist(), LETTERS))
    along = alt.Axis(title=cost.label, format=cost.unit.form, tickCount=6)
    base = alt.Chart(shown).encode(
        tooltip=tooltip, x=alt.X(f"{cost.name}:Q", axis=along, scale=scale)
    )
    axis = alt.Axis(title=quality.label, format=quality.unit.form, tickCount=6)
    up = base.mark_rule(color=palette.tie, strokeWidth=1.5).encode(
        y=alt.Y(f"{quality.low}:Q", axis=axis, scale=scale), y2=f"{quality.high}:Q"
    )
    y = alt.Y(f"{quality.name}:Q", axis=axis, scale=scale)
    dot = base.mark_point(size=110, filled=True, opacity=1, color=palette.a).encode(
        y=y, shape=shapes(shown)
    )
    # A phone has no room for names, nor have many judges: a touch shows them.
    size = alt.ExprRef(f"{SLIM} || {len(shown)} > {NAMED} ? 0.1 : 11")
    name = base.mark_text(align="left", dx=9, dy=-6, color=palette.ink, fontSize=size)
    layers = [up, dot, name.encode(y=y, text="called:N")]
    chart = alt.LayerChart(layer=layers, height=320, width="container")
    return apply_theme(chart, f"{len(shown)} judges: {quality.label} by {cost.label}.", theme)


PICTURE = Picture(draw_quality, "How good each judge is", "accuracy")
