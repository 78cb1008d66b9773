"""What the readers of all layouts share: the file they read, and the records they make of it.

A reader is made per file, and gives for each row every record it holds, or raises ValueError with the reason for
skipping it. Reading the same rows again gives the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from core.cells import Cells, as_mark
from core.records import Attribute, Generation, Item, JudgeSpec, Kind, Score, System, Vote

Record = Item | System | Attribute | JudgeSpec | Generation | Score | Vote

NOT_A_NUMBER = "not-a-number"

# The adjective and the question of the attributes the field's data sets share; {candidate} is the data set's noun.
KNOWN: dict[str, tuple[str, str]] = {
    "coherence": ("coherent", "Which {candidate} is more coherent, so that its sentences form one well-ordered whole?"),
    "consistency": ("consistent", "Which {candidate} is more consistent with the facts in the {context}?"),
    "fluency": ("fluent", "Which {candidate} is more fluent, with better grammar and wording?"),
    "relevance": (
        "relevant",
        "Which {candidate} is more relevant, keeping what matters in the {context} and nothing else?",
    ),
    "naturalness": ("natural", "Which {candidate} sounds more like something a person would naturally say?"),
    "engagingness": ("engaging", "Which {candidate} is more engaging?"),
    "groundedness": ("grounded", "Which {candidate} makes better use of the given fact?"),
    "understandability": ("understandable", "Which {candidate} is easier to understand?"),
    "overall": ("", "Which {candidate} is better overall?"),
}


@dataclass(frozen=True)
class Source:
    """A file and what is known about it before its first row."""

    path: Path
    columns: tuple[str, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.HUMAN
    context_noun: str = "context"
    candidate_noun: str = "text"
    # The texts already known of (item, system): digest -> sample.
    texts: Callable[[str, str], Mapping[str, int]] = lambda item, system: {}

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name, with the field's usual question where it has one."""
        return _attribute(name, self.candidate_noun, self.context_noun)


@cache
def _attribute(name: str, candidate: str, context: str) -> Attribute:
    adjective, question = KNOWN.get(name.casefold(), ("", ""))
    return Attribute(name, adjective, question.format(candidate=candidate, context=context))


class Reader(Protocol):
    """One layout, reading one file."""

    def __init__(self, source: Source) -> None: ...

    def records(self, number: int, cells: Cells) -> Iterator[Record]: ...


def marks(
    source: Source, item: str, system: str, sample: int, attribute: str, rater: str, value: object, kind: Kind
) -> Iterator[Record]:
    """The score a cell holds, if any: what is there but is no number becomes the reason why there is none."""
    if value is None or str(value).strip().casefold() in ("", "nan"):
        return
    try:
        mark, failure = as_mark(value), ""
    except ValueError:
        mark, failure = None, NOT_A_NUMBER
    yield source.attribute(attribute)
    yield JudgeSpec(rater, kind)
    yield Score(
        item,
        system,
        attribute,
        rater,
        mark,
        sample=sample,
        kind=kind,
        failure=failure,
        raw=str(value) if failure else "",
    )
