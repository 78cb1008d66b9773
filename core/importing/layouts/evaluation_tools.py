"""Results of LangSmith and promptfoo."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ...records import Kind
from ..cells import Cells, as_number, as_text, read_name, require_cell, short_digest
from ..csv_reader import JOINT
from ..entry import TEXT, VOTE, Entry
from ..graded_texts import as_output, describe_item, grade, graded_text, label_values
from ..layout import Layout, Reader, Source, has_columns
from ..pairs_in_tools import name_attribute, prefer_higher
from ..templates import read_by, template
from ..text_encoding import suffix
from ..values import Object, find_object, find_objects, find_text, find_value, parse_json
from ..winner_columns import tables_near
from ..winners import NO_ANSWER

# Readers of LangSmith's pairwise experiments: the runs that were compared, and the feedback on
# them, each as JSON lines of what `list_runs` and `list_feedback` give. Layout: langchain-
# ai/langsmith-sdk, python/langsmith/schemas.py (Run, Feedback) and
# python/langsmith/evaluation/_runner.py (evaluate_comparative).

GROUP = "feedback_group_id"
JUDGES = ("model", "auto_eval")  # sources of feedback that are no people


def _name_example(cells: Cells) -> str:
    if cells.get("parent_run_id"):
        raise ValueError("it is a part of another run")
    # Tandem's own export has the item's name in its metadata.
    return find_text(cells, "extra.metadata.item", "reference_example_id", "id")


def _read_values(values: object) -> str | None:
    if not isinstance(values, Mapping):
        return as_output(values)
    given = {name: value for name, value in values.items() if value is not None}
    return label_values(given) if given else None


RUN = template(
    TEXT, item=_name_example, system=("session_name", "session_id", "name"), sample=0,
    context=lambda cells: _read_values(cells.get("inputs")),
    text=lambda cells: _read_values(cells.get("outputs")),
)  # fmt: skip
"""A root run: the item is the example, the system the experiment."""


class LangSmithFeedback(Reader):
    """Two entries with the same `feedback_group_id` are a vote: the run with the higher `score`
    won, equal scores are a tie, none are no answer. The judge is who gave the feedback, the
    attribute its `key`. The runs are looked up in the files near it.

    Which output was shown first is not said (`randomize_order`).
    """

    def __init__(self, source: Source) -> None:
        self.kind = source.kind
        self.groups = defaultdict[tuple[str, str], dict[str, Cells]](dict)
        for cells in source.cells():
            if cells.get(GROUP):
                self.groups[_find_group(cells)].setdefault(str(cells.get("run_id")), cells)
        self.runs = _load_runs(source, {run for group in self.groups.values() for run in group})
        source.tally.columns = ("the first text", "the second text")
        if not self.runs:
            source.tally.notes[
                "no file with the runs lies near it: items and texts are unknown, and systems "
                "are named after their session"
            ] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        if not cells.get(GROUP):
            raise ValueError(f"it has no {GROUP}, so it compares nothing")
        group = self.groups[_find_group(cells)]
        if len(group) != 2:
            raise ValueError(f"its group has {len(group)} runs, so it does not compare two")
        if str(cells.get("run_id")) != next(iter(group)):
            return  # the vote was read with the first of the two
        vote = _read_answer([*group.values()], self.kind)
        for side, (run_id, given) in zip("ab", group.items(), strict=True):
            run = self.runs.get(run_id) or {"system": find_text(given, "session_id") or run_id}
            vote |= {f"system_{side}": run["system"], f"text_{side}": run.get("text")}
            vote |= {name: run[name] for name in ("item", "context") if run.get(name)}
        yield vote


def _load_runs(source: Source, wanted: set[str]) -> Mapping[str, Entry]:
    for table in tables_near(source.path, "id", "inputs", "outputs"):
        runs: dict[str, Entry] = {}
        for cells in table:
            with suppress(ValueError):  # why the run itself is skipped
                runs[read_name(cells, "id")] = RUN.fill(0, cells) or {}
        if wanted & set(runs):
            return runs
    return {}


def _find_group(cells: Cells) -> tuple[str, str]:
    return str(cells.get(GROUP)), str(cells.get("key"))


def _read_answer(group: Sequence[Cells], kind: Kind) -> Entry:
    given = [cells["score"] for cells in group if cells.get("score") is not None]
    scores = [as_number(score, "score") for score in given]
    comments = (str(cells["comment"]) for cells in group if cells.get("comment"))
    has_won = len(scores) == 2
    return {
        "sort": VOTE, "order_known": False, "outcome": prefer_higher(*scores) if has_won else None,
        # What was said word for word, and why there is no answer, stand in Tandem's own export.
        "failure": find_text(group[0], "extra.failure") or ("" if has_won else NO_ANSWER),
        "raw": find_text(group[0], "extra.raw"),
        "attribute": name_attribute(find_text(group[0], "key")),
        "comment": "\n".join(dict.fromkeys(comments)),
        "created_at": group[0].get("created_at"), **_find_judge(group[0], kind),
    }  # fmt: skip


def _find_judge(cells: Cells, kind: Kind) -> Entry:
    source = find_text(cells, "feedback_source.type")
    model = find_text(cells, "feedback_source.metadata.model")
    if source in JUDGES or model:
        return {"judge": model or source, "judge_kind": Kind.LLM}
    who = find_text(cells, "feedback_source.user_name", "feedback_source.user_id")
    return {"judge": who, "judge_kind": Kind.HUMAN if source == "app" else kind}


LANGSMITH = Layout(
    "langsmith", "LangSmith's pairwise feedback, or the runs it is about",
    {
        LangSmithFeedback: has_columns("run_id", "key", "score", GROUP),
        read_by(RUN): has_columns("id", "run_type", "inputs", "outputs", "session_id"),
    },
    ("input", "output"), settings=("kind",), looks_around=True,
)  # fmt: skip


# Readers of promptfoo's results: its JSON and JSON lines, and its CSV, which older versions write
# with the grades in the cells of the texts. Layout: promptfoo/promptfoo, src/types/index.ts
# (EvaluateResult, GradingResult), src/util/output.ts (outputToSimpleString),
# src/util/eval/evalTableUtils.ts (buildCsvHeaders).

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
ESCAPED = re.compile(r"\A'(?=[=+\-@\t\r])")
PROMPT = re.compile(r"(?:\[([^\]\n]+)\] )?(.*)", re.DOTALL)
"""How a prompt's column is called: its provider and its label."""
BESIDE = frozenset(
    ("Description", "Messages", "RedteamHistory", "RedteamTreeHistory", "pluginId", "strategyId",
     "sessionId", "sessionIds")
)  # fmt: skip
"""Columns of a table that are no variables of a test."""
ADDED = re.compile("_|sessionId$")
"""How the variables begin that promptfoo adds itself."""
STATUS = f"{JOINT}Status"
LONG = 60  # characters of a prompt's label within the name of a system
Prompted = tuple[str, str]
"""The provider and the label of a prompt."""


