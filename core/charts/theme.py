"""Result frame -> altair chart, in one palette. Nothing is fetched: fonts are the reader's, data
are inline.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass

import altair as alt

from core.labels import isolated

FITTED = alt.AutoSizeParams(type="fit-x", contains="padding")  # a title takes no height from marks
FONT = "Source Sans Pro, Segoe UI, Noto Sans, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of one theme. A and B are told apart by the colour-blind, too (Okabe & Ito 2008); the
    orange of the light one is darker than theirs, so that words in it have a contrast of 4.5:1.
    """

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
    "light": Palette(
        "#0072B2",
        "#BF5300",
        "#9aa1a7",
        "#4b5157",
        "#1f2429",
        "#626b73",
        "#dfe3e6",
        "#f5f6f7",
        "#ffffff",
    ),
    "dark": Palette(
        "#56B4E9",
        "#E69F00",
        "#8a9299",
        "#5d646b",
        "#e4e7ea",
        "#9aa4ad",
        "#353b41",
        "#1e2226",
        "#15181b",
    ),
}


def themed(chart: alt.LayerChart, description: str, theme: str = "light") -> alt.LayerChart:
    """The chart in the colours and type of a theme. A screen reader is told the `description` and
    what the marks are.
    """
    p = PALETTES[theme]
    words = {
        "labelFont": FONT,
        "titleFont": FONT,
        "labelColor": p.ink,
        "titleColor": p.quiet,
        "labelFontSize": 13,
    }
    axis = {
        **words,
        "gridColor": p.rule,
        "domain": False,
        "ticks": False,
        "labelLimit": 320,
        "titleFontWeight": "normal",
    }
    configured: alt.LayerChart = (
        chart.properties(description=description, autosize=FITTED)
        .configure(background=p.paper, font=FONT)
        .configure_axis(**axis)
        .configure_axisX(
            labelFlush=False, titleAnchor="end"
        )  # a title wider than a narrow chart goes on below the labels
        .configure_legend(**words, titleFontWeight="normal", labelLimit=300)
        .configure_title(
            font=FONT,
            fontSize=15,
            fontWeight=600,
            color=p.ink,
            subtitleFont=FONT,
            subtitleFontSize=12,
            subtitleColor=p.quiet,
            subtitlePadding=5,
            anchor="start",
            frame="bounds",
            offset=14,
        )
        .configure_view(stroke=None)
    )
    return configured


LINE = 36  # characters of a label that stand in one line


def lines(label: str) -> list[str]:
    """A label in the lines it is written in: one or, of a long one, two, broken where a name has
    its joints. A name in it that runs from right to left turns nothing else around.
    """
    return [isolated(line) for line in _broken(label)]


def _broken(label: str) -> list[str]:
    if len(label) <= LINE:
        return [label]
    middle = len(label) / 2
    breaks = [
        at + len(joint)
        for joint in (" · ", " / ", "|")
        for at in range(len(label))
        if label.startswith(joint, at)
    ]
    if not breaks:
        return [label]
    at = min(breaks, key=lambda place: abs(place - middle))
    return [label[:at].strip().removesuffix(" ·"), label[at:].strip()]


def written(labels: Iterable[str]) -> str:
    """The Vega expression that writes an axis's labels in their lines; they are text, whatever
    something is called.
    """
    return f"{json.dumps({label: lines(label) for label in labels})}[datum.label]"


def picture(chart: alt.LayerChart, form: str, *, width: int = 720) -> bytes:
    """A chart as a file: `form` is "png" (twice the size, for print) or "svg". One as wide as its
    page gets `width` pixels.
    """
    fixed = chart.properties(width=width) if chart.width == "container" else chart
    if form == "svg":
        text = io.StringIO()
        fixed.save(text, format="svg")
        return text.getvalue().encode()
    binary = io.BytesIO()
    fixed.save(binary, format="png", scale_factor=2)
    return binary.getvalue()
