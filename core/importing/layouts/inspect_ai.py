"""Reader of Inspect's logs, `.eval` or `.json`: the logs of several models become systems of one
data set.

Layout: UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log/log_formats.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...records import Kind
from ..cells import Cells, as_whole, read_name, require_cell
from ..conversations import content, transcript
from ..entry import ITEM, TEXT, Entry, drop_part
from ..layout import Layout, has_columns
from ..templates import read_scores, read_with
from ..values import find_object, find_value
from ..winners import NO_ANSWER

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, True: 1, False: 0}
"""Inspect's grades as it counts them: correct, partly correct, incorrect."""
NO_GRADE = "N"  # no answer: Inspect counts it as 0, here it has no mark
BY_MODEL = "model_graded"  # how the names of scorers begin that ask a model
ATTACHED = "attachment://"


def read_sample(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a sample: the system is the log's model, the item TASK/id, an epoch a sample, the
    subset the task. Scorers are judges; where a scorer gives several values, each is an attribute.
    """
    about = require_cell(cells, "eval", dict)
    task, system = read_name(about, "task"), read_name(about, "model")
    sample = as_whole(cells.get("epoch") or 1, "the epoch") - 1
    context = transcript(_resolve(cells.get("input"), cells))
    item = {"item": f"{task}/{read_name(cells, 'id')}", "context": context, "subset": task}
    if cells.get("error"):
        yield {"sort": ITEM, **item}
        yield drop_part(f"sample {cells['id']} ended in an error, so it has no text")
        return
    message = _resolve(find_value(cells, "output.choices[0].message"), cells)
    text = content(message) if isinstance(message, Mapping) else None  # without its reasoning
    of_text = {**item, "system": system, "sample": sample}
    yield {"sort": TEXT, **of_text, "text": text}
    for scorer, score in find_object(cells, "scores").items():
        kind = Kind.LLM if scorer.startswith(BY_MODEL) else Kind.BASELINE
        given = score.get("value") if isinstance(score, Mapping) else score
        values = given if isinstance(given, Mapping) else {"overall": given}
        if isinstance(given, list):
            continue  # nothing says what its values are of
        for each in read_scores(values, **of_text, judge=scorer, judge_kind=kind):
            yield each | _read_grade(each["value"])


def _resolve(value: Any, cells: Cells) -> Any:
    if isinstance(value, str) and value.startswith(ATTACHED):
        return find_object(cells, "attachments").get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [_resolve(each, cells) for each in value]
    if isinstance(value, dict):
        return {name: _resolve(each, cells) for name, each in value.items()}
    return value


def _read_grade(value: object) -> Entry:
    if value == NO_GRADE:
        return {"failure": NO_ANSWER, "raw": NO_GRADE}
    return {"value": GRADES.get(value, value) if isinstance(value, str | bool) else value}


LAYOUT = Layout(
    "inspect", "Inspect's logs",
    {read_with(read_sample): has_columns("id", "epoch", "input", "eval")},
    ("input", "output"),
)  # fmt: skip
