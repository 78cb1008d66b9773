"""What a chart says of itself, so that it stands alone in a paper: what it shows, how many answers
it is of, what its intervals are, and the settings that reproduce it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import TextWrapper
from typing import Any

import altair as alt

from core.charts.theme import Drawn
from core.labels import isolated

ON_SCREEN = 46  # characters of a line that a phone shows whole
ON_PAPER = 108  # those that a file of 720 pixels does
BOLD = 0.8  # of as many characters, a title has room for so many


@dataclass(frozen=True)
class Caption:
    """What stands above a chart. `n` says how many of what it is of, as in "1,680 judgements";
    `interval` is a sentence, and like the `signature` '' where there is none.
    """

    title: str
    n: str
    interval: str = ""
    signature: str = ""

    def changed(self, change: Callable[[str], str]) -> Caption:
        """With each of its texts changed."""
        return Caption(*(change(text) for text in vars(self).values()))

    @property
    def sentence(self) -> str:
        """How many, and the kind of interval."""
        return " ".join(f"{part.rstrip('.')}." for part in (self.n, self.interval) if part)


def captioned(chart: Drawn, caption: Caption, *, columns: int = ON_PAPER) -> Drawn:
    """The chart under its title, with what it is of and its settings in lines of at most `columns`
    characters. A screen reader is told the title and the number first.
    """
    below = [*_wrapped(caption.sentence, columns), *_wrapped(caption.signature, columns)]
    title = alt.TitleParams(text=_wrapped(caption.title, int(BOLD * columns)), subtitle=below)
    drawn: Any = chart.description
    described = f"{caption.title}. {caption.sentence} {drawn}"
    captioned: Drawn = chart.properties(title=title, description=described)
    return captioned


@dataclass(frozen=True)
class Drawing:
    """A chart that can be drawn in any theme, by `draw(theme="light")`, and its caption."""

    draw: Callable[..., Drawn]
    caption: Caption

    def captioned(self, theme: str = "light") -> Drawn:
        """As a file or a notebook shows it, with all there is to say."""
        return captioned(self.draw(theme=theme), self.caption)

    def on_screen(self, theme: str) -> Drawn:
        """As a page shows it, which has the signature in words that can be copied."""
        unsigned = replace(self.caption, signature="")
        return captioned(self.draw(theme=theme), unsigned, columns=ON_SCREEN)


class _Wrapper(TextWrapper):
    """Lines end where words do, or the settings of a signature."""

    wordsep_simple_re = re.compile(r"(\s+|[^\s|]*\|)")


def _wrapped(text: str, columns: int) -> list[str]:
    wrapper = _Wrapper(columns, break_on_hyphens=False)
    return [isolated(line) for line in wrapper.wrap(text)]
