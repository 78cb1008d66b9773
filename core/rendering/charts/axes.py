"""Axes of figures. One with many rows has its title above them as well as below; names of rows are
in short words that stay apart, and leave room for the plot on a phone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any

import altair as alt
import numpy as np

from ...labels import isolate_directions, short_names, shorten_judges

TALL = 16  # rows beyond which the axis below is out of sight of the first of them
EVEN = 5  # the ends of a logarithmic axis apart, up to which its ticks are evenly spaced
CLOSE = 24  # rows beyond which they stand closer together
LINE = 36  # characters of a label that stand in one line
JOINTS = (" · ", " / ", "|")
PHONE = 206  # pixels of a narrow window that names leave to the plot and its margins
LEAST = 80  # pixels that they get in any window
MOST = 320
SIDE = 116  # pixels that they get on a phone beside plots that are wider than it together
NARROW = (
    f"containerSize()[0] ? clamp(containerSize()[0] - {PHONE}, {LEAST}, {MOST}) : "
    f"windowSize()[0] < 600 ? {SIDE} : {MOST}"
)

SLIM = "containerSize()[0] && containerSize()[0] < 480"
"""Whether a chart as wide as its page is as narrow as a phone."""
NARROW_LINES = f"{SLIM} ? split(datum.label, ' ') : datum.label"
"""The Vega expression that writes a label in a line for each of its words where there is no room
for one.
"""


def ends(rows: int, **axis: Any) -> tuple[alt.Axis, alt.Axis | None]:
    """The axis below so many rows, and the one above; None where few rows need no other. They are
    for two layers of a chart whose axes are independent.
    """
    above = alt.Axis(**{**axis, "title": None, "grid": False}, orient="top")
    return alt.Axis(**axis), above if rows > TALL else None


def step(rows: int, *, lines: int = 1, wide: int = 28) -> alt.Step:
    """The height of each of so many rows with names of so many lines."""
    return alt.Step(40 if lines > 1 else wide if rows <= CLOSE else 20)


def log_ticks(values: np.ndarray, most: int) -> list[float]:
    """Choose round ticks of a logarithmic axis over these values (> 0), up to a maximum number."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    steps = _even if high < EVEN * low else _decades
    return next(ticks for ticks in steps(low, high) if len(ticks) <= most)


def _even(low: float, high: float) -> Iterator[list[float]]:
    """Multiples of ever greater round steps: a short logarithmic axis is almost even."""
    span = max(high - low, 1e-6 * high)
    for power in count(math.floor(math.log10(span)) - 1):
        for step in (1, 2, 5):
            first, last = (round(end / 10.0**power / step, 9) for end in (low, high))
            whole = range(math.ceil(first), math.floor(last) + 1)
            yield [float(f"{number * step}e{power}") for number in whole]


def _decades(low: float, high: float) -> Iterator[list[float]]:
    """1, 2 and 5 of every power of ten, 1 and 3, then ever fewer powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ways = chain([(1, (1, 2, 5)), (1, (1, 3))], ((apart, (1,)) for apart in count(1)))
    for apart, digits in ways:
        every = (power for power in powers if not power % apart)
        ticks = [float(f"{digit}e{power}") for power in every for digit in digits]
        yield [tick for tick in ticks if low <= tick <= high]


def legend_columns(narrow: int, wide: int) -> alt.ExprRef:
    """Columns of a legend above a chart: on a phone, and elsewhere (0: all in one row)."""
    width = "(containerSize()[0] || windowSize()[0])"  # facets have no container of their own
    return alt.ExprRef(f"{width} < 480 ? {narrow} : {wide}")


def named_rows(labels: Sequence[str]) -> alt.Axis:
    """The axis at the left of rows, which writes each label in short."""
    return alt.Axis(
        title=None,
        labelPadding=14,
        labelExpr=label_expression(labels),
        labelLimit={"expr": NARROW},
    )


def label_expression(labels: Sequence[str]) -> str:
    """Build the Vega expression that writes an axis's labels in their lines. The sign "=" before
    each label makes it plain text: `__proto__` or `constructor` would be a property of every
    object, and Vega would draw nothing for it.
    """
    said = {f"={label}": lines(name) for label, name in shorten_labels(labels).items()}
    return f"{json.dumps(said)}['=' + datum.label]"


def shorten_labels(labels: Sequence[str]) -> dict[str, str]:
    """Each label -> what to write for it: models as people name them, and what is too long for a
    line by its short name. No two become the same.
    """
    whole = list(dict.fromkeys(labels))
    as_said = {name: shorten_judges(name) for name in whole}
    if len(set(as_said.values())) < len(whole):
        as_said = {name: name for name in whole}
    names = list(as_said.values())
    long = [name for name in names if len(name) > LINE]
    cut = short_names(long, LINE) if long else {}
    said = {name: cut.get(name, name) for name in names}
    if len(set(said.values())) < len(names):
        said = {name: name for name in names}
    return {name: said[as_said[name]] for name in whole}


def lines(label: str) -> list[str]:
    """A label in the lines it is written in: one or, of a long one, two, broken where a name has
    its joints. A name in it that runs from right to left turns nothing else around.
    """
    return [isolate_directions(line) for line in _break_label(label)]


def _break_label(label: str) -> list[str]:
    if len(label) <= LINE:
        return [label]
    middle = len(label) / 2
    breaks = [
        at + len(joint)
        for joint in JOINTS
        for at in range(len(label))
        if label.startswith(joint, at)
    ]
    if not breaks:
        return [label]
    at = min(breaks, key=lambda place: abs(place - middle))
    return [label[:at].strip().removesuffix(" ·"), label[at:].strip()]
