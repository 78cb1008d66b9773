"""Account of a file's columns: what each fills, and what those hold that are not used.

Nothing of a file is left out without a word. A column that is not used, and may hold answers,
people or prompts, stops the import with a question.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from ..records import TandemError, option_ref
from .attributes import KNOWN, OVERALL
from .cells import Cells, quote_value
from .codes import decimal
from .column_names import ANSWER, MARK, PREFERENCE, PROMPT, RATER, REMARK, TEXT, normalise_name
from .values import split_column
from .winners import NO_ANSWER, meaning_of

WATCHED = 200  # first rows, in which the cells that a reader looks at are noted
MOST = 12  # different values of a column; one with more holds no answers
LONG = 40  # characters of a value that may be a prompt
ALIKE = 0.75  # of two names, from which one may be the other with a damaged letter

NOT_USED = "not used"
FIELDS = {
    "answers": "winner", "more answers": "attribute:NAME", "people": "judge",
    "prompts": "context", "scores": "score:NAME", "texts": "text_a", "other texts": "text_b",
}  # fmt: skip
"""The field that a column may fill, by what it seems to hold."""
RECIPES = {
    "answers about these texts": "Write a comparison a row, with both systems",
    "scores of these texts": "Write a text a row, with its system and score",
    "more of the same": "Name it as the columns beside it are named",
}
"""What to do with a column that no field of its table can take."""


@dataclass(frozen=True)
class ColumnUse:
    """A column of a file: the `fields` it fills, and some of its `values`. It `is_read` by the
    layout if no field is named after it; `seems` is what it may hold if it is not used.
    """

    file: str
    column: str
    fields: tuple[str, ...]
    values: str
    is_read: bool = False
    seems: str = ""

    def document(self) -> dict[str, str]:
        """Return the column as a row of the report."""
        use = ", ".join(name.replace("_", " ") for name in self.fields)
        use = use or ("read by the layout" if self.is_read else NOT_USED)
        return {"file": self.file, "column": self.column, "use": use, "values": self.values}


class FileFacts(NamedTuple):
    """Contents of a file: whether some row says who won, whether all rows are pairs that nobody has
    judged, the names of its systems, and the fields whose columns a person has `stated`.
    """

    has_votes: bool
    is_pending: bool
    systems: frozenset[str]
    stated: frozenset[str]


class _WatchedCells(dict[str, object]):
    """Cells of a row, which note the columns that a reader looks at."""

    def __init__(self, cells: Cells, read: set[str]) -> None:
        super().__init__(cells)
        self._read = read

    def __getitem__(self, name: str) -> object:
        self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: object = None) -> object:
        self._read.add(name)
        return super().get(name, default)


class ColumnAccount:
    """The columns of a file, the fields they fill, and the values of all others, collected while
    its rows are read. `left_out` are columns of which a person said that they are not used; `asked`
    is what a column must seem to hold to be asked about, anything by default. `family` are columns
    that hold the same, and names that further ones have; a column like these is always asked about.
    """

    def __init__(
        self,
        columns: Sequence[str],
        fields: Iterable[tuple[str, str]],
        left_out: Collection[str] = (),
        asked: Collection[str] | None = None,
        family: Sequence[str] = (),
    ) -> None:
        self.left_out, self.asked, self.family = left_out, asked, family
        self.fields: dict[str, list[str]] = {name: [] for name in columns}
        for field, path in fields:
            self.fields.setdefault(split_column(path, columns)[0], []).append(field)
        self._values = {name: Counter[str]() for name, filled in self.fields.items()}
        self._open = set(self._values)  # columns whose different values are still few
        self._filled = {
            field.partition(":")[0] for filled in self.fields.values() for field in filled
        }
        self._read = set[str]()
        self._rows = 0

    @property
    def read_columns(self) -> set[str]:
        """The columns that the layout's reader looked at."""
        return self._read & self.fields.keys()

    def watch(self, cells: dict[str, object]) -> dict[str, object]:
        """Note a row's values; return its cells, which note among the first rows who reads them."""
        self._rows += 1
        if self._rows > WATCHED and not self._open and cells.keys() <= self.fields.keys():
            return cells
        watched = cells.keys() if self._rows <= WATCHED else self._open & cells.keys()
        for name in watched | (cells.keys() - self.fields.keys()):
            self._note_value(name, cells[name])
        if self._rows == WATCHED:
            self._open -= {name for name in self._open if self.fields[name] or name in self._read}
        return _WatchedCells(cells, self._read) if self._rows <= WATCHED else cells

    def _note_value(self, name: str, value: object) -> None:
        if name not in self.fields:  # objects may have keys that the first ones have not
            self.fields[name], self._values[name] = [], Counter()
            self._open.add(name)
        if name not in self._open or value is None:
            return
        text = value if isinstance(value, str) else repr(value)
        if text := text.strip():
            values = self._values[name]
            values[text[:200]] += 1
            if len(values) > MOST:
                self._open.discard(name)

    def list_columns(self, file: str, contents: FileFacts) -> list[ColumnUse]:
        """List the columns with their uses."""
        return [
            ColumnUse(
                file, column, tuple(fields), self._describe_values(column),
                is_read=column in self._read, seems=self._classify(column, contents),
            )
            for column, fields in self.fields.items()
        ]  # fmt: skip

    def _describe_values(self, column: str) -> str:
        values = [quote_value(value) for value, _ in self._values[column].most_common(3)]
        return ", ".join(values) + (" ..." if len(self._values[column]) > 3 else "")

    def _classify(self, column: str, contents: FileFacts) -> str:
        values = self._values[column]
        if not values or self.fields[column] or column in {*self._read, *self.left_out}:
            return ""
        seems = self._guess(column, values, contents)
        if self._is_of_family(column, values) and seems != "more answers":
            return "more of the same"
        if self.asked is not None and seems not in self.asked:
            return ""
        fields = {FIELDS.get(seems, "").partition(":")[0]}
        if seems.endswith("answers"):
            fields.add("winner")
        return "" if fields & contents.stated else seems

    def _is_of_family(self, column: str, values: Counter[str]) -> bool:
        """Return whether a column holds what a family of columns does: its name or its words are
        nearly theirs, or it stands between two of them or right behind the last one. Numbers are
        alike in any two columns.
        """
        every, family = list(self.fields), set(self.family) & self.fields.keys()
        theirs = {value for name in family for value in self._values[name]}
        if not family or REMARK.search(split_words(column)) or max(map(len, values)) > LONG:
            return False
        if (is_number := are_numbers(values)) != are_numbers(theirs):
            return False
        place = every.index(column)
        around = {*every[max(place - 1, 0) : place + 2]} - {column}
        names = [normalise_name(each) for each in (column, *self.family)]
        return (
            (not is_number and len(values) <= MOST and values.keys() <= theirs)
            or (place > 0 and around <= family)
            or any(SequenceMatcher(None, names[0], each).ratio() >= ALIKE for each in names[1:])
        )

    def _guess(self, column: str, values: Counter[str], contents: FileFacts) -> str:
        name, has = split_words(column), self._filled
        is_few = len(values) <= MOST
        repeats = is_few and values.total() >= 2 * len(values) > 2
        is_answer = is_few and are_answers(values, contents.systems)
        if contents.has_votes:
            is_answer &= bool(ANSWER.search(name) or contents.systems & values.keys())
            is_answer |= bool(repeats and ANSWER.search(name) and not MARK.search(name))
        elif contents.is_pending:
            is_lone = len(values) == 1 < values.total() and bool(PREFERENCE.search(name))
            is_answer |= is_lone or (
                repeats and bool(ANSWER.search(name) or values.total() > 3 * len(values))
            )
        if is_answer and contents.has_votes:
            return "more answers"
        if is_answer and contents.is_pending:
            return "more answers" if column.casefold() in {OVERALL, *KNOWN} else "answers"
        if contents.has_votes and "judge" not in has and RATER.search(name):
            return "people"
        is_number = all(decimal(value) is not None for value in values)
        if not contents.has_votes and not contents.is_pending:
            is_short = is_few and max(map(len, values)) <= LONG
            if is_short and (PREFERENCE.search(name) or (is_answer and ANSWER.search(name))):
                return "answers about these texts"
            if {"text", "system"} & has and MARK.search(name) and is_number:
                return "scores" if "text" in has else "scores of these texts"
        if is_number or not any(" " in value for value in values):
            return ""
        if contents.has_votes and not {"text_b", "conversation_a"} & has and TEXT.search(name):
            is_second = "text_a" in has or any(TEXT.search(each) for each in self.left_out)
            return "other texts" if is_second else "texts"
        is_long = not is_few and sum(map(len, values)) > LONG * len(values)
        return "prompts" if "context" not in has and (PROMPT.search(name) or is_long) else ""


