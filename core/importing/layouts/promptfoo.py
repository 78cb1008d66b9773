"""Readers of promptfoo's results: its JSON and JSON lines, and its CSV, which older versions write
with the grades in the cells of the texts.

Layout: promptfoo/promptfoo, src/types/index.ts (EvaluateResult, GradingResult), src/util/output.ts
(outputToSimpleString), src/util/eval/evalTableUtils.ts (buildCsvHeaders).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from core.importing import files
from core.importing.cells import Cells, Row, as_text, required, short_digest
from core.importing.graded_texts import Grade, GradedTexts, as_output, labelled
from core.importing.layout import Layout, Record, Source
from core.importing.result_columns import JOINT
from core.importing.text_encoding import suffix
from core.records import Item, Kind

RATER = "promptfoo"
BY_MODEL = re.compile(
    r"llm-rubric|model-graded|factuality|g-eval|answer-relevance|context-|conversation-relevance|"
    r"select-best|trajectory|pi$|promptfoo:"
)
"""How the types of assertions begin that ask a model; "not-" may stand before."""
GRADER_FAILED = re.compile(
    r"Could not extract JSON|\S+ (response )?produced malformed|No output$|"
    r"(API|Grading|Grader)( call)? error:",
    re.IGNORECASE,
)
"""How a grader's failure begins in older files, which count it as 0."""
NO_ASSERTIONS = "No assertions"
GRADE = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\] \((?P<score>-?[\d.]+|NaN|undefined)(?:, (?P<named>[^\n]*))?\)"
)
"""How a cell of older tables begins."""
PARTED = re.compile(r"\n[ \t]*---[ \t]*\n")
"""What parts the reasons from the output in a cell that failed."""
ESCAPED = re.compile(r"'(?=[=+\-@\t\r])")
"""What newer tables write before a cell that a spreadsheet would take for a formula."""
PROMPT = re.compile(r"\[(?P<provider>[^\]\n]+)\] (?P<label>.*)", re.DOTALL)
BESIDE = frozenset(
    ("Description", "Messages", "RedteamHistory", "RedteamTreeHistory", "pluginId", "strategyId",
     "sessionId", "sessionIds")
)  # fmt: skip
"""Columns of a table that are no variables of a test."""
LONG = 60  # characters of a prompt's label within the name of a system


class Result(NamedTuple):
    """What a prompt and provider gave on a test, and how that was graded."""

    system: str
    text: str | None
    score: object
    reason: str
    error: str
    named: Mapping[str, object]
    components: list[Grade]


class Results:
    """A result a row: the system is the provider, with the prompt where there are several; the item
    is what the variables of the test say.

    The score of all assertions is by rater `promptfoo` for `overall`, a named score for its name;
    each assertion is a rater `promptfoo/TYPE`, for its metric.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.texts = source, GradedTexts(source)
        self.names = _name_systems(dict.fromkeys(_every_prompt(source)))

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        context = labelled(_variables(cells))
        if not context and len({label for _, label in self.names}) < 2:
            context = _raw_prompt(cells)
        if context:
            item = self.texts.item(context)
        else:
            item = Item(f"test-{required(cells, 'testIdx', int)}")
        yield from _records(self.texts, item, self._result(cells))

    def _result(self, cells: Cells) -> Result:
        response, graded = _object(cells.get("response")), _object(cells.get("gradingResult"))
        text = as_output(response.get("output"))
        given = graded.get("componentResults")
        components = given if isinstance(given, list) else []
        grades = [_component(each) for each in components if isinstance(each, Mapping)]
        error = as_text(cells.get("error")) or as_text(response.get("error")) or ""
        failures = [_why_failed(graded), *(grade.error for grade in grades)]
        return Result(
            self.names[_prompted(cells)],
            text,
            cells.get("score") if graded else None,
            as_text(graded.get("reason")) or "",
            next(filter(None, failures), error if text is None else ""),
            _object(cells.get("namedScores")),
            grades,
        )


class Tables:
    """A test a row, with a column of outputs for each prompt and provider. Newer versions
    have the grades in columns of their own; in older ones each cell is its grade, the output and
    the reason.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.texts = source, GradedTexts(source)
        graded = [name.removesuffix(_STATUS) for name in source.columns if name.endswith(_STATUS)]
        self.prompts = graded or _graded_cells(source)
        self.are_apart = bool(graded)
        keys = {name: _of_header(name) for name in self.prompts}
        names = _name_systems(dict.fromkeys(keys.values()))
        self.systems = {name: names[key] for name, key in keys.items()}
        own = tuple(f"{name}{JOINT}" for name in self.prompts)
        self.variables = [
            name
            for name in source.columns
            if name not in self.prompts and name not in BESIDE and not name.startswith(own)
        ]

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        said = {name: text for name in self.variables if (text := _unescaped(cells.get(name)))}
        context = labelled(said)
        item = self.texts.item(context) if context else Item(f"test-{number - 1}")
        for name, system in self.systems.items():
            result = (
                self._apart(cells, name, system) if self.are_apart else _cell(cells, name, system)
            )
            if result:
                yield from _records(self.texts, item, result)

    def _apart(self, cells: Cells, name: str, system: str) -> Result | None:
        def cell(column: str) -> str:
            return as_text(cells.get(f"{name}{JOINT}{column}")) or ""

        if not cell("Status"):
            return None
        text, reason = _unescaped(cells.get(name)), _unescaped(cell("Grader Reason"))
        is_error = cell("Status") == "ERROR"
        error = (reason or text or "error") if is_error else _grader_failure(reason)
        named = _object(_loaded(cell("Named Scores")))
        output = None if is_error else as_output(text)
        return Result(system, output, cell("Score"), reason, error, named, [])


