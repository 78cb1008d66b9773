"""Where imported votes come from: by that they are known when they are imported again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.importing.cells import short_digest
from core.importing.choice import Chosen
from core.importing.files import sha256
from core.importing.hashed import Numbers
from core.importing.layout import Record
from core.importing.layouts import LAYOUTS
from core.importing.spool import Found
from core.records import SourceRow, Vote

_ITEMLESS = re.compile("row-[0-9].*", re.DOTALL)  # the item of a vote that came without


class SourceRows:
    """Names the place of each vote of the files that are read into a data set.

    A vote is known by its data set and file name, by what it says of whom, and by how often that
    came before; not by its row's number, nor by what else stands in the row. So a file that has
    grown, of which one row was mended, or that now has texts too adds just what is new. Where a
    layout's files hold each answer once (`Layout.once`), its name stands for the file's: a sample
    of a table adds nothing to it.
    """

    def __init__(self, dataset: str, known: Mapping[str, str] | None = None) -> None:
        """`known` files of the data set, with their fingerprints: a file that is the same as one of
        them goes by its name.
        """
        self._dataset = dataset
        self._called: dict[str, str] = {}  # the first name of each, by its fingerprint
        for name, fingerprint in (known or {}).items():
            self._called.setdefault(fingerprint, Path(name).name)
        self._names: dict[str, str] = {}
        self._said = Numbers()  # how often what came, by file

    def found(self, file: Chosen, number: int, records: Sequence[Record]) -> Found:
        """What a row says, its votes with the place they come from."""
        once, name = LAYOUTS[file.layout].once, self._name(file)
        source = f"{self._dataset}/{file.layout if once else name}"
        together = file.name if once else name
        placed, own = list[Record](), False
        for record in records:
            if isinstance(record, Vote):
                itemless = record.item.startswith("row-")
                is_own = itemless and record.item == f"row-{number}"  # it came without an item
                own |= is_own
                mark = _mark(record, "" if is_own else record.item)
                said = together, mark
                occurrence = self._said.get(said, 0) + 1
                self._said.put(said, occurrence)
                itemless = is_own or (itemless and bool(_ITEMLESS.fullmatch(record.item)))
                place = SourceRow(source, mark, occurrence, itemless)
                record = record.changed(source_row=place)
            placed.append(record)
        return Found(placed, own)

    def _name(self, file: Chosen) -> str:
        """What a file is called, or was when it was first imported."""
        if file.name not in self._names:
            own = file.source.path.name
            same = self._called and self._called.get(sha256(file.source.path))
            self._names[file.name] = same or own
        return self._names[file.name]


def _mark(vote: Vote, item: str) -> int:
    """48 bits of what a vote says of whom. Stores hold them: what goes into them never changes."""
    answer = vote.answer
    said = (
        item,
        vote.system_a,
        vote.system_b,
        vote.judge,
        vote.attribute,
        vote.order_known,
        vote.stated_time or vote.created_at,
        answer.outcome,
        answer.prob_a,
        answer.failure,
    )
    return int(short_digest(json.dumps(said)), 16)
