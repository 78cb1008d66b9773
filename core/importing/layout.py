"""A layout, and what the readers of all layouts share: the file they read, and the records they
make of it.

A reader is made per file, and gives for each row every record it holds, or raises ValueError with
the reason for skipping it. Reading the same rows again gives the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from core.importing import attributes
from core.importing.cells import Cells, as_mark, digest, short_digest
from core.importing.codes import Codes
from core.importing.entry import Entry
from core.importing.tally import Tally
from core.importing.text_encoding import suffix
from core.moments import DateOrder
from core.records import (
    Answer,
    Attribute,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Prompt,
    Score,
    System,
    TandemError,
    Vote,
)

NOT_A_NUMBER = "not-a-number"
UNPARSED = "unparsed"  # a judge said something, but not what was asked
GOLD = "gold"  # the judge who gave a data set's labels


@dataclass(frozen=True)
class Dropped:
    """A part of a row that is left out although the row is used, and why."""

    reason: str


Record = Item | System | Attribute | JudgeSpec | Generation | Score | Vote | Dropped


@dataclass(frozen=True)
class Source:
    """A file and what is known about it before its first row."""

    path: Path
    columns: tuple[str, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.HUMAN
    context_noun: str = "context"
    candidate_noun: str = "text"
    codes: Codes = field(default_factory=Codes)  # what the values of a winner column mean
    systems: tuple[str, ...] = ()  # names of the systems, in the file's order, where it has none
    system_name: str = ""  # the one system whose texts all of the file has
    kinds: Mapping[str, Kind] = field(default_factory=dict)  # of raters that are not as all
    dates: DateOrder | None = None  # what comes first in dates, where it was said
    study: tuple[str, ...] = ()  # the systems that the data set has already
    tally: Tally = field(default_factory=Tally)
    # The sample of (item, system, digest of a text): the known one with that text, or a new one.
    sample_of: Callable[[str, str, str], int] = lambda item, system, text: 0
    # The item already known by its context.
    item_of: Callable[[str], str | None] = lambda context: None
    # Whether there is an item of that name already.
    has_item: Callable[[str], bool] = lambda item: False
    # Whether the item of that name is known with this context.
    has_context: Callable[[str, str], bool] = lambda item, context: False
    # Whether (item, system, digest of a text) is known as a text of that system.
    has_text: Callable[[str, str, str], bool] = lambda item, system, text: False

    @property
    def stem(self) -> str:
        """The file's name without what says how it is written and packed."""
        name = (
            self.path.name[: -len(".gz")] if self.path.suffix.lower() == ".gz" else self.path.name
        )
        return name.removesuffix(Path(name).suffix) if suffix(self.path) else name

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name, with the field's usual question where it has one."""
        return attributes.attribute(name, self.candidate_noun, self.context_noun)


class Reader(Protocol):
    """One layout, reading one file."""

    def __init__(self, source: Source) -> None: ...

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]: ...


def records_of(reader: Reader, number: int, cells: Cells) -> list[Record]:
    """Every record of a row. Raises ValueError with the reason to skip it, also where something in
    it is of a kind that its layout never has there, as a list instead of a name.
    """
    try:
        return list(reader.records(number, cells))
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise ValueError(
            "something in it is not as its layout has it: compare it with other rows"
        ) from error


class UnrecognisedError(TandemError):
    """A file is in no layout, or lacks what its layout needs."""


@dataclass(frozen=True)
class Layout:
    """The files of one data set, or of one kind: for each sort of them its reader, and how it is
    recognised.

    `fields` are those that a mapping can name. A table has `matched` instead, which says what
    column fills what field and refuses a mapping that does not fit; `by_hand` are the fields worth
    correcting by hand. `settings` are those of `codes`, `systems`, `system_name` and `kind` that
    its readers heed; `kind` is who gave its votes or scores unless it is said.
    """

    name: str
    title: str
    readers: Mapping[Callable[[Source], Any], Callable[[Source], bool]]
    nouns: tuple[str, str] = ("context", "text")
    fields: tuple[str, ...] = ()
    matched: Callable[[Source], Mapping[str, str]] | None = None
    by_hand: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    kind: Kind = Kind.HUMAN
    # A judge answers a comparison once in all its files together, so the same answer in another
    # file is the same answer.
    once: bool = False

    def matches(self, source: Source) -> bool:
        return any(recognises(source) for recognises in self.readers.values())

    def reader(self, source: Source) -> Reader:
        """What reads this file: where none of its readers recognises it, the first will say what is
        wrong with each row.

        Raises UnrecognisedError where the file as a whole lacks something.
        """
        fitting = [make for make, recognises in self.readers.items() if recognises(source)]
        try:
            return (fitting or list(self.readers))[0](source)
        except TandemError as error:
            raise UnrecognisedError(error.sentence) from None


system_of = lru_cache(maxsize=4096)(System)
"""A system of that name, made once: most rows say it again."""


def name_item(source: Source, context: str, text: str | None = None) -> str:
    """What an item without a name is called: by the digest of its context, or of the `text` that
    the context was made of. Older stores called it by 48 bits, which it keeps where the text is
    the same.
    """
    text = context if text is None else text
    older = f"context-{short_digest(text)}"
    return older if source.has_context(older, context) else f"context-{digest(text)}"


def has(*names: str) -> Callable[[Source], bool]:
    """Recognises a file by columns it must have."""
    return lambda source: set(names) <= set(source.columns)


def texts(item: str, of: Mapping[str, str | None]) -> Iterator[Record]:
    """The systems and their generations on one item: system -> text, None where the file has
    none."""
    for system, text in of.items():
        yield system_of(system)
        yield Generation(item, system, 0, text)


def label(item: str, systems: tuple[str, str], outcome: Outcome) -> Iterator[Record]:
    """A gold label: nobody was shown the two in an order."""
    yield JudgeSpec(GOLD, Kind.GOLD)
    answer = Answer(outcome=outcome)
    yield Vote(item, *systems, judge=GOLD, answer=answer, kind=Kind.GOLD, order_known=False)


def asked(name: str, model: str, prompt: str = "") -> JudgeSpec:
    """A published LLM judge: which model it was and, where its source tells several prompts apart,
    the name of its prompt. The wording is not in these files, so it is blank.
    """
    return JudgeSpec(name, Kind.LLM, model, Prompt(prompt, 1, "") if prompt else None)


def answered(outcome: Outcome | None, raw: str = "") -> Answer:
    """What a judge answered, or that it cannot be told."""
    return Answer(outcome=outcome, raw=raw) if outcome else Answer(failure=UNPARSED, raw=raw)


def marks(source: Source, score: Score, value: object) -> Iterator[Record]:
    """The score a cell holds, if any: what is there but is no number becomes the reason why there
    is none.
    """
    if value is None or str(value).strip().casefold() in ("", "nan"):
        return
    yield source.attribute(score.attribute)
    yield JudgeSpec(score.judge, score.kind)
    try:
        yield replace(score, value=as_mark(value))
    except ValueError:
        yield replace(score, failure=NOT_A_NUMBER, raw=str(value))
