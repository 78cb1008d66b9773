"""A column of a finding, declared once: every door reads here its name, label and unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pandas as pd

from ..frames import Kind, Schema
from .units import WORDS, Unit, is_missing


class Place(IntEnum):
    """The place where a column is read. Files and JSON have all; paper has no room for some."""

    FILES = 0
    SCREEN = 1
    PAPER = 2


@dataclass(frozen=True)
class Interval:
    """The kind of an interval: a `caption` for tables and charts, the `method` as a paper names it,
    and the works it is from.
    """

    caption: str
    method: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """One column: its name in frames, JSON and files, and its label for people. `low` and `high`
    name the ends of its interval, which stand in brackets behind it, or on a screen in a column of
    their own under `range_label`. A count is read as its share `of` another column, if that is
    named. It is read up to `place`. Where it `names_people`, pseudonyms stand for them on the way
    out. One that `needs_several` values is read only where they differ.
    """

    name: str
    label: str
    unit: Unit = WORDS
    help: str = ""
    low: str = ""
    high: str = ""
    range_label: str = ""
    range_help: str = ""
    interval: Interval | None = None
    place: Place = Place.PAPER
    names_people: bool = False
    needs_several: bool = False
    of: str = ""

    @property
    def names(self) -> list[str]:
        """Its columns in a frame."""
        return [name for name in (self.name, self.low, self.high) if name]

    @property
    def caption(self) -> str:
        """Return how the interval is computed, in a sentence; '' where the column has none."""
        return self.interval.caption if self.interval else ""

    def read_values(self, rows: pd.DataFrame) -> pd.Series:
        """Its values in a frame as they are read."""
        values = rows[self.name]
        return values / rows[self.of].where(rows[self.of] > 0) if self.of else values

    def write_with_range(self, row: Mapping[Any, Any]) -> str:
        """The value of a row with its interval: `1,099 (1,046 to 1,149)`."""
        return self.unit.write_with_range(row[self.name], row.get(self.low), row.get(self.high))

    def write_range(self, row: Mapping[Any, Any]) -> str:
        """The ends of its interval in a row."""
        return self.unit.write_range(row[self.low], row[self.high])


def find_columns(rows: pd.DataFrame, declared: Sequence[Column]) -> tuple[Column, ...]:
    """Return the declared columns that a frame has, in their order.

    Raises:
        ValueError: the frame has a column that is not declared, or a value without its interval.
    """
    there = tuple(column for column in declared if column.name in rows)
    expected = set(list_names(there))
    held = set(map(str, rows.columns))
    if undeclared := sorted(held - expected):
        raise ValueError(f"columns {undeclared} are not declared: name each in a Column")
    if missing := sorted(expected - held):
        raise ValueError(f"columns {missing} are ends of declared intervals: add their values")
    return there


def declare_rows(columns: Sequence[Column], *, is_part: bool = False) -> Schema:
    """Declare a frame of these columns: all of them, or with `is_part` any of them."""
    kinds: list[tuple[Kind, str]] = [
        (int | float if column.unit.is_figure else object, " ".join(column.names))
        for column in columns
    ]
    return Schema((), maybe=kinds) if is_part else Schema(kinds)


def describe_intervals(rows: pd.DataFrame, columns: Sequence[Column]) -> str:
    """Describe the intervals of these columns, in a sentence each; '' if no column has any."""
    captions = [
        column.caption for column in columns if column.caption and not is_empty(rows, column.low)
    ]
    return " ".join(dict.fromkeys(captions))


def is_read(rows: pd.DataFrame, column: Column, place: Place) -> bool:
    """Return whether a column says something in that place."""
    if column.place < place or is_empty(rows, column.name):
        return False
    return not column.needs_several or rows[column.name].nunique() > 1


def list_names(columns: Sequence[Column]) -> list[str]:
    """List the names of declared columns in a frame."""
    return [name for column in columns for name in column.names]


def is_empty(rows: pd.DataFrame, name: str) -> bool:
    """Return whether a column says nothing in any row."""
    return bool(rows[name].map(is_missing).all())