def split_words(column: str) -> str:
    """Return the name of a column in small letters, "acceptedIndex" as "accepted_index"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).casefold()


def are_numbers(values: Collection[str]) -> bool:
    """Return whether at least half of these values are numbers."""
    return 2 * sum(decimal(value) is not None for value in values) >= len(values)


def are_answers(values: Iterable[str], systems: Collection[str]) -> bool:
    """Return whether all values are words for sides or names of systems, and some say who won."""
    meanings = [
        meaning.outcome if (meaning := meaning_of(value)) else value in systems for value in values
    ]
    return all(meanings) and any(meaning != NO_ANSWER for meaning in meanings)


class UnusedColumnError(TandemError):
    """A `column` that is not used and seems to hold what belongs into a `field`: '' where its table
    has none for it, and a `recipe` says what to do. `fact` has no ways out.
    """

    def __init__(self, use: ColumnUse) -> None:
        self.column, self.field = use.column, FIELDS.get(use.seems, "").replace("NAME", use.column)
        self.fact = (
            f"column {quote_value(use.column)} of {use.file} is not used, and seems to hold "
            f"{use.seems} ({use.values})"
        )
        option = shlex.quote(f"{self.field}={use.column}")
        self.recipe = RECIPES.get(use.seems, "")
        way = self.recipe or f"Use it with {option_ref('map')} {option}"
        super().__init__(
            f"{self.fact}. {way}, or leave it out with {option_ref('unused')} "
            f"{shlex.quote(use.column)}"
        )
