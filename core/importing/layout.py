"""What the readers of all layouts share: the file they read, and the records they make of it.

A reader is made per file, and gives for each row every record it holds, or raises ValueError with
the reason for skipping it. Reading the same rows again gives the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from core.importing.cells import Cells, as_mark
from core.importing.text_encoding import suffix
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

# The adjective and the question of the attributes the field's data sets share; {candidate} is the
# data set's noun.
KNOWN: dict[str, tuple[str, str]] = {
    "coherence": (
        "coherent",
        "Which {candidate} is more coherent, so that its sentences form one well-ordered whole?",
    ),
    "consistency": (
        "consistent",
        "Which {candidate} is more consistent with the facts in the {context}?",
    ),
    "fluency": ("fluent", "Which {candidate} is more fluent, with better grammar and wording?"),
    "relevance": (
        "relevant",
        "Which {candidate} is more relevant, keeping what matters in the {context} and nothing "
        "else?",
    ),
    "naturalness": (
        "natural",
        "Which {candidate} sounds more like something a person would naturally say?",
    ),
    "engagingness": ("engaging", "Which {candidate} is more engaging?"),
    "groundedness": ("grounded", "Which {candidate} makes better use of the given fact?"),
    "understandability": ("understandable", "Which {candidate} is easier to understand?"),
    "grammar": ("grammatical", "Which {candidate} has the better grammar?"),
    "semantics": (
        "true to the {context}",
        "Which {candidate} says what is in the {context}, no less and no more?",
    ),
    "empathy": ("moving", "Which {candidate} makes the characters' feelings easier to understand?"),
    "surprise": ("surprising", "Which {candidate} has the more surprising end?"),
    "engagement": ("engaging", "Which {candidate} is more engaging?"),
    "complexity": ("elaborate", "Which {candidate} is more elaborate?"),
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
    # The item already known by its context.
    item_of: Callable[[str], str | None] = lambda context: None

    @property
    def stem(self) -> str:
        """The file's name without what says how it is written and packed."""
        name = (
            self.path.name[: -len(".gz")] if self.path.suffix.lower() == ".gz" else self.path.name
        )
        return name.removesuffix(Path(name).suffix) if suffix(self.path) else name

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name, with the field's usual question where it has one."""
        return _attribute(name, self.candidate_noun, self.context_noun)


@cache
def _attribute(name: str, candidate: str, context: str) -> Attribute:
    adjective, question = KNOWN.get(name.casefold(), ("", ""))
    nouns = {"candidate": candidate, "context": context}
    return Attribute(name, adjective.format(**nouns), question.format(**nouns))


class Reader(Protocol):
    """One layout, reading one file."""

    def __init__(self, source: Source) -> None: ...

    def records(self, number: int, cells: Cells) -> Iterator[Record]: ...


def texts(item: str, of: Mapping[str, str | None]) -> Iterator[Record]:
    """The systems and their generations on one item: system -> text, None where the file has
    none."""
    for system, text in of.items():
        yield System(system)
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


def marks(
    source: Source,
    item: str,
    system: str,
    sample: int,
    attribute: str,
    rater: str,
    value: object,
    kind: Kind,
    trial: int = 0,
) -> Iterator[Record]:
    """The score a cell holds, if any: what is there but is no number becomes the reason why there
    is none.
    """
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
        trial=trial,
        kind=kind,
        failure=failure,
        raw=str(value) if failure else "",
    )
