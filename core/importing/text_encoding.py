"""Bytes -> text: unpacked, decoded and cut into lines, with a limit on what one file or one record
may cost.
"""

from __future__ import annotations

import codecs
import gzip
import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ..records import TandemError, option_ref

RECORD = 32 * 2**20  # characters of one record: what a runaway quote or one endless line may cost
RATIO = 200  # what unpacks to so many times its size is a bomb; text packs some 3 to 20 times
UNPACKED = 16 * 2**20  # bytes that anything may unpack to
START = 256  # bytes by which an encoding is recognised

MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16's does, so it comes first
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
"""Byte order mark -> encoding, which drops the mark."""
CODECS = {
    "euc_kr": "cp949", "shift_jis": "cp932", "euc_jp": "euc_jp", "gb18030": "gb18030",
    "big5": "cp950", "windows-1252": "cp1252", "windows-1255": "cp1255", "windows-1251": "cp1251",
    "koi8-r": "koi8_r", "windows-1250": "cp1250", "macintosh": "mac_roman",
    "windows-1253": "cp1253", "windows-1254": "cp1254", "windows-1256": "cp1256",
    "tis-620": "cp874",
}  # fmt: skip
"""Encoding -> Python's codec for it, as browsers read it: with what its vendors added.

Where two read a file equally well, the first is the likelier.
"""
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
FAMILIES = ("big5", "cp", "euc", "gb", "iso", "koi8", "mac", "shift", "tis")
"""How the names of other encodings of text begin."""
SUPERSETS = {"gbk": "gb18030", "gb2312": "gb18030", "iso8859-1": "cp1252"}
SUPERSETS |= dict.fromkeys(("ascii", "utf-8"), "utf-8-sig")
SUPERSETS |= {codecs.lookup(name).name: codec for name, codec in CODECS.items()}
OLD = b"\xd0\xcf\x11\xe0"
FOREIGN = {
    b"PK\3\4": "a spreadsheet (.xlsx) or zip archive",
    b"PAR1": "a Parquet file",
    OLD: "an Excel file of before 2007, or one with a password",
}
"""How files begin that are no text."""


@dataclass
class ReadingPlace:
    """Place up to which a file is read, and notes on what is left out on the way, said once."""

    stream: Any = None
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def megabytes(self) -> int:
        """Megabytes read of the file as it lies on the disk; 0 if that cannot be known."""
        stream = self.stream
        return stream.tell() // 10**6 if stream is not None and not stream.closed else 0


@dataclass(frozen=True)
class DataFile:
    """A file and how to read it.

    `encoding` '' is UTF-8, or what its first bytes declare; `sheet` '' is the first that holds
    something. A reader that opens it notes the stream in its `place`.
    """

    path: Path
    encoding: str = ""
    sheet: str = ""
    place: ReadingPlace = field(default_factory=ReadingPlace)

    def open_text(self) -> Any:
        """Open the file as text in its encoding, unpacked if need be."""
        return open_text(self.path, self.encoding, self.place)


def suffix(path: Path) -> str:
    """Return the suffix that says what the file holds, packed or not."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def check_unpacked(path: Path, packed: int, unpacked: int) -> None:
    """Check that a file does not unpack to far more bytes than data do. Raises TandemError."""
    if unpacked > max(UNPACKED, RATIO * packed):
        raise TandemError(
            f"{path.name!r} unpacks to more than {RATIO} times its {path.stat().st_size:,} "
            "bytes; if you trust it, unpack it and import the result"
        )


class GzipContents(io.RawIOBase):
    """The contents of a .gz, until they are too many for the bytes they came from: for those read
    so far, not for all, so that a long file of one line break after another ends soon.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.total, self.packed = path, 0, path.open("rb")
        self.file = gzip.GzipFile(fileobj=self.packed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self.file.readinto(buffer)
        self.total += count
        check_unpacked(self.path, self.packed.tell(), self.total)
        return count

    def tell(self) -> int:
        """Return the position in the packed bytes."""
        return self.packed.tell()

    def close(self) -> None:
        self.file.close()
        self.packed.close()
        super().close()


def open_binary(path: Path) -> io.BufferedReader:
    """Open a file as bytes, unpacked if the first two say gzip, with or without a .gz name."""
    file = path.open("rb")
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    file.close()
    return io.BufferedReader(GzipContents(path), 2**16)


def find_codec(encoding: str, start: bytes) -> str:
    """Return Python's codec for a text that begins with these bytes: what a byte order mark says,
    else the `encoding` that was named, else UTF-16 by its NULs, else UTF-8.

    Raises TandemError for an encoding that is unknown.
    """
    for mark, codec in MARKS.items():
        if start.startswith(mark):
            return codec
    if encoding:
        return _named_codec(encoding)
    for zeros, others, codec in (
        (start[1::2], start[::2], "utf-16-le"),
        (start[::2], start[1::2], "utf-16-be"),
    ):
        if zeros and zeros.count(0) * 4 >= len(zeros) and 0 not in others:
            return codec
    return "utf-8-sig"


def _named_codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding.strip()).name
    except (LookupError, ValueError):  # of a name with a NUL, the second
        name = ""
    name = SUPERSETS.get(name, name)
    if name not in UNICODE and not name.startswith(FAMILIES):
        raise TandemError(
            f"{option_ref('encoding')} {encoding[:40]!r} is not an encoding that is read; there "
            f"are {', '.join(('utf-8', 'utf-16', *CODECS))}"
        )
    return name


@contextmanager
def open_text(
    path: Path, encoding: str = "", place: ReadingPlace | None = None
) -> Iterator[IO[str]]:
    """Open a file as text, with its line ends as they are.

    Raises TandemError for a file that is something else by its first bytes, and for an `encoding`
    that is unknown.
    """
    with open_binary(path) as file:
        start = file.peek(START)[:START]
        if what := FOREIGN.get(start[:4]):
            raise TandemError(
                f"{path.name!r} is {what}, by its first bytes; save it as CSV or name it what it is"
            )
        if place:
            place.stream = file.raw
        yield io.TextIOWrapper(file, find_codec(encoding, start), newline="")


class Lines:
    """The lines of a text, with their ends. None may have more than RECORD characters.

    `has_nul` says whether a NUL has come so far; `count` is the number of lines that were read.
    """

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.count, self.has_nul = path, stream, 0, False

    def __iter__(self) -> Iterator[str]:
        while line := self.stream.readline(RECORD + 1):
            self.count += 1
            if len(line) > RECORD:
                raise self.long_record_error(self.count)
            self.has_nul = self.has_nul or "\0" in line
            yield line

    def long_record_error(self, line: int) -> TandemError:
        """Build the error for a record of more than RECORD characters from `line` on."""
        return TandemError(
            f"{self.path.name!r} has a record of more than {RECORD:,} characters from line "
            f"{line:,} on. Look there for an open quote, or for missing line ends"
        )


def empty_file_error(path: Path) -> TandemError:
    """Build the error for an empty file."""
    return TandemError(f"{path.name!r} is empty; choose a file that holds data")


@contextmanager
def open_seekable(path: Path) -> Iterator[IO[bytes]]:
    """Open a file as bytes, unpacked as by `open_binary`, to be read from any place."""
    with open_binary(path) as file, tempfile.TemporaryFile() as spill:
        if not isinstance(file.raw, GzipContents):
            yield file
            return
        shutil.copyfileobj(file, spill)
        spill.seek(0)
        yield spill
