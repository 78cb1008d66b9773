"""Charts of a leaderboard: ratings with intervals, Elo against sep-Elo, records of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from ...labels import short_names
from ...rendering.charts import (
    APART,
    FONT,
    PALETTES,
    SLIM,
    Picture,
    apply_theme,
    ends,
    legend_columns,
    named_rows,
    step,
    write_tooltips,
)
from ...statistics import RATINGS
from .columns import ELO, UNCONTROLLED, choose_columns

FEW = 8  # rows that have more room each
WRITTEN = 20  # systems whose matrix has room for figures in its cells
RECORD = {"wins": "wins", "ties": "ties", "both_bad": "both bad", "losses": "losses"}
"""What a comparison is to a system, by column, in the order of a bar."""


def ratings(rows: pd.DataFrame, method: str, *, theme: str = "light") -> alt.LayerChart:
    """Dot and whisker per system, best first, the leaders in colour. `rows` are a leaderboard's."""
    p, share, title = PALETTES[theme], RATINGS[method].share, RATINGS[method].axis
    shown = rows.dropna(subset="rating")
    columns = choose_columns(method, "system", "rating", "rank", "judgements")
    shown, tooltip = write_tooltips(shown, columns)
    names = shown["system"].tolist()
    y = alt.Y("system:N", sort=names, title=None, axis=named_rows(names))
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=12)
    below, above = ends(len(names), format="%" if share else ",.0f", tickCount=6, title=title)
    base = alt.Chart(shown).encode(y=y, tooltip=tooltip)
    whisker = base.mark_rule(strokeWidth=2, color=p.tie, aria=False).encode(
        x=alt.X("low:Q", scale=scale, axis=below), x2="high:Q"
    )
    leads = alt.condition("datum.rank == 1", alt.value(p.a), alt.value(p.quiet))
    dot = base.mark_circle(size=130, opacity=1).encode(
        x=alt.X("rating:Q", scale=scale, axis=above), color=leads
    )
    height = step(len(names), wide=34 if len(names) <= FEW else 26)
    layers = alt.LayerChart(layer=[whisker, dot], height=height, width="container", resolve=APART)
    first = f", {shown['system'].iloc[0]} first" if len(shown) else ""
    told = f"{title} of {len(shown)} systems, best first{first}: a dot each, with its interval."
    return apply_theme(layers, told, theme)


ACROSS = 3  # leaderboards side by side
EACH = 210  # pixels of the plot of each


def side_by_side(
    rows: pd.DataFrame, method: str, by: str, *, theme: str = "light"
) -> alt.FacetChart:
    """A leaderboard for each value of the column `by`, side by side on one scale, with the systems
    of all in the order of the rows; the best of each has a larger dot. `rows`: that column, system,
    rating, low, high, rank, judgements.
    """
    p, share, title = PALETTES[theme], RATINGS[method].share, RATINGS[method].axis
    shown = rows.dropna(subset="rating").assign(best=lambda frame: frame["rank"].eq(1))
    columns = choose_columns(method, by, "system", "rating", "judgements")
    shown, tooltip = write_tooltips(shown, columns)
    names, parts = list(dict.fromkeys(rows["system"])), list(dict.fromkeys(shown[by]))
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=8)
    axis = alt.Axis(format="%" if share else ",.0f", tickCount=3, title=None)
    base = alt.Chart(shown).encode(
        y=alt.Y("system:N", sort=names, title=None, axis=named_rows(names)), tooltip=tooltip
    )
    whisker = base.mark_rule(strokeWidth=2, color=p.tie, aria=False).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    size = alt.Size("best:N", scale=alt.Scale(domain=[False, True], range=[60, 170]), legend=None)
    dot = base.mark_circle(opacity=1, color=p.a).encode(
        x=alt.X("rating:Q", scale=scale, axis=axis), size=size
    )
    head = alt.Header(title=None, labelLimit=EACH)
    facet = alt.LayerChart(layer=[whisker, dot], height=alt.Step(22), width=EACH).facet(
        facet=alt.Facet(f"{by}:N", sort=parts, header=head), columns=ACROSS, spacing=44
    )
    told = f"{title} of {len(names)} systems in each of {len(parts)} {by}s, side by side."
    return apply_theme(facet, told, theme)


COLUMNS = legend_columns(2, 4)  # of a legend above a chart
TICKS = alt.ExprRef(f"{SLIM} ? 3 : 6")
LINES = 8  # systems whose colours can be told apart


