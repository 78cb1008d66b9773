"""JSON -> rows: one object per line, a list of objects, or an object that holds one such list."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO

from core.importing.cells import DEPTH, Repeated, Row, Skipped, cleaned, short
from core.importing.layout import UnrecognisedError
from core.importing.text_encoding import RECORD, Lines, empty, open_text, suffix
from core.records import TandemError

LEVELS = 3  # of objects in a document that are looked into
WINDOW = 2**18  # characters of a document looked at together
SOLID = re.compile(r"[^ \t\r\n]")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object] | Repeated:
    found = dict(pairs)
    return (
        found
        if len(found) == len(pairs)
        else Repeated(Counter(key for key, _ in pairs).most_common(1)[0][0])
    )


def _integer(digits: str) -> int | str:
    """Long numbers stay the digits they are: Python refuses to read thousands of them, and the
    store holds 64 bits.
    """
    return int(digits) if len(digits) < 25 else digits


# For lists too the standard library's decoder, and not ijson: that one spends gigabytes on 100,000
# nested brackets (it spells out the path to every level), turns half a surrogate pair into '?', and
# refuses NaN and long integers.
DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def read(path: Path) -> Iterator[Row | Skipped]:
    """JSON in either shape, by what the file holds: people mistake .json and .jsonl for each
    other."""
    return _lines(path) if is_lines(path) else _document(path)


def start(path: Path) -> str:
    """The first character that is not blank. Raises TandemError when there is none."""
    with open_text(path) as stream:
        found = _Document(path, stream).peek()
    if not found:
        raise empty(path)
    return found


def members(path: Path, lists: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """The members of the object that a document is: key and value; of those that are named in
    `lists`, each element with its number from 1.
    """
    with open_text(path) as stream:
        document = _Document(path, stream)
        for key in document.members():
            name = key[1:-1]
            if name in lists and document.peek() == "[":
                for number, value in enumerate(document.elements(), start=1):
                    yield name, (number, value)
            else:
                yield name, document.value()


Place = tuple[str, ...]
"""Where a list lies in a document: the keys that lead to it."""


def lists_at(path: Path, places: Collection[Place]) -> Iterator[object]:
    """The elements of every list of a document that lies at one of these places. Reads the document
    to its end, and nothing else of it is kept.
    """
    with open_text(path) as stream:
        document = _Document(path, stream)
        yield from document.elements_at(places)
        if document.peek():
            raise document.error("it goes on after its end")


def outline(path: Path) -> Iterator[tuple[Place, bool]]:
    """The places of the values of a document and of the objects in it, up to the first list of
    objects in the document itself: each with whether it is a list of objects.
    """
    with open_text(path) as stream, suppress(TandemError):
        document = _Document(path, stream)
        if document.peek() == "{":
            yield from document.outline()


def begins_with(path: Path, keys: tuple[str, ...]) -> bool:
    """Whether a document is an object whose first keys are these."""
    with open_text(path) as stream, suppress(TandemError):
        document = _Document(path, stream)
        if document.peek() != "{":
            return False
        for key, expected in zip(document.members(), keys, strict=False):
            if key[1:-1] != expected:
                return False
            if expected == keys[-1]:
                return True
            document.value()
    return False


def is_lines(path: Path) -> bool:
    """Whether the first line stands alone and more follow; where that leaves it open, what the
    suffix says.
    """
    begins, is_json = start(path), suffix(path) == ".json"
    if is_json and begins != "{":
        return False
    with open_text(path) as stream, suppress(json.JSONDecodeError, RecursionError):
        lines = filter(str.strip, iter(lambda: stream.readline(RECORD), ""))
        first, more = next(lines, ""), next(lines, "")
        if more and first.endswith(("\n", "\r")):
            DECODER.decode(first)
            return True
    return not is_json and begins != "["


def _lines(path: Path) -> Iterator[Row | Skipped]:
    with open_text(path) as stream:
        lines = Lines(path, stream)
        for line in lines:
            lines.new_record()
            if not line.strip():
                continue
            try:
                yield cleaned(lines.number, DECODER.decode(line.rstrip("\r\n")))
            except json.JSONDecodeError as error:
                yield Skipped(lines.number, f"not JSON: {error.msg} at character {error.pos + 1:,}")
            except RecursionError:
                yield Skipped(lines.number, f"nested more than {DEPTH} levels deep")


def _document(path: Path) -> Iterator[Row | Skipped]:
    with open_text(path) as stream:
        for number, value in enumerate(_Document(path, stream).records(), start=1):
            yield cleaned(number, value)


class _Document:
    """A JSON document seen through a window that holds one value of its list at a time."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.window, self.at = path, stream, "", 0
        self.lines, self.characters = 0, 0  # that the window has passed

    def records(self) -> Iterator[object]:
        """The values of the list that the document is, or of the one list of objects in the object
        that it is.
        """
        yield from self.elements() if self.peek() == "[" else self.only_list()
        if self.peek():
            raise self.error("it goes on after its end")

    def only_list(self) -> Iterator[object]:
        found = ""
        for key in self.members():
            if self.peek() != "[":
                self.value()
                continue
            elements = self.elements()
            first = next(elements, None)
            if not isinstance(first, dict | Repeated):
                deque(elements, maxlen=0)  # to its end, keeping nothing
            elif found:
                raise self.error(f"it holds two lists of objects, {found} and {key}")
            else:
                found = key
                yield from chain([first], elements)
        if not found:  # it may be in order, and is no table
            raise UnrecognisedError(self.error("it holds no list of objects").sentence)

    def elements_at(self, places: Collection[Place], here: Place = ()) -> Iterator[object]:
        """The elements of the lists at these places within the object that begins here."""
        for key in self.members():
            place = (*here, key[1:-1])
            if place in places and self.peek() == "[":
                yield from self.elements()
            elif self.peek() == "{" and len(place) < LEVELS:  # it may be of any size
                yield from self.elements_at(places, place)
            else:
                self.skip()

    def outline(self, here: Place = ()) -> Iterator[tuple[Place, bool]]:
        for key in self.members():
            place = (*here, key[1:-1])
            if self.peek() == "{" and len(place) < LEVELS:
                yield place, False
                yield from self.outline(place)
            elif self.peek() == "[":
                elements = self.elements()
                of_objects = isinstance(next(elements, None), dict | Repeated)
                yield place, of_objects
                if of_objects and not here:
                    return
                deque(elements, maxlen=0)
            else:
                yield place, False
                self.skip()

    def skip(self) -> None:
        """Read a value and keep nothing of it."""
        if self.peek() == "[":
            deque(self.elements(), maxlen=0)
        else:
            self.value()

    def elements(self) -> Iterator[object]:
        self.take("[")
        while self.peek() != "]":
            yield self.value()
            if self.peek() != "]":
                self.take(",")
        self.take("]")

    def members(self) -> Iterator[str]:
        self.take("{")
        while self.peek() != "}":
            key = short(str(self.value()))
            self.take(":")
            yield key
            if self.peek() != "}":
                self.take(",")
        self.take("}")

    def take(self, char: str) -> None:
        if self.peek() != char:
            raise self.error(f"{char!r} is expected")
        self.at += 1

    def peek(self) -> str:
        """The next character that is not blank, or '' at the end."""
        while not (found := SOLID.search(self.window, self.at)):
            self.at = len(self.window)
            if not self.fill(WINDOW):
                return ""
        self.at = found.start()
        return found[0]

    def value(self) -> object:
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
            if cut and len(self.window) - self.at < RECORD and self.fill(size):
                size *= 2
                continue
            if wrong and self.is_cut(wrong, end):
                raise self.too_long()
            self.at = end
            if wrong:
                raise self.error(wrong)
            return value

    def is_cut(self, wrong: str, end: int) -> bool:
        """Whether a value is wrong for going on after a window that takes no more of it."""
        if len(self.window) - self.at < RECORD:
            return False
        return wrong.startswith("Unterminated") or end + 3 >= len(self.window)

    def fill(self, size: int) -> bool:
        more = self.stream.read(size)
        if more:
            self.lines += self.window.count("\n", 0, self.at)
            self.characters += self.at
            self.window, self.at = self.window[self.at :] + more, 0
        return bool(more)

    def line(self) -> int:
        return self.lines + self.window.count("\n", 0, self.at) + 1

    def too_long(self) -> TandemError:
        return TandemError(
            f"{self.path.name!r} has a value of more than {RECORD:,} characters that begins in "
            f"line {self.line():,}; look there for a quote or a bracket that is never closed"
        )

    def error(self, what: str) -> TandemError:
        line = self.line()
        end = "where it ends, " if not self.peek() else ""
        return TandemError(
            f"{self.path.name!r} is not a readable JSON list of objects: {end}in line {line:,} "
            "(character "
            f"{self.characters + self.at + 1:,} of the file), {what}; mend it there, or write "
            "one object per line as .jsonl"
        )
