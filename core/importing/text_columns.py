"""The columns of a table that hold texts, one a system, by what their cells hold and by their
names.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Sequence

from ..moments import parse_moment
from ..records import TandemError, option_ref
from .account import MOST, split_words
from .codes import decimal
from .column_names import MARK, PREFERENCE, REMARK, normalise_name
from .source import Source
from .table_cells import Fields
from .table_fields import ECHO, likely_winners
from .winners import WINNERS, meaning_of, word

LOOKED_AT = 200  # rows
VOTES = {-1.0, 0.0, 0.5, 1.0, 2.0}  # numbers that may say who won
FEW = 5  # rows of which one cannot tell how often values repeat
SHORT = 40  # characters of cells that may be names or answers
NAMED = {
    "people": re.compile(
        "(?<![a-z])(annotators?|raters?|reviewers?|judges?|workers?|users?|evaluators?|assessors?"
        "|participants?|respondents?|voters?|label?lers?|e-?mail|bewerter|évaluateur|evaluador)"
        "(?![a-z])"
    ),
    "remarks": REMARK,
    "keys": re.compile("(?<![a-z])(u?u?id|key|hash|url|link)(?![a-z])"),
}
"""Whole words in the names of columns: a system may be called coder or reasoner."""


def columns_of_texts(source: Source, fields: Fields, columns: Sequence[str]) -> list[str]:
    """Find the columns that hold texts, by a look at the first rows; a note lists the others.

    Numbers are no texts, nor are words for who won, nor keys, nor a few values over and over.
    Raises TandemError where the table looks like votes, or fewer than two columns hold texts.
    """
    name, odd = source.path.name, _no_texts(source, columns)
    odd.update({column: "votes" for column in likely_winners(source) if column in columns})
    if "winner" in fields:
        odd[fields.columns["winner"]] = "votes"
    texts = [column for column in columns if column not in odd]
    if {"chosen", "rejected"} <= set(map(normalise_name, columns)):
        raise TandemError(
            f"chosen and rejected in {name} say which text won, not whose it is. Name the "
            f"systems in columns, or take them for systems with {_as_systems(texts)}"
        )
    what = ", ".join(f"{column} ({kind})" for column, kind in odd.items())[:ECHO]
    if len(texts) == 1:  # paths to what the objects in it hold, where all have the same keys
        cells = [row.get(texts[0]) for row in source.cells(LOOKED_AT)]
        keys = {tuple(cell) if isinstance(cell, dict) else () for cell in cells}
        texts = (len(keys) == 1 and [f"{texts[0]}.{key}" for key in keys.pop()]) or texts
    votes = [column for column, kind in odd.items() if kind == "votes"]
    said = {word(str(row.get(column))) for row in source.cells(LOOKED_AT) for column in votes}
    chosen = [text for text in texts if {word(text), *map(word, _split_name(text))} & said]
    if len(chosen) > 2:
        raise TandemError(
            f"{name} has {len(texts)} columns of texts and {what}. Where the best of "
            "several was chosen, write a row for each pair: both systems and the winner. For "
            f"texts alone, leave the answers out with {option_ref('unused')}"
        )
    if votes or len(texts) < 2:
        first, second = chosen if len(chosen) == 2 else (*texts, "COLUMN", "COLUMN")[:2]
        winner = next(iter(votes), "COLUMN")
        systems = " ".join(_name_apart(first, second) or ("FIRST", "SECOND"))
        sides = " ".join(map(shlex.quote, (f"text_a={first}", f"text_b={second}")))
        raise TandemError(
            f"{name} is not a table with a column of texts per system: {what}. For votes, name "
            f"the winner with {option_ref('map')} {shlex.quote(f'winner={winner}')}, or "
            f"{option_ref('map')} winner:JUDGE=COLUMN for each judge. Name their systems with "
            f"{option_ref('map')} {sides} {option_ref('systems')} {systems}. For texts "
            f"alone, name each system with {_as_systems(texts or ['COLUMN'])}"
        )
    if odd:
        source.tally.notes[f"these columns hold no texts and are not systems: {what}"] = None
    return texts


def _as_systems(columns: Sequence[str]) -> str:
    named = " ".join(shlex.quote(f"system:{column}={column}") for column in columns[:2])
    return f"{option_ref('map')} {named}"


def _name_apart(first: str, second: str) -> tuple[str, ...]:
    """Return the words in which the names of two columns differ, such as Baseline and New."""
    one, two = (re.findall(r"[^\W_]+", column) for column in (first, second))
    if not {*one} & {*two}:
        return shlex.quote(first), shlex.quote(second)
    named = [
        " ".join(word for word in words if word not in {*one} & {*two}) for words in (one, two)
    ]
    return tuple(map(shlex.quote, named)) if all(named) else ()


def _no_texts(source: Source, columns: Sequence[str]) -> dict[str, str]:
    rows = list(source.cells(LOOKED_AT))
    parts = Counter(part for column in columns for part in _split_name(column))
    names = {word(column) for column in columns} | {
        word(part) for part, times in parts.items() if times == 1
    }
    holds = dict[str, str]()
    for column in columns:
        cells = (str(cell).strip() for row in rows if (cell := row.get(column)) is not None)
        values = list(filter(None, cells))
        others = names - set(map(word, _split_name(column)))
        kind = _classify_values(values, others)
        if max(map(len, values), default=0) <= SHORT:
            kind = _classify_name(column, values, kind)
        holds[column] = kind
    return {column: what for column, what in holds.items() if what}


def _split_name(column: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", split_words(column)))


def _classify_name(column: str, values: Collection[str], kind: str) -> str:
    name = split_words(column)
    if PREFERENCE.search(name) and kind != "keys" and len(set(values)) <= MOST:
        return "votes"
    if MARK.search(name) and all(decimal(value) is not None for value in values):
        return "scores"
    if kind:
        return kind
    found = next((what for what, words in NAMED.items() if words.search(name)), "")
    return found or ("times" if values and all(map(parse_moment, values)) else "")


def _classify_values(values: Sequence[str], columns: Collection[str]) -> str:
    """Name the kind of values that are no texts; '' if they may be texts. Names of columns, or
    words of them alone, are votes for the text in that column.
    """
    words = [word(value) for value in values if decimal(value) is None]
    numbers = {number for value in values if (number := decimal(value)) is not None}
    named = [word(value) in columns for value in values]
    if any(named) and all(
        is_named or meaning_of(value) for is_named, value in zip(named, values, strict=True)
    ):
        return "votes"
    if values and not words:
        return "votes" if numbers <= VOTES else "numbers"
    if len(values) < FEW:
        return ""
    if set(words) <= WINNERS.keys():
        return "votes"
    if all(
        " " not in value and len(value) <= 64
        and any(sign.isdigit() or sign in "_-/:" for sign in value)
        for value in values
    ):  # fmt: skip
        return "keys"
    return "few values" if len(set(values)) <= max(2, len(values) // 5) else ""
