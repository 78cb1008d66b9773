"""What the reading of files found, on disk until it is written to a store."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile

from core.importing.layout import Record
from core.scratch import scratch_told

_USUAL = gc.get_threshold()
_SELDOM = 100_000  # objects


@contextmanager
def without_cycles() -> Iterator[None]:
    """For as long as many records are made, none of which refers to itself: Python looks for such
    cycles seldom, which takes 7% of the time otherwise.
    """
    gc.set_threshold(_SELDOM, *_USUAL[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_USUAL)


@dataclass(frozen=True)
class Found:
    """What one row says. `own`: its vote came without an item, and the row stands for it."""

    records: Sequence[Record]
    own: bool = False


class Spool:
    """Rows that can be used, so many at a time as they were kept, each time with how many had been
    read; in a file without a name: nobody else sees it, and it goes with this object or its
    process.
    """

    def __init__(self) -> None:
        self._lots: list[tuple[int, int]] = []  # where each begins, and how many were read
        with scratch_told():
            self._file = TemporaryFile()  # noqa: SIM115 - it is closed with this object

    def keep(self, rows: Sequence[Found], read: int) -> None:
        """Raises FaultError where the disk of temporary files is full."""
        with scratch_told():
            self._lots.append((self._file.tell(), read))
            pickle.dump([(row.records, row.own) for row in rows], self._file, protocol=5)
            self._file.flush()  # a full disk is met before anything is written to a store

    def __iter__(self) -> Iterator[tuple[list[Found], int]]:
        with scratch_told():
            for begins, read in self._lots:
                self._file.seek(begins)
                yield [Found(*row) for row in pickle.load(self._file)], read
