"""Charts of agreement: judges against judges, and from bin to bin."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...labels import name_members
from ...rendering.charts import (
    MARKS,
    NARROW,
    NARROW_LINES,
    PALETTES,
    Picture,
    apply_theme,
    label_expression,
    legend_columns,
)

MOST_JUDGES = 40
WRITTEN = 12  # judges up to which each cell of a matrix also says its number
MATRIX = 540  # pixels that the cells of a larger matrix take, so that all of it is seen at once
FAINT = 0.3  # the opacity of a cell whose interval is as wide as can be, or not known
NARROWEST = 15  # pixels of a cell, so that its judge can be named beside it
INTERVAL = {
    "agreement": ("agreement_low", "agreement_high", ".0%"),
    "kappa": ("low", "high", ".2f"),
}
"""For each value that a matrix shows: the columns of its interval, and its format."""


def matrix(pairs: pd.DataFrame, value: str, title: str, *, theme: str = "light") -> alt.LayerChart:
    """Judges against judges, each pair on both sides of the diagonal; of the MOST_JUDGES with most
    verdicts. `value` is agreement or kappa; cells are paler where its interval is wide, and of few
    judges say the number of verdicts below.
    """
    p = PALETTES[theme]
    pairs = pairs.dropna(subset=value)
    turned = pairs.rename(columns={"judge_1": "judge_2", "judge_2": "judge_1"})
    both = pd.concat([pairs, turned], ignore_index=True)
    busiest = both.groupby("judge_1")["verdicts"].sum().nlargest(MOST_JUDGES).index
    both = both[both["judge_1"].isin(busiest) & both["judge_2"].isin(busiest)]
    order = list(dict.fromkeys([*pairs["judge_1"], *pairs["judge_2"]]))
    tooltip = [
        alt.Tooltip("judge_1:N", title="judge"),
        alt.Tooltip("judge_2:N", title="with"),
        alt.Tooltip("agreement:Q", format=".0%"),
        alt.Tooltip("kappa:Q", format=".2f"),
        alt.Tooltip("verdicts:Q", format=","),
    ]
    few = len(busiest) <= WRITTEN
    low, high, form = INTERVAL[value]
    both = both.assign(sure=(1 - (both[high] - both[low])).clip(FAINT, 1).fillna(FAINT))
    both = both.assign(dark=both[value] * both["sure"] > 0.55)
    names = alt.Axis(labelLimit={"expr": NARROW}, labelExpr=label_expression(order), title=None)
    turned_names = alt.Axis(
        labelAngle=-40 if len(order) <= 20 else -90,
        labelLimit=220,
        labelExpr=label_expression(order),
        title=None,
        orient="top" if not few else "bottom",
    )
    base = alt.Chart(both).encode(
        x=alt.X("judge_2:N", sort=order, axis=turned_names),
        y=alt.Y("judge_1:N", sort=order, axis=names),
        tooltip=tooltip,
    )
    colour = alt.Color(
        f"{value}:Q",
        title=title,
        scale=alt.Scale(domain=[0, 1], range=[p.surface, p.a], clamp=True),
        legend=alt.Legend(orient="top", gradientLength=160, format=form),
    )
    opacity = alt.Opacity("sure:Q", scale=None, legend=None)
    cells = base.mark_rect(stroke=p.paper, strokeWidth=2 if few else 1)
    layers = [cells.encode(color=colour, opacity=opacity)]
    if few:
        ink = alt.condition("datum.dark", alt.value(p.paper), alt.value(p.ink))
        number = base.mark_text(fontSize=12, dy=-6).encode(
            text=alt.Text(f"{value}:Q", format=form), color=ink
        )
        counted = base.mark_text(fontSize=10, dy=8).encode(
            text=alt.Text("verdicts:Q", format=","), color=ink
        )
        layers += [number, counted]
    across, down = (56, 38) if few else (max(NARROWEST, MATRIX // len(busiest)),) * 2
    chart = alt.LayerChart(layer=layers, height=alt.Step(down), width=alt.Step(across))
    told = (
        f"A square for every two of {len(busiest)} judges, with the number of verdicts: "
        f"{title}. Darker is higher; paler has a wide interval."
    )
    return apply_theme(chart, told, theme)


def draw_bins(rows: pd.DataFrame, title: str, *, theme: str = "light") -> alt.LayerChart:
    """The agreement of groups of judges from bin to bin: value, group, agreement, low, high,
    verdicts.
    """
    p = PALETTES[theme]
    shown = rows.assign(who=rows["group"].map(name_members))
    order = list(dict.fromkeys(shown["value"]))
    who = list(dict.fromkeys(shown["who"]))
    x = alt.X(
        "value:N",
        sort=order,
        axis=alt.Axis(title=title, labelAngle=0, labelLimit=160, labelExpr=NARROW_LINES),
    )
    scale = alt.Scale(domain=[0, 1])
    y = alt.Y(
        "agreement:Q", scale=scale, axis=alt.Axis(format="%", title="same verdict", tickCount=5)
    )
    legend = (
        alt.Legend(title=None, orient="top", columns=legend_columns(1, 2), symbolStrokeColor=p.a)
        if len(who) > 1
        else None
    )
    offset = alt.XOffset("who:N", sort=who, scale=alt.Scale(type="band", paddingOuter=1))
    shape = alt.Shape(
        "who:N", legend=legend, scale=alt.Scale(domain=who, range=list(MARKS[: len(who)]))
    )
    tooltip = [
        alt.Tooltip("who:N", title=" "),
        alt.Tooltip("value:N", title=title),
        alt.Tooltip("agreement:Q", format=".0%"),
        alt.Tooltip("low:Q", title="95% low", format=".0%"),
        alt.Tooltip("high:Q", title="95% high", format=".0%"),
        alt.Tooltip("verdicts:Q", title="n", format=","),
    ]
    base = alt.Chart(shown).encode(x=x, xOffset=offset, tooltip=tooltip)
    whisker = base.mark_rule(strokeWidth=2).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q", color=alt.value(p.tie)
    )
    dot = base.mark_point(size=110, filled=True, opacity=1, color=p.a).encode(y=y, shape=shape)
    layers = alt.LayerChart(layer=[whisker, dot], height=260, width="container")
    told = f"How often judges have the same verdict, with intervals, by {title}."
    return apply_theme(layers, told, theme)


PICTURE = Picture(
    lambda rows, facts, theme: matrix(rows, "agreement", "same verdict", theme=theme),
    "How often each pair of judges agrees",
)
