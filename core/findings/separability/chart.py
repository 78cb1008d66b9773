"""Charts of the page Separability: how many items lie where, self against cross alignment, one
item's texts with each other, consistency by bin, and separability against K, C and temperature.

One accent for all: pairs and scenarios differ by place and shape, kinds of judges by how a bar is
filled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ...labels import KINDS
from ...rendering import DECIMAL, SHARE, Column
from ...rendering.charts import (
    FONT,
    MARKS,
    NARROW,
    NARROW_LINES,
    PALETTES,
    SLIM,
    Picture,
    apply_theme,
    legend_columns,
    lines,
    shorten_labels,
    write_tooltips,
)
from .columns import (
    BOUNDS,
    CASES,
    CONSISTENCY,
    CROSS,
    DRAWN,
    ITEM,
    MEAN,
    NUMBER,
    OF_SETS,
    PAIR,
    SCENARIOS,
    SEPARABILITY,
    TIGHTER,
    VALUE,
    WITH_ALL,
)

BINS = 24
TICKS = alt.ExprRef(f"{SLIM} ? 4 : 8")
MOST_PAIRS = 10
BIN = Column("bin", "separability")
OVERALL = Column("value", "share", DECIMAL, low="low", high="high")
FILLS = {
    "human": ("a", [1, 0]),
    "simulated": ("a", [3, 3]),
    "llm": ("paper", [1, 0]),
    "baseline": ("paper", [3, 3]),
    "gold": ("tie", [1, 0]),
}
"""For each kind of judge: the palette colour that fills its bars, and the dashes of their rim."""


def histograms(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """The separability of items, a row of the picture for each pair of systems (`pair`, the first
    MOST_PAIRS), over that of all together in grey, each as a share. With an interval selection
    `brush` on separability.
    """
    p = PALETTES[theme]
    known = rows.dropna(subset="separability")
    pairs = list(dict.fromkeys(known["pair"]))[:MOST_PAIRS]
    edges = _edges(known["separability"].to_numpy(float))
    frame = _bars(known, pairs, edges)
    scale = alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False)
    x = alt.X(
        "separability:Q",
        scale=scale,
        axis=alt.Axis(title="separability", format=".1f", tickCount=TICKS, grid=False),
    )
    said = shorten_labels(pairs)
    names = json.dumps([lines(said[pair]) for pair in pairs[::-1]])  # text, whatever it is called
    y = alt.Y(
        "base:Q",
        scale=alt.Scale(domain=[0, max(1, len(pairs))], nice=False, zero=False),
        axis=alt.Axis(
            values=list(range(len(pairs))), labelExpr=f"{names}[datum.value]", title=None,
            labelBaseline="bottom",
            labelPadding=10, labels=len(pairs) > 1, labelLimit={"expr": NARROW}, grid=True,
        ),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("pair:N", title="systems"),
        alt.Tooltip("separability:Q", title="from", format=".2f"),
        alt.Tooltip("high:Q", title="to", format=".2f"),
        alt.Tooltip("items:Q", format=","),
    ]
    base = alt.Chart(frame).encode(x=x, x2="high:Q", y=y, y2="top:Q")
    grey = base.transform_filter("datum.of == 'all'").mark_bar(
        color=p.tie, opacity=0.35, binSpacing=0
    )
    own = base.transform_filter("datum.of == 'pair'").mark_bar(
        color=p.a, opacity=0.75, binSpacing=1
    )
    bounds = alt.Chart(
        pd.DataFrame({"at": [at for at in BOUNDS if edges[0] < at < edges[-1]]})
    ).mark_rule(color=p.quiet, strokeDash=[4, 4])
    brush = alt.selection_interval(name="brush", encodings=["x"])
    layers = [
        own.encode(tooltip=tooltip).add_params(brush),
        bounds.encode(x=alt.X("at:Q", scale=scale)),
    ]  # fmt: skip
    if len(pairs) > 1:
        layers.insert(0, grey)
    height = max(220, 44 * len(pairs) + 20)
    told = (
        f"Histograms of the separability of items for {len(pairs)} pairs of systems, over that of "
        "all pairs together."
    )
    return apply_theme(alt.LayerChart(layer=layers, height=height, width="container"), told, theme)


def _bars(known: pd.DataFrame, pairs: list[str], edges: np.ndarray) -> pd.DataFrame:
    """pair, of (all, pair), items, separability to high, base to top: the bars of each pair's row,
    the first on top.
    """
    every = np.histogram(known["separability"], edges)[0]
    counts = [
        np.histogram(known.loc[known["pair"] == pair, "separability"], edges)[0] for pair in pairs
    ]
    shares = [every / max(every.sum(), 1), *(count / max(count.sum(), 1) for count in counts)]
    tallest = max(float(share.max()) for share in shares) or 1.0
    bars = [
        {
            "pair": pair, "of": of, "items": int(count), "separability": low, "high": high,
            "base": len(pairs) - 1 - place,
            "top": len(pairs) - 1 - place + 0.88 * float(share) / tallest,
        }
        for place, pair in enumerate(pairs)
        for of, counted, part in (("all", every, shares[0]), ("pair", counts[place],
        shares[place + 1]))
        if of == "pair" or len(pairs) > 1
        for low, high, count, share in zip(edges[:-1], edges[1:], counted, part, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(
        bars, columns=["pair", "of", "items", "separability", "high", "base", "top"]
    )


def _edges(values: np.ndarray) -> np.ndarray:
    width = 0.05 if not len(values) or np.ptp(values) > 0.3 else 0.02
    low = np.floor(min(0.0, values.min(initial=0.0)) / width)
    high = np.ceil(max(2 * width, values.max(initial=0.0)) / width)
    return np.round(np.arange(low, high + 1) * width, 10)


def scatter(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """Self against cross alignment of each item, as `describe_items` gives them. Items on a dashed
    line have the separability written at it. With an interval selection `area`.
    """
    p = PALETTES[theme]
    known = rows.dropna(subset="separability")
    known, tooltip = write_tooltips(known, (ITEM, PAIR, SEPARABILITY, TIGHTER, CROSS))
    known = known.assign(scenario=known["scenario"].map(SCENARIOS))
    low = float(min(0.0, known[["tighter", "cross"]].min().min())) if len(known) else 0.0
    high = float(max(1.0, known[["tighter", "cross"]].max().max())) if len(known) else 1.0
    scale = alt.Scale(domain=[low, high], nice=False)
    x = alt.X(
        "cross:Q",
        scale=scale,
        axis=alt.Axis(title="cross alignment (between the two systems)", tickCount=5),
    )
    y = alt.Y(
        "tighter:Q",
        scale=scale,
        axis=alt.Axis(title="self alignment (within the tighter system)", tickCount=5),
    )
    names = list(SCENARIOS.values())
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(1, 2), labelLimit=240)
    shape = alt.Shape(
        "scenario:N", scale=alt.Scale(domain=names, range=list(MARKS[: len(names)])), legend=legend
    )
    hues = alt.Scale(domain=names, range=[p.a, p.a, p.tie, p.tie])
    colour = alt.Color("scenario:N", scale=hues, legend=legend)
    points = (
        alt.Chart(known)
        .mark_point(size=60, filled=True, opacity=0.75)
        .encode(x=x, y=y, shape=shape, color=colour, tooltip=tooltip)
        .add_params(alt.selection_interval(name="area"))
    )
    ends = pd.DataFrame([(at, low, low + at, high - at, high) for at in (0.0, *BOUNDS)],
                        columns=["at", "cross", "tighter", "cross_2", "tighter_2"])  # fmt: skip
    dashed = alt.Chart(ends).mark_rule(color=p.quiet, strokeDash=[4, 4]).encode(
        x=alt.X("cross:Q", scale=scale), y=alt.Y("tighter:Q", scale=scale), x2="cross_2:Q",
        y2="tighter_2:Q"
    )  # fmt: skip
    labels = alt.Chart(ends).mark_text(align="left", baseline="top", dx=-22, dy=4, color=p.quiet,
        font=FONT).encode(
        x=alt.X("cross_2:Q", scale=scale), y=alt.Y("tighter_2:Q", scale=scale),
        text=alt.Text("at:Q", format=".1f")
    )  # fmt: skip
    told = f"Self against cross alignment of {len(known)} items, a point each, by scenario."
    layers = alt.LayerChart(layer=[dashed, labels, points], height=360, width="container")
    return apply_theme(layers, told, theme)


def likeness(matrix: pd.DataFrame, labels: list[str], *, theme: str = "light") -> alt.LayerChart:
    """Texts against texts: label_1, label_2, similarity; in the order of the labels, darker where
    more alike.
    """
    p = PALETTES[theme]
    lowest = min(0.0, float(matrix["similarity"].min())) if len(matrix) else 0.0
    side = alt.Axis(title=None, labelAngle=0, orient="top", labelColor=p.quiet)
    base = alt.Chart(matrix).encode(
        x=alt.X("label_2:N", sort=labels, axis=side),
        y=alt.Y("label_1:N", sort=labels, axis=alt.Axis(title=None, labelColor=p.quiet)),
        tooltip=[
            alt.Tooltip("label_1:N", title="text"),
            alt.Tooltip("label_2:N", title="and"),
            alt.Tooltip("similarity:Q", format=".3f"),
        ],
    )
    scale = alt.Scale(domain=[lowest, 1], range=[p.surface, p.a], clamp=True)
    cells = base.mark_rect(stroke=p.paper, strokeWidth=1.5).encode(
        color=alt.Color("similarity:Q", scale=scale, legend=None)
    )
    layers = [cells]
    if len(labels) <= 12:
        ink = alt.condition("datum.similarity > 0.55", alt.value(p.paper), alt.value(p.ink))
        layers.append(
            base.mark_text(fontSize=11).encode(
                text=alt.Text("similarity:Q", format=".2f"), color=ink
            )
        )
    step = 38 if len(labels) <= 12 else 20
    chart = alt.LayerChart(layer=layers, height=alt.Step(step), width=alt.Step(step))
    told = f"How alike every two of {len(labels)} texts are: a square each, darker where more."
    return apply_theme(chart, told, theme)


def consistency(
    rows: pd.DataFrame, figure: Column = CONSISTENCY, *, theme: str = "light"
) -> alt.LayerChart:
    """Draw a figure of rating sets in each bin of separability with its 95% interval. Each `kind`
    of judge has a bar, as `consistency.compare_kinds` gives it; rows without kinds have one for all
    judges.
    """
    shown, tooltip = write_tooltips(rows.assign(bin=_spans(rows)), (BIN, figure, NUMBER))
    order = list(dict.fromkeys(shown.sort_values("low")["bin"]))
    ends = {"value": shown[figure.name], "low": shown[figure.low], "high": shown[figure.high]}
    title = "separability of the two systems on the item"
    return _bars_of_sets(shown.assign(**ends), ("bin", title, order), figure, tooltip, theme)


def consistency_overall(figures: Mapping[str, float], *, theme: str = "light") -> alt.LayerChart:
    """Draw a bar for each figure of DRAWN over all rating sets, with its 95% interval."""
    rows = pd.DataFrame(
        [
            {"name": of.label, "sets": figures["sets"], "value": figures[of.name],
             "low": figures[of.low], "high": figures[of.high]}
            for of in DRAWN
        ]
    )  # fmt: skip
    rows, tooltip = write_tooltips(rows, (Column("name", "figure"), OVERALL, NUMBER))
    return _bars_of_sets(rows, ("name", None, rows["name"].tolist()), OVERALL, tooltip, theme)


def _bars_of_sets(
    rows: pd.DataFrame,
    column: tuple[str, str | None, list[str]],
    figure: Column,
    tooltip: list[alt.Tooltip],
    theme: str,
) -> alt.LayerChart:
    p = PALETTES[theme]
    across, title, order = column
    kinds = [kind for kind in FILLS if "kind" in rows and kind in set(rows["kind"])]
    who = [KINDS[kind] for kind in kinds] or ["all judges"]
    shown = rows.assign(who=rows["kind"].map(KINDS) if kinds else who[0])
    scale = alt.Scale(domain=[0, 1])
    form = "%" if figure.unit == SHARE else ".1f"
    axis = alt.Axis(title=figure.label, tickCount=5, format=form)
    fill = alt.Scale(domain=who, range=[getattr(p, FILLS[kind][0]) for kind in kinds or FILLS])
    dash = alt.Scale(type="ordinal", domain=who, range=[FILLS[kind][1] for kind in kinds or FILLS])
    named = alt.Legend(
        title=None, orient="top", columns=legend_columns(1, 0),
        symbolType="square", symbolStrokeWidth=1.5,
    )  # fmt: skip
    legend = named if kinds else None
    base = alt.Chart(shown).encode(
        x=alt.X(
            f"{across}:N",
            sort=order,
            axis=alt.Axis(title=title, labelAngle=0, labelExpr=NARROW_LINES),
        ),
        xOffset=alt.XOffset("who:N", sort=who),
        tooltip=[alt.Tooltip("who:N", title=" "), *tooltip],
    )
    rim = alt.Scale(domain=who, range=[p.a] * len(who))  # a channel, or the legend has none
    bars = base.mark_bar(strokeWidth=1.5).encode(
        y=alt.Y("value:Q", scale=scale, axis=axis),
        fill=alt.Fill("who:N", scale=fill, legend=legend),
        stroke=alt.Stroke("who:N", scale=rim, legend=legend),
        strokeDash=alt.StrokeDash("who:N", scale=dash, legend=legend),
    )
    whiskers = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=p.quiet)
        .encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    )
    by = f" by {title}" if title else ""
    told = f"Bars with their intervals: {figure.label} of rating sets{by}, for {' and '.join(who)}."
    layers = alt.LayerChart(layer=[bars, whiskers], height=260, width="container")
    return apply_theme(layers, told, theme)


def _spans(rows: pd.DataFrame) -> list[str]:
    ends = {*rows["low"], *rows["high"]}
    digits = next((n for n in (2, 3, 4) if len({f"{end:.{n}f}" for end in ends}) == len(ends)), 6)
    return [
        f"{low:.{digits}f} to {high:.{digits}f}"
        for low, high in zip(rows["low"], rows["high"], strict=True)
    ]


def curve(
    rows: pd.DataFrame, title: str, *, against: Column = VALUE, by: str = "", theme: str = "light"
) -> alt.LayerChart:
    """Draw mean separability with its interval against a column; a line for each of `by`, with its
    own shape, dashes and hue.
    """
    p, value = PALETTES[theme], against.name
    columns = (PAIR, replace(against, label=title), MEAN, CASES, WITH_ALL)
    rows, tooltip = write_tooltips(rows, [column for column in columns if column.name in rows])
    scale = alt.Scale(zero=False, nice=True)
    ticks = sorted(set(rows[value]))
    x = alt.X(
        f"{value}:Q",
        scale=alt.Scale(zero=False, nice=False, padding=16),
        axis=alt.Axis(title=title, values=ticks, format="~g", grid=False),
    )
    y = alt.Y("mean:Q", scale=scale, axis=alt.Axis(title=MEAN.label, format=".3~f", tickCount=5))
    base = alt.Chart(rows).encode(x=x, tooltip=tooltip)
    line = base.mark_line(color=p.a, strokeWidth=2)
    dot = base.mark_point(color=p.a, filled=True, size=70, opacity=1)
    if by:
        order = list(dict.fromkeys(rows[by]))
        marks, hues = (
            alt.Scale(
                domain=order, range=[kinds[place % len(kinds)] for place in range(len(order))]
            )
            for kinds in (MARKS, (p.a, p.b, p.tie))
        )
        # Below the chart, a line each: side by side long names would be cut off where the window is
        # narrow.
        legend = alt.Legend(
            title=None, orient="bottom", columns=1, labelLimit=360, labelColor=p.ink
        )
        line = line.encode(
            strokeDash=alt.StrokeDash(f"{by}:N", sort=order, legend=None),
            color=alt.Color(f"{by}:N", scale=hues, legend=legend),
        )
        dot = dot.encode(
            shape=alt.Shape(f"{by}:N", scale=marks, legend=legend),
            color=alt.Color(f"{by}:N", scale=hues, legend=legend),
        )
    whiskers = base.mark_rule(color=p.tie, strokeWidth=2).encode(
        y=alt.Y("low:Q", scale=scale), y2="high:Q"
    )
    layers = [whiskers, line.encode(y=y), dot.encode(y=y)]
    # A page fits all of a chart into its height: the more lines to name, the less it would leave to
    # draw them.
    height = 220 + 20 * (rows[by].nunique() if by else 0)
    several = f", a line for each of {rows[by].nunique()}" if by else ""
    told = f"Mean separability with its interval against {title}{several}."
    return apply_theme(alt.LayerChart(layer=layers, height=height, width="container"), told, theme)


def _draw_consistency(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> alt.LayerChart:
    if facts["bins"]:
        return consistency(pd.DataFrame(facts["bins"]), theme=theme)
    return consistency_overall(facts, theme=theme)


PICTURE = Picture(
    lambda rows, facts, theme: histograms(
        rows.assign(pair=rows["system_a"] + " / " + rows["system_b"]), theme=theme
    ),
    "How far items tell two systems apart",
)
CONSISTENCY_PICTURE = Picture(_draw_consistency, "Consistency of preferences", computed=OF_SETS)
