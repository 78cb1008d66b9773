"""One record of a file: a numbered row of cells that the store can hold, or the reason why there is none."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

DEPTH = 64  # levels of nesting: a limit of our own, since Python's depends on who is calling
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite's functions stop at NUL; half a surrogate pair is not UTF-8


@dataclass(frozen=True)
class Row:
    """One record of a file, by column name."""

    number: int
    cells: dict[str, object]


@dataclass(frozen=True)
class Skipped:
    """One record that cannot be used, and why."""

    number: int
    reason: str


@dataclass(frozen=True)
class Repeated:
    """An object in which `key` stands twice. A value, because raising would lose the place in a JSON document."""

    key: str


class _UnusableError(Exception):
    """Why one record cannot be used."""


def cleaned(number: int, cells: object, where: str = "") -> Row | Skipped:
    """A record as a row, or why it cannot be one; `where` tells a person the place."""
    try:
        if isinstance(cells, Repeated):
            _clean(cells)
        if not isinstance(cells, dict):
            raise _UnusableError("not an object with named values")
        return Row(number, {_clean_text(name): _clean(value) for name, value in cells.items()})
    except _UnusableError as error:
        return Skipped(number, f"{where}{error}")


def _clean(value: object, depth: int = 1) -> object:
    """A value as plain Python that SQLite and UTF-8 can hold."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else str(value) if math.isinf(value) else value
    if isinstance(value, Repeated):
        raise _UnusableError(f"the key {short(value.key)} stands twice in one object")
    if depth > DEPTH:
        raise _UnusableError(f"nested more than {DEPTH} levels deep")
    if isinstance(value, list | tuple):
        return [_clean(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {_clean_text(key): _clean(each, depth + 1) for key, each in value.items()}
    if isinstance(value, bytes):
        try:
            return _clean_text(value.decode())
        except UnicodeDecodeError:
            raise _UnusableError("bytes that are not UTF-8 text") from None
    return str(value)


def _clean_text(text: str) -> str:
    if bad := UNSTORABLE.search(text):
        what = "a NUL character" if bad[0] == "\0" else f"half a surrogate pair (\\u{ord(bad[0]):04x})"
        raise _UnusableError(f"{what} in the text {short(text[max(0, bad.start() - 10) :])}")
    return text


def short(text: str) -> str:
    """Text from a file, for a sentence."""
    return ascii(text if len(text) <= 40 else text[:40] + "...")
