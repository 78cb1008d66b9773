"""Result frame -> altair chart, in one palette. Nothing is fetched: fonts are the reader's, data
are inline.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, TypeVar

import altair as alt

APART = alt.Resolve(axis=alt.AxisResolveMap(x="independent"))  # below and above, for two layers
PADDED = alt.AutoSizeParams(type="pad")
FITTED = alt.AutoSizeParams(type="fit-x", contains="padding")  # a title takes no height from marks
MARKS = (
    "circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-left",
    "triangle-right", "wedge", "arrow",
)  # fmt: skip
"""Points for those who tell no colours apart."""
FONT = "Source Sans Pro, Segoe UI, Noto Sans, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of one theme. Colour-blind people can distinguish A and B, too (Okabe & Ito 2008);
    the orange of the light one is darker than theirs, so that words in it have a contrast of 4.5:1.
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
    failure: str


PALETTES = {
    "light": Palette(
        "#0072B2", "#BF5300", "#9aa1a7", "#4b5157", "#1f2429", "#626b73", "#dfe3e6", "#f5f6f7",
        "#ffffff", "#b3261e",
    ),
    "dark": Palette(
        "#56B4E9", "#E69F00", "#8a9299", "#5d646b", "#e4e7ea", "#9aa4ad", "#353b41", "#1e2226",
        "#15181b", "#f2867c",
    ),
}  # fmt: skip


Drawn = alt.LayerChart | alt.FacetChart
Chart = TypeVar("Chart", alt.LayerChart, alt.FacetChart)


def apply_theme(chart: Chart, description: str, theme: str = "light") -> Chart:
    """Return the chart in the colours and type of a theme. A screen reader reads the `description`
    and what the marks are.
    """
    p = PALETTES[theme]
    fonts = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": 13}
    words = {**fonts, "labelColor": p.ink, "titleColor": p.quiet, "titleFontWeight": "normal"}
    title = {"font": FONT, "fontSize": 15, "fontWeight": 600, "color": p.ink, "anchor": "start"}
    subtitle = {"subtitleFont": FONT, "subtitleFontSize": 12, "subtitleColor": p.quiet}
    configured: Chart = (
        chart.properties(description=description)
        .properties(autosize=FITTED if isinstance(chart, alt.LayerChart) else PADDED)
        .configure(background=p.paper, font=FONT)
        .configure_axis(**words, gridColor=p.rule, domain=False, ticks=False, labelLimit=320)
        .configure_axisX(
            labelFlush=False,
            labelPadding=8,  # clear of marks at 0, and of the lowest label at the left
            titleAnchor="end",  # a title wider than a narrow chart goes on below the labels
        )
        .configure_legend(**words, labelLimit=300)
        .configure_header(labelFont=FONT, labelColor=p.ink, labelFontSize=13, labelFontWeight=600)
        .configure_title(**title, **subtitle, subtitlePadding=5, frame="bounds", offset=14)
        .configure_view(stroke=None)
    )
    return configured


# What XML has no place for, as it is and as JSON writes it in an expression; the drawing
# program would end the process over it.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u(?:00[01][0-9a-f]|fff[ef])")
_WIDTH = "containerSize()[0]"


def _fix(value: Any, width: str, name: str = "") -> Any:
    """A specification as a file of this width holds it: each character that no picture can hold is
    replaced, and so is the width of the container in expressions, as a file has none.
    """
    if isinstance(value, dict):
        return {_fix(key, width): _fix(each, width, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_fix(each, width, name) for each in value]
    if not isinstance(value, str):
        return value
    text = _FORBIDDEN.sub("\ufffd", value)
    if name not in ("labelExpr", "expr"):
        return text
    return _ESCAPED.sub(lambda each: f"{each[1]}\ufffd", text).replace(_WIDTH, width or _WIDTH)


def picture(chart: Drawn, form: str, *, width: int = 720) -> bytes:
    """A chart as a file: `form` is "png" (twice the size, for print) or "svg". One as wide as its
    page gets `width` pixels.
    """
    is_sized = getattr(chart, "width", None) == "container"
    specification = (chart.properties(width=width) if is_sized else chart).to_dict()
    fixed = type(chart).from_dict(_fix(specification, str(width) if is_sized else ""))
    if form == "svg":
        text = io.StringIO()
        fixed.save(text, format="svg")
        return text.getvalue().encode()
    binary = io.BytesIO()
    fixed.save(binary, format="png", scale_factor=2)
    return binary.getvalue()
