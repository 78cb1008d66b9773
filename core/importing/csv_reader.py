"""CSV -> rows, with any separator of cells and a header near the beginning."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from ..records import TandemError
from .cells import Row, SkippedRecord, check_columns, clean_record, quote_value
from .column_names import SYNONYMS, normalise_name
from .recipes import refuse_tool
from .text_encoding import RECORD, DataFile, Lines, empty_file_error
from .winners import WINNERS

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
ABOVE = 20  # lines below a title among which the header is looked for
SAID = re.compile(r'"?sep=(\S|\t)"?', re.IGNORECASE)  # how Excel is told, in a line above
UNLIKELY = re.compile("[:~^\x1f\xa6\u2016\uff0c\uff1b]")  # what else separates columns somewhere

NOT_FILLED = ["Approve", "Reject"]
"""The last columns of MTurk's results, which its rows leave out: they are for the requester."""
PROMPTFOO = ["Status", "Score", "Named Scores"]
"""What follows the column of outputs of each prompt in promptfoo's tables."""

csv.field_size_limit(RECORD)


class _CsvTable:
    def __init__(self, path: Path, stream: IO[str], notes: dict[str, None] | None = None) -> None:
        self.path, self.lines = path, Lines(path, stream)
        lines = iter(self.lines)
        first = self._find_text(lines)
        said = SAID.fullmatch(first.strip())
        if said:
            first = self._find_text(lines)
        at, self.separator = self.lines.count, said[1] if said else _find_separator(first)
        waiting = [first]
        titles = {} if notes is None else notes
        if "\0" not in first and not _count_known(_split(first, self.separator)):
            waiting += islice(lines, ABOVE)
            below = _find_header(waiting, said[1] if said else "")
            for title in filter(str.strip, waiting[:below]):
                title = quote_value(title.strip(f'\r\n "{"".join(SEPARATORS)}'))
                titles[f"the title {title} above the header is left out"] = None
            waiting, at = waiting[below:], at + below
            first, self.separator = waiting[0], said[1] if said else _find_separator(waiting[0])
        self.before = at - 1
        # strict, because the lenient parser glues texts together where it meets a stray quote
        self.reader: Any = csv.reader(chain(waiting, lines), delimiter=self.separator, strict=True)
        try:
            names = [name.strip() for name in next(self.reader)]
        except csv.Error as error:
            self._check_quotes(at, error)
            raise TandemError(
                f"{path.name!r} has a stray quote in its header, line {at}; take it out"
            ) from None
        if "\0" in "".join(names):
            raise TandemError(
                f"{path.name!r} has NUL bytes in its header, so it is not CSV in UTF-8; save it as "
                "that"
            )
        self.names = name_columns(path, names, f"line {at} is {quote_value(first.strip())}")

    def _find_text(self, lines: Iterator[str]) -> str:
        if found := next(filter(str.strip, lines), ""):
            return found
        raise empty_file_error(self.path)

    @property
    def line(self) -> int:
        """The number of lines that the records so far have."""
        return self.before + int(self.reader.line_num)

    def _check_quotes(self, line: int, error: csv.Error) -> None:
        if "field limit" in str(error):
            raise self.lines.long_record_error(line) from None
        if "unexpected end" in str(error):
            raise TandemError(
                f"{self.path.name!r} has a quote that is never closed, in the row of line "
                f"{line:,}. Close it, or double a quote that belongs to the text"
            ) from None

    def read(self) -> Iterator[Row | SkippedRecord]:
        """Yield all records below the header."""
        lines, names, width = self.lines, self.names, len(self.names)
        number, end = 0, self.line
        while True:
            try:
                for cells in self.reader:
                    # This runs a million times: what is in order costs no more than this.
                    if len(cells) == width > 1 and not lines.has_nul:
                        number += 1
                        yield Row(number, dict(zip(names, cells)))  # noqa: B905
                    elif len(cells) > 1 or "".join(cells).strip():  # no blank line
                        number += 1
                        yield _odd_row(number, names, cells, self._render_lines(end))
                    end = self.line
                return
            except csv.Error as error:
                self._check_quotes(end + 1, error)
                number += 1
                wrong = "text after a closing quote; write a quote inside a cell twice"
                yield SkippedRecord(number, f"{self._render_lines(end)}{wrong}")
                end = self.line

    def _render_lines(self, end: int) -> str:
        begin = end + 1
        return f"line {begin}: " if begin == self.line else f"lines {begin} to {self.line}: "