class PromptfooResults(Reader):
    """A result a row: the system is the provider, with the prompt where there are several; the item
    is what the variables of the test say.
    """

    def __init__(self, source: Source) -> None:
        prompts = set[Prompted]()
        for cells in source.cells():
            with suppress(ValueError):  # the row is skipped when it is its turn
                prompts.add(_find_prompt(cells))
        self.names = _name_systems(prompts)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        given = find_object(cells, "vars") or find_object(cells, "testCase.vars")
        own = {name: value for name, value in given.items() if not ADDED.match(name)}
        context = label_values(own)
        if not context and len({label for _, label in self.names}) < 2:
            context = as_output(find_value(cells, "prompt.raw")) or ""
        if context:
            item = describe_item(context)
        else:
            item = {"item": f"test-{require_cell(cells, 'testIdx', int)}"}
        return _read_result(cells, item, self.names[_find_prompt(cells)])


class Tables(Reader):
    """A test a row, with a column of outputs for each prompt and provider. Newer versions
    have the grades in columns of their own; in older ones each cell is its grade, the output and
    the reason.
    """

    def __init__(self, source: Source) -> None:
        graded = [name.removesuffix(STATUS) for name in source.columns if name.endswith(STATUS)]
        prompts = graded or _list_graded(source)
        self.read = _read_columns if graded else _read_cell
        keys = [(found[1] or "", found[2]) for found in map(PROMPT.fullmatch, prompts) if found]
        names = _name_systems(keys)
        self.systems = {name: names[key] for name, key in zip(prompts, keys, strict=True)}
        others = {*prompts, *BESIDE}
        own = tuple(f"{name}{JOINT}" for name in prompts)
        self.variables = [name for name in source.columns
                          if name not in others and not name.startswith(own)]  # fmt: skip

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context = label_values({name: _unescape(cells.get(name)) for name in self.variables})
        item = describe_item(context) if context else {"item": f"test-{number - 1}"}
        for name, system in self.systems.items():
            if result := self.read(cells, name):
                yield from _read_result(result, item, system)


