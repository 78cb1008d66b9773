"""Candidate encodings of a text: those in which all of it can be decoded.

Each comes with the reader's own words: the text alone does not decide, but a person sees it at a
glance. charset-normalizer orders them. The right one is among the three that a sentence shows for
all 27 sentences in `tests/importing/test_encodings.py`, and the first for 15.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from charset_normalizer import from_bytes

from ..records import TandemError, option_ref
from .text_encoding import CODECS, RECORD, START, find_codec, open_binary

CHUNK = 2**20  # bytes that are decoded at once
LINES, WIDTH = 200, 200  # lines with other than ASCII that are looked at, and their bytes
SHOWN, WORDS = 3, 24  # candidates in a sentence, and characters of each


class EncodingError(TandemError):
    """A text that is not in the encoding it was read in. `candidates` are those it may be in, the
    most plausible first: each with some words as they read in it.
    """

    def __init__(self, sentence: str, candidates: list[tuple[str, str]]) -> None:
        super().__init__(sentence)
        self.candidates = candidates


def find_candidates(path: Path) -> list[tuple[str, str]]:
    """Return the encodings in which all of a text can be decoded, the most plausible first.

    Each comes with the same words as they read in it. Encodings that give the same text are listed
    once.
    """
    readings, lines = dict.fromkeys(CODECS, 0), dict[bytes, None]()
    for chunk in _read_chunks(path):
        for name in list(readings):
            try:
                text = chunk.decode(CODECS[name])
            except UnicodeDecodeError:
                del readings[name]
                continue
            if any(map(_is_control, set(text))):
                del readings[name]
            else:
                readings[name] = hash((readings[name], text))
        if len(lines) < LINES:
            beyond = (line for line in chunk.splitlines() if not line.isascii())
            lines.update(dict.fromkeys(map(_excerpt, islice(beyond, LINES))))
    if not lines:
        return []
    different = {reading: name for name, reading in reversed(readings.items())}
    names = [name for name in readings if name in different.values()]
    samples = {name: [line.decode(CODECS[name], "ignore") for line in lines] for name in names}
    names.sort(key=lambda name: _rate_mess("\n".join(samples[name]), CODECS[name]))
    every = [samples[name] for name in names]
    place = max(range(len(lines)), key=lambda at: len({words[at] for words in every}))
    return [(name, samples[name][place][:WORDS].strip()) for name in names]


def not_text(path: Path, encoding: str = "") -> EncodingError:
    """Return the refusal of a file that cannot be decoded, which is read again to find where: the
    stream does not know.
    """
    with open_binary(path) as file:
        codec = find_codec(encoding, file.peek(START)[:START])
        decoder, line, read, wrong = codecs.getincrementaldecoder(codec)(), 1, 0, ""
        try:
            while chunk := file.read(2**16):
                line += decoder.decode(chunk).count("\n")
                read += len(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            byte = read + len(chunk) - len(error.object) + error.start + 1
            sign = f"0x{error.object[error.start]:02x}"
            wrong = f"byte {byte:,} of the file, in line {line:,}, is {sign}"
    name, candidates = (encoding or codec.removesuffix("-sig")).upper(), list[tuple[str, str]]()
    good, broken = _count_utf8(path)
    if encoding and not broken:
        way = f"; it is UTF-8: leave out {option_ref('encoding')}"
    elif codec == "utf-8-sig" and good >= broken:
        way = f"; elsewhere it is, so that {broken:,} broken bytes are to be mended or taken out"
    elif candidates := find_candidates(path):
        shown = ", ".join(f"as {name} it reads {words!r}" for name, words in candidates[:SHOWN])
        way = f"; {shown}: say which is right with {option_ref('encoding')} NAME, or "
        way += "save it as UTF-8"
    else:
        way = ", and it is not text in another encoding; save it as UTF-8"
    return EncodingError(f"{path.name!r} is not {name} text: {wrong}{way}", candidates)


def _read_chunks(path: Path) -> Iterator[bytes]:
    """Yield the parts of a file, of whole lines, that are not just ASCII: no encoding of those that
    are tried has a line end within a character.
    """
    with open_binary(path) as file:
        while chunk := file.read(CHUNK) + file.readline(RECORD):
            if not chunk.isascii():
                yield chunk


def _count_utf8(path: Path) -> tuple[int, int]:
    good = broken = 0
    for chunk in _read_chunks(path):
        text = chunk.decode("utf-8", "replace")
        wrong = text.count("\ufffd")
        good += sum(map(len, re.findall(r"[^\x00-\x7f]+", text))) - wrong
        broken += wrong
    return good, broken


def _excerpt(line: bytes) -> bytes:
    at = re.search(rb"[^\x00-\x7f]", line)
    begin = max(map(line[: at.start() if at else 0].rfind, (b" ", b",", b";", b"\t", b'"', b"|")))
    return line[begin + 1 :][:WIDTH]


@cache
def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") and char not in "\t\n\v\f\r\x1a"


def _rate_mess(text: str, codec: str) -> tuple[float, float]:
    """Return how little a text reads like one: charset-normalizer's chaos, and 1 - coherence."""
    found = from_bytes(
        text.encode(codec), threshold=1.0, cp_isolation=[codec], enable_fallback=False
    ).best()
    return (found.chaos, 1 - found.coherence) if found else (1.0, 1.0)
