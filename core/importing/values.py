"""Nested values of rows, found by paths such as `question.full_text`, `summaries.0.text` and
`messages[-1].content`. Where an object, a list or a text is asked for, a value of another sort
counts as missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from .cells import Cells, as_number, as_text

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")


def find_value(cells: Cells, path: str) -> object:
    """Return the value that a path leads to; None where it leads nowhere.

    A column whose own name is the path goes first, or begins it. A cell may hold JSON.
    """
    if path in cells:
        return cells[path]
    column, steps = split_column(path, cells)
    value = cells.get(column)
    for step in steps:
        if isinstance(value, str):
            value = _parse_cell(value)
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", step):
            place = int(step)
            value = value[place] if -len(value) <= place < len(value) else None
        else:
            return None
    return value


def split_column(path: str, columns: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the column in which a path begins, and the steps within its cells: the first step, or
    the longest column that begins the path if no column is called as that.
    """
    if path in columns:
        return path, ()
    column, *steps = split_path(path) or (path,)
    begins = [name for name in columns if path.startswith((f"{name}.", f"{name}["))]
    if column in columns or not begins:
        return column, tuple(steps)
    column = max(begins, key=len)
    return column, split_path(path[len(column) :])


@lru_cache(maxsize=64)
def _parse_cell(text: str) -> Any:
    return parse_json(text) if text.lstrip()[:1] in ("{", "[") else None


@lru_cache(maxsize=4096)
def split_path(path: str) -> tuple[str, ...]:
    """Return the steps of a path."""
    return tuple(name or place for name, place in _STEP.findall(path))


Object = Mapping[str, Any]


def find_object(cells: Cells, path: str) -> Object:
    """Return the object at a path; an empty one where none is there."""
    value = find_value(cells, path)
    return value if isinstance(value, Mapping) else {}


def find_objects(cells: Cells, path: str) -> list[Object]:
    """Return the objects in the list at a path."""
    return [each for each in find_list(cells, path) if isinstance(each, Mapping)]


def find_list(cells: Cells, path: str) -> list[Any]:
    """Return the list at a path; an empty one where none is there."""
    value = find_value(cells, path)
    return value if isinstance(value, list) else []


def find_text(cells: Cells, *paths: str) -> str:
    """Return the first text at one of these paths, '' without any.

    Raises ValueError for a nested value.
    """
    return next(filter(None, (as_text(find_value(cells, path)) for path in paths)), "")


def find_number(cells: Cells, path: str) -> float | None:
    """Return the number at a path; None where nothing is there. Raises ValueError for others."""
    value = find_value(cells, path)
    return None if value in (None, "") else as_number(value, path)


def parse_json(text: object) -> Any:
    """Return the value of a JSON text; None where it is not JSON."""
    with suppress(ValueError, TypeError, RecursionError):
        return json.loads(text)  # type: ignore[arg-type]
    return None
