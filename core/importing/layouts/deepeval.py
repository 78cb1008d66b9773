"""Reader of deepeval's test runs, as `.deepeval` and its results folder keep them, and of what
`evaluate()` returns, written as JSON.

Layout: confident-ai/deepeval, deepeval/test_run/api.py (LLMApiTestCase, ConversationalApiTestCase,
MetricData) and deepeval/evaluate/types.py (TestResult).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.importing.cells import Cells, as_text
from core.importing.conversations import conversation
from core.importing.graded_texts import Grade, GradedTexts, as_output, check_system_name
from core.importing.layout import Layout, Record, Source
from core.records import Kind

RATER = "deepeval"
METRICS = ("metricsData", "metrics_data", "metricsMetadata")


class TestCases:
    """A test case a row: a metric is an attribute, scored by the rater `deepeval/MODEL`; one that
    asks no model is a rater of its own for `overall`. The item is the input, or of a conversation
    what the user said.
    """

    __test__ = False  # pytest's, by its name

    def __init__(self, source: Source) -> None:
        check_system_name(source)
        self.texts = GradedTexts(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        context, text = as_output(cells.get("input")) or "", _either(cells, "actualOutput")
        if turns := cells.get("turns"):
            context, text = conversation(turns)
        item = self.texts.item(context, _either(cells, "expectedOutput"))
        metrics = next((given for name in METRICS if (given := cells.get(name))), [])
        if not isinstance(metrics, list):
            raise ValueError(f"its metrics are {str(metrics)[:40]!r}, not a list")
        grades = [_grade(each) for each in metrics if isinstance(each, Mapping)]
        yield from self.texts.records(item, self.texts.source.system_name, text, grades)


def _grade(metric: Mapping[str, Any]) -> Grade:
    name = as_text(metric.get("name") or metric.get("metric")) or "overall"
    model, error = _either(metric, "evaluationModel"), as_text(metric.get("error")) or ""
    value, reason = metric.get("score"), as_text(metric.get("reason")) or ""
    asks_no_model = not model and {"evaluationModel", "evaluation_model"} & set(metric)
    if asks_no_model and not error:
        return Grade("overall", name, value, reason, kind=Kind.BASELINE)
    rater = f"{RATER}/{model}" if model else RATER
    return Grade(name, rater, value, reason, error, model=model or "")


def _either(cells: Cells, name: str) -> str | None:
    """A cell whose name is written as in test runs, or with underscores."""
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)
    return as_output(cells.get(name, cells.get(snake)))


def _recognises(source: Source) -> bool:
    columns = set(source.columns)
    return bool(columns & set(METRICS)) and bool(
        columns & {"actualOutput", "actual_output", "turns"}
    )


LAYOUT = Layout(
    "deepeval",
    "deepeval's test run",
    {TestCases: _recognises},
    ("input", "output"),
    settings=("system_name",),
    kind=Kind.LLM,
)
