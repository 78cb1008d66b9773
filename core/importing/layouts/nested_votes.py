"""What the readers of annotation tools share: rows that hold several answers, each of them brought
into the columns of a table of votes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.importing.cells import Cells
from core.importing.codes import SIDE, Codes
from core.importing.layout import Record, Source, name_item
from core.importing.layouts.votes import Votes
from core.importing.table_fields import matched
from core.importing.times import Times
from core.records import JudgeSpec, TandemError, Vote, setting

COLUMNS = (
    "item", "context", "subset", "system_a", "system_b", "text_a", "text_b", "sample_a", "sample_b",
    "winner", "judge", "judge_kind", "attribute", "strength", "confidence", "comment", "seconds",
    "raw", "failure", "order_known", "created_at",
)  # fmt: skip
"""The fields of a vote that a tool may fill."""
OF_PAIR = (
    "item", "context", "subset", "system_a", "system_b", "text_a", "text_b", "attribute",
    "order_known",
)  # fmt: skip
"""The fields that say what was compared, and may have any name in a tool's own data."""

Flat = Mapping[str, object]


class NestedVotes(Votes, ABC):
    """A reader of rows of which each holds any number of answers."""

    def __init__(self, source: Source) -> None:
        self.given = source
        self._matched: dict[tuple[str, ...], Mapping[str, str]] = {}
        columns = dict.fromkeys(COLUMNS)
        systems = source.systems if len(source.systems) == 2 else ("a", "b")
        super().__init__(
            replace(
                source,
                columns=tuple(columns),
                mapping={name: name for name in columns},
                systems=systems,
                codes=Codes(means=SIDE),  # readers write sides, whatever the systems are called
            )
        )
        self.times = Times(source)
        source.tally.columns = ("the first text", "the second text")

    @abstractmethod
    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        """Each answer of a row by the fields of COLUMNS, or one without `winner` and `failure`
        where nobody has answered. Raises ValueError with the reason where the row cannot be read.
        """

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        for flat in self.answers(number, cells):
            if "winner" in flat or "failure" in flat:
                yield from super().records(number, flat)
            else:
                yield from self._texts(number, flat)

    def _texts(self, number: int, flat: Flat) -> Iterator[Record]:
        """The texts of a row that nobody has answered."""
        for record in super().records(number, {**flat, "failure": "none"}):
            if not isinstance(record, Vote | JudgeSpec):
                yield record

    def pair(self, data: Cells) -> dict[str, Any]:
        """What was compared, as far as a tool's own data say so by the names of their fields, or a
        mapping does. Texts without systems are called as their fields are.

        Raises ValueError where no two fields are the texts.
        """
        names = tuple(data)
        if names not in self._matched:
            self._matched[names] = self._fields_of(names)
        fields = self._matched[names]
        found = {name: data.get(fields[name]) for name in OF_PAIR if name in fields}
        if "text_a" not in fields:
            raise ValueError(
                f"it is not certain which of {', '.join(names)} are the two texts: say so with "
                f"{setting('map')} text_a=FIELD {setting('map')} text_b=FIELD"
            )
        return self.named(found, (fields["text_a"], fields["text_b"]))

    def named(self, found: dict[str, Any], places: tuple[str, str]) -> dict[str, Any]:
        """The same with names for its systems and its item: the file's, else those that were said,
        else the names of their places and of the context.
        """
        if not (found.get("system_a") and found.get("system_b")):
            found |= dict(zip(("system_a", "system_b"), self._systems_of(places), strict=True))
        context = str(found.get("context") or "")
        if not found.get("item") and context:
            found["item"] = self.source.item_of(context) or name_item(self.source, context)
        return found

    def _systems_of(self, places: tuple[str, str]) -> tuple[str, str]:
        if len(self.given.systems) == 2:
            return self.given.systems[0], self.given.systems[1]
        self.source.tally.notes[
            f"it does not say whose texts they are, so the systems are called {places[0]} and "
            f"{places[1]}; {setting('systems')} FIRST SECOND names them"
        ] = None
        return places

    def _fields_of(self, names: tuple[str, ...]) -> Mapping[str, str]:
        mapping = {name: field for name, field in self.given.mapping.items() if field in names}
        try:
            # An id numbers tasks, so it is no item unless a mapping says so.
            fields = matched(replace(self.given, columns=names, mapping=mapping))
        except TandemError as error:
            raise ValueError(error.sentence) from None
        if fields.get("item", "") not in ("item", "item_id", mapping.get("item")):
            fields.pop("item", None)
        return fields
