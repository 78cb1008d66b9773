"""Cells of a row as the values they stand for. Each raises ValueError with what is wrong, as the
reason to skip the row.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from ..records import Kind, TandemError

Cells = Mapping[str, object]
T = TypeVar("T")


def as_text(value: object) -> str | None:
    """Return a cell as text: None stays None; nested values are not texts.

    2.0 is "2": a column of whole numbers with a gap in it reaches us as floats.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        step = f".{next(iter(value), 'KEY')}" if isinstance(value, dict) else "[0]"
        raise ValueError(f"{str(value)[:40]!r} is not a text: map COLUMN{step}, or another path")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_number(value: object, what: str) -> float:
    """Return a value as a finite float; `what` names it in the message.

    Raises ValueError for anything else, infinity and NaN included.
    """
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):  # of an int, the last
        raise ValueError(f"{what} is {str(value)[:40]!r}, not a number") from None
    if not abs(found) < float("inf"):
        raise ValueError(f"{what} is {value}, not a finite number")
    return found


def as_whole(value: object, what: str) -> int:
    """Return a number that counts something, as an int; more than MOST count nothing. In the text
    "1.000" the point may separate thousands.
    """
    number = as_mark(value, what)
    if isinstance(value, str) and re.fullmatch(r"\s*[1-9]\d{0,2}\.\d{3}\s*", value):
        raise ValueError(f"{what} is {value!r}: the point may be of a decimal or of thousands")
    if number != int(number) or not 0 <= number <= MOST:
        raise ValueError(f"{what} is {str(value)[:40]}, not a whole number from 0")
    return int(number)


def as_mark(value: object, what: str = "the score") -> float:
    """Return a score as a finite number.

    A decimal comma is read as one, but not in "1,000", where it may separate thousands. Raises
    ValueError for anything else.
    """
    if isinstance(value, bool):
        raise ValueError(f"{value} is not a number")
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?(0,\d+|\d+,(?!\d{3}\s*$)\d+)\s*", value):
        value = value.replace(",", ".")
    return as_number(value, what)


def as_kind(value: object, default: Kind) -> Kind:
    """Return the kind of judge that a cell names; an empty cell gives the default.

    Raises ValueError for an unknown kind.
    """
    if value is None or value == "":
        return default
    try:
        return Kind(str(value))
    except ValueError:
        raise ValueError(f"the judge's kind {value!r} is none of {', '.join(Kind)}") from None


def as_bool(value: object, what: str) -> bool | None:
    """Return a cell as yes or no; None where it is empty. Raises ValueError for what is neither."""
    word = str(value).strip().casefold()
    if value is None or word in ("", "nan", "none"):
        return None
    if word in ("1", "1.0", "true", "yes", "t", "y"):
        return True
    if word in ("0", "0.0", "false", "no", "f", "n"):
        return False
    raise ValueError(f"{what} is {str(value)[:40]!r}, neither yes nor no")


def as_stated_time(value: object) -> str:
    """Return a time as the file states it, seconds or milliseconds since 1970 as ISO.

    Votes are known by this text when they are imported again, so it never changes; `Times` reads
    what it means.
    """
    if isinstance(value, int | float) or (
        isinstance(value, str) and re.fullmatch(r"\d{9,13}(\.\d+)?", value)
    ):
        seconds = float(value) if abs(float(value)) < 1e11 else float(value) / 1000
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return "" if value is None else str(value)


def require_cell(cells: object, name: str, kind: type[T]) -> T:
    """Return the cell of that name.

    Raises ValueError when it is missing or of another kind, or `cells` are no such thing.
    """
    if not isinstance(cells, Mapping):
        raise ValueError(f"{str(cells)[:40]!r} should be an object with a field {name!r}")
    value = cells.get(name)
    if not isinstance(value, kind):
        there = "is missing" if value is None else f"is {str(value)[:40]!r}"
        raise ValueError(f"field {name!r} {there}; it should be a {kind.__name__}")
    return value


