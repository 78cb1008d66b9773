"""Tables of votes, staged by column: what cells say is worked out once for all rows that repeat it.

It is worked out by the functions that read a row by itself, and a row of which anything cannot be
used is read by itself. So both ways stage the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from core.importing.cells import Cells, Row, Skipped
from core.importing.entry import VOTE, Entry
from core.importing.layout import Source
from core.importing.layouts.votes import DECIDING, TURN, Votes
from core.importing.stage import BATCH, CHARACTERS, COLUMNS, Stage
from core.importing.staged_values import (
    NUMBERS,
    add_texts,
    read_context,
    read_family,
    read_item,
    read_judge,
    read_numbers,
    read_reference,
    read_remarks,
    read_side,
    read_subset,
    read_time,
    read_vote,
)
from core.records import TandemError

FEW = 100  # rows that are not worth it
KEPT = 5000  # different cells that are remembered for the rows below
UNREADABLE = -1
WRONG = (ValueError, TandemError, TypeError, AttributeError, LookupError, ArithmeticError)
"""What readers raise."""

Values = dict[str, Any]


def list_parts(source: Source) -> dict[tuple[str, ...], Callable[[Entry], Values]]:
    """Fields of a vote that say something by themselves, and what reads them: all but who won. The
    two texts come last.
    """
    return {
        ("item",): read_item,
        ("subset",): read_subset,
        ("family",): read_family,
        ("reference",): read_reference,
        ("context",): read_context,
        ("judge", "judge_kind", "attribute"): partial(read_judge, source=source),
        **{(name,): read_numbers for name in NUMBERS},
        ("created_at",): partial(read_time, source=source),
        ("comment", "raw"): read_remarks,
        ("text_a", "sample_a"): partial(read_side, side="_a", column=""),
        ("text_b", "sample_b"): partial(read_side, side="_b", column="_b"),
    }


class _CellValues:
    """What the cells of some columns say: `values`, and the place of each in `codes`."""

    def __init__(self, columns: Iterable[str], read: Callable[[Cells], Values]) -> None:
        self.columns, self.read = tuple(dict.fromkeys(columns)), read
        self.values: list[Values] = []
        self._codes: dict[tuple[object, ...], int] = {}

    def find_codes(self, rows: Sequence[Cells]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The place in `values` of what each row says, or UNREADABLE."""
        if not self.columns:
            return np.full(len(rows), self._read_cells((), {}))
        cells = [_tell_apart([row.get(name) for row in rows]) for name in self.columns]
        keys = list(zip(*cells, strict=True))
        codes = list(map(self._codes.get, keys))
        if None in codes:
            for place, key in enumerate(keys):
                if codes[place] is None:
                    codes[place] = self._read_cells(key, rows[place])
        return np.array(codes, np.int64)

    def _read_cells(self, key: tuple[object, ...], row: Cells) -> int:
        if (code := self._codes.get(key)) is not None:
            return code
        try:
            self.values.append(self.read(row))
            code = len(self.values) - 1
        except WRONG:
            code = UNREADABLE
        self._codes[key] = code
        return code

    def list_values(self, codes: np.ndarray[Any, Any], name: str) -> list[Any]:
        """What each of these codes says of one column."""
        values = [each.get(name) for each in self.values]
        return [None if code == UNREADABLE else values[code] for code in codes.tolist()]

    def make_arrays(self, codes: np.ndarray[Any, Any]) -> dict[str, pa.Array]:
        """The columns of `entries` in which some of these codes have a value."""
        there = set[str]().union(
            *(self.values[code] for code in np.flatnonzero(np.bincount(codes)))
        )
        return {
            name: pa.array([each.get(name) for each in self.values], COLUMNS[name]).take(codes)
            for name in there & set(COLUMNS) - {"kind"}
        }

    def forget_cells(self) -> None:
        self.values, self._codes = [], {}


def _tell_apart(cells: list[object]) -> list[object]:
    """Cells as keys, of which no two are equal that may be read otherwise, as 1 and True."""
    if set(map(type, cells)) <= {str, type(None)}:
        return cells
    return [each if isinstance(each, str) else (type(each), repr(each)) for each in cells]


