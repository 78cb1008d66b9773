"""A file that is imported, and what is known about it before its first row."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..moments import DateOrder
from ..records import Kind, TandemError
from . import files, parquet_reader
from .cells import Cells, Row, SkippedRecord
from .codes import Codes
from .column_names import normalise_name
from .tally import Tally
from .text_encoding import ReadingPlace, suffix

LOOKED_THROUGH = 1_000_000  # rows in which a column must show what it holds


@dataclass(frozen=True)
class Source:
    """A file with its columns, and what a reading or the data set says of it."""

    path: Path
    columns: tuple[str, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.HUMAN
    codes: Codes = field(default_factory=Codes)  # what the values of a winner column mean
    systems: tuple[str, ...] = ()  # names of the systems, in the file's order, where it has none
    system_name: str = ""  # the one system whose texts all of the file has
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # of raters that are not as all
    dates: DateOrder | None = None  # what comes first in dates, where it was said
    encoding: str = ""  # of text that is not UTF-8
    zone: tzinfo = UTC  # of times that name none
    sheet: str = ""  # of a workbook
    unused: tuple[str, ...] = ()  # columns that a person leaves out
    rater: str = ""  # who gave votes and scores, where no column says it: the name of the sheet
    tally: Tally = field(default_factory=Tally)

    def rows(self, place: ReadingPlace | None = None) -> Iterator[Row | SkippedRecord]:
        """Yield all records of the file, in its encoding and from its sheet."""
        return files.rows(self.path, encoding=self.encoding, sheet=self.sheet, place=place)

    def find_columns(self, tests: Iterable[tuple[str, Callable[[Any], object]]]) -> dict[str, str]:
        """Return the columns, each with its first cell, of which all cells in LOOKED_THROUGH rows
        pass a test, but for empty ones.
        """
        left = tuple(tests)
        if not left or not self.path.exists():
            return {}
        changed = self.path.stat()
        where = self.path, self.encoding, self.sheet
        return _find_columns(where, left, (changed.st_mtime_ns, changed.st_size))

    @cached_property
    def by_name(self) -> dict[str, str]:
        """The columns by their names as names are compared."""
        return {normalise_name(column): column for column in self.columns}

    def pick_rows(self, numbers: Iterable[int]) -> dict[int, Cells]:
        """Read the cells of these rows again; of those alone that can be read."""
        wanted = sorted({*numbers})
        if suffix(self.path) == ".parquet":
            return dict(self._pick_in_batches(wanted))
        known, last = {*wanted}, max(wanted, default=0)
        rows = takewhile(lambda row: row.number <= last, self.rows() if known else ())
        return {
            row.number: row.cells for row in rows if row.number in known and isinstance(row, Row)
        }

    def _pick_in_batches(self, wanted: list[int]) -> Iterator[tuple[int, Cells]]:
        for begin, batch in files.batches(self.path, ReadingPlace()) if wanted else ():
            first, end = (bisect_left(wanted, row) for row in (begin, begin + len(batch)))
            places = pa.array([row - begin for row in wanted[first:end]], pa.int64())
            for row in parquet_reader.read_rows(0, batch.take(places)):
                if isinstance(row, Row):
                    yield wanted[first + row.number], row.cells

    @property
    def megabytes(self) -> int:
        """The size of the file in megabytes, rounded down."""
        return self.path.stat().st_size // 10**6

    def cells(self, limit: int | None = None) -> Iterator[Cells]:
        """Yield the cells of the rows that can be read, among so many first rows."""
        return (row.cells for row in islice(self.rows(), limit) if isinstance(row, Row))

    def parse_name(self, pattern: str, otherwise: str) -> dict[str, str]:
        """Return what the end of the file's path says, without its endings, by the named groups of
        a pattern; numbers behind their names tell alternatives apart. Raises TandemError with the
        file's name and what is `otherwise` wrong with it.
        """
        folder = self.path.absolute().parent.as_posix()
        found = re.search(f"/(?:{pattern})$", f"{folder}/{self.stem}")
        if not found:
            raise TandemError(f"{self.path.name} {otherwise}")
        return {name.rstrip("0123456789"): said for name, said in found.groupdict().items() if said}

    @property
    def stem(self) -> str:
        """The file's name without what says how it is written and packed."""
        name = self.path.stem if self.path.suffix.lower() == ".gz" else self.path.name
        return Path(name).stem if suffix(self.path) else name


@lru_cache(maxsize=64)
def _find_columns(
    where: tuple[Path, str, str],
    tests: tuple[tuple[str, Callable[[Any], object]], ...],
    changed: tuple[int, int],
) -> dict[str, str]:
    """Cached until the file has `changed`."""
    path, encoding, sheet = where
    left, seen = dict(tests), dict[str, str]()
    for row in islice(files.rows(path, encoding=encoding, sheet=sheet), LOOKED_THROUGH):
        cells = row.cells if isinstance(row, Row) else {}
        for column, passes in list(left.items()):
            if (value := cells.get(column)) in (None, ""):
                continue
            if not passes(value):
                del left[column]
            seen.setdefault(column, str(value))
        if not left:
            break
    return {column: seen[column] for column in left if column in seen}
