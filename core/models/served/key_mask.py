"""A key that a server repeats, in whichever form, taken out of what it says."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator

MASK = "[key]"
LEAST = 8  # characters of a key, or of the part of it that is told: fewer may be any word
_ALIKE = str.maketrans("-_", "+/")  # the two alphabets of base64
_CHARACTERS = re.compile(r"%[0-9a-fA-F]{2}|%[0-9a-fA-F]?\Z|.", re.DOTALL)
_RUN = re.compile(r"[A-Za-z0-9+/]+=*")
_HALVES = re.compile(r"[\ud800-\udfff]")  # of surrogate pairs
_KEY_LIKE = re.compile(r"\bsk-[\w*-]{8,}")


class Redactor:
    """Takes out of a server's texts what must not be kept or shown. `keys` gives the keys that
    there are now.
    """

    def __init__(self, keys: Callable[[], Iterable[str]]) -> None:
        self._keys = keys

    def redact(self, text: str) -> str:
        """Return a text without keys, which a server may have repeated in some form, and without
        halves of characters, which cannot be stored.
        """
        text = _HALVES.sub("\ufffd", text)
        for key in self._keys():
            text = mask_key(text, key)
        return _KEY_LIKE.sub(MASK, text)

    def redact_line(self, what: object) -> str:
        """Redact a value as `redact` does, in one line that a terminal can show."""
        text = self.redact(str(what))
        return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def mask_key(text: str, key: str) -> str:
    """Return a text without a key: as it is or with characters percent-encoded, whole or cut off at
    the end of the text or before an ellipsis, of LEAST characters or more; or in base64, alone or
    among other words. Texts are as they were where the key is shorter than LEAST.
    """
    if len(key) < LEAST:
        return text
    spans = sorted([*_find_plain_key(text, key), *_find_base64_key(text, key)])
    parts, at = [], 0
    for start, end in spans:
        if start >= at:
            parts += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _find_plain_key(text: str, key: str) -> Iterator[tuple[int, int]]:
    """Find the places of the key in a text, its characters percent-encoded or not."""
    if key[:LEAST] not in text and "%" not in text:
        return
    places = [(match.start(), _decode_character(match[0])) for match in _CHARACTERS.finditer(text)]
    there = [(start, character) for start, character in places if character]
    decoded = "".join(character for _, character in there)
    starts = [*(start for start, _ in there), len(text)]
    at = decoded.find(key[:LEAST])
    while at >= 0:
        end = at + _count_common_prefix(decoded[at : at + len(key)], key)
        rest = decoded[end : end + 3]
        is_cut = not rest or rest == "..." or rest[0] in "…*"
        if end - at == len(key) or is_cut:
            yield starts[at], starts[end]
        at = decoded.find(key[:LEAST], at + 1)


def _decode_character(character: str) -> str:
    """Return the character that is meant; '' for a percent sign whose rest was cut off."""
    if len(character) == 3:
        return chr(int(character[1:], 16))
    return "" if character.startswith("%") else character


def _find_base64_key(text: str, key: str) -> Iterator[tuple[int, int]]:
    """Runs of base64 that hold the key, wherever in them, or the beginning of it."""
    told = text.translate(_ALIKE)
    heads = {encoded[:LEAST] for encoded in _encodings(key)}
    for run in _RUN.finditer(told):
        if any(head in run[0] for head in heads):
            yield run.span()


def _encodings(key: str) -> Iterator[str]:
    """Yield the characters that the key alone decides, behind 0, 1 and 2 other bytes."""
    for before, start in ((0, 0), (1, 2), (2, 3)):
        encoded = b64encode(b"\0" * before + key.encode()).decode()
        yield encoded[start : (before + len(key)) * 8 // 6]


def _count_common_prefix(text: str, key: str) -> int:
    """Count the characters that both begin with."""
    pairs = zip(text, key, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), len(text))
