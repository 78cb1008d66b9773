"""Output of commands: a document for scripts, text for people, and how far long work is."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..labels import escape_unprintable

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


class BrokenError(Exception):
    """Something broke while running; what was finished is kept."""


@dataclass(frozen=True)
class CommandAnswer:
    """Output of a command: a document for scripts, text for people, and the exit status."""

    document: Any
    text: str = ""
    status: int = 0


def answer_rows(
    rows: pd.DataFrame, nothing: str, shown: pd.DataFrame | None = None
) -> CommandAnswer:
    """Answer with rows: all for scripts, `shown` as a table for people, or `nothing`."""
    from ..findings.judgements import list_records

    text = table(rows if shown is None else shown) if len(rows) else nothing
    return CommandAnswer(list_records(rows), text)


def save_rows(rows: pd.DataFrame, to: Path) -> CommandAnswer:
    """Write rows to a file: .csv, .jsonl or .parquet."""
    from ..exporting import export

    count = export.save(iter([rows]), to)
    return CommandAnswer({"rows": count, "file": str(to)}, f"{count:,} rows in {to}")


def print_output(text: str) -> None:
    """Print the output of a command on standard output. Names in it cannot control the terminal."""
    print(escape_unprintable(text), flush=True)


def warn(*notes: str) -> None:
    """Sentences on standard error; an empty one says nothing."""
    for note in filter(None, notes):
        print(escape_unprintable(f"tandem: {note}"), file=sys.stderr)


def table(frame: pd.DataFrame, *, index: bool = False) -> str:
    """Write a frame as aligned text: short numbers, and a dash for missing values."""
    from ..findings.judgements import join_tuples

    frame = join_tuples(frame)
    others = frame.select_dtypes(exclude="float")  # pandas puts the dash of floats only
    shown = frame.assign(**others.astype(object).where(others.notna(), "-"))
    return str(
        shown.to_string(
            index=index, na_rep="-", float_format=lambda value: f"{value:.5g}", max_colwidth=60
        )
    )


class ProgressLine:
    """One line on standard error: rewritten on a terminal, else new every few seconds."""

    def __init__(self) -> None:
        self.next = time.monotonic() + (0.2 if sys.stderr.isatty() else 5.0)
        self.shown = False
        from ..runs import Pace

        self.pace = Pace()

    def __call__(self, what: str, done: int, of: int, beside: str = "") -> None:
        """Show the progress of `what`; the text `beside` it does not reset the pace."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        left = self.pace.estimate(what, done, of, now)
        if now < self.next and not (self.shown and done == of):
            return
        self.shown = True
        self.next = now + (0.2 if terminal else 5.0)
        left = f", {left}" if left else ""
        far = f"{done:,}" + (f" of {of:,} ({done / of:.0%}){left}" if of else "")
        line = f"{escape_unprintable(what + beside)} {far}"
        print(
            f"\r\x1b[K{line}" if terminal else line,
            end="" if terminal and done != of else "\n",
            file=sys.stderr,
            flush=True,
        )
