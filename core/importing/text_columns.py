"""Which columns of a table with a column per system can hold texts at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from core.importing import files
from core.importing.cells import Row
from core.importing.codes import decimal
from core.importing.winners import WINNERS, word

LOOKED_AT = 200  # rows
VOTES = {-1.0, 0.0, 0.5, 1.0, 2.0}  # numbers that may say who won
FEW = 5  # rows of which one cannot tell how often values repeat


def no_texts(path: Path, columns: Iterable[str]) -> dict[str, str]:
    """The columns that hold no texts, by a look at the first rows: column -> what is in it.

    Numbers are no texts, nor are words for who won, nor keys, nor a few values over and over.
    """
    rows = [row.cells for row in islice(files.rows(path), LOOKED_AT) if isinstance(row, Row)]
    return {column: what for column in columns if (what := _holds(_values(rows, column)))}


def _values(rows: Sequence[Mapping[str, object]], column: str) -> list[str]:
    cells = (row.get(column) for row in rows)
    return [str(cell).strip() for cell in cells if cell is not None and str(cell).strip()]


def _holds(values: Sequence[str]) -> str:
    """What values are instead of texts; '' where they may be texts."""
    if not values:
        return ""
    if all(decimal(value) is not None for value in values):
        return "votes" if {decimal(value) for value in values} <= VOTES else "numbers"
    if len(values) < FEW:
        return ""
    if all(decimal(value) is not None or word(value) in WINNERS for value in values):
        return "votes"
    if not any(" " in value or len(value) > 64 for value in values) and _are_keys(values):
        return "keys"
    return "few values" if len(set(values)) <= max(2, len(values) // 5) else ""


def _are_keys(values: Sequence[str]) -> bool:
    """Whether values look like names of things: every one has a digit or a joint in it."""
    return all(any(sign.isdigit() or sign in "_-/:" for sign in value) for value in values)
