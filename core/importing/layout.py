"""A layout: how its files are recognised, and what reads them. A reader is made per file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..records import Kind, TandemError
from .cells import Cells, UnrecognisedError
from .conversations import conversation
from .entry import Entry
from .joint_columns import check_prompt
from .source import Source
from .table_cells import Fields
from .table_fields import find_older_prompt, match_columns
from .vote_words import VoteWords

__all__ = ["GOLD", "UNPARSED", "Layout", "Reader", "Source", "TableReader", "has_columns"]

UNPARSED = "unparsed"  # a judge said something, but not what was asked
GOLD = "gold"  # the judge who gave a data set's labels


class Reader(ABC):
    """One layout, reading one file: for each row the entries that it holds. What else there is to
    decide of a file, its reader says here.
    """

    has_items = False  # which columns name or tell by their contexts
    has_names_and_contexts = False  # of items
    may_choose_items = False  # between the two, as nobody said it
    words: VoteWords | None = None  # what the words of a winner column may mean
    prompt = ""  # the columns that make the context, as A+B
    older_prompt = ""  # the one that version 1.0 took for all of it
    family: Sequence[str] = ()  # columns that hold the same, and what further ones are called
    columns_of_systems: Mapping[str, str] = MappingProxyType({})  # system -> column of its texts

    @abstractmethod
    def entries(self, number: int, cells: Cells) -> Iterable[Entry]:
        """Return the entries of a row. Raises ValueError with the reason for skipping it."""

    def decisions(self, cells: Cells) -> Iterable[Entry]:
        """Return who won in a skipped row, as far as the row says it. Raises ValueError."""
        return ()

    def finish(self) -> Iterable[tuple[int, Entry]]:
        """Return entries that only all rows together hold, after the last: each with its row."""
        return ()


class TableReader(Reader):
    """A reader of tables, whose columns fill fields. A mapping that names the item's column is
    taken at its word.
    """

    has_items = True
    deciding: Mapping[str, Collection[str]] = MappingProxyType({})
    """Columns that decide each field, where each row has one entry, of the same fields."""

    def read_fields(self, cells: Cells, fields: Iterable[str]) -> Entry:
        """Return the one entry of a row, or these of its fields. Raises ValueError."""
        (entry,) = self.entries(0, cells)
        return entry

    def __init__(self, source: Source) -> None:
        self.source, self.fields = source, Fields(source)
        self._is_conversation = "context" not in self.fields and "conversation_a" in self.fields
        self.prompt = self.fields.columns.get("context", "")
        self.older_prompt = find_older_prompt(source)
        check_prompt(source, self.prompt)
        has_context = "context" in self.fields or self._is_conversation
        self.has_names_and_contexts = has_context and "item" in self.fields
        self.may_choose_items = self.has_names_and_contexts and "item" not in source.mapping
        self._noted = [name for name in ("reference", "subset", "family") if name in self.fields]

    def about_item(self, cells: Cells) -> Entry:
        """Return the fields of an entry that say which item a row is about."""
        about: Entry = {name: self.fields.read_cell(cells, name) for name in self._noted}
        about["item"] = self.fields.read_text(cells, "item")
        if self._is_conversation:  # the context is what the user said
            about["context"] = conversation(self.fields.read_cell(cells, "conversation_a"))[0]
        else:
            about["context"] = self.fields.read_text(cells, "context")
        return about


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
    is_answered_once: bool = False
    # What lies beside a file says something of it, so the same file may say more another time.
    looks_around: bool = False

    def find_reader(self, source: Source) -> Callable[[Source], Reader] | None:
        """Return the function that makes the reader of this file, if one of the readers recognizes
        it.
        """
        return next((make for make, recognises in self.readers.items() if recognises(source)), None)

    def match_fields(self, source: Source) -> Mapping[str, str]:
        """Return field -> column of a table."""
        return self.matched(source) if self.matched else {}

    def reader(self, source: Source) -> Reader:
        """Return the reader of this file. If no reader recognizes it, return the first, which says
        what is wrong with each row.

        Raises UnrecognisedError where the file as a whole lacks something.
        """
        make = self.find_reader(source) or next(iter(self.readers))
        try:
            return make(source)
        except TandemError as error:
            raise UnrecognisedError(error.sentence) from None


def keep_fields(*names: str) -> Callable[[Source], dict[str, str]]:
    """Return a function that matches the columns of a table with these fields alone."""
    return lambda source: {
        name: column for name, column in match_columns(source).items() if name in names
    }


def has_one_of(*several: tuple[str, ...]) -> Callable[[Source], bool]:
    """Return a function that recognises a file by one of several groups of columns."""
    return lambda source: any({*names} <= {*source.columns} for names in several)


def has_columns(*names: str) -> Callable[[Source], bool]:
    """Return a function that recognises a file by columns it must have."""
    return lambda source: set(names) <= set(source.columns)
