"""The staging table: what all rows of the files say, before anything is decided or written.

A row lies in `entries` as the entries its layout's reader gave (`core.importing.entry`), or in
`skipped` with the reason. What a vote says of its two systems is kept once for all that say the
same: `kind` is its place among the `VoteKind`s of its file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa

from .cells import Cells
from .database import STAGING, Database
from .entry import DROPPED, Entry
from .layout import Source, TableReader
from .staged_values import OF_KIND, ReadPart, Values, VoteKind, add_texts, find_kind, list_parts

BATCH = 10_000  # entries, and
CHARACTERS = 4 * 2**20  # of texts, that wait in Python's memory
KEPT = 40_000  # different values, and ten times that of their texts, kept for the rows below
TEXTS = frozenset((str, NoneType))  # types of cells that are equal only to one another
NO_KEYS = frozenset((float, list, dict))  # -0.0 equals 0.0; others have no hash
LONG_TEXTS = "context", "text", "text_b"
SIDES = {"text_a": "text", "text_b": "text_b"}  # fields of votes -> column
WITH_TEXTS = frozenset(("context", "text", "text_a", "text_b"))  # fields of entries
SMALL_FILES, TINY_FILES = 8 * 2**20, 2**16  # bytes
OF_FILE, OF_ROW = 47, 18  # bits of `nth` below its file, and below its row
_TEXT, _WHOLE, _REAL, _BITS = pa.string(), pa.int64(), pa.float64(), pa.binary(16)
COLUMNS: Mapping[str, pa.DataType] = {
    "nth": _WHOLE, "file": pa.int32(), "row": _WHOLE, "sort": _TEXT, "item": _TEXT,
    "context": _TEXT, "context_id": _BITS, "named_by": _TEXT, "fallback_item": _TEXT,
    "older_item": _TEXT, "reference": _TEXT, "subset": _TEXT, "family": _TEXT, "system": _TEXT,
    "base": _TEXT, "text": _TEXT, "text_id": _BITS, "sample": _WHOLE, "length": _WHOLE,
    "text_b": _TEXT, "text_b_id": _BITS, "sample_b": _WHOLE, "length_b": _WHOLE,
    "kind": pa.int32(), "attribute": _TEXT, "judge": _TEXT, "judge_kind": _TEXT,
    "judge_model": _TEXT, "judge_prompt": _TEXT, "text_format": _TEXT, "prob_a": _REAL,
    "strength": _REAL, "confidence": _REAL, "seconds": _REAL, "comment": _TEXT, "raw": _TEXT,
    "failure": _TEXT, "moment": _TEXT, "stated": _TEXT, "undecided": _TEXT, "times": _WHOLE,
    "ranking": _TEXT, "pending": pa.bool_(), "once": pa.bool_(), "unique": _TEXT,
    "value": _REAL, "trial": _WHOLE,
}  # fmt: skip
"""The columns of `entries`: `nth` is its place in the order of files, rows, and within a row;
`system`, `text`, `sample` and `length` of a vote are those of its
first side.
"""

SKIPPED: Mapping[str, pa.DataType] = {
    "file": pa.int32(), "row": _WHOLE, "reason": _TEXT,
    **dict.fromkeys(("contradicts", "whole", "late"), pa.bool_()),
}  # fmt: skip
"""Rows, or parts of them where they are not skipped `whole`, with the reason."""


class _EntryPart:
    """Values that some fields of entries say together, or some cells of rows; the same ones are
    read only once. All entries or rows have them.
    """

    def __init__(self, fields: Sequence[str], read: ReadPart) -> None:
        self.read = read
        self.values: list[Values] = []
        self.characters: list[int] = []
        self.waiting: list[int] = []  # the place of each entry that waits
        self._get, self._is_one = itemgetter(*fields), len(fields) == 1
        self._places: dict[object, int] = {}

    def find_place(self, entry: Entry) -> int:
        """Return the place in `values` of what an entry says. Raises ValueError."""
        given = self._get(entry)
        try:
            place = self._places.get(given)
        except TypeError:  # a list or an object has no hash
            place = None
        return self._read_value(entry, given) if place is None else place

    def _read_value(self, entry: Entry, given: Any) -> int:
        """Return the place of the values of an entry that its texts alone do not identify.

        1 and True are equal, but may be read differently: so the key of a cell that is not text
        includes its type.
        """
        cells = (given,) if self._is_one else given
        if not TEXTS.issuperset(map(type, cells)):
            plain = (repr(each) if type(each) in NO_KEYS else each for each in cells)
            given = tuple(map(type, cells)), tuple(plain)
            if (known := self._places.get(given)) is not None:
                return known
        values = self.read(entry)
        place = self._places[given] = len(self.values)
        self.values.append(values)
        self.characters.append(sum(len(text) for name in LONG_TEXTS if (text := values.get(name))))
        return place

    def pop_arrays(self) -> dict[str, pa.Array]:
        """Return the columns in which entries that wait say something."""
        used, taken = np.unique(np.array(self.waiting, np.int32), return_inverse=True)
        values = [self.values[place] for place in used]
        there = set[str]().union(*values) - {"kind"}
        arrays = {
            name: pa.array([each.get(name) for each in values], COLUMNS[name]).take(taken)
            for name in there
        }
        self.waiting = []
        if len(self.values) > KEPT or sum(self.characters) > 10 * KEPT:
            self.values, self.characters, self._places = [], [], {}
        return arrays


class _EntryShape:
    """Entries of a file, of one sort and with the same fields, on their way to `entries`. They wait
    by column: a tuple for each is one object more that the garbage collector looks through. With a
    `reader` they are read from the cells of rows, of which each decides some fields.
    """

    def __init__(
        self, file: int, entry: Entry, source: Source, reader: TableReader | None = None
    ) -> None:
        self._same: Values = {"file": file, "sort": entry["sort"]}
        self._parts = list[_EntryPart]()
        self._kind: int | None = None
        self._texts = list[_EntryPart]()
        self._sides: dict[str, int] = {}  # column of the text of a side -> its part
        for fields, read in list_parts(entry["sort"], source).items():
            there = [name for name in fields if name in entry]
            if not there:
                self._same |= read(entry)  # what it says in every entry
                continue
            if fields == OF_KIND:
                self._kind = len(self._parts)
            for name in SIDES.keys() & set(there):
                self._sides[SIDES[name]] = len(self._parts)
            keys = there
            if reader:
                read = partial(_read_cells, reader, there, read)
                keys = sorted({key for name in fields for key in reader.deciding.get(name, ())})
            self._parts.append(_EntryPart(keys, read))
            if WITH_TEXTS & set(fields):
                self._texts.append(self._parts[-1])
        self._numbers: dict[str, list[int | None]] = {"nth": [], "row": [], "kind": []}

    def read(self, entry: Entry) -> tuple[list[int], VoteKind | None]:
        """Return the place of an entry's values in each part, and for a vote its kind. Raises
        ValueError.
        """
        places = [part.find_place(entry) for part in self._parts]
        if self._kind is None:
            return places, None
        kind = self._parts[self._kind].values[places[self._kind]]["kind"]
        if len(self._sides) < len(SIDES):
            return places, kind
        said = [self._parts[of].values[places[of]].get(name) for name, of in self._sides.items()]
        return places, add_texts(kind, *said)

    def add(self, nth: int, row: int, kind: int | None, places: list[int]) -> int:
        """Let an entry wait, and return the number of characters of its texts."""
        numbers = self._numbers
        numbers["nth"].append(nth)
        numbers["row"].append(row)
        numbers["kind"].append(kind)
        for of, place in zip(self._parts, places):  # noqa: B905  # a million times
            of.waiting.append(place)
        return sum([of.characters[of.waiting[-1]] for of in self._texts])

    def pop_columns(self) -> dict[str, pa.Array]:
        """Return the columns of the entries that wait; {} without any."""
        if not (count := len(self._numbers["row"])):
            return {}
        columns = {
            name: pa.repeat(pa.scalar(value, COLUMNS[name]), count)
            for name, value in self._same.items()
        }
        for name, numbers in self._numbers.items():
            columns[name] = pa.array(numbers, COLUMNS[name])
            numbers.clear()
        for part in self._parts:
            columns |= part.pop_arrays()
        return columns


_ReadEntry = tuple[_EntryShape, int, list[int], VoteKind | None]


def _read_cells(reader: TableReader, fields: Sequence[str], read: ReadPart, cells: Cells) -> Values:
    return read(reader.read_fields(cells, fields))


class Stage:
    """The staging tables of one import, and the kinds of vote of each file by their place."""

    def __init__(self, size: int, *, is_counted: bool = False) -> None:
        """`size` of the files in bytes: for small ones a second thread costs more than it helps.
        Votes that are only counted take memory by it, 2 GB at most: their number has no bound.
        """
        threads = 1 if size < SMALL_FILES else None
        memory = STAGING + is_counted * min(size // 2_000_000, 2000)
        self.database = Database(memory, threads, is_tiny=size < TINY_FILES)
        self._shapes: dict[tuple[str, ...], _EntryShape] = {}  # of the file that is being read
        self._waiting = self._characters = 0  # entries, and characters of their texts
        self._skipped: list[tuple[int, int, str, bool, bool, bool]] = []
        self.sorts = set[str]()  # of entries
        self.filled = set[str]()  # columns in which some entry has a value
        self.lost: list[Counter[VoteKind]] = []  # kinds of vote in rows that are skipped
        self.kinds: list[dict[VoteKind, int]] = []
        self.database.add_table("entries", COLUMNS)
        self.database.add_table("skipped", SKIPPED)
        self.database.rows("CREATE MACRO quote(name) AS concat(chr(39), name, chr(39))")

    def close(self) -> None:
        """Close the database of the stage, and delete it."""
        self.database.close()

    def begin_file(self) -> None:
        """Make room for the next file."""
        self.end_file()
        self.kinds.append({})
        self.lost.append(Counter())

    def end_file(self) -> None:
        """Put what waits into the tables, and forget what its rows had in common."""
        self.flush()
        self._shapes = {}

    def drop_file(self, file: int) -> None:
        """Forget what a file says."""
        self.flush()
        for table in ("entries", "skipped"):
            self.database.rows(f"DELETE FROM {table} WHERE file = {file}")

    def add_row(self, file: int, row: int, source: Source, entries: list[Entry]) -> None:
        """Stage what a row says. Raises ValueError, with nothing staged, where it is no use."""
        read = list[_ReadEntry]()
        dropped = list[str]()
        if len(entries) >= 2**OF_ROW:
            raise ValueError(
                f"it holds {len(entries):,} entries, too many for a row: write several"
            )
        first = file << OF_FILE | row << OF_ROW
        for nth, entry in enumerate(entries, start=first):
            if entry["sort"] == DROPPED:
                dropped.append(entry["reason"])
            else:
                key = (entry["sort"], *entry)
                if (shape := self._shapes.get(key)) is None:
                    shape = self._shapes[key] = _EntryShape(file, entry, source)
                    self.sorts.add(entry["sort"])
                read.append((shape, nth, *shape.read(entry)))
        self._skipped += [(file, row, reason, False, False, False) for reason in dropped]
        self._add_entries(file, row, read)

    def add_cells(self, file: int, row: int, reader: TableReader, cells: dict[str, object]) -> bool:
        """Stage the one entry of a row, of which only those cells are read that differ from those
        of all earlier rows. Returns False, with nothing staged, where it cannot be read so.
        """
        try:
            if (shape := self._shapes.get(())) is None:
                entry = reader.read_fields(cells, OF_KIND)
                shape = self._shapes[()] = _EntryShape(file, entry, reader.source, reader)
                self.sorts.add(entry["sort"])
            places, kind = shape.read(cells)
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError):
            return False
        self._add_entries(file, row, [(shape, file << OF_FILE | row << OF_ROW, places, kind)])
        return True

    def _add_entries(self, file: int, row: int, read: list[_ReadEntry]) -> None:
        kinds = self.kinds[file]
        for shape, nth, places, kind in read:
            number = None if kind is None else kinds.setdefault(kind, len(kinds))
            self._characters += shape.add(nth, row, number, places)
        self._waiting += len(read)
        if self._waiting >= BATCH or self._characters >= CHARACTERS:
            self.flush()

    def skip_row(self, file: int, row: int, reason: str, lost: Iterable[Entry] = ()) -> None:
        """Note that a row is not used, why, and the votes that are lost with it."""
        self._skipped.append((file, row, reason, False, True, False))
        for entry in lost:
            kind = find_kind(entry)
            if kind.system_a != kind.system_b:
                self.lost[file][kind] += 1

    def flush(self) -> None:
        """Put what waits into the tables."""
        if self._waiting:
            portions = [shape.pop_columns() for shape in self._shapes.values()]
            tables = [pa.table(columns) for columns in portions if columns]
            table = pa.concat_tables(tables, promote_options="default")
            self.filled |= set(table.column_names)
            self.database.append("entries", table)
            self._waiting = self._characters = 0
        if self._skipped:
            self.database.append_rows("skipped", SKIPPED, self._skipped)
            self._skipped = []
