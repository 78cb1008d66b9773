"""Findings as text: what they say, one table, two notes and the signature; more if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..findings.judgements import Finding, join_tuples
from ..labels import list_short_judges, pluralize
from ..records import TandemError, option_ref
from ..rendering import Column, lay_out, write_text
from ..settings import declare
from .output import table

TITLES = {"averages": "means over prompts", "differences": "differences on the same texts"}
MOST_ROWS, FIRST_ROWS = 25, 20  # of the first table: as many, or of more rows the first
MOST_NOTES = 2
ROWS, ALL = "rows", "all"


@dataclass(frozen=True)
class PrintSettings:
    """Settings of what is printed of a finding beyond its sentences, first rows and notes."""

    notes: bool = declare(False, "print all notes")
    show: tuple[str, ...] = declare(
        (),
        f"also print these tables, called as in --json; {ROWS} for all rows, {ALL} for all tables",
        metavar="TABLE",
    )


def write_answer(result: Finding, shown: PrintSettings, *lead: str) -> str:
    """Write the sentences of a finding, its first rows, notes and signature, and what is asked for.

    What a sentence says already is no note. Judges have their short names. Raises TandemError for a
    table that is not there.
    """
    said = "\n".join(filter(None, lead))
    notes = [note for note in dict.fromkeys(result.notes) if note and note not in said]
    tables = {ROWS: result.rows, **result.tables}
    tables = {name: rows for name, rows in tables.items() if len(rows)}
    columns = {ROWS: result.columns, **result.table_columns}
    asked = tables if ALL in shown.show else shown.show
    if wrong := [name for name in asked if name not in tables]:
        raise TandemError(
            f"{option_ref('show')} {wrong[0]}: there is no such table here; there are "
            f"{', '.join([*tables, ALL])}"
        )
    is_cut = ROWS not in asked and len(result.rows) > MOST_ROWS
    if is_cut:
        tables[ROWS] = result.rows.head(FIRST_ROWS)
    called = list_short_judges("\n".join([said, *notes, *map(_join_words, tables.values())]))
    blocks = [
        f"{TITLES.get(name, name)}\n{text}" if name != ROWS else text
        for name in tables
        if name == ROWS or name in asked
        for text in [_write_table(tables[name], columns.get(name, ()), called)]
    ]
    read = notes if shown.notes else notes[:MOST_NOTES]
    rest = [name for name in tables if name not in (ROWS, *asked)]
    more = [
        f"--show {ROWS} for all {len(result.rows):,} rows" if is_cut else "",
        f"--show {' '.join(rest)}" if rest else "",
        f"--notes for {pluralize(len(notes) - len(read), 'note')} more" if read != notes else "",
    ]
    unanswered = ", ".join(f"{n} {reason}" for reason, n in result.unanswered.items()) or "none"
    foot = f"{result.signature}   {result.judgements:,} used, unanswered: {unanswered}"
    further = f"More: {', '.join(filter(None, more))}" if any(more) else ""
    words = [_shorten(one, called) for one in (said, *read)]
    end = "\n".join(filter(None, [*words[1:], further, foot]))
    return "\n\n".join(filter(None, [words[0], *blocks, end]))


def _join_words(rows: pd.DataFrame) -> str:
    words = join_tuples(rows).select_dtypes(exclude=["number", "bool"])
    return "\n".join(word for name in words for word in map(str, words[name].unique()))


def _shorten(text: str, called: Mapping[str, str]) -> str:
    for name in sorted(called, key=len, reverse=True):
        text = text.replace(name, called[name])
    return text


def _write_table(rows: pd.DataFrame, columns: Sequence[Column], called: Mapping[str, str]) -> str:
    def shorten(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(shorten, value))
        return _shorten(value, called) if isinstance(value, str) else value

    rows = rows.map(shorten) if called else rows
    return write_text(lay_out(rows, columns)) if columns else table(rows)
