"""Nested values of a tool's rows, found by paths. A value of another sort counts as missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.importing.cells import Cells, as_text
from core.importing.paths import find_value
from core.importing.text_encoding import open_text
from core.records import TandemError

Object = Mapping[str, Any]


def find_object(cells: Cells, path: str) -> Object:
    """The object at a path; an empty one where none is there."""
    value = find_value(cells, path)
    return value if isinstance(value, Mapping) else {}


def find_objects(cells: Cells, path: str) -> list[Object]:
    """The objects in the list at a path."""
    return [each for each in find_list(cells, path) if isinstance(each, Mapping)]


def find_list(cells: Cells, path: str) -> list[Any]:
    """The list at a path; an empty one where none is there."""
    value = find_value(cells, path)
    return value if isinstance(value, list) else []


def find_text(cells: Cells, *paths: str) -> str:
    """The first text at one of these paths, '' where there is none. Raises ValueError for a nested
    value.
    """
    return next(filter(None, (as_text(find_value(cells, path)) for path in paths)), "")


def parse_json(text: object) -> Any:
    """The value of a JSON text; None where it is not JSON."""
    with suppress(ValueError, TypeError, RecursionError):
        return json.loads(text)  # type: ignore[arg-type]
    return None


def load_object(path: Path) -> Object:
    """The object in a small JSON file; an empty one where the file cannot be read."""
    with suppress(OSError, TandemError, UnicodeError), open_text(path) as stream:
        value = parse_json(stream.read())
        return value if isinstance(value, Mapping) else {}
    return {}
