"""The chart of judges, by what is known of them without labels and how often they are right."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.findings.judges.columns import RIGHT, name_measure
from core.labels import KINDS, short_names
from core.rendering import Column
from core.rendering.charts import PALETTES, shapes, themed, write_tooltips

LABEL = Column("label", "judge")
LETTERS = 28  # of a name beside its point; the tooltip has all of it


def scatter(rows: pd.DataFrame, measure: Column, *, theme: str = "light") -> alt.LayerChart:
    """Labelled judges as points, with intervals both ways: a measure that needs no votes along, and
    how often they are right up.
    """
    p, title = PALETTES[theme], name_measure(measure)
    shown = rows.dropna(subset=[measure.name, RIGHT.name]).assign(of=rows["kind"].map(KINDS))
    shown, tooltip = write_tooltips(shown, [LABEL, measure, RIGHT])
    names = short_names(shown["label"].tolist(), LETTERS) if len(shown) else {}
    shown = shown.assign(name=shown["label"].map(names))
    scale = alt.Scale(zero=False, nice=True, padding=16)
    along_axis = alt.Axis(title=title, format=measure.unit.form, tickCount=5)
    up_axis = alt.Axis(title="right answers (a tie is half)", format=RIGHT.unit.form, tickCount=5)
    x = alt.X(f"{measure.name}:Q", axis=along_axis, scale=scale)
    y = alt.Y(f"{RIGHT.name}:Q", axis=up_axis, scale=scale)
    base = alt.Chart(shown).encode(tooltip=tooltip)
    thin = base.mark_rule(strokeWidth=1.5, color=p.tie, opacity=0.7)
    along = thin.encode(x=alt.X(f"{measure.low}:Q", title=title), x2=f"{measure.high}:Q", y=y)
    up = thin.encode(x=x, y=f"{RIGHT.low}:Q", y2=f"{RIGHT.high}:Q")
    dot = base.mark_point(size=110, filled=True, opacity=1, color=p.a).encode(
        x=x, y=y, shape=shapes(shown)
    )
    name = base.mark_text(align="left", dx=9, dy=-9, color=p.ink).encode(x=x, y=y, text="name:N")
    chart = alt.LayerChart(layer=[along, up, dot, name], height=320, width="container")
    return themed(chart, f"{len(shown)} judges as points: {title} against accuracy.", theme)
