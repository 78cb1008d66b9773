"""The columns that make a prompt, alone or together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from ..records import TandemError, option_ref
from . import files
from .account import MOST
from .cells import Row
from .column_names import PROMPT_PARTS
from .names import normalise_name
from .source import Source


def split_columns(source: Source, column: str) -> list[str]:
    """Return the columns, or paths, that make a prompt together: all of A+B, or a lone one."""
    return [column] if column in source.columns else column.split("+")


def join_parts(parts: Iterable[str | None]) -> str:
    """Return a prompt that is made of several texts; empty ones are left out."""
    return "\n\n".join(filter(None, parts))


def find_prompt(free: list[str], text: str | None = None) -> list[str]:
    """Return the free columns of the prompt as one; where none has its name, a column of a `text`
    that no system wrote, else all of them.
    """
    parts = list_prompt_parts(free)
    return ["+".join(parts)] if parts else [text] if text else free


def list_prompt_parts(columns: Iterable[str]) -> list[str]:
    """Return the columns that make the prompt by their names, in the order they are shown in."""
    columns = list(columns)
    return [column for words in PROMPT_PARTS for column in columns if is_named(column, words)]


def is_named(column: str, words: Iterable[str]) -> bool:
    """Return whether a column is called by one of these words."""
    return normalise_name(column) in map(normalise_name, words)


def check_prompt(source: Source, column: str) -> None:
    """Check that at most one column of a sort was found for the prompt. Raises TandemError."""
    parts = [] if "context" in source.mapping else split_columns(source, column)
    for words in PROMPT_PARTS:
        alike = [part for part in parts if is_named(part, words)]
        if len(alike) > 1:
            raise TandemError(
                f"columns {' and '.join(map(repr, alike))} of {source.path.name} may each be the "
                f"prompt, or make it together: choose with {option_ref('map')} context={alike[0]}, "
                f"or {option_ref('map')} context={'+'.join(parts)}"
            )


@lru_cache(maxsize=64)
def comes_with_most(
    where: tuple[Path, str, str], column: str, others: tuple[str, ...], changed: tuple[int, int]
) -> bool:
    """Return whether each of a few values of a column comes with several of the `others`, and most
    of these with several values; cached until the file has `changed`.
    """
    path, encoding, sheet = where
    pairs, values = set[tuple[str, str]](), set[str]()
    for row in files.rows(path, encoding=encoding, sheet=sheet):
        if not isinstance(row, Row):
            continue
        values.add(str(row.cells.get(column)))
        pairs |= {(str(row.cells.get(column)), str(row.cells.get(other))) for other in others}
        if len(values) > MOST:
            return False
    by_value, by_other = (Counter(pair[place] for pair in pairs) for place in (0, 1))
    several = sum(number > 1 for number in by_other.values())
    return 1 < len(values) < len(by_other) < 2 * several and min(by_value.values()) > 1
