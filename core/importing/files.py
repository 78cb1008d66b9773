"""Files -> rows, streaming: whatever bytes a person has, as numbered rows of named cells.

A fault of one record is a `Skipped` with its reason and the reading goes on; a fault of the file is
a TandemError. Nothing is remembered from one reading to the next and about one record is in memory,
so a caller may read a file once to validate it and once to write it, and gets the same both times.

The `number` of a row is the one a person finds it by, from 1. JSON lines, and text that is none:
the line number in an editor, blank lines counted. CSV: the record below the header, where a quoted
cell with line breaks is one record and blank lines are none (a spreadsheet shows number + 1); as an
editor counts differently, the reason of a skip names its line too. JSON: the place in the list.
Parquet: the row.

Cells are None, bool, int, float, str and, from JSON and Parquet, lists and dicts of these. CSV
cells stay str, '' included. NaN is None; whole numbers beyond 64 bits are their digits as str;
dates and decimals are str.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import math
import re
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from core.importing import evaluation_documents, inspect_logs, json_reader, potato_states
from core.importing.cells import Row, Skipped, cleaned, short, storable
from core.importing.result_columns import name_apart
from core.importing.text_encoding import (
    RECORD,
    Lines,
    Unpacked,
    check_unpacked,
    empty,
    not_text,
    open_binary,
    open_text,
    suffix,
)
from core.records import TandemError

__all__ = ["READERS", "Row", "Skipped", "columns", "expand", "preview", "rows", "sha256"]

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
PLAIN = ("line",)  # the columns of a text file that is no JSON
SAID = re.compile(r'"?sep=(\S|\t)"?', re.IGNORECASE)  # how Excel is told, in a line above
STORES = (".zip", ".sqlite3")  # endings of backups and archives of a store
MOST_COLUMNS = 10_000  # each is compared with what layouts have
UNLIKELY = re.compile("[:~^\x1f\xa6\u2016\uff0c\uff1b]")  # what else separates columns somewhere

csv.field_size_limit(RECORD)


def rows(path: Path) -> Iterator[Row | Skipped]:
    """Every record of a data file, in file order. Raises TandemError where the file as a whole
    cannot be read.
    """
    with _in_one_sentence(path):
        yield from _reader(path)(path)


def preview(path: Path, n: int = 20) -> list[Row | Skipped]:
    """The first n records. The rest of the file is not read, so a fault further down is not
    seen."""
    return list(islice(rows(path), n))


def columns(path: Path) -> list[str]:
    """Column names: of the header or the Parquet schema; of JSON, the keys of its first hundred
    records.
    """
    with _in_one_sentence(path):
        reader = _reader(path)
        if reader is _csv:
            with open_text(path) as stream:
                return _csv_header(path, Lines(path, stream))[1]
        if reader is _parquet:
            with _parquet_file(path) as file:
                return _named_apart(path, file.schema_arrow.names)
        keys = dict.fromkeys(
            key for row in islice(reader(path), 100) if isinstance(row, Row) for key in row.cells
        )
        return _named_apart(path, list(keys))


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is read: what separates its cells, how many lines stand `above` its first
    record, its encoding, and whether it is packed.
    """

    separator: str
    above: int
    encoding: str
    packed: bool


def dialect(path: Path) -> Dialect:
    """How `rows` reads a CSV file, for whoever reads it by other means."""
    with _in_one_sentence(path):
        with open_binary(path) as packed:
            is_packed = isinstance(packed.raw, Unpacked)
        with open_text(path) as stream:
            lines = Lines(path, stream)
            separator = _csv_header(path, lines)[0].dialect.delimiter  # type: ignore[attr-defined]
            encoding = str(stream.encoding)  # type: ignore[attr-defined]
            return Dialect(separator, lines.number, encoding, is_packed)


