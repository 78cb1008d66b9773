"""Axes that name rows: in short words that stay apart, and leave room for the plot on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import takewhile

import altair as alt

from core.labels import isolated

LINE = 36  # characters of a label that stand in one line
ENDS = (14, 15)  # of a name that is longer and has no joint, the characters kept at either end
JOINTS = (" · ", " / ", "|")
PART = re.compile(r"[^/|:·\s]*[/|:·\s]+|[^/|:·\s]+$")  # of a name, with the joint that ends it
PHONE = 230  # pixels of a narrow window that names leave to the plot and its margins
LEAST = 80  # pixels that they get in any window
MOST = 320
NARROW = f"containerSize()[0] ? clamp(containerSize()[0] - {PHONE}, {LEAST}, {MOST}) : {MOST}"


def named_rows(labels: Sequence[str]) -> alt.Axis:
    """The axis at the left of rows, which writes each label in short."""
    return alt.Axis(
        title=None, labelPadding=14, labelExpr=written(labels), labelLimit={"expr": NARROW}
    )


def written(labels: Sequence[str]) -> str:
    """The Vega expression that writes an axis's labels in their lines; they are text, whatever
    something is called.
    """
    said = {label: lines(name) for label, name in short(labels).items()}
    return f"{json.dumps(said)}[datum.label]"


def short(labels: Sequence[str]) -> dict[str, str]:
    """Each label -> what to write for it. Of those too long for a line, what all of them begin or
    end with is left out, and then the middle of a name that is still too long; no two become the
    same.
    """
    names = list(dict.fromkeys(labels))
    long = [name for name in names if len(name) > LINE]
    cut = dict(zip(long, _without_common(long), strict=True))
    said = {name: _shortened(cut.get(name, name)) for name in names}
    twice = {word for word in said.values() if list(said.values()).count(word) > 1}
    return {name: name if word in twice else word for name, word in said.items()}


def _without_common(names: list[str]) -> list[str]:
    """Without the parts that all names begin with, and those that all end with."""
    if len(names) < 2:
        return names
    parts = [PART.findall(name) for name in names]
    start = _alike(parts)
    end = _alike([part[start:][::-1] for part in parts])
    kept = ["".join(part[start : len(part) - end]).strip(" /|:·") for part in parts]
    return kept if all(kept) else names


def _alike(parts: list[list[str]]) -> int:
    """With how many of the same parts all begin."""
    return sum(
        1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
    )


def _shortened(name: str) -> str:
    """Without its middle, where a name of one piece is too long."""
    if len(name) <= LINE or any(joint in name for joint in JOINTS):
        return name
    first, last = ENDS
    return f"{name[:first]}…{name[-last:]}"


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
        for joint in JOINTS
        for at in range(len(label))
        if label.startswith(joint, at)
    ]
    if not breaks:
        return [label]
    at = min(breaks, key=lambda place: abs(place - middle))
    return [label[:at].strip().removesuffix(" ·"), label[at:].strip()]
