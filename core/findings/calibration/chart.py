"""The reliability diagram of a judge's probabilities."""

from __future__ import annotations

import altair as alt
import pandas as pd

from ...rendering.charts import PALETTES, Drawn, Picture, apply_theme, write_tooltips
from . import BINS

SIDE = 220  # pixels of a diagram, which is square
BESIDE = 3  # diagrams in a row
MOST = 9  # diagrams


def draw_reliability(
    bins: pd.DataFrame, maps: tuple[str, str] | None = None, *, theme: str = "light"
) -> Drawn:
    """Draw a reliability diagram for each judge and attribute (at most MOST). Each point is a bin
    of probabilities; on the diagonal, people and judge agree.

    `bins` are those of a calibration. Two of its maps are drawn: by default the first and the last.
    """
    every = list(dict.fromkeys(bins["map"]))
    drawn = list(dict.fromkeys(maps or (every[0], every[-1])))
    several = bins["attribute"].nunique() > 1
    names = bins["judge"] + " · " + bins["attribute"] if several else bins["judge"]
    shown = bins.assign(name=names)
    order = list(dict.fromkeys(names))[:MOST]
    shown = shown[shown["map"].isin(drawn) & shown["name"].isin(order)]
    shown, tooltips = write_tooltips(shown, BINS)
    layers = alt.LayerChart(
        layer=_layers(tooltips, drawn, theme), data=shown, width=SIDE, height=SIDE
    )
    head = alt.Header(title=None, labelLimit=SIDE)
    facet = layers.facet(
        facet=alt.Facet("name:N", sort=order, header=head), columns=BESIDE, spacing=36
    )
    told = (
        f"What people say against what each of {len(order)} judges says, a point for each bin of "
        "probabilities. On the diagonal both are the same."
    )
    return apply_theme(facet, told, theme)


def _layers(tooltips: list[alt.Tooltip], maps: list[str], theme: str) -> list[alt.Chart]:
    p, scale = PALETTES[theme], alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("mean_prob:Q", scale=scale, axis=axis, title="the judge's probability")
    legend = alt.Legend(title=None, orient="top") if len(maps) > 1 else None
    colour = alt.Color(
        "map:N", legend=legend, scale=alt.Scale(domain=maps, range=[p.b, p.a][: len(maps)])
    )
    shape = alt.Shape(
        "map:N", legend=legend, scale=alt.Scale(domain=maps, range=["circle", "diamond"])
    )
    base = alt.Chart().encode(x=x, tooltip=tooltips)
    y = alt.Y("share:Q", scale=scale, axis=axis, title="people who prefer it")
    diagonal = alt.Chart().mark_rule(color=p.quiet, strokeDash=[4, 4], aria=False)
    return [
        diagonal.encode(
            x=alt.datum(0, scale=scale), y=alt.datum(0, scale=scale),
            x2=alt.datum(1), y2=alt.datum(1),
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
            y=alt.Y("share_low:Q", scale=scale), y2="share_high:Q", color=colour
        ),
        base.mark_point(size=70, filled=True, opacity=1).encode(y=y, color=colour, shape=shape),
    ]  # fmt: skip


PICTURE = Picture(
    lambda bins, facts, theme: draw_reliability(bins, theme=theme),
    "What people say against what judges say",
    "share",
    table="bins",
)
