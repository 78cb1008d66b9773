"""Rows of votes that are alike in all that decides what they say. The first of them is staged, and
the others are counted: so a leaderboard of many votes needs no copy of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

import pyarrow as pa
from pyarrow import compute

from ..records import CONTROL, TandemError
from .cells import Row, as_mark, as_text
from .database import Database
from .layouts.votes import TURN, Votes
from .prompt_columns import split_columns

APART = ("item", "context", "judge")
"""Fields that rows may differ in: of each row they are kept beside the row that is like it."""
OF_NO_CONSEQUENCE = (
    "created_at", "comment", "raw", "reference", "family", "subset", "text_format",
)  # fmt: skip
BLANKED = (*APART, "created_at")
TEXTS = {"text_a", "text_b", "length_a", "length_b", "conversation_a", "conversation_b"}
"""Fields that tell answers apart which are about other texts."""
BATCH = 50_000
_TEXT, _WHOLE = pa.string(), pa.int64()
ABOUT = {
    "file": pa.int32(), "row": _WHOLE, "number": _WHOLE, **dict.fromkeys(APART, _TEXT)
}  # fmt: skip
"""The table `about`: the `number` of each row that is used, and the `row` that is staged for it."""


@dataclass(frozen=True)
class CountedVotes:
    """Choice of the votes that are counted. Judges named in `judges` are counted apart from all
    others. With `items` or a `subset`, only votes about these count. `families` are those that
    intervals draw, as in a `Selection`: such votes are refused.
    """

    judges: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    subset: str | None = None
    families: str = "none"


class NotCountedError(TandemError):
    """Votes that cannot be counted by rows that are alike: some revise others, or their items have
    to be compared. An import does both.
    """


class AlikeRows:
    """The rows of a file that were staged, by what decides what they say."""

    def __init__(self, file: int, reader: Votes, wanted: CountedVotes, database: Database) -> None:
        """Raises NotCountedError for a table in which more than the cells of a row decides."""
        self.file, self.name, self.database = file, reader.source.path.name, database
        columns, source = reader.fields.columns, reader.source
        free = {*APART, *OF_NO_CONSEQUENCE, *NUMBERS} - ({"subset"} if wanted.subset else set())
        deciding = [column for name, column in columns.items() if name not in free]
        deciding += reader.words.places + ["turn"] * (set(source.columns) >= TURN)
        self._blanked = [columns[name] for name in BLANKED if name in columns]
        parts = {part for column in columns.values() for part in split_columns(source, column)}
        self.columns = {*deciding, *parts}
        if (
            TEXTS & columns.keys()
            or set(self._blanked) & set(deciding)
            or not parts <= set(source.columns)
            or ("family" in columns and wanted.families != "none")
            or ("judge" in columns and "judge" in reader.asked.values())
            or ({"subset", "context"} <= columns.keys() and "subset" not in source.mapping)
        ):
            raise NotCountedError(f"the rows of {self.name} have to be compared")
        self._key = itemgetter(*deciding)
        self._numbers = [(columns[name], sort) for name, sort in NUMBERS.items() if name in columns]
        self._read = [reader.fields.readers.get(name) for name in APART]
        self._first: dict[object, int] = {}
        self._new: tuple[object, ...] = ()
        self._about: list[tuple[object, ...]] = []

    def add(self, row: Row) -> bool:
        """Count a row if one that is alike was staged. If not, it may be the first of its kind, and
        what is kept apart is taken out of its cells.
        """
        cells, key, first = row.cells, None, None
        try:
            key = self._key(cells)
            if self._numbers:
                key = key, *(sort(cells[column]) for column, sort in self._numbers)
            first = self._first.get(key)
        except (TypeError, KeyError):  # nested cells have no hash, and short rows not all cells
            key = None
        apart = [read and read(cells) for read in self._read]
        if first is None:
            self._new = key, *apart
            for column in self._blanked:
                cells[column] = ""
            return False
        self._about.append((first, row.number, *apart))
        if len(self._about) >= BATCH:
            self.flush()
        return True

    def keep(self, number: int) -> None:
        """Keep a row that was staged, as the first of those that will be alike."""
        key, *apart = self._new
        if key is not None:
            self._first[key] = number
        self._about.append((number, number, *apart))

    def flush(self) -> None:
        """Put the rows that wait into `about`. Raises NotCountedError where a name is none."""
        if not self._about:
            return
        rows, numbers, *apart = zip(*self._about, strict=True)
        try:
            names = [pa.array(map(as_text, cells), _TEXT) for cells in apart]
        except ValueError:
            raise NotCountedError(f"the rows of {self.name} have to be compared") from None
        if any(
            compute.any(compute.match_substring_regex(names[place], CONTROL.pattern)).as_py()
            for place in (0, 2)
        ):
            raise NotCountedError(f"the rows of {self.name} have to be compared")
        whole = [pa.array(each, _WHOLE) for each in (rows, numbers)]
        file = pa.repeat(pa.scalar(self.file, ABOUT["file"]), len(rows))
        self.database.append("about", pa.table([file, *whole, *names], [*ABOUT]))
        self._about = []


@lru_cache(4096)
def _sort_number(value: object) -> object:
    """Return the same for all numbers; what is no number, as it is."""
    try:
        as_mark(value)
    except ValueError:
        return value
    return True


@lru_cache(4096)
def _sort_probability(value: object) -> object:
    """Return the side of a half that a probability is on; what is none, as it is."""
    try:
        number = as_mark(value)
    except ValueError:
        return value
    return (number > 0.5) - (number < 0.5) if 0 <= number <= 1 else value


NUMBERS = {
    "prob_a": _sort_probability,
    **dict.fromkeys(("strength", "confidence", "seconds"), _sort_number),
}
"""Fields that hold numbers -> what matters of them."""
