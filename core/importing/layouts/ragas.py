"""Reader of ragas' results, as `to_pandas()` gives them: a question and its answer a row, a metric
a column.

Layout: explodinggradients/ragas, src/ragas/dataset_schema.py (SingleTurnSample, MultiTurnSample,
EvaluationResult.to_pandas); before 0.2 question, answer, contexts and ground_truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing import files
from core.importing.cells import Cells, Row, as_references
from core.importing.codes import decimal
from core.importing.graded_texts import Grade, GradedTexts, as_output, name_system, system_column
from core.importing.layout import Layout, Record, Source
from core.importing.raters import METRIC
from core.records import Kind

RATER = "ragas"
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
    r"user_input|response|retrieved_contexts|reference|reference_contexts|question|answer|"
    r"contexts|ground_truths?|rubrics?|multi_responses|id|index|level_0|row|unnamed: \d+|"
    r"column \d+|sample|seconds|latency|tokens|cost|.*(_id|_idx|_index|_ids|_time|_tokens)"
)
"""Columns that are no metrics, whatever numbers they hold."""
WITHOUT_MODEL = re.compile(f"{METRIC.pattern}|non_llm_|exact_match|string_presence|levenshtein")
"""How the names of metrics begin that ask no model."""


class Results:
    """An answer a row: metrics are attributes that the rater `ragas` scored; one that asks no model
    is a rater of its own for `overall`. The item is the question. An empty metric failed.
    """

    def __init__(self, source: Source) -> None:
        self.texts = GradedTexts(source)
        self.system = system_column(source)
        self.question, self.answer = _names(source)
        self.metrics = _metrics(source, self.system)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        references = [text for name in REFERENCES for text in as_references(cells.get(name))]
        item = self.texts.item(as_output(cells.get(self.question)) or "", references)
        system = name_system(self.texts.source, cells, self.system)
        grades = (_grade(metric, cells.get(metric)) for metric in self.metrics)
        yield from self.texts.records(item, system, as_output(cells.get(self.answer)), grades)


def _grade(metric: str, value: object) -> Grade:
    if WITHOUT_MODEL.match(metric):
        return Grade("overall", metric, value, kind=Kind.BASELINE)
    return Grade(metric, RATER, value)


def _names(source: Source) -> tuple[str, str]:
    columns = set(source.columns)
    return next((names for names in NAMES if set(names) <= columns), NAMES[0])


def _metrics(source: Source, system: str) -> list[str]:
    """The columns that hold numbers alone, as far as they hold anything."""
    left = [name for name in source.columns if name != system and not _is_known(name)]
    numbers, others = set[str](), set[str]()
    for row in files.rows(source.path):
        cells = row.cells if isinstance(row, Row) else {}
        for name in left:
            if not _is_empty(cell := cells.get(name)):
                (numbers if _is_number(cell) else others).add(name)
    return [name for name in left if name in numbers - others]


def _is_known(name: str) -> bool:
    return KNOWN.fullmatch(name.strip().casefold()) is not None


def _is_empty(cell: object) -> bool:
    return cell is None or str(cell).strip().casefold() in ("", "nan")


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) or decimal(str(cell)) is not None


def _recognises(source: Source) -> bool:
    now, before = (set(names) <= set(source.columns) for names in NAMES)
    beside = BESIDE if now else OLDER
    return (now or before) and bool(beside & set(source.columns))


LAYOUT = Layout(
    "ragas",
    "ragas' results",
    {Results: _recognises},
    ("question", "answer"),
    fields=("system",),
    settings=("system_name",),
    kind=Kind.LLM,
)
