"""Output of commands: a document for scripts, text for people."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..findings.judgements import finding, join_tuples
from ..labels import escape_unprintable
from ..rendering import lay_out, write_text


class BrokenError(Exception):
    """Something broke while running; what was finished is kept."""


@dataclass(frozen=True)
class CommandAnswer:
    """Output of a command: a document for scripts, text for people, and the exit status."""

    document: Any
    text: str = ""
    status: int = 0


def print_output(text: str) -> None:
    """Print the output of a command on standard output. Names in it cannot control the terminal."""
    print(escape_unprintable(text), flush=True)


def warn(*notes: str) -> None:
    """Sentences on standard error; an empty one says nothing."""
    for note in filter(None, notes):
        print(escape_unprintable(f"tandem: {note}"), file=sys.stderr)


def write_finding(result: finding.Finding) -> str:
    """The rows of a finding, its notes, how many answers it is of, and its signature."""
    unanswered = ", ".join(f"{n} {reason}" for reason, n in result.unanswered.items()) or "none"
    foot = f"{result.signature}   {result.judgements:,} used, unanswered: {unanswered}"
    rows = [write_rows(result)] if len(result.rows) else []
    return "\n".join([*rows, *result.notes, foot])


def write_rows(result: finding.Finding) -> str:
    """The rows of a finding, by its declared columns."""
    if not result.columns:
        return table(result.rows)
    return write_text(lay_out(result.rows, result.columns))


def write_table(result: finding.Finding, name: str) -> str:
    """A further table of a finding, by its declared columns."""
    return write_text(lay_out(result.tables[name], result.table_columns[name]))


def table(frame: pd.DataFrame, *, index: bool = False) -> str:
    """Write a frame as aligned text: short numbers, and a dash for missing values."""
    frame = join_tuples(frame)
    floats = [
        name
        for name in frame
        if isinstance(frame[name].dtype, np.dtype) and frame[name].dtype.kind == "f"
    ]  # pandas puts the dash of these only
    shown = frame.assign(
        **{
            str(name): frame[name].astype(object).where(frame[name].notna(), "-")
            for name in frame
            if name not in floats
        }
    )
    return str(
        shown.to_string(
            index=index, na_rep="-", float_format=lambda value: f"{value:.5g}", max_colwidth=60
        )
    )
