"""The pictures of findings, their tooltips, and their captions.

A caption says what a picture shows, how many answers it is based on, what its intervals are, and
which settings reproduce it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Any

import altair as alt
import pandas as pd

from ...labels import isolate_directions
from ..columns import Column, Interval
from ..grids import lay_out
from .theme import Drawn

ON_PAPER = 108  # those that a file of 720 pixels does
BOLD = 0.8  # of as many characters, a title has room for so many
Draw = Callable[[pd.DataFrame, Mapping[str, Any], str], Drawn]
"""Draws rows and facts in a theme."""


@dataclass(frozen=True)
class Picture:
    """The chart of a finding and its title.

    `interval` is the column whose intervals it shows, '' where it shows none; `answers_are` names
    the answers it is based on. It draws the rows, or a `table`.
    """

    draw: Draw
    title: str
    interval: str = ""
    answers_are: str = "judgement"
    table: str = ""
    computed: Interval | None = None
    """The intervals of figures that are among the facts of the finding."""


def write_tooltips(
    rows: pd.DataFrame, columns: Sequence[Column]
) -> tuple[pd.DataFrame, list[alt.Tooltip]]:
    """The rows with a text for each cell of a table, and the tooltips that show these."""
    grid = lay_out(rows, columns)
    texts = {
        f"tooltip_{place}": [row[place].whole or row[place].text for row in grid.rows]
        for place in range(len(grid.headings))
    }
    tooltips = [
        alt.Tooltip(f"tooltip_{place}:N", title=heading.label)
        for place, heading in enumerate(grid.headings)
    ]
    return rows.assign(**texts), tooltips


@dataclass(frozen=True)
class Caption:
    """The caption of a chart.

    `n` is the number of answers it is based on, as in "1,680 judgements". `interval` is a sentence,
    '' for a chart that has no intervals. `signature` may be ''.
    """

    title: str
    n: str
    interval: str = ""
    signature: str = ""

    def map_texts(self, change: Callable[[str], str]) -> Caption:
        """Return the caption with each of its texts changed."""
        return Caption(*(change(text) for text in vars(self).values()))

    @property
    def sentence(self) -> str:
        """Return the number and the kind of interval as sentences."""
        return " ".join(f"{part.rstrip('.')}." for part in (self.n, self.interval) if part)


def add_caption(chart: Drawn, caption: Caption) -> Drawn:
    """Add the title above a chart, and the number of answers, intervals and settings in lines of at
    most ON_PAPER characters. A screen reader reads the title and the number first.
    """
    below = [*_wrap_lines(caption.sentence, ON_PAPER), *_wrap_lines(caption.signature, ON_PAPER)]
    title = alt.TitleParams(text=_wrap_lines(caption.title, int(BOLD * ON_PAPER)), subtitle=below)
    captioned: Drawn = _add_description(chart, caption).properties(title=title)
    return captioned


def _add_description(chart: Drawn, caption: Caption) -> Drawn:
    drawn: Any = chart.description
    described: Drawn = chart.properties(description=f"{caption.title}. {caption.sentence} {drawn}")
    return described


@dataclass(frozen=True)
class CaptionedChart:
    """A chart that can be drawn in any theme, by `draw(theme="light")`, and its caption."""

    draw: Callable[..., Drawn]
    caption: Caption

    def draw_captioned(self, theme: str = "light") -> Drawn:
        """Draw the chart with its full caption, for a file or a notebook."""
        return add_caption(self.draw(theme=theme), self.caption)

    def on_screen(self, theme: str) -> Drawn:
        """Draw the chart for a page, which has the caption in words above: those fit any width."""
        return _add_description(self.draw(theme=theme), self.caption)


class _Wrapper(TextWrapper):
    """Lines end where words do, or the settings of a signature."""

    wordsep_simple_re = re.compile(r"(\s+|(?<![^\s|])[^\s|]*\|)")


def _wrap_lines(text: str, columns: int) -> list[str]:
    wrapper = _Wrapper(columns, break_on_hyphens=False)
    return [isolate_directions(line) for line in wrapper.wrap(text)]
