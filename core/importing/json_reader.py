"""JSON -> rows: one object per line, a list of objects, or an object that holds one such list."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO

from ..records import TandemError
from .cells import (
    DEPTH,
    RepeatedKey,
    Row,
    SkippedRecord,
    UnrecognisedError,
    clean_record,
    quote_value,
)
from .text_encoding import RECORD, DataFile, Lines, empty_file_error, suffix

LEVELS = 3  # of objects in a document that are looked into
WINDOW = 2**18  # characters of a document looked at together
SOLID = re.compile(r"[^ \t\r\n]")

Place = tuple[str, ...]
"""Where a value lies in a document: the keys that lead to it."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object] | RepeatedKey:
    if len(found := dict(pairs)) == len(pairs):
        return found
    return RepeatedKey(Counter(key for key, _ in pairs).most_common(1)[0][0])


def _integer(digits: str) -> int | str:
    """Long numbers stay the digits they are: Python refuses to read thousands of them, and the
    store holds 64 bits.
    """
    return int(digits) if len(digits) < 25 else digits


# For lists too the standard library's decoder, and not ijson: that one spends gigabytes on 100,000
# nested brackets (it spells out the path to every level), turns half a surrogate pair into '?', and
# refuses NaN and long integers.
DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def read(file: DataFile) -> Iterator[Row | SkippedRecord]:
    """Read .json or .jsonl by the content, as people mistake the names for each other."""
    return _read_lines(file) if is_lines(file) else read_values(file, _find_values(file))


def _find_values(file: DataFile) -> Callable[[Document], Iterator[object]]:
    """Return the function that reads a document's records by its shape, also of pandas' orients."""
    keys, inner = list[str](), list[list[str]]()
    with open_document(file) as document:
        if document.peek() != "{":
            return Document.records
        for (key,) in document.places(levels=1):
            keys.append(key)
            if {"columns", "data"} <= set(keys) <= {"columns", "index", "data"}:
                return Document.split_records
            if document.peek() == "{":
                value = document.value()
                inner.append(list(value) if isinstance(value, dict) else [])
            elif key not in ("columns", "index"):
                return Document.records
    if not inner or len(inner) < len(keys):
        return Document.records
    shared = set(inner[0]).intersection(*inner[1:])
    if all(each == inner[0] for each in inner) and shared:
        by_columns = all(key.isdigit() for key in inner[0])
        return Document.records_by_column if by_columns else Document.records_by_key
    # some objects have fields that others have not
    is_alike = len(inner) > 2 and len(shared) > 1
    return Document.records_by_key if is_alike else Document.records


def read_values(
    file: DataFile, values: Callable[[Document], Iterator[object]]
) -> Iterator[Row | SkippedRecord]:
    """Yield a row for each of the `values` of a document, which is read to its end."""
    with open_document(file) as document:
        for number, value in enumerate(values(document), start=1):
            yield clean_record(number, value)
        if document.peek():
            raise document.error("it goes on after its end")


def first_sign(file: DataFile) -> str:
    """Return the first character that is not blank. Raises TandemError for an empty file."""
    with open_document(file) as document:
        found = document.peek()
    if not found:
        raise empty_file_error(file.path)
    return found


def is_lines(file: DataFile) -> bool:
    """Return whether a file is JSON lines: the first line is complete and more follow. If that
    leaves it open, the suffix decides.
    """
    begins, is_json = first_sign(file), suffix(file.path) == ".json"
    if is_json and begins != "{":
        return False
    with file.open_text() as stream, suppress(json.JSONDecodeError, RecursionError):
        lines = filter(str.strip, iter(lambda: stream.readline(RECORD), ""))
        first, more = next(lines, ""), next(lines, "")
        if more and first.endswith(("\n", "\r")):
            DECODER.decode(first)
            return True
    return not is_json and begins != "["


def _read_lines(file: DataFile) -> Iterator[Row | SkippedRecord]:
    with file.open_text() as stream:
        for number, line in enumerate(Lines(file.path, stream), start=1):
            if not line.strip():
                continue
            try:
                yield clean_record(number, DECODER.decode(line.rstrip("\r\n")))
            except json.JSONDecodeError as error:
                yield SkippedRecord(number, f"not JSON: {error.msg} at character {error.pos + 1:,}")
            except RecursionError:
                yield SkippedRecord(number, f"nested more than {DEPTH} levels deep")


@contextmanager
def open_document(file: DataFile) -> Iterator[Document]:
    """Open a JSON document, to be read as a stream."""
    with file.open_text() as stream:
        yield Document(file.path, stream)


