"""Charts of the pages that say whom to trust: dot and whisker, judges against judges, verdict
against verdict.

Kinds and groups of judges are told apart by shape: the hues belong to A and B.
"""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import pandas as pd

from core.charts.theme import PALETTES, lines, themed, written
from core.labels import KINDS

SHAPES = {"human": "circle", "llm": "diamond", "baseline": "square", "gold": "triangle-up"}
MARKS = (
    "circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-left",
    "triangle-right", "wedge", "arrow",
)  # fmt: skip
MOST_ROWS = 60
MOST_JUDGES = 40
WRITTEN = 12  # judges up to which each cell of a matrix also says its number
MATRIX = 640  # pixels that the cells of a larger matrix take, so that all of it is seen at once
NARROWEST = 15  # pixels of a cell, so that its judge can be named beside it
CLOSE = 24  # rows beyond which they stand closer together


def named(group: str) -> str:
    """human-llm -> "people with models"."""
    one, _, other = group.partition("-")
    return f"{KINDS[one]} with {KINDS[other]}"


def among(group: str) -> str:
    """human-llm -> "people and models", human-human -> "people"."""
    one, _, other = group.partition("-")
    return KINDS[one] if one == other else f"{KINDS[one]} and {KINDS[other]}"


@dataclass(frozen=True)
class Estimate:
    """Where a frame holds an estimate: its column, those of its interval, how many it is of, and
    what a perfect judge would reach, if anything says so.
    """

    value: str
    low: str
    high: str
    n: str
    ceiling: str = ""

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
) -> alt.LayerChart:
    """Dot and whisker, one for each `label` in the order of the rows (at most MOST_ROWS), its shape
    for the `kind` of judge; an upright mark at the ceiling of each.
    """
    value, low, high, n = estimate.value, estimate.low, estimate.high, estimate.n
    form, reference = drawn.form, drawn.reference
    p = PALETTES[theme]
    shown = rows.dropna(subset=value).head(MOST_ROWS)
    shown = shown.assign(of=shown["kind"].map(KINDS))
    scale = drawn.altair()
    axis = alt.Axis(format=form, tickCount=6, title=title, grid=not drawn.log)
    labels = shown["label"].tolist()
    y = alt.Y(
        "label:N",
        sort=labels,
        title=None,
        axis=alt.Axis(labelPadding=14, labelExpr=written(labels)),
    )
    tooltip = [
        alt.Tooltip("label:N", title="judge"),
        alt.Tooltip(f"{value}:Q", title=title, format=form),
        alt.Tooltip(f"{low}:Q", title="95% low", format=form),
        alt.Tooltip(f"{high}:Q", title="95% high", format=form),
        alt.Tooltip(f"{n}:Q", title="n", format=","),
    ]
    kinds = [KINDS[kind] for kind in SHAPES if kind in set(shown["kind"])]
    shape = alt.Shape(
        "of:N",
        scale=alt.Scale(
            domain=kinds, range=[SHAPES[kind] for kind in SHAPES if KINDS[kind] in kinds]
        ),
        legend=alt.Legend(title=None, orient="top", columns=2) if len(kinds) > 1 else None,
    )
    base = alt.Chart(shown).encode(y=y, tooltip=tooltip)
    whisker = (
        alt.Chart(shown.dropna(subset=[low, high]))
        .mark_rule(strokeWidth=2, color=p.tie)
        .encode(y=y, x=alt.X(f"{low}:Q", scale=scale, axis=axis), x2=f"{high}:Q", tooltip=tooltip)
    )
    dot = base.mark_point(size=110, filled=True, opacity=1, color=p.a).encode(
        x=alt.X(f"{value}:Q", scale=scale, axis=axis), shape=shape
    )
    layers: list[alt.Chart] = [whisker, dot]
    if reference is not None:
        line = alt.Chart(pd.DataFrame({"at": [reference]})).mark_rule(
            color=p.quiet, strokeDash=[4, 4]
        )
        layers.insert(0, line.encode(x=alt.X("at:Q", scale=scale, axis=axis)))
    if estimate.ceiling:
        mark = alt.Chart(shown.dropna(subset=estimate.ceiling)).mark_tick(
            orient="vertical", color=p.ink, thickness=2, size=18
        )
        perfect = alt.Tooltip(f"{estimate.ceiling}:Q", title="a perfect judge", format=form)
        x = alt.X(f"{estimate.ceiling}:Q", scale=scale, axis=axis)
        layers.append(mark.encode(y=y, x=x, tooltip=[tooltip[0], perfect]))
    step = (
        40 if any(len(lines(label)) > 1 for label in labels) else 28 if len(labels) <= CLOSE else 20
    )
    chart = alt.LayerChart(layer=layers, height=alt.Step(step), width="container")
    return themed(
        chart,
        f"{title[:1].upper()}{title[1:]}, of each of {len(shown)} judges: a dot and its interval.",
        theme,
    )


def matrix(pairs: pd.DataFrame, value: str, title: str, *, theme: str = "light") -> alt.LayerChart:
    """Judges against judges, each pair on both sides of the diagonal; of the MOST_JUDGES with most
    verdicts.
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
    base = alt.Chart(both).encode(
        x=alt.X(
            "judge_2:N",
            sort=order,
            axis=alt.Axis(
                labelAngle=-40 if len(order) <= 20 else -90,
                labelLimit=220,
                labelExpr=written(order),
                title=None,
            ),
        ),
        y=alt.Y(
            "judge_1:N",
            sort=order,
            axis=alt.Axis(labelLimit=260, labelExpr=written(order), title=None),
        ),
        tooltip=tooltip,
    )
    colour = alt.Color(
        f"{value}:Q",
        title=title,
        scale=alt.Scale(domain=[0, 1], range=[p.surface, p.a], clamp=True),
        legend=alt.Legend(orient="top", gradientLength=160, format=".1f"),
    )
    few = len(busiest) <= WRITTEN
    layers = [base.mark_rect(stroke=p.paper, strokeWidth=2 if few else 1).encode(color=colour)]
    if few:
        ink = alt.condition(f"datum['{value}'] > 0.55", alt.value(p.paper), alt.value(p.ink))
        layers.append(
            base.mark_text(fontSize=12).encode(text=alt.Text(f"{value}:Q", format=".2f"), color=ink)
        )
    across, down = (52, 34) if few else (max(NARROWEST, MATRIX // len(busiest)),) * 2
    chart = alt.LayerChart(layer=layers, height=alt.Step(down), width=alt.Step(across))
    told = f"A square for every two of {len(busiest)} judges, darker where higher: {title}."
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
    x = alt.X("value:N", sort=order, axis=alt.Axis(title=title, labelAngle=0, labelLimit=160))
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
