"""The cells of a table by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import methodcaller

from .cells import Cells, as_bool, as_mark, as_text, as_whole
from .conversations import find_columns_of_turns, read_turns
from .joint_columns import join_parts, split_columns
from .source import Source
from .table_fields import ECHO, TEXTS, match_columns
from .values import find_value


class Fields:
    """A table's cells by field. Each method raises ValueError with the reason to skip the row."""

    def __init__(self, source: Source) -> None:
        self.columns = match_columns(source)
        named = (self.columns[name] for name in TEXTS if name in self.columns)
        in_texts = [part for column in named for part in split_columns(source, column)]
        self.turns = find_columns_of_turns(source, in_texts)
        for column in sorted(self.turns):
            source.tally.notes[f"column {column!r} holds lists of turns, read as one text"] = None
        self.readers = {
            name: self._reader(source, name, column) for name, column in self.columns.items()
        }

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def _reader(self, source: Source, name: str, column: str) -> Callable[[Cells], object]:
        """Return the function that finds a field's value in a row; turns are one text, or None."""

        if name == "context" and len(parts := split_columns(source, column)) > 1:
            reads = [self._reader(source, name, part) for part in parts]
            return lambda cells: join_parts([as_text(read(cells)) for read in reads])
        get: Callable[[Cells], object] = partial(find_value, path=column)
        if column in source.columns:
            get = methodcaller("get", column)
        if name.partition(":")[0] == "winner":
            return lambda cells: _read_choice(get(cells))
        if name not in TEXTS:
            return get

        def read(cells: Cells) -> object:
            value = get(cells)
            is_turns = isinstance(value, list) or (value and column in self.turns)
            return read_turns(value) if is_turns else value

        return read

    def read_cell(self, cells: Cells, name: str) -> object:
        """Return the value of a field; None where there is no such column."""
        read = self.readers.get(name)
        return read(cells) if read else None

    def read_text(self, cells: Cells, name: str) -> str:
        """Return the cell as a text; '' where it is empty or there is no such column."""
        read = self.readers.get(name)
        value = read(cells) if read else None
        return value if isinstance(value, str) else as_text(value) or ""

    def read_name(self, cells: Cells, name: str) -> str:
        """Return the cell as a name, which must be there."""
        value = self.read_text(cells, name).strip()
        if not value:
            raise ValueError(f"{self.describe_column(name)} (the {name}) is empty")
        return value

    def read_number(self, cells: Cells, name: str) -> float | None:
        """Return the cell as a number; None where it is empty or there is no such column."""
        value = self.read_cell(cells, name)
        return None if value is None or value == "" else as_mark(value, self.describe_column(name))

    def read_flag(self, cells: Cells, name: str) -> bool | None:
        """Return the cell as yes or no; None where it is empty or there is no such column."""
        value = self.read_cell(cells, name)
        return None if value is None else as_bool(value, self.describe_column(name))

    def read_whole(self, cells: Cells, name: str) -> int | None:
        """Return the cell as a whole number; None if it is empty or there is no such column."""
        value = self.read_cell(cells, name)
        return None if value in (None, "") else as_whole(value, self.describe_column(name))

    def describe_column(self, name: str) -> str:
        """Return the column of a field, for a sentence."""
        return f"column {self.columns[name][:ECHO]!r}"


def _read_choice(value: object) -> object:
    if isinstance(value, Mapping) and all(isinstance(each, bool) for each in value.values()):
        value = [name for name, is_chosen in value.items() if is_chosen]
    if isinstance(value, list) and len(value) < 2:
        return value[0] if value else ""
    return value
