"""Pictures of findings that take a few lines each: dots with intervals, a row for each judge, probe
or person; a judge's probabilities; judges by what they cost; what a plan gives; shared work; and
votes and judges together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from altair import datum

from ..labels import KINDS, short_names, shorten_judges
from ..records import Kind
from ..rendering import SHARE, Column
from ..rendering.charts import (
    APART,
    PALETTES,
    SLIM,
    AxisScale,
    Drawn,
    EstimateColumns,
    Picture,
    apply_theme,
    dots,
    ends,
    legend_columns,
    log_ticks,
    named_rows,
    shapes,
    write_tooltips,
)
from ..statistics import RATINGS
from .accuracy import ACCURACY
from .bias.columns import P_FIRST
from .combine.columns import ESTIMATES, TRUTH, declare_columns
from .correlation.columns import CEILED, CEILING, declare_figures
from .judgements.judges import label_rows
from .lab.settings import COLUMNS as LAB_COLUMNS
from .lab.settings import FAIRNESS, JUDGE
from .plan import COLUMNS as PLANNED
from .plan import WAYS
from .probes import CHANGE
from .share.compute import FRONTIER

SHAPES = ["circle", "square", "triangle-up", "diamond"]
"""By which lines are told apart, too."""


def picture_judges(title: str, axis: str, share: Column, n: str) -> Picture:
    """A share of each judge, of so many `n`, highest first: a dot and its interval."""
    estimate = EstimateColumns(share.name, share.low, share.high, n)
    return Picture(partial(_draw_shares, axis, estimate), title, share.name)


def _draw_shares(
    axis: str, estimate: EstimateColumns, rows: pd.DataFrame, facts: Mapping[str, Any], theme: str
) -> Drawn:
    shown = label_rows(rows).sort_values(estimate.value, ascending=False)
    return dots(shown, axis, estimate, AxisScale(reference=0.5), theme=theme)


def draw_correlation(rows: pd.DataFrame, column: Column, *, theme: str = "light") -> Drawn:
    """A dot and its interval for each labelled row, and beside what the noise of raters bounds a
    mark at what a perfect judge would reach.
    """
    ceiling = CEILING.name if column.name in CEILED else ""
    estimate = EstimateColumns(column.name, column.low, column.high, "n", ceiling)
    scale = AxisScale(reference=0.5)
    if column.unit is not SHARE:
        ends = rows[[*column.names, *filter(None, [ceiling])]].to_numpy(float)
        low, high = np.nanmin(ends, initial=0), np.nanmax(ends, initial=0)
        domain = math.floor(10 * low) / 10, math.ceil(10 * high) / 10
        scale = AxisScale(domain, column.unit.form, 0.0)
    return dots(rows, column.label, estimate, scale, theme=theme)


def draw_probes(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """Draw the change by each probe of each judge, the largest first. The line is no change."""
    shown = rows.dropna(subset="change").sort_values("change", key=lambda of: -of.abs())
    named = shown["probe"] + (" · " + shown["judge"] if shown["judge"].nunique() > 1 else "")
    low, high = str(CHANGE.low), str(CHANGE.high)
    points = 100 * shown[["change", low, high]]
    return dots(
        shown.assign(label=named, judge=named, **points), "change in points",
        EstimateColumns("change", low, high, "answers"), AxisScale(None, "+.0f", reference=0.0),
        theme=theme,
    )  # fmt: skip


def draw_fits(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """Draw the infit of each person who has one, the worst first, with the usual range."""
    shown = rows.assign(label=rows["annotator"], kind=Kind.HUMAN.value)
    estimate = EstimateColumns("infit", "usual_low", "usual_high", "decisions")
    scale = AxisScale(domain=None, form=".2f", reference=1.0)
    return dots(shown, "distance from others' choices (expected: 1)", estimate, scale, theme=theme)


ACCURACY_PICTURE = picture_judges(
    "How often each judge is right", "right answers (a tie is half)", ACCURACY, "comparisons"
)
BIAS_PICTURE = picture_judges(
    "How often each judge chose the first text",
    "decisive answers for the first",
    P_FIRST,
    "decisive",
)
PROBES_PICTURE = Picture(
    lambda rows, facts, theme: draw_probes(rows, theme=theme),
    "What each probe changes",
    "change",
    "answer",
)
CORRELATION_PICTURE = Picture(
    lambda rows, facts, theme: draw_correlation(
        label_rows(rows).sort_values("spearman", ascending=False),
        declare_figures(facts["level"])[0],
        theme=theme,
    ),
    "How well each judge follows the scores",
    "spearman",
)


def draw_histogram(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """Draw the distribution of the probability of the first text. `rows`: low and high (of the
    bin), judgements. Bins that prefer the first text have A's colour.
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
    return apply_theme(layers, told, theme)


LETTERS, NAMED, ON_A_PHONE = 28, 8, 4  # of a name; judges whose names are written
LEAST = 0.005  # of what every judge costs, below which an axis would show zeros alone
MEASURES = {column.name: column for column in LAB_COLUMNS}