_STATUS = f"{JOINT}Status"


def _records(texts: GradedTexts, item: Item, result: Result) -> Iterator[Record]:
    grades = list[Grade]()
    if result.error or (result.score is not None and result.reason != NO_ASSERTIONS):
        kind = Kind.BASELINE
        grades.append(Grade("overall", RATER, result.score, result.reason, result.error, kind))
        # Of a grader that failed the named scores are its 0s.
        named = {} if result.error else result.named
        grades += [Grade(name, RATER, value, kind=kind) for name, value in named.items()]
    every = [*grades, *result.components]
    yield from texts.records(item, result.system, result.text, every, result.error)


def _component(graded: Mapping[str, Any]) -> Grade:
    """The grade of one assertion."""
    assertion = _object(graded.get("assertion"))
    sort = as_text(assertion.get("type")) or "assertion"
    by_model = BY_MODEL.match(sort.removeprefix("not-"))
    kind = Kind.HUMAN if sort == "human" else Kind.LLM if by_model else Kind.BASELINE
    reason = as_text(graded.get("reason")) or ""
    metric = as_text(assertion.get("metric")) or "overall"
    return Grade(metric, f"{RATER}/{sort}", graded.get("score"), reason, _why_failed(graded), kind)


def _why_failed(graded: Mapping[str, Any]) -> str:
    """Why a grader gave no grade; '' where it did. Its file counts that as 0."""
    reason = as_text(graded.get("reason")) or ""
    is_failure = _object(graded.get("metadata")).get("graderError")
    return (reason or "grader error") if is_failure else _grader_failure(reason)


def _grader_failure(reason: str) -> str:
    return reason if GRADER_FAILED.match(reason) else ""


def _cell(cells: Cells, name: str, system: str) -> Result | None:
    """A cell that begins with its grade and ends with the reason."""
    text = (as_text(cells.get(name)) or "").strip()
    if not text:
        return None
    grade = GRADE.match(text)
    if not grade:
        raise ValueError(f"column {name[:60]!r} has {text[:40]!r}, which begins with no grade")
    status, output = grade["status"], text[grade.end() :]
    label = "\nPass Reason:" if status == "PASS" else "\nFail Reason:"
    output, there, reason = output.rpartition(label) if label in output else (output, "", "")
    output, reason = output.strip(), reason.strip()
    error = output if status == "ERROR" else ""
    if status == "FAIL" and (stated := _stated_reason(output, reason, is_given=bool(there))):
        reason, output = reason or stated[0], stated[1]
        error = stated[0] if output == stated[0] else ""
    failure = error or _grader_failure(reason)
    score = None if grade["score"] == "undefined" else grade["score"]
    pairs = (pair.rpartition(": ") for pair in (grade["named"] or "").split(", ") if pair)
    named = {metric: value for metric, _, value in pairs}
    return Result(system, None if error else as_output(output), score, reason, failure, named, [])