def draw_over_time(rows: pd.DataFrame, *, theme: str = "light") -> alt.LayerChart:
    """A line per system over the votes, or over time where the rows say when they came. `rows` are
    votes, system, rating, and `at`; the systems that are best at the end have a colour and a place
    in the legend, the others are grey.
    """
    p = PALETTES[theme]
    last = rows[rows["votes"] == rows.groupby("system")["votes"].transform("max")]
    best = last.sort_values("rating", ascending=False, kind="stable")["system"].tolist()
    names = short_names(best) if best else {}
    shown = rows.assign(named=rows["system"].isin(best[:LINES]), name=rows["system"].map(names))
    y = alt.Y("rating:Q", title="Elo rating (start 1000)", scale=alt.Scale(zero=False, nice=True))
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("votes:Q", format=","),
        alt.Tooltip("rating:Q", format=",.0f"),
        *([alt.Tooltip("at:T", title="date")] if "at" in rows else []),
    ]
    colour = alt.Color(
        "name:N",
        title=None,
        scale=alt.Scale(domain=[names[name] for name in best[:LINES]], scheme="tableau10"),
        legend=alt.Legend(orient="top", columns=COLUMNS),
    )
    x = alt.X(
        "votes:Q", title="number of votes so far", axis=alt.Axis(format=",.0f", tickCount=TICKS)
    )
    if "at" in rows:
        x = alt.X("at:T", title="date of the vote", axis=alt.Axis(tickCount=TICKS))
    base = alt.Chart(shown).encode(x=x, y=y, detail="system:N", tooltip=tooltip)
    layers = alt.LayerChart(
        layer=[
            base.transform_filter("!datum.named").mark_line(color=p.tie, strokeWidth=1.5),
            base.transform_filter("datum.named").mark_line(strokeWidth=2.5).encode(color=colour),
        ],
        height=320,
        width="container",
    )
    first = f", {best[0]} highest at the end" if best else ""
    return apply_theme(layers, f"Elo ratings of {len(best)} systems over the votes{first}.", theme)


AFTER = {ELO: "sep-Elo", UNCONTROLLED: "at equal style"}
"""A rating without what a method takes into account -> what the method's is called."""
LABELLED = 14  # systems of a slope chart that are named


def slopes(rows: pd.DataFrame, *, method: str = "elo", theme: str = "light") -> alt.LayerChart:
    """Ratings before something was taken into account on the left, after on the right, a line per
    system: up in A's colour, down in B's, grey where the interval of the change holds 0. `rows` are
    a leaderboard's by a method, with one of AFTER, change, change_low, change_high. The larger
    changes are named.
    """
    p, column = PALETTES[theme], next(column for column in AFTER if column.name in rows)
    before, left, right = column.name, column.label, AFTER[column]
    right = "at equal length" if RATINGS[method].share else right
    shown = rows.dropna(subset=["rating", before])
    clear = (shown["change_low"] > 0) | (shown["change_high"] < 0)
    moved = (shown["change"] > 0).map({True: "up", False: "down"}).where(clear, "not certain")
    named = shown["change"].abs().rank(ascending=False, method="first") <= LABELLED
    height = max(280, 24 * min(len(shown), 20))
    shown = shown.assign(moved=moved, name=shown["system"].where(named, ""))
    shown["label"] = _spread_labels(
        shown["rating"], 20 * (np.ptp(shown[[before, "rating"]].to_numpy(float)) or 1.0) / height
    )
    shown, tooltip = write_tooltips(
        shown, choose_columns(method, "system", before, "rating", "change")
    )
    long = pd.concat(
        [
            shown.assign(method=left, value=shown[before]),
            shown.assign(method=right, value=shown["rating"]),
        ]
    )
    x = alt.X(
        "method:N",
        title=None,
        sort=[left, right],
        axis=alt.Axis(labelAngle=0, orient="top"),
        scale=alt.Scale(padding=0.4),
    )
    axis = alt.Axis(format="%") if RATINGS[method].share else alt.Axis()
    y = alt.Y("value:Q", title="rating", axis=axis, scale=alt.Scale(zero=False, nice=True))
    colour = alt.Color(
        "moved:N",
        title=None,
        scale=alt.Scale(domain=["up", "down", "not certain"], range=[p.a, p.b, p.tie]),
        legend=alt.Legend(orient="top"),
    )
    base = alt.Chart(long).encode(x=x, y=y, color=colour, detail="system:N", tooltip=tooltip)
    words = alt.Chart(long[long["method"] == right]).mark_text(
        align="left", dx=10, font=FONT, fontSize=13, color=p.ink
    )
    layers = alt.LayerChart(
        layer=[
            base.mark_line(strokeWidth=2),
            base.mark_circle(size=70, opacity=1),
            words.encode(x=x, y="label:Q", text="name:N"),
        ],
        height=height,
        width="container",
    )
    ways = moved.value_counts()
    told = ", ".join(f"{ways.get(way, 0)} {way}" for way in ("up", "down", "not certain"))
    return apply_theme(layers, f"From {left} to {right}, a line for each system: {told}.", theme)


def _spread_labels(places: pd.Series, gap: float) -> pd.Series:
    found, last = {}, np.inf
    for name, place in places.sort_values(ascending=False).items():
        last = found[name] = min(place, last - gap)
    return pd.Series(found)