def read_name(cells: Cells, name: str) -> str:
    """Return the name in a cell: of an item, a system or a judge. Raises ValueError when it is
    missing or blank.
    """
    found = (as_text(cells.get(name)) or "").strip()
    if not found:
        raise ValueError(f"field {name!r} is empty")
    return found


def as_references(values: object) -> tuple[str, ...]:
    """Return the references in a cell, one text or a list, without empty ones."""
    listed: Iterable[object] = values if isinstance(values, list) else [values]
    return tuple(str(value) for value in listed if value not in (None, ""))


def digest(text: str) -> str:
    """Return a 128-bit digest of a text: no two texts that anybody makes have the same."""
    return digest_bytes(text).hex()


def digest_bytes(text: str) -> bytes:
    """Return the 16 bytes of `digest`."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def short_digest(text: str) -> str:
    """Return a 48-bit digest of a text, by which stores know votes and older ones their items.

    Two texts with the same are made in seconds, so it never decides alone whether two texts are
    one.
    """
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


MOST = 2**53  # whole numbers up to which floats tell every one from the next
MOST_COLUMNS = 10_000  # each is compared with what layouts have
DEPTH = 64  # levels of nesting: a limit of our own, since Python's depends on who is calling


# SQLite's functions stop at NUL; half a surrogate pair is not UTF-8.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(slots=True)  # and not frozen: that doubles the time to make one of a million
class Row:
    """One record of a file, by column name."""

    number: int
    cells: dict[str, object]


@dataclass(frozen=True)
class SkippedRecord:
    """One record that cannot be used, and why."""

    number: int
    reason: str


@dataclass(frozen=True)
class RepeatedKey:
    """An object in which `key` occurs twice.

    This is a value, because raising would lose the place in a JSON document.
    """

    key: str


class UnrecognisedError(TandemError):
    """A file is in no layout, or lacks what its layout needs."""


def clean_record(number: int, cells: object, where: str = "") -> Row | SkippedRecord:
    """Return a record as a row, or why it cannot be one; `where` tells a person the place."""
    try:
        if isinstance(cells, RepeatedKey):
            _clean(cells)
        if not isinstance(cells, dict):
            raise ValueError(
                "not an object with named values; pandas writes them with orient='records'"
            )
        return Row(number, {_clean_text(name): _clean(value) for name, value in cells.items()})
    except ValueError as error:
        return SkippedRecord(number, f"{where}{error}")


def _clean(value: object, depth: int = 1) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else str(value) if math.isinf(value) else value
    if isinstance(value, RepeatedKey):
        raise ValueError(f"the key {quote_value(value.key)} is twice in one object")
    if depth > DEPTH:
        raise ValueError(f"nested more than {DEPTH} levels deep")
    if isinstance(value, list | tuple):
        return [_clean(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {_clean_text(key): _clean(each, depth + 1) for key, each in value.items()}
    if isinstance(value, bytes):
        try:
            return _clean_text(value.decode())
        except UnicodeDecodeError:
            raise ValueError("bytes that are not UTF-8 text") from None
    return str(value)


def _clean_text(text: str) -> str:
    if bad := UNSTORABLE.search(text):
        half = f"half a surrogate pair (\\u{ord(bad[0]):04x})"
        what = "a NUL character" if bad[0] == "\0" else half
        raise ValueError(f"{what} in the text {quote_value(text[max(0, bad.start() - 10) :])}")
    return text


def check_columns(path: Path, names: list[str]) -> list[str]:
    """Return the names of a file's columns.

    Raises TandemError for too many columns, or for two of one name.
    """
    if len(names) > MOST_COLUMNS:
        raise TandemError(
            f"{path.name!r} has {len(names):,} columns, more than the {MOST_COLUMNS:,} that are "
            "read; leave out those that are not needed"
        )
    name, count = next(iter(Counter(names).most_common(1)), ("", 0))
    if count > 1:
        raise TandemError(
            f"{path.name!r} has {count} columns named {quote_value(name)}; give each its own name"
        )
    return names


def quote_value(text: str) -> str:
    """Return text from a file in quotes for a sentence, cut after 40 characters."""
    return ascii(text if len(text) <= 40 else text[:40] + "...")
