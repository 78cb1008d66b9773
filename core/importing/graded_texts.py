"""Graded texts, shared by the readers of evaluation tools: a text on an item, and its scores, each
with its reason.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from ..failures import ERROR
from ..records import Kind, TandemError, option_ref
from .cells import Cells, as_references, as_text, read_name
from .conversations import is_message, transcript
from .entry import IN_ORDER, SCORE, TEXT, Entry, drop_part, is_score
from .layout import Reader, Source
from .winners import NO_ANSWER

SYSTEMS = ("system", "system_name", "model", "model_name", "generator")
"""What a column may be called that names the system of a row, where a tool has none of its own."""
OBJECT = "[object Object]"
"""What JavaScript makes of an object that it writes as a text."""


def describe_item(context: str, references: object = None) -> Entry:
    """Return the fields of an item with this context. Raises ValueError where that is empty."""
    if not context.strip():
        raise ValueError("it has no input, so nobody knows which item its text is about")
    return {"context": context, "reference": list(as_references(references))}


def grade(
    attribute: str,
    judge: str,
    value: object,
    reason: str = "",
    *,
    error: str = "",
    kind: Kind = Kind.LLM,
    model: str = "",
) -> Entry:
    """Return the entry of a score as a tool states it.

    `value` is a number or a yes or no; `error` says why there is no score; `reason` is what the
    judge wrote.
    """
    entry: Entry = {
        "sort": SCORE, "attribute": attribute, "judge": judge, "judge_kind": kind.value,
        "judge_model": model, "raw": error or reason,
    }  # fmt: skip
    if error:
        return {**entry, "failure": f"{ERROR}: {(error.strip().splitlines() or [''])[0][:200]}"}
    if not is_score(value) or str(value).strip().casefold() in ("none", "null"):
        return {**entry, "failure": NO_ANSWER}
    return {**entry, "value": float(value) if isinstance(value, bool) else value}


def graded_text(
    item: Entry, system: str, text: str | None, grades: Iterable[Entry], why: str = ""
) -> Iterator[Entry]:
    """Yield a text and its grades.

    A text of None is not available, for the reason `why`. A different text of a system on an item
    is a further sample; the same text graded again is a further trial.
    """
    if text is None:
        about = item.get("item") or item["context"][:60]
        reason = f": {why[:200]}" if why else ""
        yield drop_part(f"{system!r} has no output on item {about!r}{reason}")
    of_text = {**item, "system": system, "text": text}
    yield {"sort": TEXT, **of_text}
    yield from ({**of_text, **each, "trial": IN_ORDER} for each in grades)


class GradedReader(Reader):
    """Reads rows that hold a text each, with the scores it was given. Whose text it is, a column
    says, or the name that was given for the whole file.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.column = source, _find_system_column(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        system = read_name(cells, self.column) if self.column else self.source.system_name
        item, text, grades = self.read(cells)
        return graded_text(item, system, text, grades)

    @abstractmethod
    def read(self, cells: Cells) -> tuple[Entry, str | None, Iterable[Entry]]:
        """Return the item of a row, its text, and the grades."""


def _find_system_column(source: Source) -> str:
    """Return the column that names the system of each row, '' where one name for the file was
    given.

    Raises TandemError where there is neither, or both.
    """
    there = {column.strip().casefold(): column for column in source.columns}
    mapped = source.mapping.get("system")
    found = mapped or next((there[name] for name in SYSTEMS if name in there), "")
    if mapped and mapped not in source.columns:
        raise TandemError(
            f"{option_ref('map')} system={mapped}: {source.path.name} has no such column"
        )
    if found and source.system_name:
        raise TandemError(
            f"column {found!r} of {source.path.name} names the systems, so "
            f"{option_ref('system_name')} {source.system_name} does not fit: leave it out"
        )
    if not found:
        check_system_name(source)
    return found


def check_system_name(source: Source, noun: str = "system") -> None:
    """Check that a name was given for the one system of a file. Raises TandemError otherwise."""
    if not source.system_name:
        raise TandemError(
            f"{source.path.name} does not say which {noun} wrote its texts: name it with "
            f"{option_ref('system_name')}"
        )


def as_output(value: object) -> str | None:
    """Return a system's output as a text: a list of turns as a transcript, other values as JSON.
    Returns None if an object was written as its mere name.
    """
    if isinstance(value, list) and value and all(map(is_message, value)):
        return transcript(value)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return None if value == OBJECT else as_text(value)


def label_values(values: Mapping[str, object]) -> str:
    """Join several values into one text: the value where there is one, else each below its name."""
    texts = {name: text for name, value in values.items() if (text := as_output(value))}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n\n".join(f"{name}: {text}" for name, text in texts.items())