def _find_separator(line: str) -> str:
    bare = re.sub('"[^"]*("|$)', "", line)
    return max(SEPARATORS, key=bare.count)


def _split(line: str, separator: str) -> list[str]:
    with suppress(csv.Error):
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True))]
    return []


KNOWN = {normalise_name(each) for name in SYNONYMS for each in (name, *SYNONYMS[name])}
KNOWN -= {each for each in KNOWN if each in WINNERS or len(each) < 4}
"""Names of columns that are hardly values of a cell."""


def _count_known(cells: Iterable[str]) -> int:
    return sum(normalise_name(cell) in KNOWN for cell in cells)


def _find_header(lines: Sequence[str], separator: str) -> int:
    """Return the place of the header below titles: the first line with several names, some of them
    known, above lines most of which have as many cells. Without one it is the first line, as where
    that is no narrower, and has more than one cell that is filled.
    """
    title = _split(lines[0], separator or _find_separator(lines[0]))
    is_lone = sum(map(bool, title)) == 1
    for place, line in enumerate(lines[1:-1], start=1):
        of = separator or _find_separator(line)
        names = _split(line, of)
        rows = [_split(each, of) for each in lines[place + 1 :] if each.strip()]
        are_names = len(set(names)) == len(names) > 1 and not any(map(_is_number, names))
        alike = [row for row in rows if len(row) == len(names)]
        is_header = are_names and all(names[1:]) and 2 * len(alike) > len(rows)
        if is_header and (is_lone or len(title) < len(names)):
            firsts = {row[0].casefold() for row in alike}  # of a matrix, which names its rows
            known = _count_known(names) or int(firsts.issuperset(map(str.casefold, names[1:])))
            return place if known > (0 if is_lone else 1) else 0
    return 0


def _odd_row(number: int, names: list[str], cells: list[str], place: str) -> Row | SkippedRecord:
    width = len(names)
    if names[len(cells) :] == NOT_FILLED:
        cells = [*cells, "", ""]
    if len(cells) < width or any(cells[width:]):
        count = f"{len(cells):,} cell{'s' * (len(cells) != 1)}"
        return SkippedRecord(number, f"{place}{count} where the header has {width:,}")
    return clean_record(number, dict(zip(names, cells, strict=False)), place)


def name_columns(path: Path, names: Sequence[str], where: str) -> list[str]:
    """Return the names in a header, with one for columns that have none there, as spreadsheets and
    data frames leave that of row numbers empty. Raises TandemError where it is no header.
    """
    if not any(names) or all(map(_is_number, names)):
        raise TandemError(f"{path.name!r} has no header: {where}; put column names above it")
    if len(names) == 1 and (other := UNLIKELY.search(names[0])):
        raise TandemError(
            f"{path.name!r} has one column, {quote_value(names[0])}; if "
            f"{quote_value(other[0])} separates columns there, save it with "
            f"{', '.join(SEPARATORS.values())} instead"
        )
    named = [name or f"column {place}" for place, name in enumerate(names, start=1)]
    if any(named[place : place + 3] == PROMPTFOO for place in range(len(named))):
        refuse_tool(path, "promptfoo")
    return check_columns(path, named)


def _is_number(name: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(name))
    return False


def read(file: DataFile) -> Iterator[Row | SkippedRecord]:
    """Yield all records below the header."""
    with file.open_text() as stream:
        yield from _CsvTable(file.path, stream, file.place.notes).read()


def read_columns(file: DataFile) -> list[str]:
    """Return the names in the header."""
    with file.open_text() as stream:
        return _CsvTable(file.path, stream).names


def is_tabbed(file: DataFile) -> bool:
    """Return whether a text is a table separated by tabs, as Excel's "Unicode Text" is. Its header
    has tabs, and its first record has as many cells.
    """
    with suppress(TandemError), file.open_text() as stream:
        table = _CsvTable(file.path, stream)
        return table.separator == "\t" and not isinstance(next(table.read(), None), SkippedRecord)
    return False
