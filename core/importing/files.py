"""Files -> rows, streaming: the bytes of any data file as numbered rows of named cells.

A fault of one record is a `SkippedRecord` with its reason; the reading goes on. One of the file is
a TandemError. Nothing is remembered from one reading to the next and about one record is in memory,
so a caller may read a file once to validate it and once to write it, and gets the same both times.

The `number` of a row is the one a person finds it by, from 1. JSON lines, and text that is not
JSON: the line number in an editor, blank lines counted. CSV: the record below the header, where a
quoted cell with line breaks is one record and blank lines are skipped (a spreadsheet shows number +
1); as an editor counts differently, the reason of a skip names its line too. A sheet: the row as it
shows it. JSON: the place in the list. Parquet: the row.

Cells are None, bool, int, float, str and, from JSON and Parquet, lists and dicts of these. CSV
cells stay str, '' included. NaN is None; whole numbers beyond 64 bits are their digits as str;
dates and decimals are str.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..records import CONTROL, TandemError, option_ref
from . import csv_reader, json_reader, parquet_reader, spreadsheets, tool_documents
from .cells import Row, SkippedRecord, check_columns, clean_record
from .encoding_candidates import EncodingError, find_candidates, not_text
from .text_encoding import DataFile, Lines, ReadingPlace, suffix

__all__ = [
    "PLAIN", "READERS", "EncodingError", "Row", "SkippedRecord", "columns",
    "encoding_candidates", "expand", "file_name", "preview", "rows", "sha256", "sheets",
]  # fmt: skip

Reader = Callable[[DataFile], Iterator[Row | SkippedRecord]]

TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn what follows them round, so that a name looks like another one."""
LONGEST = 240  # bytes of a file's name that are kept: a disk takes 255
AT_ONCE = 2**17  # rows of a batch
HIDDEN = re.compile(r"/(\.|~\$)")
PLAIN = ("line",)  # the columns of a text file that is no JSON
REFUSED = {
    ".zip": "is a zip; unpack it first, and import its files",
    ".sqlite3": "is named like a whole store, which is restored, not imported: see `restore`",
    ".xls": "is an Excel file of before 2007; open it there and save it as .xlsx or CSV",
    **dict.fromkeys(
        (".xlsb", ".ods", ".numbers"),
        "is a spreadsheet of a kind that is not read; save it as .xlsx or CSV",
    ),
}
"""Endings that people try, and the way out."""
IDS = '{"ImportId"'  # how a cell begins that has Qualtrics' id of a column
STATUS = ("Status", "DistributionChannel")
TRIALS = frozenset(
    ("survey preview", "survey test", "survey preview spam", "offline survey preview", "preview",
     "test", "1", "2", "9", "17")
)  # fmt: skip
"""Words and numbers of Qualtrics for answers that are none."""


def rows(
    path: Path, *, encoding: str = "", sheet: str = "", place: ReadingPlace | None = None
) -> Iterator[Row | SkippedRecord]:
    """Yield all records of a data file, in file order.

    `encoding` is one of `encoding_candidates`; '' is UTF-8, or UTF-16 where the file is. `sheet` is
    a name, or a number from 1; '' is the first that holds something. `place` tells meanwhile how
    far the file is read.

    Raises TandemError if the file as a whole cannot be read. An EncodingError is one that lists the
    encodings it may be in.
    """
    with _open_file(path, encoding, sheet, place) as (file, read):
        yield from _leave_out_labels(file.place, read(file))


def batches(path: Path, place: ReadingPlace) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a Parquet file in Arrow's batches, each with the number of its first."""
    with _open_file(path, place=place) as (file, _):
        yield from parquet_reader.read_batches(file, AT_ONCE)


def _leave_out_labels(
    place: ReadingPlace, records: Iterator[Row | SkippedRecord]
) -> Iterator[Row | SkippedRecord]:
    """Leave out what Qualtrics writes below its header, the questions and ids of the columns; and
    note the answers of those who tried the survey, which count.
    """
    first = list(islice(records, 2))
    cells = [list(filter(None, row.cells.values())) for row in first if isinstance(row, Row)]
    if len(cells) < 2 or not cells[1] or not all(str(cell).startswith(IDS) for cell in cells[1]):
        return chain(first, records)
    note = "rows 1 and 2 are left out: they label the columns, as Qualtrics writes them"
    place.notes[note] = None
    return _note_trials(place, records)


def _note_trials(
    place: ReadingPlace, records: Iterator[Row | SkippedRecord]
) -> Iterator[Row | SkippedRecord]:
    numbers = list[str]()
    for row in records:
        said = [row.cells.get(name) for name in STATUS] if isinstance(row, Row) else []
        if any(str(value).casefold() in TRIALS for value in said):
            numbers.append(f"{row.number:,}")
        yield row
    if numbers:
        place.notes[
            f"{len(numbers):,} answers to a preview or test of the survey count as others do (row "
            f"{', '.join(numbers[:5])}{' ...' if len(numbers) > 5 else ''}). Take these rows out "
            "if nobody meant them"
        ] = None


def preview(
    path: Path, n: int = 20, *, encoding: str = "", sheet: str = ""
) -> list[Row | SkippedRecord]:
    """Return the first n records.

    The rest of the file is not read, so a fault further down is not seen.
    """
    return list(islice(rows(path, encoding=encoding, sheet=sheet), n))


def columns(path: Path, *, encoding: str = "", sheet: str = "") -> list[str]:
    """List the columns: the header, the Parquet schema, or the keys of the first hundred JSON
    records.
    """
    with _open_file(path, encoding, sheet) as (file, read):
        if read in NAMED:
            return NAMED[read](file)
        first = [row.cells for row in islice(read(file), 100) if isinstance(row, Row)]
        return check_columns(path, list(dict.fromkeys(chain.from_iterable(first))))


