"""Excel's workbooks -> rows of a sheet: cells as their owner sees them.

Read row by row with openpyxl: python-calamine is ten times as fast and takes the memory of every
cell between the first and the last, so that two cells far apart end the process
(tafia/calamine, issue 693).
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from ..records import TandemError, option_ref
from .cells import Row, SkippedRecord, as_text, clean_record, quote_value
from .csv_reader import name_columns
from .text_encoding import FOREIGN, OLD, DataFile, check_unpacked, empty_file_error, open_seekable

LAST_ROW = 2**20  # of any sheet
ABOVE = 20  # rows among which the header is looked for, below titles
CHUNK, OVERLAP = 2**20, 2**14  # bytes of a sheet that are searched at once, a formula's length more
ERRORS = frozenset(
    ("#N/A", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!", "#SPILL!", "#CALC!")
)
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # how a sheet writes what XML cannot hold
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^<>]*\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
FORMULA = re.compile(
    rb"<(?:\w+:)?c\b([^<>]*)><(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*</(?:\w+:)?f>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
"""A formula without a result, and the attributes of its cell. Unless it is a text, which may be
empty, it was never computed: other programs than Excel write such.
"""
REFERENCE = re.compile(rb'\br="([A-Z]+(\d+))"')


def read(file: DataFile) -> Iterator[Row | SkippedRecord]:
    """Yield all rows below the header that hold something, by their number in the sheet. A cell
    that is merged with those below it counts in each of their rows.
    """
    with _open_sheet(file) as sheet:
        begin, names, table = _find_header(file, sheet)
        merged, valueless = _find_special_cells(sheet)
        if merged:
            columns = {column for cells in merged.values() for column in cells}
            shown = ", ".join(repr(name) for place, name in enumerate(names) if place in columns)
            file.place.notes[f"merged cells of column {shown} count in each of their rows"] = None
        below = dict[int, tuple[int, object]]()  # column -> last row of a merged cell, its value
        for number, values in table:
            if number <= begin:
                continue
            found = dict(enumerate(values))
            below |= {column: (last, found.get(column)) for column, last in merged[number].items()}
            found |= {column: value for column, (last, value) in below.items() if number <= last}
            if number in valueless:
                yield SkippedRecord(
                    number,
                    f"{valueless[number]} holds a formula without its result; open the file in a "
                    "spreadsheet program and save it there",
                )
                continue
            cells = dict.fromkeys(names) | {
                names[place] if place < len(names) else f"column {place + 1}": value
                for place, value in sorted(found.items())
                if value is not None
            }
            yield clean_record(number, cells, f"row {number}: ")


def read_columns(file: DataFile) -> list[str]:
    """Return the names in the header of the sheet."""
    with _open_sheet(file) as sheet:
        return _find_header(file, sheet)[1]


def list_sheets(file: DataFile) -> dict[str, bool]:
    """Return the names of the sheets that hold something, and whether a reader sees them."""
    with _open_workbook(file.path) as workbook:
        sheets = filter(_holds_something, workbook.worksheets)
        return {sheet.title: sheet.sheet_state == "visible" for sheet in sheets}


def _find_header(
    file: DataFile, sheet: Any
) -> tuple[int, list[str], Iterator[tuple[int, list[object]]]]:
    """Return the number of the header's row and the names in it, with all rows that hold something:
    the first row with two cells, as titles stand in one above it; else the first.
    """
    table = _read_filled_rows(sheet)
    first = list(islice(table, ABOVE))
    if not first:
        raise empty_file_error(file.path)
    wide = (row for row in first if sum(value is not None for value in row[1]) > 1)
    number, values = next(wide, first[0])
    for title in (quote_value(str(cells[-1])) for row, cells in first if row < number):
        file.place.notes[f"the title {title} above the header is left out"] = None
    names = [(as_text(value) or "").strip() for value in values]
    shown = quote_value(", ".join(names))
    return number, name_columns(file.path, names, f"row {number} is {shown}"), chain(first, table)


def _read_filled_rows(sheet: Any) -> Iterator[tuple[int, list[object]]]:
    sheet.reset_dimensions()  # which many programs write wrongly
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > LAST_ROW:
            raise ValueError(f"a row beyond the last, {LAST_ROW:,}")
        values = [_convert(cell) for cell in cells]
        while values and values[-1] is None:
            values.pop()
        if values:
            yield number, values


def _convert(cell: object) -> object:
    """Return a cell as its owner sees it; None for an error, and for a blank one."""
    if isinstance(cell, str):
        if not cell.strip() or cell in ERRORS:
            return None
        return ESCAPED.sub(lambda match: chr(int(match[1], 16)), cell)
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < 1e15 else float(f"{cell:.15g}")
    if isinstance(cell, datetime):
        midnight = cell.time() == time()
        return cell.date().isoformat() if midnight else cell.isoformat(timespec="seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return cell


def _find_special_cells(sheet: Any) -> tuple[Mapping[int, Mapping[int, int]], Mapping[int, str]]:
    """By row, the columns of cells merged downwards with their last rows; and for each row with a
    formula that has no result one such cell. Both are found in the bytes, as openpyxl tells
    neither of them row by row.
    """
    from openpyxl.utils import column_index_from_string

    merged, valueless, tail = defaultdict[int, dict[int, int]](dict), dict[int, str](), b""
    with sheet.parent._archive.open(sheet._worksheet_path) as source:
        while chunk := source.read(CHUNK):
            chunk = tail + chunk
            tail = chunk[-OVERLAP:]
            for column, row, _, last in MERGED.findall(chunk):
                if last != row:
                    merged[int(row)][column_index_from_string(column.decode()) - 1] = int(last)
            for about in FORMULA.findall(chunk):
                if b't="str"' not in about and (cell := REFERENCE.search(about)):
                    valueless[int(cell[2])] = cell[1].decode()
    return merged, valueless


@contextmanager
def _open_sheet(file: DataFile) -> Iterator[Any]:
    """The sheet that was asked for; else the first that a reader sees and that holds something."""
    with _open_workbook(file.path) as workbook:
        yield _choose_sheet(file, workbook.worksheets)


def _choose_sheet(file: DataFile, every: Sequence[Any]) -> Any:
    if not file.sheet:
        seen = (sheet for sheet in every if sheet.sheet_state == "visible")
        if found := next(filter(_holds_something, seen), None):
            return found
        raise empty_file_error(file.path)
    named = {str(number): sheet for number, sheet in enumerate(every, start=1)}
    named |= {sheet.title: sheet for sheet in every}
    if file.sheet not in named:
        names = ", ".join(repr(sheet.title) for sheet in every[:20])
        raise TandemError(
            f"{file.path.name!r} has no sheet {file.sheet[:40]!r}; name one of {names} with "
            f"{option_ref('sheet')}, or its number"
        )
    return named[file.sheet]


def _holds_something(sheet: Any) -> bool:
    return next(_read_filled_rows(sheet), None) is not None


@contextmanager
def _open_workbook(path: Path) -> Iterator[Any]:
    from openpyxl import load_workbook

    with open_seekable(path) as file:
        _check_archive(path, file)
        try:
            # Much of a sheet's formatting is often broken, and nothing of it matters.
            yield load_workbook(file, read_only=True, data_only=True, keep_links=False)
        except (TandemError, OSError):
            raise
        except Exception as error:  # openpyxl raises whatever its parts do
            raise TandemError(
                f"{path.name!r} is a broken Excel file ({quote_value(str(error))}); open it in a "
                "spreadsheet program and save it there, or as CSV"
            ) from None


def _check_archive(path: Path, file: IO[bytes]) -> None:
    begin = file.read(4)
    if not begin:
        raise empty_file_error(path)
    if begin == OLD:
        raise TandemError(
            f"{path.name!r} is {FOREIGN[OLD]}; open it in Excel and save it as .xlsx without a "
            "password, or as CSV"
        )
    try:
        with zipfile.ZipFile(file) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise TandemError(
            f"{path.name!r} is not an Excel file, or it is cut off; name it what it is, or save "
            "it again"
        ) from None
    check_unpacked(path, path.stat().st_size, unpacked)
    file.seek(0)