def records(rows: pd.DataFrame, *, of: str = "opponent", theme: str = "light") -> alt.LayerChart:
    """Draw wins, ties, "both bad" and losses as stacked shares, a bar for each row, in their order:
    of one system against each `opponent`, or of each `system`. The number of answers is at the end
    of the bar if there is room. With a selection `bar` of the part that is clicked.

    `rows`: that column, wins, ties, both_bad, losses, judgements.
    """
    p, names = PALETTES[theme], rows[of].tolist()
    told = {name: word for name, word in RECORD.items() if name != "both_bad" or rows[name].any()}
    long = rows.melt([of, "judgements"], list(told), var_name="kind", value_name="count")
    long = long.assign(
        kind=long["kind"].map(told),
        part=long["count"] / long["judgements"],
        order=long["kind"].map(list(told).index),
    )
    y = alt.Y(f"{of}:N", sort=names, title=None, axis=named_rows(names))
    base = alt.Chart(long).encode(
        y=y,
        tooltip=[
            alt.Tooltip(f"{of}:N"),
            alt.Tooltip("kind:N", title=" "),
            alt.Tooltip("count:Q", title="answers", format=","),
            alt.Tooltip("part:Q", title="share", format=".0%"),
            alt.Tooltip("judgements:Q", title="of all answers", format=","),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=5, title="share of answers")
    colours = dict(zip(RECORD, (p.a, p.tie, p.both_bad, p.b), strict=True))
    bars = base.mark_bar(height=18).encode(
        x=alt.X("part:Q", stack="zero", scale=scale, axis=axis),
        order=alt.Order("order:Q"),
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(told.values()), range=[colours[name] for name in told]),
            legend=alt.Legend(orient="top", columns=COLUMNS),
        ),
    )
    number = alt.Chart(rows.assign(end=1.0, n=rows["judgements"].map("n = {:,}".format)))
    words = number.mark_text(
        align="left",
        dx=6,
        font=FONT,
        fontSize=alt.ExprRef(f"{SLIM} ? 0.1 : 12"),
        color=p.quiet,
        opacity=alt.ExprRef(f"{SLIM} ? 0 : 1"),
    ).encode(x=alt.X("end:Q", scale=scale, axis=axis), y=y, text="n:N")
    clicked = alt.selection_point(name="bar", fields=[of, "kind"], on="click", clear="dblclick")
    layers = alt.LayerChart(
        layer=[bars.add_params(clicked), words],
        height=step(len(names), wide=30 if len(names) <= FEW else 24),
        width="container",
        padding=alt.ExprRef(f"{{left: 5, top: 5, bottom: 5, right: {SLIM} ? 8 : 62}}"),
    )
    description = f"Shares won, neither and lost, a bar for each {of} of {len(rows)}."
    return apply_theme(layers, description, theme)


def matches(rows: pd.DataFrame, order: Sequence[str], *, theme: str = "light") -> alt.LayerChart:
    """Draw how often the system of a row beats that of a column, in the order of `order`, with the
    number of answers. Cells are coloured if the interval excludes one half, more the farther.

    `rows`: system, opponent, share, low, high, judgements.
    """
    p, labels, few = PALETTES[theme], short_names(order), len(order) <= WRITTEN
    shown = rows[rows["system"].isin(order) & rows["opponent"].isin(order)]
    away = np.where(shown["low"] > 0.5, shown["low"] - 0.5, np.minimum(shown["high"] - 0.5, 0))
    shown = shown.assign(
        clear=away,
        percent=shown["share"].map("{:.0%}".format),
        n=shown["judgements"].map("{:,}".format),
        row=shown["system"].map(labels),
        column=shown["opponent"].map(labels),
    )
    sort = [labels[name] for name in order]
    above = alt.Axis(labelLimit=150, title=None, labelAngle=-45, orient="top")
    base = alt.Chart(shown).encode(
        x=alt.X("column:N", sort=sort, axis=above),
        y=alt.Y("row:N", sort=sort, axis=alt.Axis(labelLimit=150, title=None)),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("opponent:N", title="against"),
            alt.Tooltip("share:Q", title="points won", format=".0%"),
            alt.Tooltip("low:Q", title="95% low", format=".0%"),
            alt.Tooltip("high:Q", title="95% high", format=".0%"),
            alt.Tooltip("judgements:Q", title="answers", format=","),
        ],
    )
    colour = alt.Color(
        "clear:Q",
        scale=alt.Scale(
            domain=[-0.3, 0, 0.3], range=[p.b, p.surface, p.a], clamp=True, interpolate="rgb"
        ),
        legend=None,
    )
    layers = [base.mark_rect(stroke=p.paper, strokeWidth=2 if few else 1).encode(color=colour)]
    if few:
        ink = alt.condition("abs(datum.clear) > 0.2", alt.value(p.paper), alt.value(p.ink))
        written = base.mark_text(font=FONT, fontSize=13, dy=-6).encode(text="percent:N", color=ink)
        number = base.mark_text(font=FONT, fontSize=10, dy=9).encode(text="n:N", color=ink)
        layers += [written, number]
    step = alt.Step(46 if few else 20)
    chart = alt.LayerChart(layer=layers, width=step, height=step)
    told = f"How often each of {len(order)} systems beats each other one, and of how many answers."
    return apply_theme(chart, told, theme)


PICTURE = Picture(
    lambda rows, facts, theme: ratings(rows, facts["method"], theme=theme),
    "How good each system is",
    "rating",
)
OVER_TIME = Picture(
    lambda rows, facts, theme: draw_over_time(rows, theme=theme), "How Elo moved with the votes"
)
