"""Layouts that are data: for each entry of a row, which column or text fills which field."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from ..records import Kind, Outcome, TandemError, option_ref
from .cells import Cells, as_text, read_name, require_cell
from .codes import decimal
from .entry import SCORE, VOTE, Entry, is_score
from .layout import GOLD, Reader, Source
from .values import find_value

Spec = Any
"""Where a field comes from:
a text      the name of a column or a path to it ("judge[0]"), or columns in braces between other
            words ("{subset}/{index}")
a tuple     several of these: the first that is there and is not empty
a function  of the row's cells
RowNumber   the row's place in its file
a value     any other constant: a `Constant`, a number, a truth value, a Kind, an Outcome
"""
T = TypeVar("T")
Getter = Callable[[int, Cells], Any]
Words = Mapping[str, Outcome]
"""What the values of a column of winners mean."""

NAMES = frozenset(("item", "system", "system_a", "system_b", "base", "judge"))
"""Fields that must not be empty where a template has them."""


@dataclass(frozen=True)
class Constant:
    """A value that is the same in every row."""

    value: Any


@dataclass(frozen=True)
class RowNumber:
    """The number of a row, after a prefix; that of the first row is `first`."""

    prefix: str = ""
    first: int = 1


class Template:
    """An entry of a sort, with where each of its fields comes from.

    `words` are what values of `outcome` mean; other values are replies that could not be read.
    Rows in which `when` is empty or false have no such entry. An empty score is left out.
    """

    def __init__(
        self, sort: str, fields: Mapping[str, Spec], words: Words | None, when: Spec
    ) -> None:
        self.sort, self.words, self.when = sort, words, _getter(when)
        self.answer = fields.get("outcome", fields.get("value"))
        self.getters = []
        for field, spec in fields.items():
            specs = spec if isinstance(spec, tuple) else (spec,)
            column = next((each for each in specs if isinstance(each, str)), field)
            self.getters.append((field, column, _getter(spec, field in NAMES)))

    def fill(self, number: int, cells: Cells) -> Entry | None:
        """Return the entry of a row, if it has one. Raises ValueError where a name is empty."""
        condition = self.when(number, cells)
        if condition is None or condition is False or condition == "":
            return None
        entry: Entry = {"sort": self.sort}
        for field, column, get in self.getters:
            value = get(number, cells)
            entry[field] = _check_name(value, column) if field in NAMES else value
        if self.words is not None:
            said = (as_text(entry["outcome"]) or "").strip()
            entry["outcome"] = self.words.get(said)
            if entry["outcome"] is None:
                entry["raw"] = entry.get("raw") or said
        if self.sort == SCORE and not (entry.get("failure") or is_score(entry.get("value"))):
            return None
        return entry


def template(sort: str, **fields: Spec) -> Template:
    """Return a template of these fields, with `words` and `when` among them; see `Template`."""
    words, when = fields.pop("words", None), fields.pop("when", True)
    return Template(sort, fields, words, when)


class FunctionReader(Reader):
    """Reads rows by a function."""

    def __init__(
        self, read: Callable[[int, Cells], Iterable[Entry]], family: Sequence[str] = ()
    ) -> None:
        self._read, self.family = read, family

    def entries(self, number: int, cells: Cells) -> Iterable[Entry]:
        return self._read(number, cells)


def read_by(
    *templates: Template | Callable[[Source], Iterable[Template]],
    named: tuple[str, str] | None = None,
) -> Callable[[Source], FunctionReader]:
    """Return a function that makes a reader of a file by these templates. Some may follow from
    the file: its columns, its settings. What it is `named` fills cells of each row, and its place
    from 0 the cell `index` (see `Source.parse_name`).
    """

    def make(source: Source) -> FunctionReader:
        said = source.parse_name(*named) if named else None

        def read(number: int, cells: Cells) -> Iterable[Entry]:
            if said is not None:
                own: dict[str, object] = {**said, "index": str(number - 1)}
                cells = ChainMap(own, cells)  # type: ignore[arg-type]  # is only read
            return filter(None, (each.fill(number, cells) for each in every))

        listed = ([each] if isinstance(each, Template) else each(source) for each in templates)
        every = list(chain.from_iterable(listed))
        if not every:
            raise TandemError(
                f"{source.path.name} has no column that holds votes or scores of this format; say "
                f"another {option_ref('format')}"
            )
        answers = {each.answer: None for each in every if each not in templates}
        return FunctionReader(read, [name for name in answers if name in source.columns])

    return make


def read_with(read: Callable[[int, Cells], Iterable[Entry]]) -> Callable[[Source], FunctionReader]:
    """Return a function that makes a reader of rows. Its function gets a row's number and cells,
    and yields any number of entries.
    """
    return lambda source: FunctionReader(read)


def read_from(
    read: Callable[[Source, int, Cells], Iterable[Entry]],
) -> Callable[[Source], FunctionReader]:
    """Return a function that makes a reader of rows as `read_with`, of what the file says, too."""
    return lambda source: FunctionReader(partial(read, source))


def read_scores(scores: Mapping[str, object], **fields: Any) -> Iterator[Entry]:
    """Yield the scores of one text by one judge (attribute -> cell) without empty ones."""
    for attribute, value in scores.items():
        if is_score(value):
            yield {"sort": SCORE, **fields, "attribute": attribute, "value": value}


LABEL: Mapping[str, Spec] = {
    "judge": Constant(GOLD), "judge_kind": Kind.GOLD, "order_known": False, "once": True,
}  # fmt: skip
"""Fields of a vote that is a data set's own label: nobody was shown the two in an order."""


