"""Files -> rows, streaming: whatever bytes a person has, as numbered rows of named cells.

A fault of one record is a `Skipped` with its reason and the reading goes on; a fault of the file is a TandemError. Nothing
is remembered from one reading to the next and about one record is in memory, so a caller may read a file once to validate
it and once to write it, and gets the same both times.

The `number` of a row is the one a person finds it by, from 1. JSON lines: the line number in an editor, blank lines counted.
CSV: the record below the header, where a quoted cell with line breaks is one record and blank lines are none (a spreadsheet
shows number + 1); as an editor counts differently, the reason of a skip names its line too. JSON: the place in the list.
Parquet: the row.

Cells are None, bool, int, float, str and, from JSON and Parquet, lists and dicts of these. CSV cells stay str, '' included.
NaN is None; whole numbers beyond 64 bits are their digits as str; dates and decimals are str.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import json
import math
import re
import shutil
import tempfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from core.records import TandemError

RECORD = 32 * 2**20  # characters of one record: what a runaway quote or one endless line may cost
WINDOW = 2**18  # characters of a JSON document looked at together
DEPTH = 64  # levels of nesting: a limit of our own, since Python's depends on who is calling
RATIO, UNPACKED = 200, 64 * 2**20  # a .gz that unpacks to more than both is a bomb; text packs some 3 to 20 times

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
UNLIKELY = re.compile("[:~^\x1f\xa6\u2016\uff0c\uff1b]")  # what else separates columns somewhere
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite's functions stop at NUL; half a surrogate pair is not UTF-8
SOLID = re.compile(r"[^ \t\r\n]")

csv.field_size_limit(RECORD)


@dataclass(frozen=True)
class Row:
    """One record of a file, by column name."""

    number: int
    cells: dict[str, object]


@dataclass(frozen=True)
class Skipped:
    """One record that cannot be used, and why."""

    number: int
    reason: str


class _UnusableError(Exception):
    """Why one record cannot be used."""


@dataclass(frozen=True)
class _Repeated:
    """An object in which `key` stands twice. A value, because raising would lose the place in a JSON document."""

    key: str


def rows(path: Path) -> Iterator[Row | Skipped]:
    """Every record of a data file, in file order. Raises TandemError where the file as a whole cannot be read."""
    with _in_one_sentence(path):
        yield from _reader(path)(path)


def preview(path: Path, n: int = 20) -> list[Row | Skipped]:
    """The first n records. The rest of the file is not read, so a fault further down is not seen."""
    return list(islice(rows(path), n))


def columns(path: Path) -> list[str]:
    """Column names: of the header or the Parquet schema; of JSON, the keys of its first hundred records."""
    with _in_one_sentence(path):
        reader = _reader(path)
        if reader is _csv:
            with _text(path) as stream:
                return _csv_header(path, _Lines(path, stream))[1]
        if reader is _parquet:
            with _parquet_file(path) as file:
                return _unique(path, file.schema_arrow.names)
        return list(
            dict.fromkeys(key for row in islice(reader(path), 100) if isinstance(row, Row) for key in row.cells)
        )


def sha256(path: Path) -> str:
    """The fingerprint of a file's bytes as they lie on disk: of the packed ones, for a .gz."""
    with _in_one_sentence(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def expand(paths: Iterable[Path]) -> list[Path]:
    """Each file once, in the order given; a folder stands for the data files right in it, sorted by name.

    A .txt counts only when it is named itself: in a folder it is more often a note than data.
    """
    files: dict[Path, None] = {}
    for path in paths:
        with _in_one_sentence(path):
            if not path.exists():
                raise TandemError(
                    f"there is no file or folder {str(path)!r}; check the spelling and the folder you are in"
                )
            found = sorted(filter(_is_data, path.iterdir())) if path.is_dir() else [path]
        if not found:
            raise TandemError(
                f"the folder {str(path)!r} holds no data file ({', '.join(READERS)}); name the files themselves"
            )
        files.update(dict.fromkeys(found))
    return list(files)


def _is_data(path: Path) -> bool:
    return _suffix(path) in READERS.keys() - {".txt"} and not path.name.startswith(".") and path.is_file()


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _reader(path: Path) -> Callable[[Path], Iterator[Row | Skipped]]:
    if path.is_dir():
        raise TandemError(f"{path.name!r} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise TandemError(f"{path.name!r} is a pipe or device, which cannot be read twice; save its contents as a file")
    if _suffix(path) not in READERS:
        raise TandemError(
            f"the name {path.name!r} does not say what it holds; let it end in {', '.join(READERS)} (or .gz)"
        )
    return READERS[_suffix(path)]


@contextmanager
def _in_one_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        with _in_one_sentence(path):
            raise _not_text(path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise TandemError(
            f"{path.name!r} is a damaged or cut off .gz; fetch it again, or unpack what is left"
        ) from None
    except OSError as error:
        raise TandemError(
            f"{str(path)!r} cannot be read ({error.strerror or error}); check that it is yours to read"
        ) from None


# ---- bytes and text


class _Unpacked(io.RawIOBase):
    """The contents of a .gz, until they are too many for its size."""

    def __init__(self, path: Path) -> None:
        self.path, self.size, self.total, self.file = path, path.stat().st_size, 0, gzip.GzipFile(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self.file.readinto(buffer)
        self.total += count
        if self.total > max(UNPACKED, RATIO * self.size):
            raise TandemError(
                f"{self.path.name!r} unpacks to more than {RATIO} times its {self.size:,} bytes, as no data does; "
                "if you trust it, unpack it yourself and name the result"
            )
        return count

    def close(self) -> None:
        self.file.close()
        super().close()


def _binary(path: Path) -> io.BufferedReader:
    """The bytes, unpacked where the first two say gzip: a download keeps or loses its .gz at will."""
    file = path.open("rb")
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    file.close()
    return io.BufferedReader(_Unpacked(path), 2**16)


def _encoding(start: bytes) -> str:
    return "utf-16" if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    with _binary(path) as file:
        start = file.peek(4)[:4]
        for magic, what in ((b"PK\3\4", "a spreadsheet or zip archive"), (b"PAR1", "a Parquet file")):
            if start == magic:
                raise TandemError(f"{path.name!r} is {what}, by its first bytes; save it as CSV or name it what it is")
        yield io.TextIOWrapper(file, _encoding(start), newline="")


def _not_text(path: Path) -> TandemError:
    """The sentence for a file that cannot be decoded, which is read again to find where: the stream does not know."""
    with _binary(path) as file:
        encoding = _encoding(file.peek(2)[:2])
        decoder, line, read, wrong = codecs.getincrementaldecoder(encoding)(), 1, 0, ""
        while not wrong:
            chunk = file.read(2**16)
            try:
                line += decoder.decode(chunk, final=not chunk).count("\n")
                read += len(chunk)
            except UnicodeDecodeError as error:
                line += error.object[: error.start].count(b"\n")
                byte = read + len(chunk) - len(error.object) + error.start + 1
                wrong = f"byte {byte:,} of the file, in line {line:,}, is 0x{error.object[error.start]:02x}"
            if not chunk:
                break
    name = encoding.upper().removesuffix("-SIG")
    return TandemError(
        f"{path.name!r} is not {name} text: {wrong}; if it is text in another encoding, convert it to UTF-8, "
        "say by: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
    )


class _Lines:
    """The lines of a text and their number. A record may take several, but not more than RECORD characters."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.number, self.begin, self.size = path, stream, 0, 1, 0

    def __iter__(self) -> _Lines:
        return self

    def new_record(self) -> None:
        self.begin, self.size = self.number + 1, 0

    def place(self) -> str:
        return f"line {self.begin}: " if self.begin == self.number else f"lines {self.begin} to {self.number}: "

    def __next__(self) -> str:
        line = self.stream.readline(RECORD)
        if not line:
            raise StopIteration
        self.number += 1
        self.size += len(line)
        if self.size >= RECORD:
            raise TandemError(
                f"{self.path.name!r} has a record of more than {RECORD:,} characters that begins in line {self.begin:,}; "
                "look there for a quote that is never closed, or for missing line ends"
            )
        return line


def _empty(path: Path) -> TandemError:
    return TandemError(f"{path.name!r} is empty; choose a file that holds data")


# ---- cells


def _record(number: int, cells: object, where: str = "") -> Row | Skipped:
    try:
        if isinstance(cells, _Repeated):
            _clean(cells)
        if not isinstance(cells, dict):
            raise _UnusableError("not an object with named values")
        return Row(number, {_clean_text(name): _clean(value) for name, value in cells.items()})
    except _UnusableError as error:
        return Skipped(number, f"{where}{error}")


def _clean(value: object, depth: int = 1) -> object:
    """A value as plain Python that SQLite and UTF-8 can hold."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        if math.isinf(value):
            raise _UnusableError("an infinite number")
        return None if math.isnan(value) else value
    if isinstance(value, _Repeated):
        raise _UnusableError(f"the key {_short(value.key)} stands twice in one object")
    if depth > DEPTH:
        raise _UnusableError(f"nested more than {DEPTH} levels deep")
    if isinstance(value, list | tuple):
        return [_clean(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {_clean_text(key): _clean(each, depth + 1) for key, each in value.items()}
    if isinstance(value, bytes):
        try:
            return _clean_text(value.decode())
        except UnicodeDecodeError:
            raise _UnusableError("bytes that are not UTF-8 text") from None
    return str(value)


def _clean_text(text: str) -> str:
    if bad := UNSTORABLE.search(text):
        what = "a NUL character" if bad[0] == "\0" else f"half a surrogate pair (\\u{ord(bad[0]):04x})"
        raise _UnusableError(f"{what} in the text {_short(text[max(0, bad.start() - 10) :])}")
    return text


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "...")


def _unique(path: Path, names: list[str]) -> list[str]:
    for name, count in Counter(names).items():
        if count > 1:
            raise TandemError(f"{path.name!r} has {count} columns named {_short(name)}; give each its own name")
    return names


# ---- CSV


def _csv(path: Path) -> Iterator[Row | Skipped]:
    with _text(path) as stream:
        lines = _Lines(path, stream)
        reader, names = _csv_header(path, lines)
        number = 0
        while True:
            lines.new_record()
            try:
                cells = next(reader, None)
            except csv.Error as error:
                _raise_if_runaway(path, lines.begin, error)
                number += 1
                yield Skipped(number, f"{lines.place()}text after a closing quote; write a quote inside a cell twice")
                continue
            if cells is None:
                return
            if len(cells) < 2 and not "".join(cells).strip():
                continue  # a blank line
            number += 1
            if len(cells) == len(names):
                yield _record(number, dict(zip(names, cells, strict=True)), lines.place())
            else:
                count = f"{len(cells):,} cell{'s' * (len(cells) != 1)}"
                yield Skipped(number, f"{lines.place()}{count} where the header has {len(names):,}")


def _csv_header(path: Path, lines: _Lines) -> tuple[Iterator[list[str]], list[str]]:
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise _empty(path)
    begin, bare = lines.number, re.sub('"[^"]*("|$)', "", first)
    # strict, because the lenient parser glues texts together where it meets a stray quote
    reader = csv.reader(chain([first], lines), delimiter=max(SEPARATORS, key=bare.count), strict=True)
    try:
        names = [name.strip() for name in next(reader)]
    except csv.Error as error:
        _raise_if_runaway(path, begin, error)
        raise TandemError(f"{path.name!r} has a stray quote in its header, line {begin}; take it out") from None
    if "\0" in "".join(names):
        raise TandemError(f"{path.name!r} has NUL bytes in its header, so it is not CSV in UTF-8; save it as that")
    if not any(names) or all(map(_is_number, names)):
        raise TandemError(
            f"{path.name!r} has no header: line {begin} is {_short(first.strip())}; put column names above it"
        )
    if len(names) == 1 and (other := UNLIKELY.search(names[0])):
        raise TandemError(
            f"{path.name!r} has one column, {_short(names[0])}; if {_short(other[0])} separates columns there, "
            f"save it with {', '.join(SEPARATORS.values())} instead"
        )
    # spreadsheets and data frames leave the name of a column of row numbers empty
    return reader, _unique(path, [name or f"column {place}" for place, name in enumerate(names, start=1)])


def _raise_if_runaway(path: Path, line: int, error: csv.Error) -> None:
    if "unexpected end" in str(error):
        raise TandemError(
            f"{path.name!r} has a quote that is never closed in the row that begins in line {line:,}, so that one cell "
            "takes the rest of the file; close it, or write a quote that belongs to the text twice"
        ) from None


def _is_number(name: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(name))
    return False


# ---- JSON


def _object(pairs: list[tuple[str, object]]) -> dict[str, object] | _Repeated:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Repeated(Counter(key for key, _ in pairs).most_common(1)[0][0])


def _integer(digits: str) -> int | str:
    """Long numbers stay the digits they are: Python refuses to read thousands of them, and the store holds 64 bits."""
    return int(digits) if len(digits) < 25 else digits


# For lists too the standard library's decoder, and not ijson: that one spends gigabytes on 100,000 nested brackets (it spells
# out the path to every level), turns half a surrogate pair into '?', and refuses NaN and long integers.
DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def _json(path: Path) -> Iterator[Row | Skipped]:
    """JSON in either shape, by what the file holds: people mistake .json and .jsonl for each other."""
    return _json_lines(path) if _is_json_lines(path) else _json_document(path)


def _is_json_lines(path: Path) -> bool:
    """Whether the first line stands alone and more follow; where that leaves it open, what the suffix says."""
    suffix = _suffix(path)
    with _text(path) as stream:
        start = _Document(path, stream).peek()
    if not start:
        raise _empty(path)
    if suffix in (".txt", ".result") and start != "{":
        raise TandemError(
            f"{path.name!r} does not begin with '{{' as JSON lines do; save it in one of {', '.join(READERS)}"
        )
    if suffix == ".json" and start != "{":
        return False
    with _text(path) as stream, suppress(json.JSONDecodeError, RecursionError):
        lines = filter(str.strip, iter(lambda: stream.readline(RECORD), ""))
        first, more = next(lines, ""), next(lines, "")
        if more and first.endswith(("\n", "\r")):
            DECODER.decode(first)
            return True
    return suffix != ".json" and start != "["


def _json_lines(path: Path) -> Iterator[Row | Skipped]:
    with _text(path) as stream:
        lines = _Lines(path, stream)
        for line in lines:
            lines.new_record()
            if not line.strip():
                continue
            try:
                yield _record(lines.number, DECODER.decode(line.rstrip("\r\n")))
            except json.JSONDecodeError as error:
                yield Skipped(lines.number, f"not JSON: {error.msg} at character {error.pos + 1:,}")
            except RecursionError:
                yield Skipped(lines.number, f"nested more than {DEPTH} levels deep")


def _json_document(path: Path) -> Iterator[Row | Skipped]:
    with _text(path) as stream:
        for number, value in enumerate(_Document(path, stream).records(), start=1):
            yield _record(number, value)


class _Document:
    """A JSON document seen through a window that holds one value of its list at a time."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.window, self.at = path, stream, "", 0
        self.lines, self.characters = 0, 0  # that the window has passed

    def records(self) -> Iterator[object]:
        """The values of the list that the document is, or of the one list of objects in the object that it is."""
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
            if not isinstance(first, dict | _Repeated):
                deque(elements, maxlen=0)  # to its end, keeping nothing
            elif found:
                raise self.error(f"it holds two lists of objects, {found} and {key}")
            else:
                found = key
                yield from chain([first], elements)
        if not found:
            raise self.error("it holds no list of objects")

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
            key = _short(str(self.value()))
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
            # what the window may have cut is read again with more of it: a wrong value, or the "1" of "1.5e+7"
            cut = wrong or end + 3 >= len(self.window)
            if cut and len(self.window) - self.at < RECORD and self.fill(size):
                size *= 2
                continue
            self.at = end
            if wrong:
                raise self.error(wrong)
            return value

    def fill(self, size: int) -> bool:
        more = self.stream.read(size)
        if more:
            self.lines += self.window.count("\n", 0, self.at)
            self.characters += self.at
            self.window, self.at = self.window[self.at :] + more, 0
        return bool(more)

    def error(self, what: str) -> TandemError:
        line = self.lines + self.window.count("\n", 0, self.at) + 1
        end = "where it ends, " if not self.peek() else ""
        return TandemError(
            f"{self.path.name!r} is not a readable JSON list of objects: {end}in line {line:,} (character "
            f"{self.characters + self.at + 1:,} of the file), {what}; mend it there, or write one object per line as .jsonl"
        )


# ---- Parquet


def _parquet(path: Path) -> Iterator[Row | Skipped]:
    with _parquet_file(path) as file:
        _unique(path, file.schema_arrow.names)
        batches = file.iter_batches(batch_size=128)  # small: a cell may hold megabytes
        for number, cells in enumerate(chain.from_iterable(batch.to_pylist() for batch in batches), start=1):
            yield _record(number, cells)


@contextmanager
def _parquet_file(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    with _binary(path) as packed, tempfile.TemporaryFile() as spill:
        file: IO[bytes] = packed
        if isinstance(packed.raw, _Unpacked):  # Parquet is read from its end
            shutil.copyfileobj(packed, spill)
            file = spill
        try:
            yield pyarrow.parquet.ParquetFile(file)
        except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
            raise TandemError(
                f"{path.name!r} is a broken or cut off Parquet file ({_short(str(error))}); fetch or write it again"
            ) from None


READERS: dict[str, Callable[[Path], Iterator[Row | Skipped]]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **dict.fromkeys((".jsonl", ".ndjson", ".json", ".result", ".txt"), _json),
    ".parquet": _parquet,
}