def draw_quality(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str = "light") -> Drawn:
    """Draw each judge as a point: accuracy (without labels fairness) with its interval up, and cost
    along, else seconds, else its answers for the first text.
    """
    quality = MEASURES["accuracy" if facts["against"] else FAIRNESS.name]
    cost = next(
        (MEASURES[name] for name in ("money", "seconds") if rows[name].min(skipna=False) >= LEAST),
        MEASURES["p_first"],
    )
    palette, scale = PALETTES[theme], alt.Scale(zero=False, nice=True, padding=16)
    shown = label_rows(rows).dropna(subset=[quality.name, cost.name])
    shown, tooltip = write_tooltips(
        shown.assign(of=shown["kind"].map(KINDS)), [JUDGE, MEASURES["correction"], quality, cost]
    )
    labels = shown["label"].map(shorten_judges)
    shown["called"] = labels.map(short_names(labels.tolist(), LETTERS))
    place = shown[cost.name].rank(method="first")
    shown["is_right"] = shown[cost.name] > (shown[cost.name].min() + shown[cost.name].max()) / 2
    shown["is_below"] = place % 2 == 0
    along = alt.Axis(
        title=cost.label, format=cost.unit.form, tickCount=6, labelOverlap=True, labelSeparation=8
    )
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


LAB_PICTURE = Picture(draw_quality, "How good each judge is", "accuracy")


DRAWN_WAYS = ("together", "people")
"""The ways that have a line."""
VOTE_TICKS = 4  # of the votes, beside 0: as many as a phone has room for


