"""SummEval, what LLMs said of it, and REALSumm, which has its layout.

Articles are rows with systems {id: {decoded, scores}}, the scores being the mean of the three
experts (the layout of BARTScore's data). REALSumm has numbers for ids and one reference an article;
its one score is how much of a reference's content people found (litepyramid_recall).

SummEval's own records have an output a row, with the marks of three experts and five crowd workers,
each its own rater (expert-1.., crowd-1..).

ChatGPT's choices between two systems have an article a row: resp is A or B, or C for a tie, or a
sentence that begins with the letter. The file's name says who was compared, on what, and in
which order: FIRST-SECOND_DIMENSION.result shows FIRST first, FIRST-SECOND_DIMENSION_toggle.result
SECOND. human_score_1 and human_score_2 are means of the experts, and are left to SummEval's files.

LLMs' marks have a system, dimension and method a row: `raw` holds the answers on single summaries
as JSON lines of id and resp. Some files hold items more than once, with different answers now and
then: the first answer counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...records import Kind, Outcome
from ..cells import Cells, read_name, require_cell
from ..entry import DROPPED, SCORE, TEXT, VOTE, Entry
from ..layout import UNPARSED, Layout, Source, has_columns
from ..templates import (
    Constant,
    FunctionReader,
    choose,
    need,
    need_name,
    read_by,
    read_scores,
    read_with,
    swap_sides,
    template,
)
from ..values import parse_json


def read_articles(rater: str, name: Callable[[Cells], str]) -> Callable[[Source], FunctionReader]:
    """Return a function that makes a reader of one article per row, with a score per system and
    attribute by this rater.
    """

    def read(number: int, cells: Cells) -> Iterator[Entry]:
        for system, output in require_cell(cells, "systems", dict).items():
            summary = {"item": name(cells), "system": system, "sample": 0}
            yield {
                "sort": TEXT, **summary, "text": require_cell(output, "decoded", str),
                "context": require_cell(cells, "text", str),
                "reference": cells.get("references") or cells.get("reference"),
            }  # fmt: skip
            yield from read_scores(require_cell(output, "scores", dict), **summary, judge=rater)

    return read_with(read)


PEOPLE = {"expert": "expert_annotations", "crowd": "turker_annotations"}


def _records(number: int, cells: Cells) -> Iterator[Entry]:
    output = {
        "item": require_cell(cells, "id", str),
        "system": require_cell(cells, "model_id", str),
    }
    yield {
        "sort": TEXT, **output, "sample": 0, "text": require_cell(cells, "decoded", str),
        "context": str(cells.get("text") or ""), "reference": cells.get("references"),
    }  # fmt: skip
    for name, column in PEOPLE.items():
        for person, scores in enumerate(require_cell(cells, column, list), start=1):
            if not isinstance(scores, dict):
                raise ValueError(f"{column} holds {str(scores)[:40]!r}, not an object of scores")
            yield from read_scores(scores, **output, judge=f"{name}-{person}")


LETTERS = {"A": Outcome.A, "B": Outcome.B, "C": Outcome.TIE}
NAMED = (
    # its authors keep the files of each model in a folder
    r"(?:(?P<model>gpt-[^/]*)/)?(?P<first>[^-_/]+)-(?P<second>[^-_/]+)_(?P<dimension>[^_/]+)"
    "(?P<toggle>_toggle)?",
    "should be named FIRST-SECOND_DIMENSION.result or FIRST-SECOND_DIMENSION_toggle.result: only "
    "the name says which systems were compared, in which order",
)


def _choice(cells: Cells) -> Outcome | None:
    said = require_cell(cells, "resp", str)
    letter = re.match(r"\W*([ABC])(?![\w'’]|\s+\w)", said) or re.search(
        r"(?i:answer|choice|option)\W+(?:is\W+)?([ABC])\b", said
    )
    return LETTERS[letter[1]] if letter else None


MODEL = ("model", Constant("gpt-3.5-turbo-0301"))
CHOICE = {
    "item": "id", "system_a": "first", "system_b": "second", "attribute": "dimension",
    "judge": lambda cells: f"{cells.get('model', MODEL[1].value)}/h2h", "judge_kind": Kind.LLM,
    "judge_model": MODEL, "judge_prompt": Constant("SummEval/h2h"), "raw": need("resp"),
    "outcome": _choice,
}  # fmt: skip
CHOICES = [
    template(VOTE, **CHOICE, when=lambda cells: "toggle" not in cells),
    template(VOTE, **swap_sides(CHOICE), when=lambda cells: "toggle" in cells),
]


def _marks(number: int, cells: Cells) -> Iterator[Entry]:
    judge, system, attribute, method, raw = (
        read_name(cells, name) for name in ("judge", "system", "dimension", "method", "raw")
    )
    parse = choose(cells, "method", METHODS, "method")
    rater, first, repeated = f"{judge}/{method}", dict[str, str](), list[bool]()
    for line in filter(str.strip, raw.splitlines()):
        if (one := parse_json(line)) is None:
            raise ValueError(f"{line[:40]!r} in its raw answers is not JSON")
        item, said = require_cell(one, "id", str), require_cell(one, "resp", str)
        if item in first:
            repeated.append(first[item] != said)
        first.setdefault(item, said)
    fields = {
        "sort": SCORE, "system": system, "attribute": attribute, "judge": rater,
        "judge_kind": Kind.LLM, "judge_model": judge, "judge_prompt": f"SummEval/{method}",
    }  # fmt: skip
    for item, said in first.items():
        failure = "" if (mark := parse(said)) else UNPARSED
        yield {**fields, "item": item, "value": mark, "failure": failure, "raw": said}
    if repeated:
        reason = (
            f"{len(repeated)} of its answers ({system}, {attribute}, {rater}) repeat items of "
            f"the same file. {sum(repeated)} of them differ; the first answer to each is kept"
        )
        yield {"sort": DROPPED, "reason": reason}


WORDS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_MARK = rf"(?<![\w.])(\d+(?:\.\d+)?|{'|'.join(WORDS)})(?![\w]|[.,]\d)"
_STARS = rf"{_MARK}\s*stars?\b"
# The place of a mark in a sentence that gives reasons first, the surest wording first.
_MARKS = (
    rf"{_MARK}\s*(?:out of|/)\s*(?:5|five)\b",
    rf"\b(?:scor(?:e|es|ed|ing)|rat(?:e|ed|ing)|give it)\b[^.;!?\d]{{0,25}}?{_MARK}",
    rf"{_MARK}\W*$",
)


def _find_values(pattern: str, said: str) -> list[float]:
    words = re.findall(pattern, said, re.IGNORECASE)
    return [WORDS.get(word.casefold()) or float(word) for word in words]


def parse_words(said: str) -> float | None:
    """Return a mark from 1 to 5 that comes after its reasons; of several the last."""
    for pattern in _MARKS:
        if marks := [value for value in _find_values(pattern, said) if 1 <= value <= 5]:
            return marks[-1]
    return None


def parse_stars(said: str) -> float | None:
    """Return a number of stars, as in "4 stars" or "Four stars. The summary ..."."""
    stars = next(iter(_find_values(_STARS, said)), 0)
    return stars if 1 <= stars <= 5 else None


def parse_letter(said: str) -> float | None:
    """Return the mark of a letter, A = 1 to E = 5; None for a reply that states no letter."""
    letter = re.match(r"\W*([A-E])(?!\w)", said)
    return float("ABCDE".index(letter[1]) + 1) if letter else None


# The three ways of asking (Shen et al. 2023): reason then score, multiple choice, stars.
METHODS = {"rts": parse_words, "mcq": parse_letter, "stareval": parse_stars}
REALSUMM = Layout(
    "realsumm", "REALSumm, one article a line", {
        read_articles("human", need_name("id")): lambda source: (
            has_columns("id", "text", "reference", "systems")(source)
            and "references" not in source.columns
        ),
    }, ("article", "summary"),
)  # fmt: skip
SUMMEVAL = Layout(
    "summeval", "SummEval, and what LLMs said of it", {
        read_articles("expert", need("id")): has_columns("id", "text", "systems"),
        read_by(*CHOICES, named=NAMED): has_columns("id", "resp", "human_score_1", "human_score_2"),
        read_with(_marks): has_columns("judge", "system", "dimension", "method", "raw"),
    }, ("article", "summary"), is_answered_once=True,
)  # fmt: skip
ANNOTATIONS = Layout(
    "summeval-annotations", "SummEval's records with every annotator",
    {read_with(_records): has_columns("decoded", "expert_annotations", "model_id")},
    ("article", "summary"),
)  # fmt: skip
