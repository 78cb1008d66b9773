"""Formats of numbers, shared by pages, command line, reports and charts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, ClassVar

import pandas as pd

from ..labels import LISTED, join_few_names

NONE = "–"
"""Stands where there is no value."""


@dataclass(frozen=True)
class Unit:
    """The format of the values of a column.

    `form` is a format that Python and Vega both understand, such as ",.0f"; "" for words.
    `infinite` is the text where no number is enough.
    """

    form: str = ""
    infinite: str = "∞"

    confidence: ClassVar[str] = "95%"
    """Confidence level of the interval in brackets behind a value; '' if it is not a confidence
    interval.
    """

    @property
    def is_figure(self) -> bool:
        """Return whether values are numbers rather than words."""
        return bool(self.form)

    def write(self, value: Any) -> str:
        """A value as text: 1,099, 65.3%, +12; never -0."""
        if is_missing(value):
            return NONE
        return self._write_number(float(value)) if self.form else str(value)

    def write_whole(self, value: Any) -> str:
        """A value as text where there is room for more: in a terminal or a tooltip."""
        return self.write(value)

    def write_range(self, low: Any, high: Any) -> str:
        """Two ends: `1,046 to 1,149`, or one of them where they are the same."""
        if is_missing(low) or is_missing(high):
            return NONE
        first, last = self.write(low), self.write(high)
        return first if low == high else f"{first} to {last}"

    def write_with_range(self, value: Any, low: Any, high: Any) -> str:
        """A value with the ends of its interval: `72% (68 to 76)`. A digit more where the ends
        would else read alike.
        """
        if is_missing(value) or is_missing(low) or is_missing(high) or low > high:
            return self.write(value)
        unit = self
        if low < high and self.write(low) == self.write(high):
            unit = replace(self, form=self.form.replace(".1", ".2").replace(".0", ".1"))
        ends = f"{unit.write(low)} to {unit.write(high)}".replace("%", "")
        return f"{unit.write(value)} ({ends})"

    def _write_number(self, value: float) -> str:
        if math.isinf(value):
            return self.infinite
        text = format(value, self.form)
        is_nothing = not any(digit in text for digit in "123456789")
        return text.replace("-", "").replace("+", "") if is_nothing else text


@dataclass(frozen=True)
class Points(Unit):
    """Differences of shares, in percentage points."""

    def _write_number(self, value: float) -> str:
        return super()._write_number(100 * value)


@dataclass(frozen=True)
class Amount(Unit):
    """Numbers of any size, with as many digits as it takes not to be 0."""

    form: str = ",.1f"

    def _write_number(self, value: float) -> str:
        return format(value, ",.0f" if value >= 100 else ",.1f" if value >= 1 else ".2g")


@dataclass(frozen=True)
class Names(Unit):
    """Several names in a cell: one of them, or how many there are of a `noun`; the first few where
    there is room. Files have all.
    """

    noun: str = "name"

    def write(self, value: Any) -> str:
        names = tuple(value)
        return f"{len(names)} {self.noun}s" if len(names) > 1 else "".join(names) or NONE

    def write_whole(self, value: Any) -> str:
        names = tuple(value)
        return join_few_names(names) if len(names) > LISTED else ", ".join(names) or NONE


@dataclass(frozen=True)
class ShortenedSentences(Unit):
    """Sentences: in a cell as many words as fit into `most` characters."""

    most: int = 40

    def write(self, value: Any) -> str:
        return NONE if is_missing(value) else shorten(str(value), self.most, placeholder=" …")

    def write_whole(self, value: Any) -> str:
        return NONE if is_missing(value) else " ".join(str(value).split())


@dataclass(frozen=True)
class LabelledWords(Unit):
    """Words of ours, as people call them."""

    name: Callable[[str], str] = str

    def write(self, value: Any) -> str:
        return NONE if is_missing(value) else self.name(str(value))


WORDS = Unit()
COUNT = Unit(",.0f")
SHARE = Unit(".0%")
SHARE_RATING = Unit(".1%")
STRENGTH = Unit(",.0f")
CHANGE = Unit("+,.0f")
DECIMAL = Unit(".2f")
POINTS = Points("+.1f")
P_VALUE = Unit(".3f")
YES_NO = LabelledWords(name={"True": "yes", "False": "no"}.__getitem__)


def is_missing(value: Any) -> bool:
    """Return whether a cell holds nothing: None, NaN, NA, an empty text or no names."""
    if isinstance(value, str | tuple):
        return not value
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