def sheets(path: Path) -> dict[str, bool]:
    """Return the sheets of a spreadsheet that hold something, and whether a reader sees them; of
    other files, none.
    """
    with _open_file(path) as (file, read):
        return spreadsheets.list_sheets(file) if read is spreadsheets.read else {}


def encoding_candidates(path: Path) -> list[tuple[str, str]]:
    """Return the encodings in which all of a text can be read, the most plausible first, each with
    some of its words as they read in it.
    """
    with _explain_read_errors(path):
        return find_candidates(path)


def file_name(given: str) -> str:
    """Return the name under which an uploaded file is kept, by the browser's name for it: on one
    line, in one folder, with the ending that says what it holds.
    """
    last = given.replace("\\", "/").rpartition("/")[2].encode(errors="replace").decode()
    name = Path(TURNING.sub("", CONTROL.sub("", re.sub(r"\s", " ", last))).strip())
    ending = "".join(name.suffixes[-2 if name.suffix.lower() == ".gz" else -1 :])
    room = LONGEST - len(ending.encode())
    if name.name in ("", "..") or room < 1:
        return "upload"
    return name.name.removesuffix(ending).encode()[:room].decode(errors="ignore") + ending


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes on disk; those of a .gz are the packed ones."""
    with _explain_read_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def expand(paths: Iterable[Path]) -> list[Path]:
    """Return each file once, in the order given.

    A folder gives the data files in it and in its folders, sorted by path; none that is hidden, nor
    Excel's own while it is open.
    """
    files: dict[Path, None] = {}
    for path in paths:
        with _explain_read_errors(path):
            if not path.exists():
                raise TandemError(
                    f"there is no file or folder {str(path)!r}; check the spelling and the "
                    "folder you are in"
                )
            _check_no_pipe(path)
            named = (each for each in path.rglob("*") if suffix(each) in READERS and each.is_file())
            found = [path] if not path.is_dir() else sorted(
                each for each in named if not HIDDEN.search(f"/{each.relative_to(path).as_posix()}")
            )  # fmt: skip
        if not found:
            raise TandemError(
                f"the folder {str(path)!r} holds no data file ({', '.join(READERS)}); name the "
                "files themselves"
            )
        files.update(dict.fromkeys(found))
    return list(files)


def _check_no_pipe(path: Path) -> None:
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise TandemError(
            f"{path.name!r} is a pipe or device, which cannot be read twice; save its contents "
            "as a file"
        )


def _reader(file: DataFile) -> Reader:
    path, kind = file.path, suffix(file.path)
    if path.is_dir():
        raise TandemError(f"{path.name!r} is a folder; name a file in it")
    _check_no_pipe(path)
    if kind in REFUSED:
        raise TandemError(f"{path.name!r} {REFUSED[kind]}")
    if kind not in READERS:
        raise TandemError(
            f"the name {path.name!r} does not say what it holds; let it end in "
            f"{', '.join(READERS)} (or .gz)"
        )
    reader = READERS[kind]
    for name, given, fits in (
        ("sheet", file.sheet, reader is spreadsheets.read),
        ("encoding", file.encoding, reader in (csv_reader.read, _read_json)),
    ):
        if given and not fits:
            raise TandemError(
                f"{path.name!r} has no {name} to choose: leave out {option_ref(name)}"
            )
    if kind != ".txt" or json_reader.first_sign(file) == "{":
        return reader
    return csv_reader.read if csv_reader.is_tabbed(file) else _read_plain  # its name says nothing


@contextmanager
def _open_file(
    path: Path, encoding: str = "", sheet: str = "", place: ReadingPlace | None = None
) -> Iterator[tuple[DataFile, Reader]]:
    with _explain_read_errors(path, encoding):
        file = DataFile(path, encoding, sheet, place or ReadingPlace())
        yield file, _reader(file)


@contextmanager
def _explain_read_errors(path: Path, encoding: str = "") -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        with _explain_read_errors(path):
            raise not_text(path, encoding) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise TandemError(
            f"{path.name!r} is a damaged or cut off .gz; fetch it again, or unpack what is left"
        ) from None
    except OSError as error:
        raise TandemError(
            f"{str(path)!r} cannot be read ({error.strerror or error}); check that it is yours "
            "to read"
        ) from None


def _read_json(file: DataFile) -> Iterator[Row | SkippedRecord]:
    if suffix(file.path) == ".result" and json_reader.first_sign(file) != "{":
        raise TandemError(
            f"{file.path.name!r} does not begin with "
            f"'{{' as JSON lines do; save it in one of {', '.join(READERS)}"
        )
    values = tool_documents.find_values(file)
    return json_reader.read_values(file, values) if values else json_reader.read(file)


def _read_plain(file: DataFile) -> Iterator[Row | SkippedRecord]:
    with file.open_text() as stream:
        for number, line in enumerate(Lines(file.path, stream), start=1):
            if line.strip():
                yield clean_record(number, {PLAIN[0]: line.strip()})


READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv"), csv_reader.read),
    **dict.fromkeys((".jsonl", ".ndjson", ".json", ".result", ".txt"), _read_json),
    ".parquet": parquet_reader.read,
    **dict.fromkeys((".xlsx", ".xlsm"), spreadsheets.read),
    ".eval": tool_documents.refuse_log,
}
NAMED: dict[Reader, Callable[[DataFile], list[str]]] = {
    csv_reader.read: csv_reader.read_columns,
    parquet_reader.read: parquet_reader.read_columns,
    spreadsheets.read: spreadsheets.read_columns,
}
"""Readers of files that name their columns -> where."""
