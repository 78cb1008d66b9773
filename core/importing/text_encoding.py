"""Bytes -> text: unpacked, decoded and cut into lines, with a limit on what one file or one record
may cost.
"""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from core.records import TandemError

RECORD = 32 * 2**20  # characters of one record: what a runaway quote or one endless line may cost
RATIO = 200  # what unpacks to so many times its size is a bomb; text packs some 3 to 20 times
UNPACKED = 16 * 2**20  # bytes that anything may unpack to


def suffix(path: Path) -> str:
    """What the name says the file holds, packed or not."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def check_unpacked(path: Path, packed: int, unpacked: int) -> None:
    """Raises TandemError where so many packed bytes of a file hold more than data do."""
    if unpacked > max(UNPACKED, RATIO * packed):
        raise TandemError(
            f"{path.name!r} unpacks to more than {RATIO} times its {path.stat().st_size:,} "
            "bytes, as no data does; "
            "if you trust it, unpack it yourself and name the result"
        )


class Unpacked(io.RawIOBase):
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

    def close(self) -> None:
        self.file.close()
        self.packed.close()
        super().close()


def open_binary(path: Path) -> io.BufferedReader:
    """The bytes, unpacked where the first two say gzip: a download keeps or loses its .gz at
    will."""
    file = path.open("rb")
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    file.close()
    return io.BufferedReader(Unpacked(path), 2**16)


def _encoding(start: bytes) -> str:
    return "utf-16" if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """The text, with its line ends as they are. Raises TandemError for a file that is something
    else by its first bytes.
    """
    with open_binary(path) as file:
        start = file.peek(4)[:4]
        for magic, what in (
            (b"PK\3\4", "a spreadsheet or zip archive"),
            (b"PAR1", "a Parquet file"),
        ):
            if start == magic:
                raise TandemError(
                    f"{path.name!r} is {what}, by its first bytes; save it as CSV or name it "
                    "what it is"
                )
        yield io.TextIOWrapper(file, _encoding(start), newline="")


def not_text(path: Path) -> TandemError:
    """The sentence for a file that cannot be decoded, which is read again to find where: the stream
    does not know.
    """
    with open_binary(path) as file:
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
                wrong = (
                    f"byte {byte:,} of the file, in line {line:,}, is "
                    f"0x{error.object[error.start]:02x}"
                )
            if not chunk:
                break
    name = encoding.upper().removesuffix("-SIG")
    return TandemError(
        f"{path.name!r} is not {name} text: {wrong}; if it is text in another encoding, convert "
        "it to UTF-8, "
        "say by: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
    )


class Lines:
    """The lines of a text and their number. A record may take several, but not more than RECORD
    characters.
    """

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self.path, self.stream, self.number, self.begin, self.size = path, stream, 0, 1, 0

    def __iter__(self) -> Lines:
        return self

    def new_record(self) -> None:
        self.begin, self.size = self.number + 1, 0

    def place(self) -> str:
        return (
            f"line {self.begin}: "
            if self.begin == self.number
            else f"lines {self.begin} to {self.number}: "
        )

    def __next__(self) -> str:
        line = self.stream.readline(RECORD)
        if not line:
            raise StopIteration
        self.number += 1
        self.size += len(line)
        if self.size >= RECORD:
            raise TandemError(
                f"{self.path.name!r} has a record of more than {RECORD:,} characters that "
                f"begins in line {self.begin:,}; "
                "look there for a quote that is never closed, or for missing line ends"
            )
        return line


def empty(path: Path) -> TandemError:
    return TandemError(f"{path.name!r} is empty; choose a file that holds data")
