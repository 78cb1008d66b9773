"""Charts of whom to rely on: the reliability diagram of a judge's probabilities, and the
discriminations of a jury.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.rendering import charts as trust
from core.rendering.charts import PALETTES, Drawn, themed

SIDE = 220  # pixels of a diagram, which is square
BESIDE = 3  # diagrams in a row
MOST = 9  # diagrams


def reliability(
    bins: pd.DataFrame, maps: tuple[str, str] | None = None, *, theme: str = "light"
) -> Drawn:
    """What people say against what the judge says: a diagram for each judge and attribute (at most
    MOST), a point for each bin of probabilities, on the diagonal where the two are the same.

    `bins` are those of a calibration: judge, attribute, map, mean_prob, share, share_low,
    share_high, answers. Of its maps two are drawn: by default the first, and the last.
    """
    every = list(dict.fromkeys(bins["map"]))
    drawn = list(dict.fromkeys(maps or (every[0], every[-1])))
    several = bins["attribute"].nunique() > 1
    names = bins["judge"] + " · " + bins["attribute"] if several else bins["judge"]
    shown = bins.assign(name=names)
    order = list(dict.fromkeys(names))[:MOST]
    shown = shown[shown["map"].isin(drawn) & shown["name"].isin(order)]
    layers = alt.LayerChart(layer=_layers(shown, drawn, theme), data=shown, width=SIDE, height=SIDE)
    head = alt.Header(title=None, labelLimit=SIDE)
    facet = layers.facet(
        facet=alt.Facet("name:N", sort=order, header=head), columns=BESIDE, spacing=36
    )
    told = (
        f"What people say against what each of {len(order)} judges says, a point for each bin of "
        "probabilities. On the diagonal both are the same."
    )
    return themed(facet, told, theme)


def _layers(shown: pd.DataFrame, maps: list[str], theme: str) -> list[alt.Chart]:
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
    tooltip = [
        alt.Tooltip("name:N", title="judge"),
        alt.Tooltip("map:N", title="map"),
        alt.Tooltip("mean_prob:Q", title="says", format=".0%"),
        alt.Tooltip("share:Q", title="people say", format=".0%"),
        alt.Tooltip("share_low:Q", title="95% low", format=".0%"),
        alt.Tooltip("share_high:Q", title="95% high", format=".0%"),
        alt.Tooltip("answers:Q", title="answers", format=","),
    ]
    base = alt.Chart().encode(x=x, tooltip=tooltip)
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


def discriminations(rows: pd.DataFrame, *, theme: str = "light") -> Drawn:
    """How far each judge of a jury is to be relied on: a dot and its interval. `rows` are judge,
    kind, discrimination, low, high, answers; the line is at 1, the average answer.
    """
    estimate = trust.Estimate("discrimination", "low", "high", "answers")
    scale = trust.Scale(domain=None, form=".2f", reference=1.0)
    shown = rows.assign(label=rows["judge"])
    return trust.dots(
        shown, "discrimination (1 is the average answer)", estimate, scale, theme=theme
    )
