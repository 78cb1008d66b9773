"""What the readers of evaluation tools share: a text on an item, and the scores it was given, each
with its reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from core.failures import ERROR
from core.importing.cells import Cells, as_mark, as_references, as_text, digest
from core.importing.conversations import transcript
from core.importing.layout import NOT_A_NUMBER, Dropped, Record, Source, name_item, system_of
from core.importing.winners import NO_ANSWER
from core.records import Generation, Item, JudgeSpec, Kind, Score, TandemError, setting

SYSTEMS = ("system", "system_name", "model", "model_name", "generator")
"""What a column may be called that names the system of a row, where a tool has none of its own."""


OBJECT = "[object Object]"
"""What JavaScript makes of an object that it writes as a text."""


@dataclass(frozen=True)
class Grade:
    """A score of a text as a tool states it: a number or a yes or no, or `error`, which says why
    there is none; `reason` is what the rater wrote.
    """

    attribute: str
    rater: str
    value: object
    reason: str = ""
    error: str = ""
    kind: Kind = Kind.LLM
    model: str = ""


class GradedTexts:
    """Records of texts and their grades. Another text of a system on an item is another sample; the
    same text graded again is another trial.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._trials = Counter[Score]()

    def item(self, context: str, references: object = None, subset: str = "") -> Item:
        """The item with this context. Raises ValueError where that is empty."""
        if not context.strip():
            raise ValueError("it has no input, so nobody knows which item its text is about")
        key = self.source.item_of(context) or name_item(self.source, context)
        return Item(key, context, as_references(references), subset)

    def records(
        self, item: Item, system: str, text: str | None, grades: Iterable[Grade], why: str = ""
    ) -> Iterator[Record]:
        """A text with its grades. A text of None is not available, and `why`."""
        if text is None:
            reason = f": {why[:200]}" if why else ""
            yield Dropped(f"{system!r} has no output on item {item.key!r}{reason}")
        sample = 0 if text is None else self.source.sample_of(item.key, system, digest(text))
        yield item
        yield system_of(system)
        yield Generation(item.key, system, sample, text)
        for grade in grades:
            score = Score(
                item.key, system, grade.attribute, grade.rater, sample=sample, kind=grade.kind
            )
            self._trials[score] += 1
            yield self.source.attribute(grade.attribute)
            yield JudgeSpec(grade.rater, grade.kind, grade.model)
            yield _scored(replace(score, trial=self._trials[score] - 1), grade)


def name_system(source: Source, cells: Cells, column: str) -> str:
    """The system of a row: as its column names it, else the one that was named for the whole file.

    Raises ValueError where the cell is empty.
    """
    if not column:
        return source.system_name
    name = (as_text(cells.get(column)) or "").strip()
    if not name:
        raise ValueError(f"column {column!r} (the system) is empty")
    return name


def system_column(source: Source, columns: Iterable[str] = SYSTEMS) -> str:
    """The column that names the system of each row, '' where one name for the file was given.

    Raises TandemError where there is neither, or both.
    """
    there = {column.strip().casefold(): column for column in source.columns}
    mapped = source.mapping.get("system")
    found = mapped or next((there[name] for name in columns if name in there), "")
    if mapped and mapped not in source.columns:
        raise TandemError(
            f"{setting('map')} system={mapped}: {source.path.name} has no such column"
        )
    if found and source.system_name:
        raise TandemError(
            f"column {found!r} of {source.path.name} names the systems, so "
            f"{setting('system_name')} {source.system_name} does not fit: leave it out"
        )
    if not found:
        check_system_name(source)
    return found


def check_system_name(source: Source) -> None:
    """Raises TandemError where no name was given for the one system of a file."""
    if not source.system_name:
        raise TandemError(
            f"{source.path.name} does not say which system wrote its texts: name it with "
            f"{setting('system_name')}"
        )


def as_output(value: object) -> str | None:
    """What a system wrote, as a text: a list of turns as a transcript, other values as JSON. None
    where an object was written as its mere name.
    """
    if value == OBJECT:
        return None
    if not isinstance(value, dict | list):
        return as_text(value)
    if isinstance(value, list) and value and all(_is_turn(turn) for turn in value):
        return transcript(value)
    return json.dumps(value, ensure_ascii=False)


def _is_turn(value: object) -> bool:
    return isinstance(value, Mapping) and {"role", "content"} <= set(value)


def labelled(values: Mapping[str, object]) -> str:
    """Several values as one text: the value where there is one, else each below its name."""
    given = {name: as_output(value) for name, value in values.items()}
    texts = {name: text for name, text in given.items() if text}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name}: {text}" for name, text in texts.items())


def _scored(score: Score, grade: Grade) -> Score:
    """The score with its number, or with the reason why there is none."""
    if grade.error:
        first = (grade.error.strip().splitlines() or [""])[0][:200]
        return replace(score, failure=f"{ERROR}: {first}", raw=grade.error)
    if grade.value is None or str(grade.value).strip().casefold() in ("", "nan", "none", "null"):
        return replace(score, failure=NO_ANSWER, raw=grade.reason)
    try:
        value = float(grade.value) if isinstance(grade.value, bool) else as_mark(grade.value)
    except ValueError:
        return replace(score, failure=NOT_A_NUMBER, raw=str(grade.value))
    return replace(score, value=value, raw=grade.reason)
