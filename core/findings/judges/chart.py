"""The chart of judges, by what is known of them without labels and how often they are right."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from ...labels import KINDS, short_names
from ...rendering import Column
from ...rendering.charts import PALETTES, SLIM, apply_theme, shapes, write_tooltips
from . import RIGHT, name_measure

LABEL = Column("label", "judge")
LETTERS = 36  # of a name beside its point; the tooltip has all of it
LETTER = 6.5  # pixels of one
PLOT = (700, 280)  # pixels of a laptop's plot
BESIDE = (-9, 14, -23, 28, -37, 42)  # pixels from a point down to its name, in this order


def scatter(rows: pd.DataFrame, measure: Column, *, theme: str = "light") -> alt.LayerChart:
    """Labelled judges as points, with intervals both ways: a measure that needs no votes along, and
    how often they are right up.
    """
    p, title = PALETTES[theme], name_measure(measure)
    shown = rows.dropna(subset=[measure.name, RIGHT.name]).assign(of=rows["kind"].map(KINDS))
    shown, tooltip = write_tooltips(shown, [LABEL, measure, RIGHT])
    names = short_names(shown["label"].tolist(), LETTERS) if len(shown) else {}
    shown = shown.assign(name=shown["label"].map(names))
    shown["beside"] = _place_names(shown, measure)
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
    # A phone has no room for names: a touch shows them.
    size, opacity = alt.ExprRef(f"{SLIM} ? 0.1 : 11"), alt.ExprRef(f"{SLIM} ? 0 : 1")
    written = [
        base.transform_filter(f"datum.beside == {dy}")
        .mark_text(align="left", dx=9, dy=dy, color=p.ink, fontSize=size, opacity=opacity)
        .encode(x=x, y=y, text="name:N")
        for dy in BESIDE
        if (shown["beside"] == dy).any()
    ]
    chart = alt.LayerChart(layer=[along, up, dot, *written], height=320, width="container")
    return apply_theme(chart, f"{len(shown)} judges as points: {title} against accuracy.", theme)


def _place_names(shown: pd.DataFrame, measure: Column) -> list[int]:
    across = _spread(shown, measure) * PLOT[0]
    down = -_spread(shown, RIGHT) * PLOT[1]
    boxes: list[tuple[float, float, float]] = []
    places = [0] * len(shown)
    for row in np.lexsort((across, down)):
        left = across[row] + 9
        right = left + LETTER * len(shown["name"].iloc[row])
        for dy in BESIDE:
            middle = down[row] + dy
            if not any(
                left < end and begin < right and abs(middle - other) < 13
                for begin, end, other in boxes
            ):
                boxes.append((left, right, middle))
                places[row] = dy
                break
    return places


def _spread(shown: pd.DataFrame, column: Column) -> np.ndarray:
    """Scale values to 0..1 between the lowest and the highest end of all intervals."""
    low, high = shown[column.low].min(), shown[column.high].max()
    values: np.ndarray = shown[column.name].to_numpy(dtype=float)
    return np.asarray((values - low) / max(high - low, 1e-9))
