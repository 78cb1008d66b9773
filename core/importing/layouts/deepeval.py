"""Reader of deepeval's test runs, as `.deepeval` and its results folder keep them, and of what
`evaluate()` returns, written as JSON.

Layout: confident-ai/deepeval, deepeval/test_run/api.py (LLMApiTestCase, ConversationalApiTestCase,
MetricData) and deepeval/evaluate/types.py (TestResult).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...records import Kind
from ..cells import Cells, require_cell
from ..conversations import conversation
from ..entry import Entry
from ..graded_texts import GradedReader, as_output, describe_item, grade
from ..layout import Layout, Source
from ..values import find_text

METRICS = ("metrics_data", "metrics_metadata")


class TestCases(GradedReader):
    """A test case a row: a metric is an attribute, scored by the judge `deepeval/MODEL`; one that
    asks no model is a judge of its own for `overall`. The item is the input, or of a conversation
    what the user said. Names are written as in test runs, or with underscores.
    """

    __test__ = False  # pytest's, by its name

    def read(self, cells: Cells) -> tuple[Entry, str | None, Iterable[Entry]]:
        case = _part_names(cells)
        context, text = as_output(case.get("input")) or "", as_output(case.get("actual_output"))
        if turns := case.get("turns"):
            context, text = conversation(turns)
        item = describe_item(context, as_output(case.get("expected_output")))
        metrics = next((require_cell(case, name, list) for name in METRICS if case.get(name)), [])
        return item, text, (_read_metric(each) for each in metrics if isinstance(each, Mapping))


def _read_metric(given: Cells) -> Entry:
    metric = _part_names(given)
    name, value = find_text(metric, "name", "metric") or "overall", metric.get("score")
    model, reason, error = (
        find_text(metric, key) for key in ("evaluation_model", "reason", "error")
    )
    if "evaluation_model" in metric and not (model or error):
        return grade("overall", name, value, reason, kind=Kind.BASELINE)
    judge = f"deepeval/{model}" if model else "deepeval"
    return grade(name, judge, value, reason, error=error, model=model)


def _part_names(cells: Cells) -> Cells:
    return {re.sub("[A-Z]", lambda sign: f"_{sign[0].lower()}", name): value
            for name, value in cells.items()}  # fmt: skip


def _is_test_run(source: Source) -> bool:
    columns = _part_names(dict.fromkeys(source.columns)).keys()
    return bool(columns & set(METRICS)) and bool(columns & {"actual_output", "turns"})


LAYOUT = Layout(
    "deepeval", "deepeval's test run", {TestCases: _is_test_run}, ("input", "output"),
    settings=("system_name",), kind=Kind.LLM,
)  # fmt: skip
