"""Reader of ragas' results, as `to_pandas()` gives them: a question and its answer a row, a metric
a column.

Layout: explodinggradients/ragas, src/ragas/dataset_schema.py (SingleTurnSample, MultiTurnSample,
EvaluationResult.to_pandas); before 0.2 question, answer, contexts and ground_truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_references
from core.importing.codes import decimal
from core.importing.entry import Entry, is_score
from core.importing.graded_texts import (
    as_output,
    describe_item,
    grade,
    graded_text,
    name_system,
    system_column,
)
from core.importing.layout import Layout, Reader, Source
from core.importing.pairs_in_tools import all_rows
from core.importing.raters import METRIC
from core.records import Kind

JUDGE = "ragas"
NAMES = (("user_input", "response"), ("question", "answer"))
"""What questions and answers are called, now and before 0.2."""
BESIDE = frozenset(("retrieved_contexts", "reference", "reference_contexts"))
"""What stands beside a question and an answer, by names that are ragas' own."""
OLDER = frozenset(
    ("faithfulness", "answer_relevancy", "answer_correctness", "answer_similarity",
     "context_precision", "context_recall", "context_relevancy", "context_utilization",
     "context_entity_recall")
)  # fmt: skip
"""Metrics by which a table of before 0.2 is known: its other names are everybody's."""
REFERENCES = ("reference", "ground_truth", "ground_truths")
KNOWN = re.compile(
    r"\s*(user_input|response|retrieved_contexts|reference|reference_contexts|question|answer|"
    r"contexts|ground_truths?|rubrics?|multi_responses|id|index|level_0|row|unnamed: \d+|"
    r"column \d+|sample|seconds|latency|tokens|cost|.*(_id|_idx|_index|_ids|_time|_tokens))\s*",
    re.IGNORECASE,
)
"""Columns that are no metrics, whatever numbers they hold."""
WITHOUT_MODEL = re.compile(f"{METRIC.pattern}|non_llm_|exact_match|string_presence|levenshtein")
"""How the names of metrics begin that ask no model."""


class Results(Reader):
    """An answer a row: metrics are attributes that the judge `ragas` scored; one that asks no model
    is a judge of its own for `overall`. The item is the question. An empty metric failed.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.system = source, system_column(source)
        there = (names for names in NAMES if set(names) <= set(source.columns))
        self.question, self.answer = next(there, NAMES[0])
        self.metrics = _list_metrics(source, self.system)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        references = [text for name in REFERENCES for text in as_references(cells.get(name))]
        item = describe_item(as_output(cells.get(self.question)) or "", references)
        system = name_system(self.source, cells, self.system)
        grades = (_grade(metric, cells.get(metric)) for metric in self.metrics)
        yield from graded_text(item, system, as_output(cells.get(self.answer)), grades)


def _grade(metric: str, value: object) -> Entry:
    if WITHOUT_MODEL.match(metric):
        return grade("overall", metric, value, kind=Kind.BASELINE)
    return grade(metric, JUDGE, value)


def _list_metrics(source: Source, system: str) -> list[str]:
    """The columns that hold numbers alone, as far as they hold anything."""
    left = [name for name in source.columns if name != system and not KNOWN.fullmatch(name)]
    numbers, others = set[str](), set[str]()
    for cells in all_rows(source):
        for name in left:
            if is_score(cell := cells.get(name)):
                is_number = isinstance(cell, int | float) or decimal(str(cell)) is not None
                (numbers if is_number else others).add(name)
    return [name for name in left if name in numbers - others]


def _is_results(source: Source) -> bool:
    now, before = (set(names) <= set(source.columns) for names in NAMES)
    return (now or before) and bool((BESIDE if now else OLDER) & set(source.columns))


LAYOUT = Layout(
    "ragas",
    "ragas' results",
    {Results: _is_results},
    ("question", "answer"),
    fields=("system",),
    settings=("system_name",),
    kind=Kind.LLM,
)
