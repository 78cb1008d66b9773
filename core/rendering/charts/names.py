"""Axes that name rows: in short words that stay apart, and leave room for the plot on a phone."""

from __future__ import annotations

import json
from collections.abc import Sequence

import altair as alt

from ...labels import isolate_directions, short_names, shorten_judges

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


def legend_columns(narrow: int, wide: int) -> alt.ExprRef:
    """Columns of a legend above a chart: on a phone, and elsewhere (0: all in one row)."""
    width = "(containerSize()[0] || windowSize()[0])"  # facets have no container of their own
    return alt.ExprRef(f"{width} < 480 ? {narrow} : {wide}")


def named_rows(labels: Sequence[str], called: Sequence[str] | None = None) -> alt.Axis:
    """The axis at the left of rows, which writes each label, or what it is `called`, in short."""
    return alt.Axis(
        title=None,
        labelPadding=14,
        labelExpr=label_expression(labels, called),
        labelLimit={"expr": NARROW},
    )


def label_expression(labels: Sequence[str], called: Sequence[str] | None = None) -> str:
    """Build the Vega expression that writes an axis's labels, or what each is `called`, in their
    lines. The sign "=" before each label makes it plain text: `__proto__` or `constructor` would be
    a property of every object, and Vega would draw nothing for it.
    """
    names = shorten_labels(called or labels)
    pairs = zip(labels, called or labels, strict=True)
    said = {f"={label}": lines(names[name]) for label, name in pairs}
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
