"""Which columns of a table with a column per system can hold texts at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.importing.codes import decimal
from core.importing.layout import Source
from core.importing.table_fields import ECHO, Fields, likely_winners
from core.importing.winners import WINNERS, word
from core.records import TandemError, setting

LOOKED_AT = 200  # rows
VOTES = {-1.0, 0.0, 0.5, 1.0, 2.0}  # numbers that may say who won
FEW = 5  # rows of which one cannot tell how often values repeat


def columns_of_texts(source: Source, fields: Fields, columns: Sequence[str]) -> list[str]:
    """Those of the columns that hold texts, by a look at the first rows; a note says which do not.

    Numbers are no texts, nor are words for who won, nor keys, nor a few values over and over.
    Raises TandemError where the table looks like votes, or fewer than two columns hold texts.
    """
    name, odd = source.path.name, _no_texts(source, columns)
    odd.update({column: "votes" for column in likely_winners(source) if column in columns})
    if "winner" in fields:
        odd[fields.columns["winner"]] = "votes"
    texts = [column for column in columns if column not in odd]
    if {"chosen", "rejected"} <= {column.strip().casefold() for column in columns}:
        raise TandemError(
            f"chosen and rejected in {name} say which text won, not whose texts they are: name the "
            f"systems in columns of their own, or take them for systems with {_as_systems(texts)}"
        )
    what = ", ".join(f"{column} ({kind})" for column, kind in odd.items())[:ECHO]
    if "votes" in odd.values() or len(texts) < 2:
        first, second = (*texts, "COLUMN", "COLUMN")[:2]
        raise TandemError(
            f"{name} is no table with a column of texts per system: {what}; if it holds votes, "
            f"name the winner with {setting('map')} winner=COLUMN, or {setting('map')} "
            f"winner:JUDGE=COLUMN for each judge, and the systems with {setting('map')} "
            f"text_a={first} text_b={second} {setting('systems')} FIRST SECOND; if it holds texts "
            f"alone, name each system with {_as_systems(texts or ['COLUMN'])}"
        )
    if odd:
        source.tally.notes[f"these columns hold no texts, so they are no systems: {what}"] = None
    return texts


def _as_systems(columns: Sequence[str]) -> str:
    named = " ".join(f"system:{column}={column}" for column in columns[:2])
    return f"{setting('map')} {named}"


def _no_texts(source: Source, columns: Sequence[str]) -> dict[str, str]:
    """column -> what is in it, for those that hold no texts."""
    rows = list(source.cells(LOOKED_AT))
    names = {word(column) for column in columns}
    holds = dict[str, str]()
    for column in columns:
        values = (str(cell).strip() for row in rows if (cell := row.get(column)) is not None)
        holds[column] = _holds(list(filter(None, values)), names)
    return {column: what for column, what in holds.items() if what}


def _holds(values: Sequence[str], columns: Collection[str]) -> str:
    """What values are instead of texts; '' where they may be texts. Names of columns are votes for
    what is in them.
    """
    words = [word(value) for value in values if decimal(value) is None]
    numbers = {number for value in values if (number := decimal(value)) is not None}
    if values and all(word(value) in columns for value in values):
        return "votes"
    if values and not words:
        return "votes" if numbers <= VOTES else "numbers"
    if len(values) < FEW:
        return ""
    if set(words) <= WINNERS.keys():
        return "votes"
    if not any(" " in value or len(value) > 64 for value in values) and _are_keys(values):
        return "keys"
    return "few values" if len(set(values)) <= max(2, len(values) // 5) else ""


def _are_keys(values: Sequence[str]) -> bool:
    """Whether values look like names of things: every one has a digit or a joint in it."""
    return all(any(sign.isdigit() or sign in "_-/:" for sign in value) for value in values)
