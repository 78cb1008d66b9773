"""Rows of votes that are alike in all that decides what they say. The first of them is staged, and
the others are counted: so a leaderboard of many votes needs no copy of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from ..records import CONTROL, TandemError
from . import files
from .cells import Row, SkippedRecord, as_mark, as_text
from .database import Database
from .joint_columns import split_columns
from .layouts.votes import TURN, Votes
from .parquet_reader import decode, is_plain, read_rows
from .source import Source
from .text_encoding import ReadingPlace, suffix

APART = ("item", "judge")
"""Fields that rows may differ in: of each row they are kept beside the row that is like it."""
OF_NO_CONSEQUENCE = (
    "created_at", "comment", "raw", "reference", "family", "subset", "text_format",
)  # fmt: skip
BLANKED = (*APART, "created_at")
COMPARED = {
    "context", "text_a", "text_b", "length_a", "length_b", "conversation_a", "conversation_b",
}  # fmt: skip
"""Fields that an import compares over all rows: they name items, or tell answers apart."""
BATCH = 50_000
WATCHED = 2000  # first rows, which show what columns hold
_TEXT, _WHOLE = pa.string(), pa.int64()
ABOUT = {
    "file": pa.int32(), "row": _WHOLE, "number": _WHOLE, **dict.fromkeys(APART, _TEXT)
}  # fmt: skip
"""The table `about`: the `number` of each row that is used, and the `row` that is staged for it."""


@dataclass(frozen=True)
class CountedVotes:
    """Choice of the votes that are counted. Judges named in `judges` are counted apart from all
    others. With `items` or a `subset`, only votes about these count. `families` are those that
    intervals draw, as in a `Selection`: such votes are refused.
    """

    judges: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    subset: str | None = None
    families: str = "none"


class NotCountedError(TandemError):
    """Votes that cannot be counted by rows that are alike: their items have to be compared, as an
    import does.
    """


def refuse_counting(source: Source) -> NotCountedError:
    """Return the error for a file that is more than votes by themselves."""
    return NotCountedError(f"the rows of {source.path.name} have to be compared")


class AlikeRows:
    """The rows of a file that were staged, by what decides what they say."""

    def __init__(self, file: int, reader: Votes, wanted: CountedVotes, database: Database) -> None:
        """Raises NotCountedError for a table in which more than the cells of a row decides."""
        self.file, self.source, self.database = file, reader.source, database
        columns, source = reader.fields.columns, reader.source
        free = {*APART, *OF_NO_CONSEQUENCE, *NUMBERS} - ({"subset"} if wanted.subset else set())
        deciding = [column for name, column in columns.items() if name not in free]
        deciding += reader.words.places + ["turn"] * (set(source.columns) >= TURN)
        self._blanked = [columns[name] for name in BLANKED if name in columns]
        parts = {part for column in columns.values() for part in split_columns(source, column)}
        self.columns = {*deciding, *parts}
        if (
            COMPARED & columns.keys()
            or set(self._blanked) & set(deciding)
            or not parts <= set(source.columns)
            or ("family" in columns and wanted.families != "none")
            or ("judge" in columns and "judge" in reader.asked.values())
        ):
            raise refuse_counting(source)
        self._key = itemgetter(*deciding)
        self._numbers = [(columns[name], sort) for name, sort in NUMBERS.items() if name in columns]
        self._first: dict[object, int] = {}
        self._new: tuple[object, ...] = ()
        self._about: list[tuple[object, ...]] = []
        self.counted = 0  # rows that were counted by batches
        self._deciding = [(column, None) for column in deciding] + self._numbers
        self._apart = [columns.get(name, "") for name in APART]
        known = {"", *source.columns}
        self._is_in_batches = suffix(source.path) == ".parquet" and known.issuperset(
            (*deciding, *self._apart)
        )

    def read(self, place: ReadingPlace) -> Iterator[Row | SkippedRecord]:
        """Yield the rows that are looked at one by one: all, or of Parquet the first of those that
        are alike, while the others are counted.
        """
        if not self._is_in_batches:
            yield from self.source.rows(place)
            return
        for begin, batch in files.batches(self.source.path, place):
            alone = len(batch) if not is_plain(batch) else max(WATCHED - begin + 1, 0)
            yield from read_rows(begin, batch.slice(0, alone))
            if alone < len(batch):
                yield from self._count_batch(begin + alone, batch.slice(alone))

    def _count_batch(self, begin: int, batch: Any) -> Iterator[Row]:
        codes = np.zeros(len(batch), np.int64)
        for column, sort in self._deciding:
            indices, values = _encode(batch[column])
            keys = dict[object, int]()
            places = [keys.setdefault(sort(each) if sort else each, len(keys)) for each in values]
            own = np.array(places, np.int64)[indices]
            codes = np.unique(codes * len(keys) + own, return_inverse=True)[1]
        _, firsts, kinds = np.unique(codes, return_index=True, return_inverse=True)
        every = decode(batch.select([column for column, _ in self._deciding]).take(firsts))
        found = [self._find_key(cells) for cells in every.to_pylist()]
        is_read = np.zeros(len(batch), bool)
        is_read[firsts[[key not in self._first for key in found]]] = True
        yield from _pick_rows(begin, batch, is_read)
        known = np.array([self._first.get(key, 0) for key in found], np.int64)
        left = (known[kinds] == 0) & ~is_read  # such a row could not be used
        yield from _pick_rows(begin, batch, left)
        is_read |= left
        kept = np.flatnonzero(~is_read)
        self.counted += len(kept)
        names = [
            _write_texts(batch[name].take(kept)) if name else pa.nulls(len(kept), _TEXT)
            for name in self._apart
        ]
        self._append(pa.array(known[kinds[kept]]), pa.array(begin + kept), names)

    def add(self, row: Row) -> bool:
        """Count a row if one that is alike was staged. If not, it may be the first of its kind, and
        what is kept apart is taken out of its cells.
        """
        cells = row.cells
        try:
            key = self._find_key(cells)
            first = self._first.get(key)
        except (TypeError, KeyError):  # nested cells have no hash, and short rows not all cells
            key = first = None
        apart = [cells.get(column) for column in self._apart]
        if first is None:
            self._new = key, *apart
            for column in self._blanked:
                cells[column] = ""
            return False
        self._about.append((first, row.number, *apart))
        if len(self._about) >= BATCH:
            self.flush()
        return True

    def _find_key(self, cells: dict[str, object]) -> object:
        key = self._key(cells)
        if self._numbers:
            key = key, *(sort(cells[column]) for column, sort in self._numbers)
        return key

    def keep(self, number: int) -> None:
        """Keep a row that was staged, as the first of those that will be alike."""
        key, *apart = self._new
        if key is not None:
            self._first[key] = number
        self._about.append((number, number, *apart))

    def flush(self) -> None:
        """Put the rows that wait into `about`. Raises NotCountedError where a name is none."""
        if not self._about:
            return
        rows, numbers, *apart = zip(*self._about, strict=True)
        try:
            names = [pa.array(map(as_text, cells), _TEXT) for cells in apart]
        except ValueError:
            raise refuse_counting(self.source) from None
        self._append(pa.array(rows, _WHOLE), pa.array(numbers, _WHOLE), names)
        self._about = []

    def _append(self, rows: pa.Array, numbers: pa.Array, names: list[pa.Array]) -> None:
        """Append to `about`. Raises NotCountedError for a name with a control character."""
        signs = CONTROL.pattern
        texts = (each.dictionary if pa.types.is_dictionary(each.type) else each for each in names)
        if any(compute.any(compute.match_substring_regex(each, signs)).as_py() for each in texts):
            raise refuse_counting(self.source)
        file = pa.repeat(pa.scalar(self.file, ABOUT["file"]), len(rows))
        self.database.append("about", pa.table([file, rows, numbers, *names], [*ABOUT]))


def _pick_rows(begin: int, batch: Any, chosen: np.ndarray) -> Iterator[Row]:
    places = np.flatnonzero(chosen)
    for place, cells in zip(places, decode(batch.take(places)).to_pylist(), strict=True):
        yield Row(begin + int(place), cells)


def _encode(cells: pa.Array) -> tuple[np.ndarray, list[object]]:
    """Return the place of each cell in a list of values, and the list."""
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    values = cells.dictionary.to_pylist()
    return cells.indices.fill_null(len(values)).to_numpy(), [*values, None]


def _write_texts(cells: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(cells.type) and cells.type.value_type == _TEXT:
        return cells
    indices, values = _encode(cells)
    return pa.DictionaryArray.from_arrays(indices, pa.array(map(as_text, values), _TEXT))


@lru_cache(4096, typed=True)
def _sort_number(value: object) -> object:
    try:
        as_mark(value)
    except ValueError:
        return value
    return ()


@lru_cache(4096, typed=True)
def _sort_probability(value: object) -> object:
    try:
        number = as_mark(value)
    except ValueError:
        return value
    return (number > 0.5, number < 0.5) if 0 <= number <= 1 else value


NUMBERS = {
    "prob_a": _sort_probability,
    **dict.fromkeys(("strength", "confidence", "seconds"), _sort_number),
}
"""Fields that hold numbers -> what matters of them."""
