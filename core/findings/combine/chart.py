"""The chart of votes and judges combined."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...rendering import Column
from ...rendering.charts import (
    APART,
    PALETTES,
    Picture,
    apply_theme,
    ends,
    legend_columns,
    named_rows,
    write_tooltips,
)
from ...statistics import RATINGS
from .columns import ESTIMATES, TRUTH, declare_columns

SHAPES = ("circle", "square", "triangle-up", "diamond")
ROW = 52  # pixels of a system's three lines


def estimates(rows: pd.DataFrame, method: str, *, theme: str = "light") -> alt.LayerChart:
    """Three dots and whiskers per system, best first: by votes and judges together, by votes alone,
    and by judges alone; and a dot for the truth, where it is known. `rows` are those of `combine`.
    """
    p, share, title = PALETTES[theme], RATINGS[method].share, RATINGS[method].axis
    shown = rows.dropna(subset="combined")
    names, words = shown["system"].tolist(), list(ESTIMATES.values())
    words += [TRUTH.label] if TRUTH.name in shown else []
    declared = {column.name: column for column in declare_columns(method, "together")}
    value = Column(
        "value", RATINGS[method].label, declared["combined"].unit, low="low", high="high"
    )
    about = (declared["system"], Column("estimate", "by"), value)
    tips = (*about, declared["votes"], declared["n_effective"])
    long, tooltip = write_tooltips(_lengthen(shown), tips)
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=12)
    below, above = ends(2 * len(names), format="%" if share else ",.0f", tickCount=6, title=title)
    columns = legend_columns(2, len(words))
    legend = alt.Legend(title=None, orient="top", columns=columns, symbolOpacity=1)
    colours = alt.Scale(domain=words, range=[p.a, p.ink, p.b, p.tie])
    shapes = alt.Scale(domain=words, range=list(SHAPES))
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
        shape=alt.Shape("estimate:N", scale=shapes, legend=legend),
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
    parts = [
        about.assign(
            estimate=label, value=rows[name], low=rows[f"{name}_low"], high=rows[f"{name}_high"]
        )
        for name, label in ESTIMATES.items()
    ]
    if TRUTH.name in rows:
        known = rows[TRUTH.name]
        parts.append(about.assign(estimate=TRUTH.label, value=known, low=known, high=known))
    return pd.concat(parts, ignore_index=True)


PICTURE = Picture(
    lambda rows, facts, theme: estimates(rows, facts["method"], theme=theme),
    "Systems by votes and judges together",
    "combined",
)
