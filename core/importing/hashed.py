"""What millions of things are known by: 128 bits of each, in arrays of numbers.

A tuple of names in a dictionary takes some 300 bytes, here 48 to 96. Nobody makes two things with
the same 128 bits, so these decide whether two things are one.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Hashable, Iterable
from hashlib import blake2b

import numpy as np

UNSORTED = 2**16  # hashes
PLACES = 2**12  # to begin with
_LOW = 2**64 - 1
_halves = struct.Struct("=QQ").unpack


class Numbers:
    """Whole numbers of 128 bits by key, as a dictionary would keep them that never forgets. Keys
    are texts, whole numbers, and tuples of them.

    Open addressing: a key stands at the place its bits name, or at the next that was free.
    """

    def __init__(self) -> None:
        self._keys, self._more_keys = _empty("Q", PLACES), _empty("Q", PLACES)
        self._values, self._more_values = _empty("Q", PLACES), _empty("q", PLACES)
        self._mask, self._count = PLACES - 1, 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: Hashable) -> bool:
        return bool(self._keys[self._place(*fingerprint(key))])

    def get(self, key: Hashable, default: int) -> int:
        place = self._place(*fingerprint(key))
        if not self._keys[place]:
            return default
        return self._more_values[place] << 64 | self._values[place]

    def put(self, key: Hashable, value: int) -> None:
        self._put(*fingerprint(key), value & _LOW, value >> 64)
        if self._count * 3 > self._mask * 2:
            self._grow()

    def _put(self, key: int, more: int, value: int, more_value: int) -> None:
        place = self._place(key, more)
        self._count += not self._keys[place]
        self._keys[place], self._more_keys[place] = key, more
        self._values[place], self._more_values[place] = value, more_value

    def _place(self, key: int, more: int) -> int:
        keys, others, mask = self._keys, self._more_keys, self._mask
        place = key & mask
        while (there := keys[place]) and (there != key or others[place] != more):
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        old = zip(self._keys, self._more_keys, self._values, self._more_values, strict=True)
        places = 2 * (self._mask + 1)
        self._keys, self._more_keys = _empty("Q", places), _empty("Q", places)
        self._values, self._more_values = _empty("Q", places), _empty("q", places)
        self._mask, self._count = places - 1, 0
        for entry in old:
            if entry[0]:
                self._put(*entry)


def fingerprint(key: Hashable) -> tuple[int, int]:
    """128 bits of a key as two numbers, of which the first is not 0: that marks a free place."""
    written = repr(key).encode(errors="surrogatepass")
    first, second = _halves(blake2b(written, digest_size=16).digest())
    return first or 1, second


def _empty(kind: str, places: int) -> array[int]:
    return array(kind, bytes(8 * places))


class Texts:
    """Short texts one after another, each by its number."""

    def __init__(self) -> None:
        self._bytes, self._ends = bytearray(), array("q", [0])

    def add(self, text: str) -> int:
        self._bytes += text.encode()
        self._ends.append(len(self._bytes))
        return len(self._ends) - 2

    def __getitem__(self, number: int) -> str:
        return self._bytes[self._ends[number] : self._ends[number + 1]].decode()


class Distinct:
    """How many different things there are among many: eight bytes each, which decide no more than
    this number. Two of ten million have the same by one chance in 370,000.
    """

    def __init__(self) -> None:
        self._seen, self._new = np.empty(0, dtype=np.int64), array("q")

    def add(self, things: Iterable[Hashable]) -> None:
        self._new.extend(map(hash, things))
        if len(self._new) > max(UNSORTED, len(self._seen)):
            self._sort()

    def __len__(self) -> int:
        self._sort()
        return len(self._seen)

    def _sort(self) -> None:
        self._seen = np.union1d(self._seen, np.frombuffer(self._new, dtype=np.int64))
        self._new = array("q")
