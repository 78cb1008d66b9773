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
from . import column_names as called
from .attributes import KNOWN, OVERALL
from .cells import Cells, quote_value
from .codes import decimal
from .column_names import SYNONYMS, is_damaged, normalise_name
from .raters import MODEL, PERSON
from .values import split_column
from .winners import NO_ANSWER, meaning_of

WATCHED = 200  # first rows, in which the cells that a reader looks at are noted
MOST = 12  # different values of a column; one with more holds no answers
LONG = 40  # characters of a value that may be a prompt
ALIKE = 0.75  # of two names, from which one may be the other with a damaged letter

DISCARDED = {"discarded", "draft", "excluded", "ignored"}
NOT_USED = "not used"
FIELDS = {
    "answers": "winner", "more answers": "attribute:NAME", "people": "judge", "items": "item",
    "prompts": "context", "a part of the prompt": "context", "scores": "score:NAME",
    "texts": "text_a", "other texts": "text_b", "questions": "attribute", "families": "family",
    "times": "created_at", "who was shown first": "shown_first", "swapped sides": "swapped",
}  # fmt: skip
"""The field that a column may fill, by what it seems to hold."""
RECIPES = {
    "a part of the prompt": f"Name all its columns, as in {option_ref('map')} context=A+B",
    "answers about these texts": "Write a comparison a row, with both systems",
    "another judge's answers": f"Name all judges, as in {option_ref('map')} winner:JUDGE=COLUMN",
    "lists of answers": f"Name each by its path, as in {option_ref('map')} winner:JUDGE=PATH",
    "scores of these texts": "Write a text a row, with its system and score",
    "more of the same": "Name it as the columns beside it are named",
    "how often each row counts": "Write a row for each vote",
    "which rows count": "Take out those that do not",
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
        if not family or called.REMARK.search(split_words(column)) or max(map(len, values)) > LONG:
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
        beside = self._guess_beside_votes if contents.has_votes else self._guess_beside_texts
        return (
            beside(column, values, contents)
            or self._find_damaged(column, contents)
            or self._guess_text(split_words(column), values, contents)
        )

    def _guess_beside_votes(self, column: str, values: Counter[str], contents: FileFacts) -> str:
        name, is_few, systems = split_words(column), len(values) <= MOST, contents.systems
        is_answer = is_few and are_answers(values, systems)
        is_named = bool(called.ANSWER.search(name))
        repeats = is_few and values.total() >= 2 * len(values) > 2
        seems = {
            "how often each row counts":
                called.TIMES.fullmatch(name) and values.keys() != {"1"} and are_numbers(values),
            "which rows count": is_few and len(values) > 1
                and (called.COUNTING.search(name) or DISCARDED & set(map(str.casefold, values))),
            "another judge's answers":
                is_answer and (MODEL.fullmatch(name) or PERSON.fullmatch(name)),
            "more answers": (is_answer and (is_named or systems & values.keys()))
                or (repeats and is_named and not called.MARK.search(name)),
            "people": "judge" not in self._filled and called.RATER.search(name),
            "lists of answers": self._lists_answers(name, values, systems),
        }  # fmt: skip
        return next((each for each, is_so in seems.items() if is_so), "")

    def _guess_beside_texts(self, column: str, values: Counter[str], contents: FileFacts) -> str:
        name, is_few = split_words(column), len(values) <= MOST
        is_named = bool(called.ANSWER.search(name))
        is_answer = is_few and are_answers(values, contents.systems)
        if contents.is_pending:
            is_lone = len(values) == 1 < values.total() and called.PREFERENCE.search(name)
            repeats = is_few and values.total() >= 2 * len(values) > 2
            if is_answer or is_lone or (repeats and (is_named or values.total() > 3 * len(values))):
                return "more answers" if column.casefold() in {OVERALL, *KNOWN} else "answers"
        elif is_few and max(map(len, values)) <= LONG and (
            called.PREFERENCE.search(name) or (is_answer and is_named)
        ):  # fmt: skip
            return "answers about these texts"
        if not called.MARK.search(name) or not _are_all_numbers(values):
            return ""
        has_texts = {"system", "text_a"} & self._filled
        return "scores" if "text" in self._filled else "scores of these texts" * bool(has_texts)

    def _guess_text(self, name: str, values: Counter[str], contents: FileFacts) -> str:
        if _are_all_numbers(values) or not any(" " in value for value in values):
            return ""
        has_texts = {"text_b", "conversation_a"} & self._filled or not contents.has_votes
        if not has_texts and called.TEXT.search(name):
            left_out = any(called.TEXT.search(each) for each in self.left_out)
            return "other texts" if "text_a" in self._filled or left_out else "texts"
        is_long = len(values) > MOST and sum(map(len, values)) > LONG * len(values)
        if "context" not in self._filled:
            return "prompts" if called.PROMPT.search(name) or is_long else ""
        is_part = is_long and len(self._list_values("context")) <= MOST
        return "a part of the prompt" if is_part and not called.REMARK.search(name) else ""

    def _list_values(self, field: str) -> set[str]:
        columns = [each for each, filled in self.fields.items() if field in filled]
        return {value for column in columns for value in self._values[column]}

    def _lists_answers(self, name: str, values: Iterable[str], systems: Collection[str]) -> bool:
        """Return whether these are lists or objects that repeat words of the winner, or systems."""
        if not all(value.startswith(("[", "{")) for value in values):
            return False
        words = set(re.findall(r"""['"]([^'"]+)['"]""", " ".join(values)))
        is_named = any(called.ANSWER.search(split_words(each)) for each in (name, *words))
        return is_named and bool(words & {*systems, *self._list_values("winner")})

    def _find_damaged(self, column: str, contents: FileFacts) -> str:
        """Return what a column holds whose name is nearly that of a field which has none."""
        wanted = {"items", "prompts"} | ({"answers"} if contents.is_pending else set())
        for seems, field in FIELDS.items():
            is_open = field not in self._filled and (contents.has_votes or seems in wanted)
            if is_open and is_damaged(column, (field, *SYNONYMS.get(field, ()))):
                return seems
        return ""


def split_words(column: str) -> str:
    """Return the name of a column in small letters, "acceptedIndex" as "accepted_index"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).casefold()


def are_numbers(values: Collection[str]) -> bool:
    """Return whether at least half of these values are numbers."""
    return 2 * sum(decimal(value) is not None for value in values) >= len(values)


def _are_all_numbers(values: Iterable[str]) -> bool:
    return all(decimal(value) is not None for value in values)


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
        self.column, self.recipe = use.column, RECIPES.get(use.seems, "")
        self.field = "" if self.recipe else FIELDS[use.seems].replace("NAME", use.column)
        self.fact = (
            f"column {quote_value(use.column)} of {use.file} is not used, and seems to hold "
            f"{use.seems} ({use.values})"
        )
        option = shlex.quote(f"{self.field}={use.column}")
        way = self.recipe or f"Use it with {option_ref('map')} {option}"
        super().__init__(
            f"{self.fact}. {way}, or leave it out with {option_ref('unused')} "
            f"{shlex.quote(use.column)}"
        )
