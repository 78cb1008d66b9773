"""Reader of deepeval's test runs, as `.deepeval` and its results folder keep them, and of what
`evaluate()` returns, written as JSON.

Layout: confident-ai/deepeval, deepeval/test_run/api.py (LLMApiTestCase, ConversationalApiTestCase,
MetricData) and deepeval/evaluate/types.py (TestResult).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.importing.cells import Cells
from core.importing.conversations import conversation
from core.importing.entry import Entry
from core.importing.graded_texts import (
    as_output,
    check_system_name,
    describe_item,
    grade,
    graded_text,
)
from core.importing.layout import Layout, Reader, Source
from core.importing.values import Object, find_text
from core.records import Kind

JUDGE = "deepeval"
METRICS = ("metricsData", "metrics_data", "metricsMetadata")


class TestCases(Reader):
    """A test case a row: a metric is an attribute, scored by the judge `deepeval/MODEL`; one that
    asks no model is a judge of its own for `overall`. The item is the input, or of a conversation
    what the user said. Names are written as in test runs, or with underscores.
    """

    __test__ = False  # pytest's, by its name

    def __init__(self, source: Source) -> None:
        check_system_name(source)
        self.system = source.system_name

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        context, text = as_output(cells.get("input")) or "", _either(cells, "actual", "Output")
        if turns := cells.get("turns"):
            context, text = conversation(turns)
        item = describe_item(context, _either(cells, "expected", "Output"))
        metrics = next(filter(None, map(cells.get, METRICS)), [])
        if not isinstance(metrics, list):
            raise ValueError(f"its metrics are {str(metrics)[:40]!r}, not a list")
        grades = (_read_metric(each) for each in metrics if isinstance(each, Mapping))
        yield from graded_text(item, self.system, text, grades)


def _read_metric(metric: Object) -> Entry:
    name = find_text(metric, "name", "metric") or "overall"
    value, reason = metric.get("score"), find_text(metric, "reason")
    model, error = _either(metric, "evaluation", "Model") or "", find_text(metric, "error")
    states_model = {"evaluationModel", "evaluation_model"} & set(metric)
    if states_model and not model and not error:
        return grade("overall", name, value, reason, kind=Kind.BASELINE)
    judge = f"{JUDGE}/{model}" if model else JUDGE
    return grade(name, judge, value, reason, error=error, model=model)


def _either(cells: Cells, first: str, second: str) -> str | None:
    """The cell `firstSecond` or `first_second`."""
    return as_output(cells.get(f"{first}{second}", cells.get(f"{first}_{second.lower()}")))


def _is_test_run(source: Source) -> bool:
    columns = set(source.columns)
    return bool(columns & set(METRICS)) and bool(
        columns & {"actualOutput", "actual_output", "turns"}
    )


LAYOUT = Layout(
    "deepeval",
    "deepeval's test run",
    {TestCases: _is_test_run},
    ("input", "output"),
    settings=("system_name",),
    kind=Kind.LLM,
)
