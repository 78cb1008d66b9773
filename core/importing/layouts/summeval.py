"""Readers of SummEval, an article a row, and of what ChatGPT said of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_references, named, required
from core.importing.layout import (
    UNPARSED,
    Dropped,
    Layout,
    Record,
    Source,
    answered,
    asked,
    has,
    marks,
    system_of,
    texts,
)
from core.records import Generation, Item, Kind, Outcome, Score, TandemError, Vote


class SummEval:
    """SummEval as one object per article: id, text, references, systems {id: {decoded, scores}},
    the scores being the mean of the three experts (the layout of BARTScore's data).
    """

    rater = "expert"

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        key, systems = self._key(cells), required(cells, "systems", dict)
        yield Item(
            key,
            required(cells, "text", str),
            as_references(cells.get("references") or cells.get("reference")),
        )
        for system, output in systems.items():
            yield system_of(system)
            yield Generation(key, system, 0, required(output, "decoded", str))
            for attribute, value in required(output, "scores", dict).items():
                yield from marks(self.source, Score(key, system, attribute, self.rater), value)

    def _key(self, cells: Cells) -> str:
        return required(cells, "id", str)


LETTERS = {"A": Outcome.A, "B": Outcome.B, "C": Outcome.TIE}


class HeadToHead:
    """ChatGPT's choices between two SummEval systems, an article a row: id and resp, A or B or C
    for a tie, or a sentence that begins with the letter. Who was compared, on what, and in which
    order stands in the file's name: FIRST-SECOND_DIMENSION.result shows FIRST first,
    FIRST-SECOND_DIMENSION_toggle.result shows SECOND first.

    human_score_1 and human_score_2 are the expert means that SummEval's own files hold (of FIRST
    and SECOND, toggled or not), and are left to those.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        named = re.fullmatch(r"([^-_]+)-([^-_]+)_([^_]+)(_toggle)?", source.stem)
        if not named:
            raise TandemError(
                f"{source.path.name} should be named FIRST-SECOND_DIMENSION.result or "
                "FIRST-SECOND_DIMENSION_toggle.result: "
                "the file does not say anywhere else who was compared, and in which order"
            )
        first, second, self.attribute, toggled = named.groups()
        self.systems = (second, first) if toggled else (first, second)
        folder = (
            source.path.parent.name
        )  # its authors keep the files of each model in a folder of that name
        self.model = folder if folder.startswith("gpt-") else "gpt-3.5-turbo-0301"
        self.judge = f"{self.model}/h2h"

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, said = named(cells, "id"), required(cells, "resp", str)
        yield Item(item)
        yield from texts(item, dict.fromkeys(self.systems))
        yield self.source.attribute(self.attribute)
        yield asked(self.judge, self.model, "SummEval/h2h")
        letter = re.match(r"\W*([ABC])(?![\w'’]|\s+\w)", said) or re.search(
            r"(?i:answer|choice|option)\W+(?:is\W+)?([ABC])\b", said
        )
        answer = answered(LETTERS[letter[1]] if letter else None, raw=said)
        yield Vote(
            item,
            *self.systems,
            judge=self.judge,
            answer=answer,
            kind=Kind.LLM,
            attribute=self.attribute,
        )


class Pointwise:
    """LLMs' marks of single SummEval summaries, a system, dimension and method a row: `raw` holds
    the judge's answers as JSON lines of id and resp. The rater is JUDGE/METHOD: the model JUDGE,
    asked with the prompt SummEval/METHOD.

    Some files hold items more than once, with different answers now and then: the first answer
    counts.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        judge, system, attribute, method, raw = (
            named(cells, name) for name in ("judge", "system", "dimension", "method", "raw")
        )
        if method not in METHODS:
            raise ValueError(f"the method {method[:40]!r} is none of {', '.join(METHODS)}")
        rater, first, repeated = f"{judge}/{method}", dict[str, str](), list[bool]()
        for line in filter(str.strip, raw.splitlines()):
            try:
                one = json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                raise ValueError(f"{line[:40]!r} in its raw answers is not JSON") from None
            item, said = required(one, "id", str), required(one, "resp", str)
            if item in first:
                repeated.append(first[item] != said)
            first.setdefault(item, said)
        yield system_of(system)
        yield self.source.attribute(attribute)
        yield asked(rater, judge, f"SummEval/{method}")
        for item, said in first.items():
            mark = METHODS[method](said)
            failure = "" if mark else UNPARSED
            yield Item(item)
            yield Generation(item, system)
            yield Score(
                item, system, attribute, rater, mark, kind=Kind.LLM, failure=failure, raw=said
            )
        if repeated:
            yield Dropped(
                f"{len(repeated)} of its answers ({system}, {attribute}, {rater}) are about "
                "items answered before in the "
                f"same file, {sum(repeated)} of them differently; the first answer to each is kept"
            )


WORDS = {
    word: float(value)
    for value, word in enumerate(("one", "two", "three", "four", "five"), start=1)
}
_MARK = rf"(?<![\w.])(\d+(?:\.\d+)?|{'|'.join(WORDS)})(?![\w]|[.,]\d)"
# Where a mark stands in a sentence that gives reasons first, the surest way of saying it first.
_MARKS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_MARK}\s*(?:out of|/)\s*(?:5|five)\b",
        rf"\b(?:scor(?:e|es|ed|ing)|rat(?:e|ed|ing)|give it)\b[^.;!?\d]{{0,25}}?{_MARK}",
        rf"{_MARK}\W*$",
    )
]


def _value(word: str) -> float:
    return WORDS.get(word.casefold()) or float(word)


def in_words(said: str) -> float | None:
    """A mark from 1 to 5 that comes after its reasons; of several the last. None where there is
    none.
    """
    for pattern in _MARKS:
        found = [value for word in pattern.findall(said) if 1 <= (value := _value(word)) <= 5]
        if found:
            return found[-1]
    return None


def in_stars(said: str) -> float | None:
    """A number of stars, as in "4 stars" or "Four stars. The summary ..." """
    found = re.search(rf"{_MARK}\s*stars?\b", said, re.IGNORECASE)
    return value if found and 1 <= (value := _value(found[1])) <= 5 else None


def in_letters(said: str) -> float | None:
    """A to E, of which E is best."""
    found = re.match(r"\W*([A-E])(?!\w)", said)
    return float("ABCDE".index(found[1]) + 1) if found else None


# The three ways of asking (Shen et al. 2023): reason then score, multiple choice, stars.
METHODS = {"rts": in_words, "mcq": in_letters, "stareval": in_stars}


LAYOUT = Layout(
    "summeval",
    "SummEval, and what LLMs said of it",
    {
        SummEval: has("id", "text", "systems"),
        HeadToHead: has("id", "resp", "human_score_1", "human_score_2"),
        Pointwise: has("judge", "system", "dimension", "method", "raw"),
    },
    ("article", "summary"),
    once=True,
)
