"""Readers of promptfoo's results: its JSON and JSON lines, and its CSV, which older versions write
with the grades in the cells of the texts.

Layout: promptfoo/promptfoo, src/types/index.ts (EvaluateResult, GradingResult), src/util/output.ts
(outputToSimpleString), src/util/eval/evalTableUtils.ts (buildCsvHeaders).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from core.importing.cells import Cells, as_text, required, short_digest
from core.importing.entry import Entry
from core.importing.graded_texts import as_output, describe_item, grade, graded_text, label_values
from core.importing.layout import Layout, Reader, Source, has
from core.importing.pairs_in_tools import all_rows
from core.importing.result_columns import JOINT
from core.importing.text_encoding import suffix
from core.importing.values import Object, find_object, find_objects, find_text, parse_json
from core.records import Kind

JUDGE = "promptfoo"
BY_MODEL = re.compile(
    r"(not-)?(llm-rubric|model-graded|factuality|g-eval|answer-relevance|context-|select-best|"
    r"conversation-relevance|trajectory|pi$|promptfoo:)"
)
"""How the types of assertions begin that ask a model."""
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
PROMPT = re.compile(r"\[(?P<provider>[^\]\n]+)\] (?P<label>.*)", re.DOTALL)
BESIDE = frozenset(
    ("Description", "Messages", "RedteamHistory", "RedteamTreeHistory", "pluginId", "strategyId",
     "sessionId", "sessionIds")
)  # fmt: skip
"""Columns of a table that are no variables of a test."""
STATUS = f"{JOINT}Status"
LONG = 60  # characters of a prompt's label within the name of a system
Prompted = tuple[str, str]
"""The provider and the label of a prompt."""


@dataclass(frozen=True)
class Result:
    """What a prompt and provider gave on a test, and how that was graded: the score of all
    assertions, which is by judge `promptfoo` for `overall`, named scores, which are for their
    names, and each assertion.
    """

    system: str
    text: str | None
    score: object = None
    reason: str = ""
    error: str = ""
    named: Object = field(default_factory=dict)
    assertions: list[Entry] = field(default_factory=list)

    def entries(self, item: Entry) -> Iterator[Entry]:
        grades = list[Entry]()
        if self.error or (self.score is not None and self.reason != NO_ASSERTIONS):
            kind = Kind.BASELINE
            grades.append(
                grade("overall", JUDGE, self.score, self.reason, error=self.error, kind=kind)
            )
            # Of a grader that failed the named scores are its 0s.
            named = {} if self.error else self.named
            grades += [grade(name, JUDGE, value, kind=kind) for name, value in named.items()]
        every = [*grades, *self.assertions]
        return graded_text(item, self.system, self.text, every, self.error)


class Results(Reader):
    """A result a row: the system is the provider, with the prompt where there are several; the item
    is what the variables of the test say. Each assertion is a judge `promptfoo/TYPE`, for its
    metric.
    """

    def __init__(self, source: Source) -> None:
        prompts: dict[Prompted, None] = {}
        for cells in all_rows(source):
            with suppress(ValueError):  # the row is skipped when it is its turn
                prompts[_find_prompt(cells)] = None
        self.names = _name_systems(prompts)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context = label_values(_find_variables(cells))
        if not context and len({label for _, label in self.names}) < 2:
            context = as_output(find_object(cells, "prompt").get("raw")) or ""
        if context:
            item = describe_item(context)
        else:
            item = {"item": f"test-{required(cells, 'testIdx', int)}"}
        yield from self._read(cells).entries(item)

    def _read(self, cells: Cells) -> Result:
        graded = find_object(cells, "gradingResult")
        text = as_output(find_object(cells, "response").get("output"))
        parts = find_objects(graded, "componentResults")
        error = find_text(cells, "error", "response.error")
        failures = filter(None, map(_why_failed, (graded, *parts)))
        return Result(
            self.names[_find_prompt(cells)],
            text,
            cells.get("score") if graded else None,
            find_text(graded, "reason"),
            next(failures, error if text is None else ""),
            find_object(cells, "namedScores"),
            [_read_assertion(each) for each in parts],
        )


class Tables(Reader):
    """A test a row, with a column of outputs for each prompt and provider. Newer versions
    have the grades in columns of their own; in older ones each cell is its grade, the output and
    the reason.
    """

    def __init__(self, source: Source) -> None:
        graded = [name.removesuffix(STATUS) for name in source.columns if name.endswith(STATUS)]
        prompts = graded or _list_graded(source)
        self.read = _read_columns if graded else _read_cell
        keys = {name: _split_header(name) for name in prompts}
        names = _name_systems(keys.values())
        self.systems = {name: names[key] for name, key in keys.items()}
        others = {*prompts, *BESIDE}
        own = tuple(f"{name}{JOINT}" for name in prompts)
        self.variables = [name for name in source.columns
                          if name not in others and not name.startswith(own)]  # fmt: skip

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context = label_values({name: _unescape(cells.get(name)) for name in self.variables})
        item = describe_item(context) if context else {"item": f"test-{number - 1}"}
        for name, system in self.systems.items():
            if result := self.read(cells, name, system):
                yield from result.entries(item)


def _read_assertion(graded: Object) -> Entry:
    """The grade of one assertion."""
    sort = find_text(graded, "assertion.type") or "assertion"
    kind = Kind.LLM if BY_MODEL.match(sort) else Kind.BASELINE
    return grade(
        find_text(graded, "assertion.metric") or "overall",
        f"{JUDGE}/{sort}",
        graded.get("score"),
        find_text(graded, "reason"),
        error=_why_failed(graded),
        kind=Kind.HUMAN if sort == "human" else kind,
    )


def _why_failed(graded: Object) -> str:
    """Why a grader gave no grade; '' where it did. Its file counts that as 0."""
    reason = find_text(graded, "reason")
    if find_object(graded, "metadata").get("graderError"):
        return reason or "grader error"
    return reason if GRADER_FAILED.match(reason) else ""


def _read_columns(cells: Cells, name: str, system: str) -> Result | None:
    """An output with its grades in columns of their own."""
    status, score, reason, named = (
        as_text(cells.get(f"{name}{JOINT}{column}")) or ""
        for column in ("Status", "Score", "Grader Reason", "Named Scores")
    )
    if not status:
        return None
    text, reason = _unescape(cells.get(name)), _unescape(reason)
    if status == "ERROR":
        return Result(system, None, score, reason, reason or text or "error")
    error, scores = (
        _why_failed({"reason": reason}),
        find_object({"named": parse_json(named)}, "named"),
    )
    return Result(system, as_output(text), score, reason, error, scores)


def _read_cell(cells: Cells, name: str, system: str) -> Result | None:
    """A cell that begins with its grade and ends with the reason."""
    text = (as_text(cells.get(name)) or "").strip()
    if not text:
        return None
    found = GRADE.match(text)
    if not found:
        raise ValueError(f"column {name[:60]!r} has {text[:40]!r}, which begins with no grade")
    status, output = found["status"], text[found.end() :]
    label = "\nPass Reason:" if status == "PASS" else "\nFail Reason:"
    output, there, reason = output.rpartition(label) if label in output else (output, "", "")
    output, reason = output.strip(), reason.strip()
    error = output if status == "ERROR" else ""
    if status == "FAIL" and (stated := _find_reason(output, reason, is_given=bool(there))):
        reason, output = reason or stated[0], stated[1]
        error = stated[0] if output == stated[0] else ""
    failure = error or _why_failed({"reason": reason})
    score = None if found["score"] == "undefined" else found["score"]
    pairs = (pair.rpartition(": ") for pair in (found["named"] or "").split(", ") if pair)
    named = {metric: value for metric, _, value in pairs}
    return Result(system, None if error else as_output(output), score, reason, failure, named)


def _find_reason(output: str, reason: str, *, is_given: bool) -> tuple[str, str] | None:
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


def _list_graded(source: Source) -> list[str]:
    """The columns of a table whose cells begin with grades, by its first rows."""
    if suffix(source.path) not in (".csv", ".tsv"):
        return []
    rows = list(source.cells(20))
    values = {name: [row[name] for row in rows if row.get(name)] for name in source.columns}
    return [
        name
        for name, cells in values.items()
        if cells and all(GRADE.match(str(cell).strip()) for cell in cells)
    ]


def _find_prompt(cells: Cells) -> Prompted:
    """Whose result it is. Raises ValueError where the names are no texts."""
    provider, prompt = cells.get("provider"), find_object(cells, "prompt")
    named = provider if isinstance(provider, Mapping) else {"id": provider}
    name = find_text(named, "label", "id") or "unknown provider"
    label = prompt.get("label") or prompt.get("display") or prompt.get("raw")
    return name, as_text(label) or ""


def _split_header(name: str) -> Prompted:
    found = PROMPT.fullmatch(name)
    return (found["provider"], found["label"]) if found else ("", name)


def _name_systems(prompts: Iterable[Prompted]) -> dict[Prompted, str]:
    """The name of each provider and prompt: what tells them apart of both."""
    pairs = set(prompts)
    providers, labels = {provider for provider, _ in pairs}, {label for _, label in pairs}

    def name(provider: str, label: str) -> str:
        short = label if len(label) <= LONG else f"{label[:LONG]}… {short_digest(label)[:6]}"
        parts = [provider] * (len(providers) > 1 or len(labels) < 2 or not short)
        return " / ".join(filter(None, [*parts, short if len(labels) > 1 else ""])) or short

    return {pair: name(*pair) for pair in pairs}


def _find_variables(cells: Cells) -> dict[str, object]:
    """What the test fills into its prompts, without what promptfoo adds."""
    given = find_object(cells, "vars") or find_object(cells, "testCase.vars")
    return {
        name: value
        for name, value in given.items()
        if not name.startswith("_") and name != "sessionId" and value not in (None, "")
    }


def _unescape(cell: object) -> str:
    text = as_text(cell) or ""
    return text[1:] if ESCAPED.match(text) else text


def _is_results(source: Source) -> bool:
    needed = has("provider", "prompt", "vars", "success", "score")
    return needed(source) and bool(
        {"namedScores", "gradingResult", "testIdx"} & set(source.columns)
    )


def _is_tables(source: Source) -> bool:
    return any(name.endswith(STATUS) for name in source.columns) or bool(_list_graded(source))


LAYOUT = Layout(
    "promptfoo",
    "promptfoo's results",
    {Results: _is_results, Tables: _is_tables},
    ("input", "output"),
)
