"""The chart of judges, by what is known of them without labels and how often they are right."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.labels import KINDS
from core.rendering.charts import PALETTES, shapes, themed


def judges(
    rows: pd.DataFrame, title: str, *, form: str = ".0%", theme: str = "light"
) -> alt.LayerChart:
    """Judges as points, with intervals both ways: value, low, high (a figure that needs no votes,
    called `title`, written in `form`) along, and accuracy, accuracy_low, accuracy_high up; their
    label and kind.
    """
    p = PALETTES[theme]
    shown = rows.dropna(subset=["value", "accuracy"]).assign(of=rows["kind"].map(KINDS))
    x = alt.X("value:Q", axis=alt.Axis(title=title, format=form, tickCount=5),
              scale=alt.Scale(zero=False, nice=True, padding=16))  # fmt: skip
    y = alt.Y("accuracy:Q", axis=alt.Axis(title="right by most people", format=".0%", tickCount=5),
              scale=alt.Scale(zero=False, nice=True, padding=16))  # fmt: skip
    tooltip = [
        alt.Tooltip("label:N", title="judge"),
        alt.Tooltip("value:Q", title=title, format=form),
        alt.Tooltip("low:Q", title="95% low", format=form),
        alt.Tooltip("high:Q", title="95% high", format=form),
        alt.Tooltip("accuracy:Q", title="right", format=".0%"),
        alt.Tooltip("accuracy_low:Q", title="95% low", format=".0%"),
        alt.Tooltip("accuracy_high:Q", title="95% high", format=".0%"),
    ]
    base = alt.Chart(shown).encode(tooltip=tooltip)
    thin = base.mark_rule(strokeWidth=1.5, color=p.tie, opacity=0.7)
    along = thin.encode(x=alt.X("low:Q", title=title), x2="high:Q", y=y)
    up = thin.encode(x=x, y="accuracy_low:Q", y2="accuracy_high:Q")
    dot = base.mark_point(size=110, filled=True, opacity=1, color=p.a).encode(
        x=x, y=y, shape=shapes(shown)
    )
    name = base.mark_text(align="left", dx=9, dy=-9, color=p.ink).encode(x=x, y=y, text="label:N")
    chart = alt.LayerChart(layer=[along, up, dot, name], height=320, width="container")
    return themed(chart, f"{len(shown)} judges as points: {title} against accuracy.", theme)
