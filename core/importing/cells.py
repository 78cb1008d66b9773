"""Cells of a row as the values they stand for. Each raises ValueError with what is wrong, as the reason to skip the row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from core.records import Kind

Cells = Mapping[str, object]
T = TypeVar("T")


def as_text(value: object) -> str | None:
    """A cell as text: None stays None; nested values are not texts.

    2.0 is "2": a column of whole numbers with a gap in it reaches us as floats.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        raise ValueError(f"{str(value)[:40]!r} is not a text")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def as_number(value: object, what: str) -> float:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {str(value)[:40]!r}, not a number") from None
    if not abs(found) < float("inf"):
        raise ValueError(f"{what} is {value}, not a finite number")
    return found


def as_mark(value: object) -> float:
    """A score as a finite number. A decimal comma is one; in "1,000" it may as well part thousands, so that is none."""
    if isinstance(value, bool):
        raise ValueError(f"{value} is not a number")
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?(0,\d+|\d+,(?!\d{3}\s*$)\d+)\s*", value):
        value = value.replace(",", ".")
    return as_number(value, "the score")


def as_kind(value: object, default: Kind) -> Kind:
    if value in (None, ""):
        return default
    try:
        return Kind(str(value))
    except ValueError:
        raise ValueError(f"the judge's kind {value!r} is none of {', '.join(Kind)}") from None


def is_false(value: object) -> bool:
    return str(value).strip().casefold() in ("0", "false", "no", "f", "n")


def as_time(value: object) -> str:
    """A time as the file gives it, when it sorts as text; seconds or milliseconds since 1970 as ISO."""
    if isinstance(value, int | float) or (isinstance(value, str) and re.fullmatch(r"\d{9,13}(\.\d+)?", value)):
        seconds = float(value) if abs(float(value)) < 1e11 else float(value) / 1000
        try:
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
        except (ValueError, OverflowError, OSError):
            raise ValueError(f"the time {value} is neither seconds nor milliseconds since 1970") from None
    return as_text(value) or ""


def required(cells: object, name: str, kind: type[T]) -> T:
    """The cell of that name. Raises ValueError when it is missing or of another kind, or `cells` are no such thing."""
    if not isinstance(cells, Mapping):
        raise ValueError(f"{str(cells)[:40]!r} should be an object with a field {name!r}")
    value = cells.get(name)
    if not isinstance(value, kind):
        there = "is missing" if value is None else f"is {str(value)[:40]!r}"
        raise ValueError(f"field {name!r} {there}; it should be a {kind.__name__}")
    return value


def named(cells: Cells, name: str) -> str:
    """What the cell names: an item, a system, a judge. Raises ValueError when it is missing or blank."""
    found = (as_text(cells.get(name)) or "").strip()
    if not found:
        raise ValueError(f"field {name!r} is empty")
    return found


def as_references(values: object) -> tuple[str, ...]:
    listed: Iterable[object] = values if isinstance(values, list) else [values]
    return tuple(str(value) for value in listed if value not in (None, ""))


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
