"""Charts of the pages that say whom to trust: dot and whisker, judges against judges, verdict
against verdict.

Kinds and groups of judges are told apart by shape: the hues belong to A and B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.labels import KINDS
from core.rendering.charts import (
    APART,
    MARKS,
    NARROW,
    NARROW_LINES,
    PALETTES,
    Drawn,
    ends,
    lines,
    log_ticks,
    named_rows,
    short,
    step,
    themed,
    written,
)

SHAPES = {"human": "circle", "llm": "diamond", "baseline": "square", "gold": "triangle-up"}
MOST_ROWS = 60
MOST_JUDGES = 40
WRITTEN = 12  # judges up to which each cell of a matrix also says its number
MATRIX = 540  # pixels that the cells of a larger matrix take, so that all of it is seen at once
INTERVAL = {
    "agreement": ("agreement_low", "agreement_high", ".0%"),
    "kappa": ("low", "high", ".2f"),
}
"""Of what a matrix shows: the ends of its interval, and how it is written."""
FAINT = 0.3  # the opacity of a cell whose interval is as wide as can be, or not known
NARROWEST = 15  # pixels of a cell, so that its judge can be named beside it
ALL_COLUMNS = 640  # pixels that columns beside each other share
MOST_COLUMNS = 4  # more attributes go on below
LETTER = 6  # pixels of one in the title of an axis
LABEL = "format(datum.value, ',~r')"


def among(group: str) -> str:
    """human-llm -> "people and models", human-human -> "people"."""
    one, _, other = group.partition("-")
    return KINDS[one] if one == other else f"{KINDS[one]} and {KINDS[other]}"


@dataclass(frozen=True)
class Estimate:
    """Where a frame holds an estimate: its column, those of its interval, how many it is of, and
    what a perfect judge would reach, if anything says so, or what else `held_against` names.
    """

    value: str
    low: str
    high: str
    n: str
    ceiling: str = ""
    held_against: str = "a perfect judge"

    @classmethod
    def of(cls, name: str, n: str, ceiling: str = "") -> Estimate:
        """With an interval from NAME_low to NAME_high."""
        return cls(name, f"{name}_low", f"{name}_high", n, ceiling)


@dataclass(frozen=True)
class Scale:
    """How figures are drawn and written; `domain` None is as wide as they are, `reference` a line
    to hold them against.
    """

    domain: tuple[float, float] | None = (0, 1)
    form: str = ".0%"
    reference: float | None = None
    log: bool = False

    def altair(self) -> alt.Scale:
        if self.log:
            return alt.Scale(type="log", nice=False, padding=20)
        if self.domain:
            return alt.Scale(domain=list(self.domain))
        return alt.Scale(zero=False, nice=True, padding=12)


SHARE = Scale()


def dots(
    rows: pd.DataFrame,
    title: str,
    estimate: Estimate,
    drawn: Scale = SHARE,
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
    wide = ALL_COLUMNS // _beside(len(attributes)) if several else 0
    figure = Figure(title, estimate, drawn, (alt.Tooltip(f"{name}:N", title="judge"),), wide)
    y = alt.Y(f"{name}:N", sort=names, title=None, axis=named_rows(names))
    layers = dot_layers(shown, y, len(names), figure, theme)
    height = step(len(names), lines=max(len(lines(said)) for said in short(names).values()))
    told = (
        f"{title[:1].upper()}{title[1:]}, of each of {len(names)} judges: a dot and its interval."
    )
    if not several:
        chart = alt.LayerChart(layer=layers, height=height, width="container", resolve=APART)
        return themed(chart, told, theme)
    head = alt.Header(title=None, labelLimit=wide)
    column = alt.LayerChart(layer=layers, height=height, width=wide, resolve=APART)
    each = alt.Facet("attribute:N", sort=attributes, header=head)
    facet = column.facet(each, columns=_beside(len(attributes)), spacing=40)
    return themed(facet, f"{told} A part for each of {len(attributes)} attributes.", theme)


def _beside(parts: int) -> int:
    """How many of so many parts stand beside each other, in lines of about one length."""
    return math.ceil(parts / math.ceil(parts / MOST_COLUMNS))


@dataclass(frozen=True)
class Figure:
    """What dots are drawn of; `named` says whose a dot is where it is pointed at."""

    title: str
    estimate: Estimate
    drawn: Scale
    named: tuple[alt.Tooltip, ...]
    wide: int = 0  # pixels of a column, where there are several

    @property
    def tooltip(self) -> list[alt.Tooltip]:
        form = self.drawn.form
        return [
            *self.named,
            alt.Tooltip(f"{self.estimate.value}:Q", title=self.title, format=form),
            alt.Tooltip(f"{self.estimate.low}:Q", title="95% low", format=form),
            alt.Tooltip(f"{self.estimate.high}:Q", title="95% high", format=form),
            alt.Tooltip(f"{self.estimate.n}:Q", title="n", format=","),
        ]


def dot_layers(
    shown: pd.DataFrame, y: alt.Y, rows: int, figure: Figure, theme: str
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
        perfect = alt.Tooltip(
            f"{estimate.ceiling}:Q", title=estimate.held_against, format=drawn.form
        )
        mark = base.transform_filter(f"isValid(datum['{estimate.ceiling}'])").mark_tick(
            orient="vertical", color=p.ink, thickness=2, size=18
        )
        x = alt.X(f"{estimate.ceiling}:Q", scale=scale, axis=None)
        layers.append(mark.encode(x=x, tooltip=[*figure.named, perfect]))
    return layers


def shapes(shown: pd.DataFrame) -> alt.Shape:
    """Kinds of judges by shape, named where there are several."""
    kinds = [kind for kind in SHAPES if kind in set(shown["kind"])]
    scale = alt.Scale(
        domain=[KINDS[kind] for kind in kinds], range=[SHAPES[kind] for kind in kinds]
    )
    legend = alt.Legend(title=None, orient="top", columns=2) if len(kinds) > 1 else None
    return alt.Shape("of:N", scale=scale, legend=legend)


def matrix(pairs: pd.DataFrame, value: str, title: str, *, theme: str = "light") -> alt.LayerChart:
    """Judges against judges, each pair on both sides of the diagonal; of the MOST_JUDGES with most
    verdicts. `value` is agreement or kappa; cells are paler where its interval is wide, and of few
    judges say the number of verdicts below.
    """
    p = PALETTES[theme]
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
    names = alt.Axis(labelLimit={"expr": NARROW}, labelExpr=written(order), title=None)
    turned_names = alt.Axis(
        labelAngle=-40 if len(order) <= 20 else -90,
        labelLimit=220,
        labelExpr=written(order),
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
        f"A square for every two of {len(busiest)} judges, darker where higher, paler where the "
        f"interval is wide: {title}, and how many verdicts it is of."
    )
    return themed(chart, told, theme)


def confusion(
    rows: pd.DataFrame, sides: tuple[str, str], words: dict[str, str], *, theme: str = "light"
) -> alt.LayerChart:
    """Verdict against verdict, in shares of all: the one side's in rows, the other's in columns.
    `words` name the verdicts.
    """
    p = PALETTES[theme]
    shown = rows.assign(
        share=rows["verdicts"] / max(rows["verdicts"].sum(), 1),
        one=rows["verdict_1"].map(words),
        other=rows["verdict_2"].map(words),
    )
    order = list(words.values())
    base = alt.Chart(shown).encode(
        x=alt.X(
            "other:N",
            sort=order,
            axis=alt.Axis(title=sides[1], orient="top", labelAngle=0, labelLimit=130),
        ),
        y=alt.Y("one:N", sort=order, axis=alt.Axis(title=sides[0], labelLimit=200)),
        tooltip=[
            alt.Tooltip("one:N", title=sides[0]),
            alt.Tooltip("other:N", title=sides[1]),
            alt.Tooltip("verdicts:Q", format=","),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    colour = alt.Color(
        "share:Q", scale=alt.Scale(domain=[0, 0.5], range=[p.surface, p.a], clamp=True), legend=None
    )
    cells = base.mark_rect(stroke=p.paper, strokeWidth=2).encode(color=colour)
    ink = alt.condition("datum.share > 0.28", alt.value(p.paper), alt.value(p.ink))
    text = base.mark_text(fontSize=13).encode(text=alt.Text("share:Q", format=".0%"), color=ink)
    chart = alt.LayerChart(layer=[cells, text], height=alt.Step(44), width=alt.Step(110))
    told = f"Verdicts of {sides[0]} in rows against {sides[1]} in columns, as shares of all."
    return themed(chart, told, theme)


def by_bins(rows: pd.DataFrame, title: str, *, theme: str = "light") -> alt.LayerChart:
    """The agreement of groups of judges from bin to bin: value, group, agreement, low, high,
    verdicts.
    """
    p = PALETTES[theme]
    shown = rows.assign(who=rows["group"].map(among))
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
        alt.Legend(title=None, orient="top", columns=2, symbolStrokeColor=p.a)
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
    return themed(layers, told, theme)


def histogram(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """How sure a judge is of the text shown first: low, high (of the bin), judgements; in A's
    colour where it prefers it.
    """
    p = PALETTES[theme]
    shown = rows.assign(
        prefers=rows["low"].ge(0.5).map({True: "the first (A)", False: "the second (B)"})
    )
    sides = ["the second (B)", "the first (A)"]
    bars = (
        alt.Chart(shown)
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                axis=alt.Axis(
                    format=".2~f",
                    values=[0, 0.25, 0.5, 0.75, 1],
                    title="probability that the first is better",
                ),
            ),
            x2="high:Q",
            y=alt.Y("judgements:Q", axis=alt.Axis(title="judgements", format="~s", tickCount=4)),
            color=alt.Color(
                "prefers:N",
                scale=alt.Scale(domain=sides, range=[p.b, p.a]),
                legend=alt.Legend(title="prefers", orient="top"),
            ),
            tooltip=[
                alt.Tooltip("low:Q", title="from"),
                alt.Tooltip("high:Q", title="to"),
                alt.Tooltip("judgements:Q", format=","),
            ],
        )
    )
    layers = alt.LayerChart(layer=[bars], height=220, width="container")
    told = f"Histogram of the probability that the first is better, in {len(shown)} bins."
    return themed(layers, told, theme)
