"""The staging table: what all rows of the files say, before anything is decided or written.

A row lies in `entries` as the entries its layout's reader gave (`core.importing.entry`), or in
`skipped` with the reason. What a vote says of its two systems is kept once for all that say the
same: `kind` is its place among the `VoteKind`s of its file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from core.importing.database import Database
from core.importing.entry import DROPPED, Entry
from core.importing.layout import Source
from core.importing.staged_values import VoteKind, find_kind, read_values

BATCH = 10_000  # entries, and
CHARACTERS = 4 * 2**20  # of texts, that wait in Python's memory
LONG_TEXTS = "context", "text", "text_b"
SMALL_FILES = 8 * 2**20  # bytes
_TEXT, _WHOLE, _REAL, _BITS = pa.string(), pa.int64(), pa.float64(), pa.binary(16)
COLUMNS: Mapping[str, pa.DataType] = {
    "file": pa.int32(), "row": _WHOLE, "part": pa.int32(), "sort": _TEXT, "item": _TEXT,
    "context": _TEXT, "context_id": _BITS, "named_by": _TEXT, "fallback_item": _TEXT,
    "older_item": _TEXT, "reference": _TEXT, "subset": _TEXT, "family": _TEXT, "system": _TEXT,
    "base": _TEXT, "text": _TEXT, "text_id": _BITS, "sample": _WHOLE, "text_b": _TEXT,
    "text_b_id": _BITS, "sample_b": _WHOLE, "kind": pa.int32(), "attribute": _TEXT, "judge": _TEXT,
    "judge_kind": _TEXT, "judge_model": _TEXT, "judge_prompt": _TEXT, "prob_a": _REAL,
    "strength": _REAL, "confidence": _REAL, "seconds": _REAL, "comment": _TEXT, "raw": _TEXT,
    "failure": _TEXT, "moment": _TEXT, "stated": _TEXT, "undecided": _TEXT, "times": _WHOLE,
    "ranking": _TEXT, "pending": pa.bool_(), "once": pa.bool_(), "unique": _TEXT,
    "value": _REAL, "trial": _WHOLE,
}  # fmt: skip
"""The columns of `entries`; `system`, `text` and `sample` of a vote are those of its first side."""


class Stage:
    """The staging tables of one import, and the kinds of vote of each file by their place."""

    def __init__(self, size: int) -> None:
        """`size` of the files in bytes: for small ones a second thread costs more than it helps."""
        self.database = Database(threads=1 if size < SMALL_FILES else None)
        self._waiting: list[dict[str, Any]] = []
        self._characters = 0
        self._skipped: list[tuple[int, int, str, bool, bool, bool]] = []
        self.sorts = set[str]()  # of entries
        self.filled = set[str]()  # columns in which some entry has a value
        self.lost: list[Counter[VoteKind]] = []  # kinds of vote in rows that are skipped
        self.kinds: list[dict[VoteKind, int]] = []
        empty = {name: pa.array([], type=kind) for name, kind in COLUMNS.items()}
        self.database.add_table("entries", empty)
        self.database.rows("CREATE MACRO quote(name) AS concat(chr(39), name, chr(39))")
        self.database.rows(
            "CREATE TABLE skipped (file INTEGER, row BIGINT, reason VARCHAR, contradicts BOOLEAN, "
            "whole BOOLEAN, late BOOLEAN)"
        )

    def close(self) -> None:
        self.database.close()

    def begin_file(self) -> int:
        """The number of the next file."""
        self.kinds.append({})
        self.lost.append(Counter())
        return len(self.kinds) - 1

    def drop_file(self, file: int) -> None:
        """Forget what a file says."""
        self.flush()
        for table in ("entries", "skipped"):
            self.database.rows(f"DELETE FROM {table} WHERE file = {file}")

    def add_row(self, file: int, row: int, source: Source, entries: list[Entry]) -> None:
        """Stage what a row says. Raises ValueError, with nothing staged, where it is no use."""
        rows = [
            {"file": file, "row": row, "part": part, **read_values(entry, source)}
            for part, entry in enumerate(entries)
            if entry["sort"] != DROPPED
        ]
        for entry in entries:
            if entry["sort"] == DROPPED:
                self._skipped.append((file, row, entry["reason"], False, False, False))
        for values in rows:
            if "kind" in values:
                values["kind"] = self.number_kind(file, values["kind"])
            self._characters += sum(len(values.get(name) or "") for name in LONG_TEXTS)
        self._waiting += rows
        self.sorts.update(values["sort"] for values in rows)
        if len(self._waiting) >= BATCH or self._characters >= CHARACTERS:
            self.flush()

    def number_kind(self, file: int, kind: VoteKind) -> int:
        """The place of a kind of vote among those of its file."""
        kinds = self.kinds[file]
        return kinds.setdefault(kind, len(kinds))

    def skip_row(self, file: int, row: int, reason: str, lost: Iterable[Entry] = ()) -> None:
        """Note that a row is not used, why, and the votes that are lost with it."""
        self._skipped.append((file, row, reason, False, True, False))
        for entry in lost:
            kind = find_kind(entry)
            if kind.system_a != kind.system_b:
                self.lost[file][kind] += 1

    def append_columns(self, columns: Mapping[str, pa.Array], rows: int) -> None:
        """Stage so many entries by those columns in which some of them has a value."""
        self.filled |= set(columns)
        every = {
            name: columns[name] if name in columns else pa.nulls(rows, kind)
            for name, kind in COLUMNS.items()
        }
        self.database.append("entries", every)

    def flush(self) -> None:
        """Put what waits into the tables."""
        if self._waiting:
            rows, used = self._waiting, set[str]().union(*self._waiting)
            columns = {
                name: pa.array([row.get(name) for row in rows], COLUMNS[name]) for name in used
            }
            self.append_columns(columns, len(rows))
            self._waiting, self._characters = [], 0
        if self._skipped:
            names = ("file", "row", "reason", "contradicts", "whole", "late")
            self.database.append(
                "skipped",
                {
                    name: pa.array([row[place] for row in self._skipped])
                    for place, name in enumerate(names)
                },
            )
            self._skipped = []