def sha256(path: Path) -> str:
    """The fingerprint of a file's bytes as they lie on disk: of the packed ones, for a .gz."""
    with _in_one_sentence(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def expand(paths: Iterable[Path]) -> list[Path]:
    """Each file once, in the order given; a folder stands for the data files in it and in its
    folders, sorted by path.
    """
    files: dict[Path, None] = {}
    for path in paths:
        with _in_one_sentence(path):
            if not path.exists():
                raise TandemError(
                    f"there is no file or folder {str(path)!r}; check the spelling and the "
                    "folder you are in"
                )
            found = (
                sorted(one for one in path.rglob("*") if _is_data(one, path))
                if path.is_dir()
                else [path]
            )
        if not found:
            raise TandemError(
                f"the folder {str(path)!r} holds no data file ({', '.join(READERS)}); name the "
                "files themselves"
            )
        files.update(dict.fromkeys(found))
    return list(files)


def _is_data(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return suffix(path) in READERS and not hidden and path.is_file()


def _reader(path: Path) -> Callable[[Path], Iterator[Row | Skipped]]:
    if path.is_dir():
        raise TandemError(f"{path.name!r} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise TandemError(
            f"{path.name!r} is a pipe or device, which cannot be read twice; save its contents "
            "as a file"
        )
    if suffix(path) in STORES:
        raise TandemError(
            f"{path.name!r} is named like a whole store, which is restored, not imported: see "
            "`restore`; a zip of data files is imported once it is unpacked"
        )
    if suffix(path) not in READERS:
        raise TandemError(
            f"the name {path.name!r} does not say what it holds; let it end in "
            f"{', '.join(READERS)} (or .gz)"
        )
    return READERS[suffix(path)]


@contextmanager
def _in_one_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        with _in_one_sentence(path):
            raise not_text(path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise TandemError(
            f"{path.name!r} is a damaged or cut off .gz; fetch it again, or unpack what is left"
        ) from None
    except OSError as error:
        raise TandemError(
            f"{str(path)!r} cannot be read ({error.strerror or error}); check that it is yours "
            "to read"
        ) from None


# ---- CSV


def _csv(path: Path) -> Iterator[Row | Skipped]:
    with open_text(path) as stream:
        lines = Lines(path, stream)
        reader, names = _csv_header(path, lines)
        number = 0
        while True:
            lines.new_record()
            try:
                cells = next(reader, None)
            except csv.Error as error:
                _raise_if_runaway(path, lines.begin, error)
                number += 1
                yield Skipped(
                    number,
                    f"{lines.place()}text after a closing quote; write a quote inside a cell twice",
                )
                continue
            if cells is None:
                return
            if len(cells) < 2 and not "".join(cells).strip():
                continue  # a blank line
            number += 1
            if len(cells) == len(names):
                row: dict[str, object] = dict(zip(names, cells, strict=True))
                # Cells of text are looked through at once, as there are millions of them.
                fit = storable("".join(cells))
                yield Row(number, row) if fit else cleaned(number, row, lines.place())
            else:
                count = f"{len(cells):,} cell{'s' * (len(cells) != 1)}"
                yield Skipped(number, f"{lines.place()}{count} where the header has {len(names):,}")


def _csv_header(path: Path, lines: Lines) -> tuple[Iterator[list[str]], list[str]]:
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise empty(path)
    said = SAID.fullmatch(first.strip())
    if said:
        first = next((line for line in lines if line.strip()), "")
        if not first:
            raise empty(path)
    begin, bare = lines.number, re.sub('"[^"]*("|$)', "", first)
    separator = said[1] if said else max(SEPARATORS, key=bare.count)
    # strict, because the lenient parser glues texts together where it meets a stray quote
    reader = csv.reader(chain([first], lines), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(reader)]
    except csv.Error as error:
        _raise_if_runaway(path, begin, error)
        raise TandemError(
            f"{path.name!r} has a stray quote in its header, line {begin}; take it out"
        ) from None
    if "\0" in "".join(names):
        raise TandemError(
            f"{path.name!r} has NUL bytes in its header, so it is not CSV in UTF-8; save it as that"
        )
    if not any(names) or all(map(_is_number, names)):
        raise TandemError(
            f"{path.name!r} has no header: line {begin} is {short(first.strip())}; put column "
            "names above it"
        )
    if len(names) == 1 and (other := UNLIKELY.search(names[0])):
        raise TandemError(
            f"{path.name!r} has one column, {short(names[0])}; if {short(other[0])} separates "
            "columns there, "
            f"save it with {', '.join(SEPARATORS.values())} instead"
        )
    # spreadsheets and data frames leave the name of a column of row numbers empty
    return reader, _named_apart(
        path,
        name_apart([name or f"column {place}" for place, name in enumerate(names, start=1)]),
    )


def _raise_if_runaway(path: Path, line: int, error: csv.Error) -> None:
    if "unexpected end" in str(error):
        raise TandemError(
            f"{path.name!r} has a quote that is never closed in the row that begins in line "
            f"{line:,}, so that one cell "
            "takes the rest of the file; close it, or write a quote that belongs to the text twice"
        ) from None


def _is_number(name: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(name))
    return False


def _named_apart(path: Path, names: list[str]) -> list[str]:
    if len(names) > MOST_COLUMNS:
        raise TandemError(
            f"{path.name!r} has {len(names):,} columns, more than the {MOST_COLUMNS:,} that are "
            "read; leave out those that are not needed"
        )
    for name, count in Counter(names).items():
        if count > 1:
            raise TandemError(
                f"{path.name!r} has {count} columns named {short(name)}; give each its own name"
            )
    return names


# ---- JSON


def _json(path: Path) -> Iterator[Row | Skipped]:
    """JSON; lines of it under a name that promises nothing, as data sets in this field have
    them."""
    if suffix(path) in (".txt", ".result") and json_reader.start(path) != "{":
        if suffix(path) == ".txt":
            return _plain(path)
        raise TandemError(
            f"{path.name!r} does not begin with "
            f"'{{' as JSON lines do; save it in one of {', '.join(READERS)}"
        )
    if suffix(path) == ".json" and inspect_logs.is_log(path):
        return inspect_logs.read_json(path)
    if potato_states.is_state(path):
        return potato_states.read(path)
    if suffix(path) == ".json" and evaluation_documents.reads(path):
        return evaluation_documents.read(path)
    return json_reader.read(path)


def _plain(path: Path) -> Iterator[Row | Skipped]:
    with open_text(path) as stream:
        lines = Lines(path, stream)
        for line in lines:
            lines.new_record()
            if line.strip():
                yield cleaned(lines.number, {PLAIN[0]: line.strip()})


# ---- Parquet


def _parquet(path: Path) -> Iterator[Row | Skipped]:
    with _parquet_file(path) as file:
        _named_apart(path, file.schema_arrow.names)
        packed = path.stat().st_size
        parts = [file.metadata.row_group(part) for part in range(file.metadata.num_row_groups)]
        check_unpacked(path, packed, sum(part.total_byte_size for part in parts))
        begin = unpacked = 0
        for batch in file.iter_batches(batch_size=16):  # small: a cell may hold megabytes
            # What is the same in every row takes no room in the file.
            unpacked += batch.nbytes
            check_unpacked(path, packed, unpacked)
            for number, cells in enumerate(batch.to_pylist(), start=begin + 1):
                yield cleaned(number, cells)
            begin += batch.num_rows


@contextmanager
def _parquet_file(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    with open_binary(path) as packed, tempfile.TemporaryFile() as spill:
        file: IO[bytes] = packed
        if isinstance(packed.raw, Unpacked):  # Parquet is read from its end
            shutil.copyfileobj(packed, spill)
            file = spill
        try:
            yield pyarrow.parquet.ParquetFile(file)
        except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
            raise TandemError(
                f"{path.name!r} is a broken or cut off Parquet file ({short(str(error))}); "
                "fetch or write it again"
            ) from None


READERS: dict[str, Callable[[Path], Iterator[Row | Skipped]]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **dict.fromkeys((".jsonl", ".ndjson", ".json", ".result", ".txt"), _json),
    ".parquet": _parquet,
    ".eval": inspect_logs.read_zip,
}
