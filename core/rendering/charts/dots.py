"""Dot-and-whisker charts: a figure of each judge with its interval, one per row.

Kinds of judges differ in shape: the hues belong to A and B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ...labels import KINDS
from .axes import ends, legend_columns, lines, log_ticks, named_rows, shorten_labels, step
from .theme import APART, PALETTES, Drawn, apply_theme

SHAPES = {
    "human": "circle",
    "simulated": "cross",
    "llm": "diamond",
    "baseline": "square",
    "gold": "triangle-up",
}
MOST_ROWS = 60
COLUMN_WIDTH = 172  # pixels: the first column, with the names of judges, is whole on a phone
MOST_COLUMNS = 4  # more attributes go on below
LETTER = 6  # pixels of one in the title of an axis
LABEL = "format(datum.value, ',~r')"


@dataclass(frozen=True)
class EstimateColumns:
    """The columns of a frame that hold an estimate, its interval and the number it is based on.

    `ceiling` is the column of what a perfect judge would reach. It may be ''.
    """

    value: str
    low: str
    high: str
    n: str
    ceiling: str = ""


@dataclass(frozen=True)
class AxisScale:
    """The scale and the format of figures. `domain` None is as wide as they are; `reference` is a
    line to compare them with.
    """

    domain: tuple[float, float] | None = (0, 1)
    form: str = ".0%"
    reference: float | None = None
    log: bool = False

    def altair(self) -> alt.Scale:
        """Return the scale for Altair: logarithmic, over the `domain`, or fitted to the values."""
        if self.log:
            return alt.Scale(type="log", nice=False, padding=20)
        if self.domain:
            return alt.Scale(domain=list(self.domain))
        return alt.Scale(zero=False, nice=True, padding=12)


SHARE = AxisScale()


def dots(
    rows: pd.DataFrame,
    title: str,
    estimate: EstimateColumns,
    drawn: AxisScale = SHARE,
    *,
    theme: str = "light",
) -> Drawn:
    """Dot and whisker, one for each `label` in the order of the rows (at most MOST_ROWS), its shape
    for the `kind` of judge; an upright mark at the ceiling of each. Where there are several
    attributes, a row for each `judge` and a part for each attribute, at most MOST_COLUMNS beside
    each other.
    """
    shown = rows.dropna(subset=estimate.value)
    shown = shown.assign(of=shown["kind"].map(KINDS))
    several = "attribute" in shown and shown["attribute"].nunique() > 1 and "judge" in shown
    name = "judge" if several else "label"
    names = list(dict.fromkeys(shown[name]))[:MOST_ROWS]
    shown = shown[shown[name].isin(names)]
    attributes = list(dict.fromkeys(shown["attribute"])) if several else []
    wide = COLUMN_WIDTH if several else 0
    figure = _Figure(title, estimate, drawn, alt.Tooltip(f"{name}:N", title="judge"), wide)
    y = alt.Y(f"{name}:N", sort=names, title=None, axis=named_rows(names))
    layers = _layer_dots(shown, y, len(names), figure, theme)
    height = step(
        len(names), lines=max(len(lines(said)) for said in shorten_labels(names).values())
    )
    told = (
        f"{title[:1].upper()}{title[1:]}, of each of {len(names)} judges: a dot and its interval."
    )
    if not several:
        chart = alt.LayerChart(layer=layers, height=height, width="container", resolve=APART)
        return apply_theme(chart, told, theme)
    head = alt.Header(title=None, labelLimit=wide)
    column = alt.LayerChart(layer=layers, height=height, width=wide, resolve=APART)
    each = alt.Facet("attribute:N", sort=attributes, header=head)
    facet = column.facet(each, columns=_count_beside_each_other(len(attributes)), spacing=40)
    return apply_theme(facet, f"{told} A part for each of {len(attributes)} attributes.", theme)


def _count_beside_each_other(parts: int) -> int:
    """Count the parts of a line, where `parts` are laid out in lines of about one length."""
    return math.ceil(parts / math.ceil(parts / MOST_COLUMNS))


@dataclass(frozen=True)
class _Figure:
    """The figures that dots show; `named` says whose dot the pointer is on."""

    title: str
    estimate: EstimateColumns
    drawn: AxisScale
    named: alt.Tooltip
    wide: int = 0  # pixels of a column, where there are several

    @property
    def tooltip(self) -> list[alt.Tooltip]:
        """Tooltip fields: the names of the dot, its value, 95% interval and n."""
        form = self.drawn.form
        return [
            self.named,
            alt.Tooltip(f"{self.estimate.value}:Q", title=self.title, format=form),
            alt.Tooltip(f"{self.estimate.low}:Q", title="95% low", format=form),
            alt.Tooltip(f"{self.estimate.high}:Q", title="95% high", format=form),
            alt.Tooltip(f"{self.estimate.n}:Q", title="n", format=","),
        ]


def _layer_dots(
    shown: pd.DataFrame, y: alt.Y, rows: int, figure: _Figure, theme: str
) -> list[alt.Chart]:
    """The layers of so many rows: a line to hold the figures against, whiskers, dots, ceilings."""
    p, estimate, drawn = PALETTES[theme], figure.estimate, figure.drawn
    scale = drawn.altair()
    ticks = 2 if figure.wide else 6  # columns are narrow
    title = wrap(figure.title, figure.wide // LETTER) if figure.wide else figure.title
    told: dict[str, Any] = {"format": drawn.form, "tickCount": ticks, "title": title}
    if drawn.log:
        over = shown[[estimate.value, estimate.low, estimate.high]].to_numpy(float).ravel()
        over = np.append(over, drawn.reference or over)
        # Not `format`: of a logarithmic axis Vega drops the labels that it thinks too many.
        told = {"values": log_ticks(over, ticks + 1), "labelExpr": LABEL, "title": title}
    below, above = ends(rows, **told, grid=not drawn.log)
    base = alt.Chart(shown).encode(y=y, tooltip=figure.tooltip)
    whisker = (
        base.transform_filter(f"isValid(datum['{estimate.low}'])")
        .mark_rule(strokeWidth=2, color=p.tie)
        .encode(x=alt.X(f"{estimate.low}:Q", scale=scale, axis=below), x2=f"{estimate.high}:Q")
    )
    dot = base.mark_point(size=110, filled=True, opacity=1, color=p.a).encode(
        x=alt.X(f"{estimate.value}:Q", scale=scale, axis=above), shape=shapes(shown)
    )
    layers = [whisker, dot]
    if drawn.reference is not None:
        line = alt.Chart(shown).mark_rule(color=p.quiet, strokeDash=[4, 4], aria=False)
        layers.insert(0, line.encode(x=alt.datum(drawn.reference, scale=scale, axis=None)))
    if estimate.ceiling:
        reached = f"{estimate.ceiling}:Q"
        perfect = alt.Tooltip(reached, title="a perfect judge", format=drawn.form)
        bounded = base.transform_filter(f"isValid(datum['{estimate.ceiling}'])")
        # A part without a ceiling is an empty drawing, which a screen reader cannot describe.
        mark = bounded.mark_tick(
            aria=not figure.wide, orient="vertical", color=p.ink, thickness=2, size=18
        )
        x = alt.X(reached, scale=scale, axis=None)
        layers.append(mark.encode(x=x, tooltip=[figure.named, perfect]))
    return layers


def shapes(shown: pd.DataFrame) -> alt.Shape:
    """Kinds of judges by shape, named where there are several."""
    kinds = [kind for kind in SHAPES if kind in set(shown["kind"])]
    scale = alt.Scale(
        domain=[KINDS[kind] for kind in kinds], range=[SHAPES[kind] for kind in kinds]
    )
    legend = (
        alt.Legend(title=None, orient="top", columns=legend_columns(1, 4))
        if len(kinds) > 1
        else None
    )
    return alt.Shape("of:N", scale=scale, legend=legend)