def _stated_reason(output: str, reason: str, *, is_given: bool) -> tuple[str, str] | None:
    """The reason that stands above an output that failed, and the output; None where the output
    stands alone, and may have a line of dashes of its own.
    """
    begin = len(reason) if output.startswith(reason) else 0
    if not (parted := PARTED.search(output, begin)):
        return None
    stated = output[: parted.start()].strip()
    if is_given and not (stated.startswith(reason) or reason.startswith(stated)):
        return None
    return stated, output[parted.end() :].strip()


def _graded_cells(source: Source) -> list[str]:
    """The columns of a table whose cells begin with grades, by its first rows."""
    if suffix(source.path) not in (".csv", ".tsv"):
        return []
    rows = [row.cells for row in files.preview(source.path) if isinstance(row, Row)]
    values = {name: [row.get(name) for row in rows if row.get(name)] for name in source.columns}
    return [
        name
        for name, cells in values.items()
        if cells and all(GRADE.match(str(cell).strip()) for cell in cells)
    ]


def _every_prompt(source: Source) -> Iterator[tuple[str, str]]:
    for row in files.rows(source.path):
        if isinstance(row, Row):
            with suppress(ValueError):  # the row is skipped when it is its turn
                yield _prompted(row.cells)


def _prompted(cells: Cells) -> tuple[str, str]:
    """The provider and the label of the prompt of a result. Raises ValueError where they are no
    texts.
    """
    provider, prompt = cells.get("provider"), _object(cells.get("prompt"))
    named = provider if isinstance(provider, Mapping) else {"id": provider}
    name = as_text(named.get("label")) or as_text(named.get("id")) or "unknown provider"
    label = prompt.get("label") or prompt.get("display") or prompt.get("raw")
    return name, as_text(label) or ""


def _of_header(name: str) -> tuple[str, str]:
    found = PROMPT.fullmatch(name)
    return (found["provider"], found["label"]) if found else ("", name)


def _name_systems(pairs: Mapping[tuple[str, str], None]) -> dict[tuple[str, str], str]:
    """The name of each provider and prompt: what tells them apart of both."""
    providers, labels = {provider for provider, _ in pairs}, {label for _, label in pairs}

    def name(provider: str, label: str) -> str:
        short = label if len(label) <= LONG else f"{label[:LONG]}… {short_digest(label)[:6]}"
        parts = [provider] * (len(providers) > 1 or len(labels) < 2 or not short)
        return " / ".join(filter(None, [*parts, short if len(labels) > 1 else ""])) or short

    return {pair: name(*pair) for pair in pairs}


def _variables(cells: Cells) -> dict[str, object]:
    """What the test fills into its prompts, without what promptfoo adds."""
    given = _object(cells.get("vars")) or _object(_object(cells.get("testCase")).get("vars"))
    return {
        name: value
        for name, value in given.items()
        if not name.startswith("_") and name != "sessionId" and value not in (None, "")
    }


def _raw_prompt(cells: Cells) -> str:
    raw = _object(cells.get("prompt")).get("raw")
    return as_output(raw) or ""


def _unescaped(cell: object) -> str:
    text = as_text(cell) or ""
    return text[1:] if ESCAPED.match(text) else text


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _loaded(text: str) -> object:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _of_results(source: Source) -> bool:
    columns = set(source.columns)
    return {"provider", "prompt", "vars", "success", "score"} <= columns and bool(
        {"namedScores", "gradingResult", "testIdx"} & columns
    )


def _of_tables(source: Source) -> bool:
    return any(name.endswith(_STATUS) for name in source.columns) or bool(_graded_cells(source))


LAYOUT = Layout(
    "promptfoo",
    "promptfoo's results",
    {Results: _of_results, Tables: _of_tables},
    ("input", "output"),
)