def swap_sides(fields: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return the fields of a pair with its two sides swapped."""
    sides = {f"{name}_a": f"{name}_b" for name in ("system", "text", "sample", "length")}
    names = sides | {second: first for first, second in sides.items()}
    return {names.get(name, name): spec for name, spec in fields.items()}


Specs = Mapping[str, Spec]


def vote_twice(
    fields: Specs, first: Specs, second: Specs, *, name_systems: bool = False
) -> list[Template]:
    """Return two votes of a row: `first` on the texts as `fields` have them, and `second` with the
    other text shown first. Words mean places in either, unless they name systems.
    """
    swapped = swap_sides(fields)
    if name_systems:
        sides = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
        swapped["words"] = {word: sides.get(won, won) for word, won in fields["words"].items()}
    return [template(VOTE, **fields, **first), template(VOTE, **swapped, **second)]


def give_verdict(column: str, *replies: str, **more: Spec) -> Specs:
    """Return the fields of a verdict in a column, which is the whole reply where there is none."""
    return {"outcome": column, "raw": (*replies, column), **more}


def need(column: str, kind: type = str) -> Callable[[Cells], Any]:
    """Return a cell of that kind, such as a text that may be empty; a row without it is skipped."""
    return lambda cells: require_cell(cells, column, kind)


def need_name(column: str) -> Callable[[Cells], str]:
    """Return a cell that names something; a row in which it is blank is skipped."""
    return lambda cells: read_name(cells, column)


def choose(cells: Cells, column: str, words: Mapping[str, T], noun: str = "") -> T:
    """Return what a word in a cell means. Raises ValueError where it is none of these."""
    said = (as_text(cells.get(column)) or "").strip()
    if said in words:
        return words[said]
    known = "neither {} nor {}".format(*words) if len(words) == 2 else f"none of {', '.join(words)}"
    what = f"the {noun} {said[:40]!r} is" if noun else f"{column} is {said[:40]!r},"
    raise ValueError(f"{what} {known}")


def ask_as_votes(column: str, said: object, usual: str) -> TandemError:
    """Return the error for a number that makes the others something else than a layout has."""
    return TandemError(
        f"{column} is {str(said)[:40]}, but {usual}: say {option_ref('format')} votes, and it asks "
        "what the numbers mean"
    )


def choose_outcome(column: str, words: Mapping[str, T], noun: str) -> Callable[[Cells], T]:
    """Return a function that reads a cell by these words; a row with another word is skipped. Where
    all are numbers, it raises TandemError for another one: it makes these something else.
    """
    are_numbers = all(decimal(word) is not None for word in words)

    def read(cells: Cells) -> T:
        said = (as_text(cells.get(column)) or "").strip()
        if are_numbers and said not in words and decimal(said) is not None:
            raise ask_as_votes(column, said, f"{' or '.join(words)} in this layout")
        return choose(cells, column, words, noun)

    return read


def _getter(spec: Spec, is_name: bool = False) -> Getter:
    if isinstance(spec, RowNumber):
        return lambda number, cells: f"{spec.prefix}{number - 1 + spec.first}"
    if isinstance(spec, tuple):
        getters = [_getter(each) for each in spec]
        return lambda number, cells: next(
            (value for get in getters if (value := get(number, cells)) not in (None, "", [], {})),
            None,
        )
    if isinstance(spec, str) and not isinstance(spec, Enum):
        if "{" in spec:
            return _fill_template(spec, is_name)
        return lambda number, cells: find_value(cells, spec)
    if callable(spec):
        return lambda number, cells: spec(cells)
    value = spec.value if isinstance(spec, Constant) else spec
    return lambda number, cells: value


def _fill_template(spec: str, is_name: bool) -> Getter:
    words = re.split(r"{([^{}]+)}", spec)

    def find(column: str, cells: Cells) -> str:
        value = find_value(cells, column)
        return _check_name(value, column) if is_name else as_text(value) or ""

    def fill(number: int, cells: Cells) -> str:
        return "".join(find(word, cells) if place % 2 else word for place, word in enumerate(words))

    return fill


def _check_name(value: object, column: str) -> str:
    if name := (as_text(value) or "").strip():
        return name
    raise ValueError(f"field {column!r} is empty")
