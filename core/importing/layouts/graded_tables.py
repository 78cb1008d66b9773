"""Graded texts in the tables of ragas and deepeval, and Prometheus' data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...records import Kind
from ..cells import Cells, as_references, as_text, read_name, require_cell
from ..codes import decimal
from ..conversations import add_system_prompt, conversation
from ..entry import SCORE, VOTE, Entry, is_score
from ..graded_texts import GradedReader, as_output, describe_item, grade, graded_text
from ..layout import Layout, Source, has_columns
from ..raters import METRIC
from ..templates import Constant, Template, need_name, read_by, read_with, template
from ..values import find_text
from ..winner_columns import name_sides

# Reader of ragas' results, as `to_pandas()` gives them: a question and its answer a row, a metric
# a column. Layout: explodinggradients/ragas, src/ragas/dataset_schema.py (SingleTurnSample,
# MultiTurnSample, EvaluationResult.to_pandas); before 0.2 question, answer, contexts and
# ground_truth.

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


RAGAS = Layout(
    "ragas", "ragas' results", {RagasResults: _is_results}, ("question", "answer"),
    fields=("system",), settings=("system_name",), kind=Kind.LLM,
)  # fmt: skip


# Reader of deepeval's test runs, as `.deepeval` and its results folder keep them, and of what
# `evaluate()` returns, written as JSON. Layout: confident-ai/deepeval, deepeval/test_run/api.py
# (LLMApiTestCase, ConversationalApiTestCase, MetricData) and deepeval/evaluate/types.py
# (TestResult).

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
    names = ("evaluation_model", "reason", "error")
    model, reason, error = (find_text(metric, key) for key in names)
    if "evaluation_model" in metric and not (model or error):
        return grade("overall", name, value, reason, kind=Kind.BASELINE)
    judge = f"deepeval/{model}" if model else "deepeval"
    return grade(name, judge, value, reason, error=error, model=model)


def _part_names(cells: Cells) -> Cells:
    return {re.sub("[A-Z]", lambda sign: f"_{sign[0].lower()}", name): value
            for name, value in cells.items()}  # fmt: skip


def _is_test_run(source: Source) -> bool:
    columns = {*_part_names(dict.fromkeys(source.columns))}
    return bool(columns & {*METRICS} and columns & {"actual_output", "turns"})


DEEPEVAL = Layout(
    "deepeval", "deepeval's test run", {TestCases: _is_test_run}, ("input", "output"),
    settings=("system_name",), kind=Kind.LLM,
)  # fmt: skip


# Readers of Prometheus' data: responses with a score for a criterion, two responses with a
# preference, and the evaluations of BiGGen-Bench. Layout: prometheus-eval/prometheus-eval,
# README.md (Feedback and Preference Collection) and BiGGen-Bench/run_response_eval.py (a record a
# key).

JUDGE = "prometheus"


class PrometheusFeedback(GradedReader):
    """`orig_instruction`, `orig_response` and its `orig_score` for `orig_criteria`, with the
    feedback as reason: the criterion is the attribute, the item the instruction.
    """

    def read(self, cells: Cells) -> tuple[Entry, str | None, Iterable[Entry]]:
        item = describe_item(
            read_name(cells, "orig_instruction"), cells.get("orig_reference_answer")
        )
        criterion, reason = read_name(cells, "orig_criteria"), find_text(cells, "orig_feedback")
        score = grade(criterion, JUDGE, cells.get("orig_score"), reason, kind=self.source.kind)
        return item, as_text(cells.get("orig_response")), [score]


def _preferences(source: Source) -> Iterator[Template]:
    """`orig_response_A`, `orig_response_B` and which of them is better for `orig_criteria`. Who was
    shown first is not known, nor whose responses they are.
    """
    source.tally.columns = ("the first text", "the second text")
    first, second = map(Constant, name_sides(source, ("response_A", "response_B")))
    shared = {
        "context": need_name("orig_instruction"), "attribute": need_name("orig_criteria"),
        "judge": Constant(JUDGE), "judge_kind": source.kind,
    }  # fmt: skip
    yield template(
        VOTE, **shared, system_a=first, text_a="orig_response_A", system_b=second,
        text_b="orig_response_B", winner=need_name("orig_preference"), raw="orig_feedback",
        order_known=False,
    )  # fmt: skip
    for system, side in ((first, "A"), (second, "B")):
        text, value = f"orig_response_{side}", f"orig_score_{side}"
        yield template(SCORE, **shared, system=system, text=text, value=value)


def read_evaluation(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a record of BiGGen-Bench: a response to a task, and the scores of the evaluator. Each
    task has a rubric of its own, so the attribute is `overall`.
    """
    item = {
        "item": read_name(cells, "id"),
        "context": add_system_prompt(cells.get("system_prompt"), read_name(cells, "input")),
        "reference": list(as_references(as_text(cells.get("reference_answer")))),
        "subset": find_text(cells, "capability"),
    }
    judge, given = find_text(cells, "eval_model_name") or JUDGE, cells.get("score")
    scores, reason = given if isinstance(given, list) else [given], find_text(cells, "feedback")
    grades = (
        grade("overall", judge, score, "" if place else reason, model=judge)  # of the first score
        for place, score in enumerate(scores)
    )
    system, text = read_name(cells, "response_model_name"), as_output(cells.get("response"))
    return graded_text(item, system, text, grades)


PROMETHEUS = Layout(
    "prometheus", "Prometheus' feedback, preferences or evaluations",
    {
        read_by(_preferences): has_columns(
            "orig_instruction", "orig_response_A", "orig_response_B", "orig_preference",
            "orig_criteria",
        ),
        PrometheusFeedback: has_columns(
            "orig_instruction", "orig_response", "orig_criteria", "orig_score"
        ),
        read_with(read_evaluation): has_columns("response", "score_rubric", "response_model_name"),
    },
    ("instruction", "response"), fields=("system",), settings=("systems", "system_name", "kind"),
    kind=Kind.LLM,
)  # fmt: skip
