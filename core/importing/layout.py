"""A layout, and what the readers of all layouts share: the file they read.

A reader is made per file, and gives for each row the entries it holds, or raises ValueError with
the reason for skipping it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path
from typing import Protocol

from core.importing import attributes, files
from core.importing.cells import Cells, Row, Skipped, UnrecognisedError
from core.importing.codes import Codes
from core.importing.entry import Entry
from core.importing.tally import Tally
from core.importing.text_encoding import suffix
from core.moments import DateOrder
from core.records import (
    Attribute,
    Kind,
    TandemError,
)

NOT_A_NUMBER = "not-a-number"
UNPARSED = "unparsed"  # a judge said something, but not what was asked
GOLD = "gold"  # the judge who gave a data set's labels


@dataclass(frozen=True)
class Source:
    """A file and what is known about it before its first row."""

    path: Path
    columns: tuple[str, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.HUMAN
    context_noun: str = "context"
    candidate_noun: str = "text"
    codes: Codes = field(default_factory=Codes)  # what the values of a winner column mean
    systems: tuple[str, ...] = ()  # names of the systems, in the file's order, where it has none
    system_name: str = ""  # the one system whose texts all of the file has
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # of raters that are not as all
    dates: DateOrder | None = None  # what comes first in dates, where it was said
    study: tuple[str, ...] = ()  # the systems that the data set has already
    encoding: str = ""  # of text that is not UTF-8
    zone: tzinfo = UTC  # of times that name none
    sheet: str = ""  # of a workbook
    tally: Tally = field(default_factory=Tally)

    def rows(self) -> Iterator[Row | Skipped]:
        """Every record of the file, in its encoding and of its sheet."""
        return files.rows(self.path, encoding=self.encoding, sheet=self.sheet)

    def cells(self, limit: int | None = None) -> Iterator[Cells]:
        """The cells of the rows that can be read, among so many first rows."""
        return (row.cells for row in islice(self.rows(), limit) if isinstance(row, Row))

    @property
    def stem(self) -> str:
        """The file's name without what says how it is written and packed."""
        name = (
            self.path.name[: -len(".gz")] if self.path.suffix.lower() == ".gz" else self.path.name
        )
        return name.removesuffix(Path(name).suffix) if suffix(self.path) else name

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name, with the field's usual question where it has one."""
        return attributes.attribute(name, self.candidate_noun, self.context_noun)


class Reader(Protocol):
    """One layout, reading one file."""

    def entries(self, number: int, cells: Cells) -> Iterable[Entry]: ...


@dataclass(frozen=True)
class Layout:
    """The files of one data set, or of one kind: for each sort of them its reader, and how it is
    recognised.

    `fields` are those that a mapping can name. A table has `matched` instead, which says what
    column fills what field and refuses a mapping that does not fit; `by_hand` are the fields worth
    correcting by hand. `settings` are those of `codes`, `systems`, `system_name` and `kind` that
    its readers heed; `kind` is who gave its votes or scores unless it is said.
    """

    name: str
    title: str
    readers: Mapping[Callable[[Source], Reader], Callable[[Source], bool]]
    nouns: tuple[str, str] = ("context", "text")
    fields: tuple[str, ...] = ()
    matched: Callable[[Source], Mapping[str, str]] | None = None
    by_hand: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    kind: Kind = Kind.HUMAN
    # A judge answers a comparison once in all its files together, so the same answer in another
    # file is the same answer.
    once: bool = False
    # What lies beside a file says something of it, so the same file may say more another time.
    looks_around: bool = False

    def matches(self, source: Source) -> bool:
        return any(recognises(source) for recognises in self.readers.values())

    def reader(self, source: Source) -> Reader:
        """What reads this file: where none of its readers recognises it, the first will say what is
        wrong with each row.

        Raises UnrecognisedError where the file as a whole lacks something.
        """
        fitting = [make for make, recognises in self.readers.items() if recognises(source)]
        try:
            return (fitting or list(self.readers))[0](source)
        except TandemError as error:
            raise UnrecognisedError(error.sentence) from None


def has(*names: str) -> Callable[[Source], bool]:
    """Recognises a file by columns it must have."""
    return lambda source: set(names) <= set(source.columns)