class VoteColumns:
    """The columns of one table of votes on their way to the stage."""

    def __init__(self, file: int, reader: Votes, stage: Stage) -> None:
        self.file, self.reader, self.source, self.stage = file, reader, reader.source, stage
        self._parts = [self._make_part(*part) for part in list_parts(self.source).items()]
        fields = reader.fields.columns
        deciding = [fields[name] for name in DECIDING if name in fields]
        self._votes = _CellValues([*deciding, *reader.words.places], self._read_vote)
        self._has_texts = {"text_a", "text_b"} <= set(fields)
        parts = (self._votes, *self._parts)
        self._needed = {column: None for part in parts for column in part.columns}

    @staticmethod
    def can_read(reader: Votes) -> bool:
        """Whether each row of a table is one vote, with its fields in columns of their own."""
        fields = reader.fields.columns
        known = {*DECIDING, *chain(*list_parts(reader.source))}
        return (
            not reader.asked
            and {name for name, _ in reader.readers} <= known
            and not {"conversation_a", "conversation_b"} & set(fields)
            and set(fields.values()) <= set(reader.source.columns)
        )

    def _make_part(self, names: tuple[str, ...], read: Callable[[Entry], Values]) -> _CellValues:
        readers = [(name, find) for name, find in self.reader.readers if name in names]
        fields = self.reader.fields.columns
        columns = [fields[name] for name, _ in readers if name in fields]
        if "attribute" in names and set(self.source.columns) >= TURN:
            columns.append("turn")
        return _CellValues(columns, lambda row: read({name: find(row) for name, find in readers}))

    def _read_vote(self, row: Cells) -> Values:
        (entry,) = self.reader.entries(0, {name: row.get(name) for name in self._votes.columns})
        values, kind = read_vote(self.source, {**entry, "text_a": None, "text_b": None})
        return {"failure": values["failure"], "kind": kind}

    def stage_rows(
        self, rows: Iterable[Row | Skipped], stage_row: Callable[[Row | Skipped], bool]
    ) -> Iterator[tuple[int, int]]:
        """Stage all rows; gives now and then how many more were read, and how many of these are of
        no use. `stage_row` stages one by itself, and says whether it is used.
        """
        for portion in self._cut_portions(rows):
            if len(portion) < FEW:
                used = sum(map(stage_row, portion))
            else:
                used = self._stage_portion(portion, stage_row)
            yield len(portion), len(portion) - used

    def _cut_portions(self, rows: Iterable[Row | Skipped]) -> Iterator[list[Row | Skipped]]:
        """Rows with the cells that are needed, as many as may be in memory."""
        portion, characters = list[Row | Skipped](), 0
        is_wide = set(self.source.columns) > set(self._needed)
        for row in rows:
            if isinstance(row, Row):
                if is_wide:
                    row = Row(row.number, {name: row.cells.get(name) for name in self._needed})
                characters += _count_characters(row.cells)
            portion.append(row)
            if len(portion) >= BATCH or characters >= CHARACTERS:
                yield portion
                portion.clear()  # whoever had them is done with them
                characters = 0
        yield portion

    def _stage_portion(
        self, rows: Sequence[Row | Skipped], stage_row: Callable[[Row | Skipped], bool]
    ) -> int:
        """Stage rows; returns how many are used."""
        cells = [row.cells if isinstance(row, Row) else {} for row in rows]
        votes = self._votes.find_codes(cells)
        codes = [part.find_codes(cells) for part in self._parts]
        is_plain = np.all(np.array([votes, *codes]) != UNREADABLE, axis=0).tolist()
        texts = [(None, None)] * len(rows)
        if self._has_texts:
            sides = zip(self._parts[-2:], codes[-2:], ("text", "text_b"), strict=True)
            listed = [part.list_values(each, name) for part, each, name in sides]
            texts = list(zip(*listed, strict=True))
        kept, kinds, others = list[int](), list[int](), 0
        for place, (row, vote) in enumerate(zip(rows, votes.tolist(), strict=True)):
            if is_plain[place] and isinstance(row, Row):
                kept.append(place)
                kinds.append(self._number_kind(self._votes.values[vote], *texts[place]))
            else:
                others += stage_row(row)
        if kept:
            numbers = [rows[place].number for place in kept]
            self._append(numbers, kinds, [each[kept] for each in (*codes, votes)])
        for part in (self._votes, *self._parts):
            if len(rows) < BATCH or len(part.values) > KEPT:
                part.forget_cells()
        return len(kept) + others

    def _number_kind(self, said: Values, text_a: str | None, text_b: str | None) -> int:
        """The number of a vote's kind, which is the same for all that say the same."""
        own = said["kind"]
        kind = add_texts(own, text_a, text_b)
        if kind is not own:
            return self.stage.number_kind(self.file, kind)
        if "number" not in said:
            said["number"] = self.stage.number_kind(self.file, own)
        number: int = said["number"]
        return number

    def _append(
        self, numbers: list[int], kinds: list[int], codes: Sequence[np.ndarray[Any, Any]]
    ) -> None:
        rows = len(numbers)
        same = {"file": self.file, "part": 0, "sort": VOTE}
        columns = {
            name: pa.repeat(pa.scalar(each, COLUMNS[name]), rows) for name, each in same.items()
        }
        columns |= {"row": pa.array(numbers), "kind": pa.array(kinds, COLUMNS["kind"])}
        for part, each in zip((*self._parts, self._votes), codes, strict=True):
            columns |= part.make_arrays(each)
        self.stage.sorts.add(VOTE)
        self.stage.append_columns(columns, rows)


def _count_characters(cells: Cells) -> int:
    try:
        return len("".join(cells.values()))  # type: ignore[arg-type]
    except TypeError:  # of cells that are no texts
        return len(repr(cells))