def _read_result(cells: Cells, item: Entry, system: str) -> Iterator[Entry]:
    """Yield the text of a result, and its scores: that of all assertions is by judge `promptfoo`
    for `overall`, named ones are for their names, and each assertion is a judge `promptfoo/TYPE`,
    for its metric.
    """
    graded, kind = find_object(cells, "gradingResult"), Kind.BASELINE
    text, reason = as_output(find_value(cells, "response.output")), find_text(graded, "reason")
    parts = find_objects(graded, "componentResults")
    failures = filter(None, map(_find_failure, (graded, *parts)))
    stated = find_text(cells, "error", "response.error") if text is None else ""
    error, score, grades = next(failures, stated), cells.get("score"), list[Entry]()
    if error or (graded and score is not None and reason != NO_ASSERTIONS):
        grades.append(grade("overall", JUDGE, score, reason, error=error, kind=kind))
        # The named scores of a grader that failed are its 0s.
        scores = {} if error else find_object(cells, "namedScores")
        grades += [grade(name, JUDGE, value, kind=kind) for name, value in scores.items()]
    return graded_text(item, system, text, [*grades, *map(_read_assertion, parts)], error)


def _read_assertion(graded: Object) -> Entry:
    sort = find_text(graded, "assertion.type") or "assertion"
    kind = Kind.LLM if BY_MODEL.match(sort) else Kind.BASELINE
    attribute = find_text(graded, "assertion.metric") or "overall"
    return grade(
        attribute, f"{JUDGE}/{sort}", graded.get("score"), find_text(graded, "reason"),
        error=_find_failure(graded), kind=Kind.HUMAN if sort == "human" else kind,
    )  # fmt: skip


def _find_failure(graded: Object) -> str:
    reason = find_text(graded, "reason")
    if find_object(graded, "metadata").get("graderError"):
        return reason or "grader error"
    return reason if GRADER_FAILED.match(reason) else ""


def _as_result(text: str | None, score: object, reason: str, error: str, scores: object) -> Cells:
    graded = {"response": {"output": text}, "gradingResult": {"reason": reason}}
    return {**graded, "score": score, "error": error, "namedScores": scores}


def _read_columns(cells: Cells, name: str) -> Cells | None:
    text = _unescape(cells.get(name))
    status, score, reason, named = (
        _unescape(cells.get(f"{name}{JOINT}{column}"))
        for column in ("Status", "Score", "Grader Reason", "Named Scores")
    )
    if status == "ERROR":
        return _as_result(None, score, reason, reason or text or "error", None)
    return _as_result(text, score, reason, "", parse_json(named)) if status else None


def _read_cell(cells: Cells, name: str) -> Cells | None:
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
    pairs = (pair.rpartition(": ") for pair in (found["named"] or "").split(", ") if pair)
    named = {metric: value for metric, _, value in pairs}
    score = None if found["score"] == "undefined" else found["score"]
    return _as_result(None if error else output, score, reason, error, named)


def _find_reason(output: str, reason: str, *, is_given: bool) -> tuple[str, str] | None:
    """Return the reason above an output that failed, and the output.

    Returns None for an output without a reason, which may have a line of dashes of its own.
    """
    begin = len(reason) if output.startswith(reason) else 0
    if not (parted := PARTED.search(output, begin)):
        return None
    stated = output[: parted.start()].strip()
    if is_given and not (stated.startswith(reason) or reason.startswith(stated)):
        return None
    return stated, output[parted.end() :].strip()


def _list_graded(source: Source) -> list[str]:
    if suffix(source.path) not in (".csv", ".tsv"):
        return []
    rows = list(source.cells(20))

    def is_graded(name: str) -> bool:
        cells = [str(row[name]).strip() for row in rows if row.get(name)]
        return bool(cells) and all(map(GRADE.match, cells))

    return [*filter(is_graded, source.columns)]


def _find_prompt(cells: Cells) -> Prompted:
    provider = find_text(cells, "provider.label", "provider.id", "provider")
    label = find_text(cells, "prompt.label", "prompt.display", "prompt.raw")
    return provider or "unknown provider", label


def _name_systems(prompts: Iterable[Prompted]) -> dict[Prompted, str]:
    pairs = set(prompts)
    providers, labels = {provider for provider, _ in pairs}, {label for _, label in pairs}

    def name(provider: str, label: str) -> str:
        short = label if len(label) <= LONG else f"{label[:LONG]}… {short_digest(label)[:6]}"
        parts = [provider] * (len(providers) > 1 or len(labels) < 2 or not short)
        return " / ".join(filter(None, [*parts, short if len(labels) > 1 else ""])) or short

    return {pair: name(*pair) for pair in pairs}


def _unescape(cell: object) -> str:
    return ESCAPED.sub("", as_text(cell) or "")


PROMPTFOO = Layout(
    "promptfoo", "promptfoo's results",
    {
        PromptfooResults: lambda source: (
            has_columns("provider", "prompt", "vars", "success", "score")(source)
            and bool({"namedScores", "gradingResult", "testIdx"} & set(source.columns))
        ),
        Tables: lambda source: (
            any(name.endswith(STATUS) for name in source.columns) or bool(_list_graded(source))
        ),
    },
    ("input", "output"),
)  # fmt: skip
