"""What a file repeats in every row, passed on once."""

from __future__ import annotations

from collections.abc import Iterable

from core.importing.layout import Record
from core.records import Attribute, Item, JudgeSpec, System

KEPT = frozenset((System, Attribute, JudgeSpec))
SIZE = 2**16  # of them that are held: a reader may make new ones in every row


class Repeats:
    """The systems, attributes and judges that rows have told of, and the item of the last one.

    They are known by being the same objects, which costs nothing: an equal one is passed on again,
    and does no harm. Each is held here, so that no other takes its place in memory, until they are
    too many and all are forgotten.
    """

    def __init__(self) -> None:
        self._told: dict[int, Record] = {}
        self._item: Item | None = None

    def without(self, records: Iterable[Record]) -> list[Record]:
        """The records of a row that no row before it had."""
        told, item = self._told, self._item
        return [record for record in records if id(record) not in told and record is not item]

    def tell(self, records: Iterable[Record]) -> None:
        """Take in what a row passed on, once nothing speaks against it."""
        for record in records:
            sort = type(record)
            if sort in KEPT:
                if len(self._told) >= SIZE:
                    self._told.clear()
                self._told[id(record)] = record
            elif isinstance(record, Item):
                self._item = record
