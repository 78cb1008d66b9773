"""A file that is imported, and what is known about it before its first row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path

from core.importing import files
from core.importing.cells import Cells, Row, SkippedRecord
from core.importing.codes import Codes
from core.importing.tally import Tally
from core.importing.text_encoding import ReadingPlace, suffix
from core.moments import DateOrder
from core.records import Kind


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
    study: tuple[str, ...] = ()  # the systems that the data set has already
    encoding: str = ""  # of text that is not UTF-8
    zone: tzinfo = UTC  # of times that name none
    sheet: str = ""  # of a workbook
    unused: tuple[str, ...] = ()  # columns that a person leaves out
    tally: Tally = field(default_factory=Tally)

    def rows(self, place: ReadingPlace | None = None) -> Iterator[Row | SkippedRecord]:
        """Yield all records of the file, in its encoding and from its sheet."""
        return files.rows(self.path, encoding=self.encoding, sheet=self.sheet, place=place)

    @property
    def megabytes(self) -> int:
        """The size of the file in megabytes, rounded down."""
        return self.path.stat().st_size // 10**6

    def cells(self, limit: int | None = None) -> Iterator[Cells]:
        """Yield the cells of the rows that can be read, among so many first rows."""
        return (row.cells for row in islice(self.rows(), limit) if isinstance(row, Row))

    @property
    def stem(self) -> str:
        """The file's name without what says how it is written and packed."""
        name = self.path.stem if self.path.suffix.lower() == ".gz" else self.path.name
        return Path(name).stem if suffix(self.path) else name
