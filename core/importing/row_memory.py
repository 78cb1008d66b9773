"""What rows of a table say again: worked out once for all that have the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from core.importing.cells import Cells

SIZE = 2**16  # rows that are remembered: about 50 MB of votes
Key = tuple[tuple[object, ...], tuple[type, ...]]
Meaning = TypeVar("Meaning")


class RowMemory(Generic[Meaning]):
    """What rows mean, by their cells in those columns that it depends on.

    Cells are told apart by their types, too: in JSON, 1 and true are not the same. Nested ones are
    never known. Where rows say something new all the time, all is forgotten now and then.
    """

    def __init__(self, columns: Sequence[str], size: int = SIZE) -> None:
        self.columns, self.size = tuple(dict.fromkeys(columns)), size
        self._meanings: dict[Key, Meaning] = {}
        self._types: dict[tuple[type, ...], tuple[type, ...]] = {}

    def key(self, cells: Cells) -> Key:
        """What a row is known by."""
        values = tuple(map(cells.get, self.columns))
        return values, tuple(map(type, values))

    def get(self, key: Key) -> Meaning | None:
        """What a row means, or None where none like it was kept."""
        try:
            return self._meanings.get(key)
        except TypeError:  # a list or an object
            return None

    def keep(self, key: Key, meaning: Meaning) -> None:
        """Remember what a row means, unless a cell of it is nested."""
        if len(self._meanings) >= self.size:
            self._meanings.clear()
        values, types = key
        if not {list, dict} & set(types):
            self._meanings[values, self._types.setdefault(types, types)] = meaning
