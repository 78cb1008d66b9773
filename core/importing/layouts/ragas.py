"""Reader of ragas' results, as `to_pandas()` gives them: a question and its answer a row, a metric
a column.

Layout: explodinggradients/ragas, src/ragas/dataset_schema.py (SingleTurnSample, MultiTurnSample,
EvaluationResult.to_pandas); before 0.2 question, answer, contexts and ground_truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...records import Kind
from ..cells import Cells, as_references
from ..codes import decimal
from ..entry import Entry, is_score
from ..graded_texts import GradedReader, as_output, describe_item, grade
from ..layout import Layout, Source
from ..raters import METRIC

NAMES = (("user_input", "response"), ("question", "answer"))
"""What questions and answers are called, now and before 0.2."""
BESIDE = frozenset(("retrieved_contexts", "reference", "reference_contexts"))
"""Columns beside a question and an answer, by names that are ragas' own."""
OLDER = frozenset(
    ("faithfulness", "answer_relevancy", "answer_correctness", "answer_similarity",
     "context_precision", "context_recall", "context_relevancy", "context_utilization",
     "context_entity_recall")
)  # fmt: skip
"""Metrics by which a table of before 0.2 is known: its other names are everybody's."""
REFERENCES = ("reference", "ground_truth", "ground_truths")
KNOWN = re.compile(
    r"(user_input|response|retrieved_contexts|reference|reference_contexts|question|answer|"
    r"contexts|ground_truths?|rubrics?|multi_responses|id|index|level_0|row|unnamed: \d+|"
    r"column \d+|sample|seconds|latency|tokens|cost|.*(_id|_idx|_index|_ids|_time|_tokens))",
    re.IGNORECASE,
)
"""Columns that are no metrics, although they may hold numbers."""
WITHOUT_MODEL = re.compile(f"{METRIC.pattern}|non_llm_|exact_match|string_presence|levenshtein")
"""How the names of metrics begin that ask no model."""


class RagasResults(GradedReader):
    """An answer a row: metrics are attributes that the judge `ragas` scored; one that asks no model
    is a judge of its own for `overall`. The item is the question. An empty metric failed.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        there = (names for names in NAMES if set(names) <= set(source.columns))
        self.question, self.answer = next(there, NAMES[0])
        self.metrics = _list_metrics(source, self.column)

    def read(self, cells: Cells) -> tuple[Entry, str | None, Iterable[Entry]]:
        references = [text for name in REFERENCES for text in as_references(cells.get(name))]
        item = describe_item(as_output(cells.get(self.question)) or "", references)
        grades = (
            grade("overall", metric, cells.get(metric), kind=Kind.BASELINE)
            if WITHOUT_MODEL.match(metric)
            else grade(metric, "ragas", cells.get(metric))
            for metric in self.metrics
        )
        return item, as_output(cells.get(self.answer)), grades


def _list_metrics(source: Source, system: str) -> list[str]:
    """Return the columns that hold numbers alone, as far as they hold anything."""
    left = [name for name in source.columns if name != system and not KNOWN.fullmatch(name.strip())]
    numbers, others = set[str](), set[str]()
    for cells in source.cells():
        for name in left:
            if is_score(cell := cells.get(name)):
                is_number = isinstance(cell, int | float) or decimal(str(cell)) is not None
                (numbers if is_number else others).add(name)
    return [name for name in left if name in numbers - others]


def _is_results(source: Source) -> bool:
    now, before = (set(names) <= set(source.columns) for names in NAMES)
    return (now or before) and bool((BESIDE if now else OLDER) & set(source.columns))


LAYOUT = Layout(
    "ragas", "ragas' results", {RagasResults: _is_results}, ("question", "answer"),
    fields=("system",), settings=("system_name",), kind=Kind.LLM,
)  # fmt: skip