def draw_chances(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """The chance that ranks are told apart, against how many more votes there are: a line with
    judges, and one of votes alone. `rows` are those of `plan`; where they are of new items the
    points are hollow.
    """
    p = PALETTES[theme]
    shown, tooltip = write_tooltips(rows[rows["way"].isin(DRAWN_WAYS)], IN_PLAN)
    shown["way"] = shown["way"].map(WAYS)
    words = [WAYS[way] for way in DRAWN_WAYS]
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.b])
    more = shown["more"].to_numpy(dtype=float)
    ticks = log_ticks(more[more > 0], VOTE_TICKS) if (more > 0).any() else []
    base = alt.Chart(shown).encode(
        x=alt.X(
            "more:Q",
            title="more pairs with votes",
            scale=alt.Scale(type="symlog", constant=100, nice=False),
            axis=alt.Axis(values=[0, *ticks], format=",.0f", grid=False),
        ),
        y=alt.Y(
            "settled:Q",
            title="chance that ranks are told apart at 95%",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        color=alt.Color("way:N", scale=colours, legend=legend),
        tooltip=tooltip,
    )
    # Both lines are seen where they lie on each other.
    line = base.mark_line(aria=False).encode(
        strokeWidth=alt.StrokeWidth("way:N", scale=_order(words, [5, 2]), legend=None)
    )
    dots = base.mark_point(opacity=1).encode(
        size=alt.Size("way:N", scale=_order(words, [110, 30]), legend=None),
        shape=alt.Shape("way:N", scale=alt.Scale(domain=words, range=SHAPES[:2]), legend=legend),
        fill=alt.Fill("way:N", scale=colours, legend=legend),
        fillOpacity=alt.condition("datum.new_items", alt.value(0), alt.value(1)),
    )
    layers = alt.LayerChart(layer=[line, dots], height=320, width="container")
    told = (
        "The chance that ranks are told apart against more votes, with judges and by votes alone."
    )
    return apply_theme(layers, told, theme)


def _order(words: list[str], values: list[int]) -> alt.Scale:
    return alt.Scale(type="ordinal", domain=words, range=values)


IN_PLAN = [column for column in PLANNED if column.name in ("way", "votes", "settled", "new_items")]
PLAN_PICTURE = Picture(
    lambda rows, facts, theme: draw_chances(rows, theme=theme),
    "How many more votes the combined estimate needs",
)


FRONTIER_TOOLTIP = [column for column in FRONTIER if column.name != "is_chosen"]
AXES = {
    "accepted": ("share of pairs that is accepted", alt.Scale(domain=[0, 1]), "%"),
    "money": ("what judges' answers cost for all pairs", alt.Scale(zero=False), "~g"),
}


def draw_frontier(
    rows: pd.DataFrame, facts: Mapping[str, Any], theme: str = "light", *, along: str = "accepted"
) -> Drawn:
    """Draw a line for each judge, and one for all in a row: error, with the bound of a test, by the
    share of pairs that is accepted, or by `money`; a rule at the error that was chosen. `rows` are
    those of the table `frontier`; the threshold that holds is a large point.
    """
    p = PALETTES[theme]
    shown, tooltip = write_tooltips(rows.dropna(subset="error"), FRONTIER_TOOLTIP)
    shown["judge"] = shown["way"].map(shorten_judges)
    names = list(dict.fromkeys(shown["judge"]))
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if len(names) > 1 else None
    colours = alt.Scale(domain=names, range=[p.a, p.b, p.ink, p.tie])
    greatest = float(shown["error"].max()) if len(shown) else 0.0
    most = max(2.5 * facts["accept_error"], 1.1 * greatest)
    y = alt.Scale(domain=[0, min(1.0, most)], clamp=True)
    title, scale, form = AXES[along]
    axis = alt.Axis(format=form, grid=False, tickCount=8, labelOverlap=True)
    base = alt.Chart(shown).encode(
        x=alt.X(f"{along}:Q", title=title, scale=scale, axis=axis),
        color=alt.Color("judge:N", scale=colours, legend=legend),
    )  # fmt: skip
    axis = alt.Axis(format="%", tickCount=6)
    error = alt.Y("error:Q", title="differs from people", scale=y, axis=axis)
    band = base.mark_area(opacity=0.14, aria=False).encode(
        y=error, y2=alt.Y2("bound:Q"), detail="judge:N"
    )
    line = base.mark_line(strokeWidth=2, aria=False).encode(y=error, order="threshold:Q")
    shape = alt.Shape("judge:N", scale=alt.Scale(domain=names, range=SHAPES), legend=legend)
    dots = base.mark_point(filled=True, opacity=1).encode(
        y=error, shape=shape, tooltip=tooltip,
        size=alt.condition("datum.is_chosen", alt.value(260), alt.value(36)),
    )  # fmt: skip
    goal = pd.DataFrame({"error": [facts["accept_error"]], "label": ["at most"]})
    rule = alt.Chart(goal).mark_rule(color=p.quiet, strokeDash=[4, 4]).encode(y=error)
    words = alt.Chart(goal).mark_text(align="left", baseline="bottom", dy=-3, color=p.quiet)
    told = f"How far the answers that are accepted differ from people's, of {', '.join(names)}."
    layers = [band, line, dots, rule, words.encode(y=error, x=alt.value(4), text="label:N")]
    return apply_theme(alt.LayerChart(layer=layers, height=320, width="container"), told, theme)


SHARED_WORK_PICTURE = Picture(
    draw_frontier, "How far accepted answers differ from people's", table="frontier"
)
SHARED_COST_PICTURE = Picture(
    partial(draw_frontier, along="money"), "What fewer differences cost", table="frontier"
)


ROW = 52  # pixels of a system's three lines


def draw_combined(rows: pd.DataFrame, method: str, *, theme: str = "light") -> alt.LayerChart:
    """Three dots and whiskers per system, best first: by votes and judges together, by votes alone,
    and by judges alone; and a dot for the truth, where it is known. `rows` are those of `combine`.
    """
    p, share, title = PALETTES[theme], RATINGS[method].share, RATINGS[method].axis
    shown = rows.dropna(subset="combined")
    names, words = shown["system"].tolist(), list(ESTIMATES.values())
    words += [TRUTH.label] if TRUTH.name in shown else []
    declared = {column.name: column for column in declare_columns(method, "together")}
    unit, about = declared["combined"].unit, [declared[name] for name in ("votes", "n_effective")]
    value = Column("value", RATINGS[method].label, unit, low="low", high="high")
    tips = (declared["system"], Column("estimate", "by"), value, *about)
    long, tooltip = write_tooltips(_lengthen(shown), tips)
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=12)
    below, above = ends(2 * len(names), format="%" if share else ",.0f", tickCount=6, title=title)
    columns = legend_columns(2, len(words))
    legend = alt.Legend(title=None, orient="top", columns=columns, symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.ink, p.b, p.tie])
    forms = alt.Scale(domain=words, range=SHAPES)
    base = alt.Chart(long).encode(
        y=alt.Y("system:N", sort=names, title=None, axis=named_rows(names)),
        yOffset=alt.YOffset("estimate:N", sort=words),
        color=alt.Color("estimate:N", scale=colours, legend=legend),
        tooltip=tooltip,
    )
    whisker = base.mark_rule(strokeWidth=2, aria=False).encode(
        x=alt.X("low:Q", scale=scale, axis=below), x2="high:Q"
    )
    dot = base.mark_point(size=80, filled=True, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, axis=above),
        shape=alt.Shape("estimate:N", scale=forms, legend=legend),
    )
    layers = alt.LayerChart(
        layer=[whisker, dot], height=alt.Step(ROW, **{"for": "position"}), width="container",
        resolve=APART,
    )  # fmt: skip
    first = f", {names[0]} first" if names else ""
    told = (
        f"{title} of {len(names)} systems, best first{first}: by votes and judges, by votes, "
        "and by judges, each with its interval."
    )
    return apply_theme(layers, told, theme)


def _lengthen(rows: pd.DataFrame) -> pd.DataFrame:
    about = rows[["system", "votes", "n_effective"]]
    columns = {label: (name, f"{name}_low", f"{name}_high") for name, label in ESTIMATES.items()}
    if TRUTH.name in rows:
        columns[TRUTH.label] = (TRUTH.name,) * 3
    parts = [
        about.assign(estimate=label, value=rows[name], low=rows[low], high=rows[high])
        for label, (name, low, high) in columns.items()
    ]
    return pd.concat(parts, ignore_index=True)


COMBINE_PICTURE = Picture(
    lambda rows, facts, theme: draw_combined(rows, facts["method"], theme=theme),
    "Systems by votes and judges together",
    "combined",
)
