"""What millions of things are known by: their hashes, in arrays of numbers.

A tuple of names in a dictionary takes some 300 bytes, here 24 to 48. Two of ten million things have
the same hash of 64 bits by one chance in 370,000.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable

import numpy as np

UNSORTED = 2**16  # hashes
PLACES = 2**12  # to begin with


class Numbers:
    """Whole numbers of 64 bits by key, as a dictionary would keep them that never forgets.

    Open addressing: a key stands at the place its hash names, or at the next that was free.
    """

    def __init__(self) -> None:
        self._keys, self._values = _empty(PLACES), _empty(PLACES)
        self._mask, self._count = PLACES - 1, 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: Hashable) -> bool:
        return bool(self._keys[self._place(hash(key) or 1)])

    def get(self, key: Hashable, default: int) -> int:
        place = self._place(hash(key) or 1)
        return self._values[place] if self._keys[place] else default

    def put(self, key: Hashable, value: int) -> None:
        hashed = hash(key) or 1  # 0 marks a place that is free
        place = self._place(hashed)
        if not self._keys[place]:
            self._keys[place] = hashed
            self._count += 1
            if self._count * 3 > self._mask * 2:
                self._values[place] = value
                self._grow()
                return
        self._values[place] = value

    def _place(self, hashed: int) -> int:
        keys, mask = self._keys, self._mask
        place = hashed & mask
        while (there := keys[place]) and there != hashed:
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        old = zip(self._keys, self._values, strict=True)
        places = 2 * (self._mask + 1)
        self._keys, self._values, self._mask = _empty(places), _empty(places), places - 1
        for hashed, value in old:
            if hashed:
                place = self._place(hashed)
                self._keys[place], self._values[place] = hashed, value


def _empty(places: int) -> array[int]:
    return array("q", bytes(8 * places))


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
    """How many different things there are among many: eight bytes each."""

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
