"""The picture of the lab: how good each judge is, beside what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd
from altair import datum

from ...labels import KINDS, short_names, shorten_judges
from ...rendering.charts import PALETTES, SLIM, Drawn, Picture, apply_theme, shapes, write_tooltips
from ..judgements.chart import label_rows
from .columns import COLUMNS, FAIRNESS, JUDGE

LETTERS, NAMED, ON_A_PHONE = 28, 12, 4  # of a name; judges whose names are written
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
    place = shown[cost.name].rank(method="first")
    shown["is_right"] = shown[cost.name] > (shown[cost.name].min() + shown[cost.name].max()) / 2
    shown["is_below"] = place % 2 == 0
    ticks = {"tickCount": 6, "labelOverlap": True, "labelSeparation": 8}
    along = alt.Axis(title=cost.label, format=cost.unit.form, **ticks)
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
    # Names of neighbours stand above and below, towards the middle; a phone has room for a few.
    size = alt.ExprRef(f"{len(shown)} > ({SLIM} ? {ON_A_PHONE} : {NAMED}) ? 0.1 : 11")
    names = [
        base.transform_filter((datum.is_right == right) & (datum.is_below == below))
        .mark_text(
            align="right" if right else "left", dx=-9 if right else 9, dy=12 if below else -8,
            color=palette.ink, fontSize=size,
        )
        .encode(y=y, text="called:N")
        for right in (False, True)
        for below in (False, True)
    ]  # fmt: skip
    chart = alt.LayerChart(layer=[up, dot, *names], height=320, width="container")
    return apply_theme(chart, f"{len(shown)} judges: {quality.label} by {cost.label}.", theme)


PICTURE = Picture(draw_quality, "How good each judge is", "accuracy")
