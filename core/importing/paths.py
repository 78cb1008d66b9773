"""Paths into the nested values of a row: `question.full_text`, `summaries.0.text`,
`messages[-1].content`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from core.importing.cells import Cells

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")


def find_value(cells: Cells, path: str) -> object:
    """The value that a path leads to; None where it leads nowhere. A column whose own name is the
    path goes first.
    """
    if path in cells:
        return cells[path]
    value: object = cells
    for step in split_path(path):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", step):
            place = int(step)
            value = value[place] if -len(value) <= place < len(value) else None
        else:
            return None
    return value


@lru_cache(maxsize=4096)
def split_path(path: str) -> tuple[str, ...]:
    """The steps of a path."""
    return tuple(name or place for name, place in _STEP.findall(path))
