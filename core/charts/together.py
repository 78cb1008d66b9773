"""Charts of people and judges together."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.labels import KINDS
from core.rendering import charts as trust
from core.rendering.charts import APART, PALETTES, Drawn, ends, named_rows, themed
from core.statistics import RATINGS

ESTIMATES = {"combined": "votes and judges", "human": "votes alone", "alone": "judges alone"}
"""What each estimate is called, in the order of a system's lines."""
SHAPES = ("circle", "square", "triangle-up")
ROW = 52  # pixels of a system's three lines


def estimates(rows: pd.DataFrame, method: str, *, theme: str = "light") -> alt.LayerChart:
    """Three dots and whiskers per system, best first: by votes and judges together, by votes alone,
    and by judges alone. `rows` are those of `combine`.
    """
    p, share, title = PALETTES[theme], RATINGS[method].share, RATINGS[method].axis
    shown = rows.dropna(subset="combined")
    names = shown["system"].tolist()
    long = pd.concat([_of(shown, name) for name in ESTIMATES], ignore_index=True)
    form = ".1%" if share else ",.0f"
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=12)
    below, above = ends(2 * len(names), format="%" if share else ",.0f", tickCount=6, title=title)
    words = list(ESTIMATES.values())
    legend = alt.Legend(title=None, orient="top", columns=3, symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.ink, p.b])
    shapes = alt.Scale(domain=words, range=list(SHAPES))
    base = alt.Chart(long).encode(
        y=alt.Y("system:N", sort=names, title=None, axis=named_rows(names)),
        yOffset=alt.YOffset("estimate:N", sort=words),
        color=alt.Color("estimate:N", scale=colours, legend=legend),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("estimate:N", title="by"),
            alt.Tooltip("value:Q", title=RATINGS[method].label, format=form),
            alt.Tooltip("low:Q", title="95% low", format=form),
            alt.Tooltip("high:Q", title="95% high", format=form),
            alt.Tooltip("votes:Q", title="voted pairs", format=","),
            alt.Tooltip("effective:Q", title="worth as many", format=",.0f"),
        ],
    )
    whisker = base.mark_rule(strokeWidth=2, aria=False).encode(
        x=alt.X("low:Q", scale=scale, axis=below), x2="high:Q"
    )
    dot = base.mark_point(size=80, filled=True, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, axis=above),
        shape=alt.Shape("estimate:N", scale=shapes, legend=legend),
    )
    layers = alt.LayerChart(
        layer=[whisker, dot], height=alt.Step(ROW, **{"for": "position"}), width="container",
        resolve=APART,
    )  # fmt: skip
    first = f", {names[0]} first" if names else ""
    told = (
        f"{title} of {len(names)} systems, best first{first}: by votes and judges, by votes alone, "
        "and by judges alone, each with its interval."
    )
    return themed(layers, told, theme)


def _of(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    values = {"value": rows[name], "low": rows[f"{name}_low"], "high": rows[f"{name}_high"]}
    beside = rows[["system", "votes", "effective"]]
    return beside.assign(estimate=ESTIMATES[name], **values)


def advantages(rows: pd.DataFrame, epsilon: float, *, theme: str = "light") -> Drawn:
    """How much more often one judge than each annotator is the better of the two, in the eyes of
    the others, with intervals: rows annotator, advantage, low, high, items, adjusted (its p). Left
    of the line the judge is worse by more than epsilon.
    """
    tested = rows.dropna(subset="adjusted").sort_values("advantage", ascending=False)
    shown = tested.assign(
        kind="human",
        label=[f"{who} · p {p:.3f}" for who, p in zip(tested["annotator"], tested["adjusted"],
                                                      strict=True)],
    )  # fmt: skip
    return trust.dots(
        shown.drop(columns="attribute", errors="ignore"), "advantage of the judge",
        trust.Estimate("advantage", "low", "high", "items"),
        trust.Scale(None, "+.0%", reference=-epsilon), theme=theme,
    )  # fmt: skip


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
        x=x, y=y, shape=trust.shapes(shown)
    )
    name = base.mark_text(align="left", dx=9, dy=-9, color=p.ink).encode(x=x, y=y, text="label:N")
    chart = alt.LayerChart(layer=[along, up, dot, name], height=320, width="container")
    return themed(chart, f"{len(shown)} judges as points: {title} against accuracy.", theme)


LINES = {"together": "votes, with judges", "people": "votes, people alone"}
"""What the lines of a plan are called."""


def plan(rows: pd.DataFrame, level: float, *, theme: str = "light") -> alt.LayerChart:
    """The chance that ranks are settled, against how many more votes there are: a line with judges,
    and one of people alone. `rows` are those of `plan`; where they are of new items the points are
    hollow.
    """
    p = PALETTES[theme]
    shown = rows[rows["way"].isin(LINES)].copy()
    shown["way"] = shown["way"].map(LINES)
    words = list(LINES.values())
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.b])
    base = alt.Chart(shown).encode(
        x=alt.X(
            "more:Q",
            title="more pairs with votes",
            scale=alt.Scale(type="symlog", constant=100, nice=False),
            axis=alt.Axis(tickCount=6, format=",.0f", grid=False),
        ),
        y=alt.Y(
            "settled:Q",
            title=f"chance that ranks are settled at {level:.0%}",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        color=alt.Color("way:N", scale=colours, legend=legend),
        tooltip=[
            alt.Tooltip("way:N", title="by"),
            alt.Tooltip("votes:Q", title="pairs with votes", format=","),
            alt.Tooltip("settled:Q", title="chance", format=".0%"),
            alt.Tooltip("new_items:N", title="takes new items"),
        ],
    )
    line = base.mark_line(strokeWidth=2, aria=False)
    dots = base.mark_point(size=60, opacity=1).encode(
        shape=alt.Shape(
            "way:N", scale=alt.Scale(domain=words, range=list(SHAPES[:2])), legend=legend
        ),
        fill=alt.Fill("way:N", scale=colours, legend=legend),
        fillOpacity=alt.condition("datum.new_items", alt.value(0), alt.value(1)),
    )
    layers = alt.LayerChart(layer=[line, dots], height=320, width="container")
    told = "The chance that ranks are settled against more votes, with judges and by people alone."
    return themed(layers, told, theme)
