"""Result frame -> altair chart, in one palette. Nothing is fetched: fonts are the reader's, data are inline."""

from __future__ import annotations

import io
from dataclasses import dataclass

import altair as alt
import pandas as pd

FONT = "Source Sans Pro, Segoe UI, Noto Sans, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of one theme. A and B are told apart by the colour-blind, too (Okabe & Ito 2008)."""

    a: str
    b: str
    tie: str
    both_bad: str
    ink: str
    quiet: str
    rule: str
    surface: str
    paper: str


PALETTES = {
    "light": Palette("#0072B2", "#D55E00", "#9aa1a7", "#4b5157", "#1f2429", "#626b73", "#dfe3e6", "#f5f6f7", "#ffffff"),
    "dark": Palette("#56B4E9", "#E69F00", "#8a9299", "#5d646b", "#e4e7ea", "#9aa4ad", "#353b41", "#1e2226", "#15181b"),
}


# What a method's figures are called on an axis.
TITLES = {
    "win-ratio": "share of comparisons won (ties count half)",
    "average-probability": "mean probability of being preferred",
    "bradley-terry": "Bradley-Terry strength (Elo scale, mean 1000)",
    "bradley-terry-soft": "Bradley-Terry strength from probabilities (Elo scale, mean 1000)",
    "product-of-experts": "product-of-experts strength (Elo scale, mean 1000)",
    "likelihood": "share of the others ranked below, in the likeliest order",
    "elo": "Elo rating (start 1000)",
}


SHARES = ("win-ratio", "average-probability", "likelihood")  # the methods whose figures are shares of 1


def themed(chart: alt.LayerChart, theme: str = "light") -> alt.LayerChart:
    """The chart in the colours and type of a theme."""
    p = PALETTES[theme]
    words = {"labelFont": FONT, "titleFont": FONT, "labelColor": p.ink, "titleColor": p.quiet, "labelFontSize": 13}
    axis = {
        **words,
        "gridColor": p.rule,
        "domain": False,
        "ticks": False,
        "labelLimit": 320,
        "titleFontWeight": "normal",
    }
    configured: alt.LayerChart = (
        chart.configure(background=p.paper, font=FONT).configure_axis(**axis).configure_view(stroke=None)
    )
    return configured


def ratings(rows: pd.DataFrame, method: str, *, theme: str = "light") -> alt.LayerChart:
    """Dot and whisker per system, best first. `rows` are a leaderboard's: system, rating, low, high, judgements."""
    p, title = PALETTES[theme], TITLES[method]
    share = method in SHARES
    shown = rows.dropna(subset="rating")
    y = alt.Y("system:N", sort=shown["system"].tolist(), title=None, axis=alt.Axis(labelPadding=14))
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False, nice=True, padding=12)
    axis = alt.Axis(format="%" if share else ",.0f", tickCount=6, title=title)
    form = ".1%" if share else ",.0f"
    tooltip = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("rating:Q", format=form),
        alt.Tooltip("low:Q", title="95% from", format=form),
        alt.Tooltip("high:Q", title="95% to", format=form),
        alt.Tooltip("judgements:Q", title="judgements", format=","),
    ]
    base = alt.Chart(shown).encode(y=y, tooltip=tooltip)
    whisker = base.mark_rule(strokeWidth=2, color=p.tie).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
    dot = base.mark_circle(size=130, opacity=1, color=p.a).encode(x=alt.X("rating:Q", scale=scale, axis=axis))
    layers = alt.LayerChart(layer=[whisker, dot], height=alt.Step(34), width="container")
    return themed(layers, theme)


def picture(chart: alt.LayerChart, form: str, *, width: int = 720) -> bytes:
    """A chart as a file: `form` is "png" (twice the size, for print) or "svg"."""
    fixed = chart.properties(width=width)
    if form == "svg":
        text = io.StringIO()
        fixed.save(text, format="svg")
        return text.getvalue().encode()
    binary = io.BytesIO()
    fixed.save(binary, format="png", scale_factor=2)
    return binary.getvalue()
