"""The charts of findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..columns import Interval
from .theme import Drawn

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
