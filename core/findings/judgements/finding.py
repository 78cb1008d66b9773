"""A finding: rows with declared columns, and what a reader needs to trust them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from ...labels import pluralize
from ...records import FaultError, TandemError, render_options
from ...rendering import Column, describe_intervals, find_columns, lay_out, list_names, write_html

MOST_ROWS = 50  # that a notebook shows


@dataclass(frozen=True)
class Finding:
    """A frame with declared columns and everything a reader needs to trust it: what it was computed
    from, and how.

    `unanswered` counts failures by reason; `notes` are sentences a reader must know; `facts` are
    single figures; `tables` are further frames, by name. `rows_are` names the rows in the document.
    `columns` are those of the rows, `table_columns` those of tables, as pages, commands and reports
    read them. Optional columns that the frame does not have are dropped, and the rows take the
    order of `columns`. A finding without declared columns has (). `picture` is the name of its
    chart, as reports and notebooks draw it; '' where it has none.

    Raises:
        ValueError: rows or a table have other columns than those that are declared.
    """

    rows: pd.DataFrame
    signature: str
    judgements: int
    unanswered: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    rows_are: str = "rows"
    columns: Sequence[Column] = ()
    table_columns: Mapping[str, Sequence[Column]] = field(default_factory=dict)
    picture: str = ""

    def __post_init__(self) -> None:
        there_are = {
            name: find_columns(self.tables[name], columns)
            for name, columns in self.table_columns.items()
        }
        object.__setattr__(self, "table_columns", there_are)
        if self.columns:
            there = find_columns(self.rows, self.columns)
            object.__setattr__(self, "columns", there)
            object.__setattr__(self, "rows", self.rows[list_names(there)])

    @property
    def interval(self) -> str:
        """Describe the intervals of the rows in a sentence; '' if rows have no intervals."""
        return describe_intervals(self.rows, self.columns)

    def describe_basis(self, answers: str = "judgement", about: str = "") -> str:
        """Describe how many answers the finding is based on, and how many are missing, by reason.

        `answers` is their noun in the singular; `about` follows their number.
        """
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.unanswered.items())
        used = f"Based on {pluralize(self.judgements, answers)}{about}"
        return f"{used}; unanswered: {reasons or 'none'}."

    def describe_table(self, name: str) -> str:
        """Describe the intervals of another table."""
        return describe_intervals(self.tables[name], self.table_columns[name])

    def name_settings(self, called: Callable[[str], str]) -> Finding:
        """The finding with each `option_ref` in its notes called by its name at a door."""
        return replace(self, notes=[render_options(note, called) for note in self.notes])

    def list_unsaid_notes(self, said: str) -> list[str]:
        """List the notes, each once, without those that `said` has already."""
        return [note for note in dict.fromkeys(self.notes) if note and note not in said]

    def document(self) -> dict[str, Any]:
        """Return the finding as JSON for the command line."""
        return {
            **make_plain(self.facts),
            self.rows_are: list_records(self.rows),
            **{name: list_records(frame) for name, frame in self.tables.items()},
            "signature": self.signature,
            "judgements": self.judgements,
            "unanswered": dict(self.unanswered),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """Render the finding for a notebook: rows, notes and signature."""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        if self.columns:
            table = write_html(lay_out(self.rows.head(MOST_ROWS), self.columns), "rows")
        else:
            table = join_tuples(self.rows).to_html(index=False, na_rep="", max_rows=MOST_ROWS)
        return f"{table}{notes}<p><code>{escape(self.signature)}</code></p>"


def make_plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON knows them: what is not a number is null."""
    return {name: _make_plain(value) for name, value in values.items()}


def list_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as JSON objects."""
    return [
        make_plain({str(name): value for name, value in row.items()})
        for row in join_tuples(frame).to_dict("records")
    ]


def join_tuples(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with each tuple of names as one text, as documents, files and tables show it."""
    tuples = [name for name in frame if len(frame) and isinstance(frame[name].iloc[0], tuple)]
    return frame.assign(**{str(name): frame[name].map("; ".join) for name in tuples})


def _make_plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return (
        None if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)) else value
    )


Answer = TypeVar("Answer")


def unless_refused(answer: Callable[[], Answer]) -> Answer | None:
    """Return None if there is too little data, or the question does not apply to it. Other errors
    are raised.
    """
    try:
        return answer()
    except FaultError:
        raise
    except TandemError:
        return None