class Document:
    """A JSON document seen through a window that holds one value of its list at a time."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.window, self.at = path, stream, "", 0
        self.lines, self.characters = 0, 0  # that the window has passed

    def records(self) -> Iterator[object]:
        """Yield the values of the list that the document is, or of the one list of objects in the
        object that it is.
        """
        return self.elements() if self.peek() == "[" else self._only_list()

    def _only_list(self) -> Iterator[object]:
        found = ""
        for (key,) in self.places(levels=1):
            elements = self.elements()
            first = next(elements, None)
            if not isinstance(first, dict | RepeatedKey):
                deque(elements, maxlen=0)  # to its end, keeping nothing
            elif found:
                raise self.error(
                    f"it holds two lists of objects, {quote_value(found)} and {quote_value(key)}"
                )
            else:
                found = key
                yield from chain([first], elements)
        if not found:  # it may be in order, and is no table
            raise UnrecognisedError(self.error("it holds no list of objects").sentence)

    def split_records(self) -> Iterator[object]:
        """Yield the rows of a data frame whose columns are apart."""
        columns: list[object] = []
        for (key,) in self.places(levels=1):
            if key == "columns":
                columns = list(self.elements())
            elif key == "data":
                for row in self.elements():
                    cells = row if isinstance(row, list) else []
                    is_row = len(cells) == len(columns)
                    yield dict(zip(map(str, columns), cells, strict=True)) if is_row else row

    def records_by_key(self) -> Iterator[object]:
        """Yield the objects in the object that this is, with their keys as `index`."""
        for (key,) in self.places(levels=1):
            value = self.value()
            yield {"index": key, **value} if isinstance(value, dict) else value

    def records_by_column(self) -> Iterator[object]:
        """Yield the rows of a data frame of which each column is an object."""
        columns = self.members()
        cells = [value.values() for value in columns.values() if isinstance(value, dict)]
        yield from (dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True))

    def places(self, levels: int = LEVELS, here: Place = ()) -> Iterator[Place]:
        """Yield the place of every value in the object that begins here, and in its objects.

        The caller reads a value at its place, as `elements` or as a `value`; others are skipped.
        """
        self._take("{")
        while self.peek() != "}":
            place = (*here, str(self.value()))
            self._take(":")
            self.peek()
            begin = self._position()
            yield place
            if self._position() == begin:  # it may be of any size, and nothing of it is kept
                if self.peek() == "{" and len(place) < levels:
                    yield from self.places(levels, place)
                elif self.peek() == "[":
                    deque(self.elements(), maxlen=0)
                else:
                    self.value()
            if self.peek() != "}":
                self._take(",")
        self._take("}")

    def members(self) -> dict[str, object]:
        """Return the values of the object that begins here, by key."""
        return {key: self.value() for (key,) in self.places(levels=1)}

    def elements(self) -> Iterator[object]:
        """Yield the values of the list that begins here; nothing if no list does."""
        if self.peek() != "[":
            return
        self._take("[")
        while self.peek() != "]":
            yield self.value()
            if self.peek() != "]":
                self._take(",")
        self._take("]")

    def _take(self, char: str) -> None:
        if self.peek() != char:
            raise self.error(f"{char!r} is expected")
        self.at += 1

    def peek(self) -> str:
        """Return the next character that is not blank, or '' at the end."""
        while not (found := SOLID.search(self.window, self.at)):
            self.at = len(self.window)
            if not self._fill(WINDOW):
                return ""
        self.at = found.start()
        return found[0]

    def value(self) -> object:
        """Read the JSON value that begins here, and move behind it.

        Raises TandemError for broken JSON and for a value longer than RECORD characters.
        """
        self.peek()
        size = WINDOW
        while True:
            value, wrong = None, ""
            try:
                value, end = DECODER.raw_decode(self.window, self.at)
            except RecursionError:
                raise self.error("a value is nested too deep") from None
            except json.JSONDecodeError as error:
                wrong, end = error.msg, error.pos
            # what the window may have cut is read again with more of it: a wrong value, or the "1"
            # of "1.5e+7"
            cut = wrong or end + 3 >= len(self.window)
            if cut and len(self.window) - self.at < RECORD and self._fill(size):
                size *= 2
                continue
            # it may be wrong for going on after a window that takes no more of it
            goes_on = wrong.startswith("Unterminated") or (wrong and end + 3 >= len(self.window))
            if goes_on and len(self.window) - self.at >= RECORD:
                raise TandemError(
                    f"{self.path.name!r} has a value of more than {RECORD:,} characters from "
                    f"line {self._line():,} on: close its quote or bracket"
                )
            self.at = end
            if wrong:
                raise self.error(wrong)
            return value

    def _fill(self, size: int) -> bool:
        more = self.stream.read(size)
        if more:
            self.lines += self.window.count("\n", 0, self.at)
            self.characters += self.at
            self.window, self.at = self.window[self.at :] + more, 0
        return bool(more)

    def _position(self) -> int:
        return self.characters + self.at

    def _line(self) -> int:
        return self.lines + self.window.count("\n", 0, self.at) + 1

    def error(self, what: str) -> TandemError:
        """Build the error that says what is wrong here, with its line and character."""
        line = self._line()
        end = "where it ends, " if not self.peek() else ""
        return TandemError(
            f"{self.path.name!r} is not a readable JSON list of objects: {end}in line {line:,} "
            f"(character {self._position() + 1:,} of the file), {what}. Mend it there, or write "
            "one object per line as .jsonl"
        )
