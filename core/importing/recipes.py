"""Files of tools and data sets that recipes of docs/importing.md turn into tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NoReturn

from .cells import Cells, UnrecognisedError
from .text_encoding import suffix

LOOKED_AT = 20  # rows
TOOLS = {
    "langsmith": "LangSmith", "lm-eval": "lm-evaluation-harness", "inspect": "Inspect",
    "promptfoo": "promptfoo", "deepeval": "deepeval", "helm": "HELM", "prometheus": "Prometheus",
    "ragas": "ragas", "multipref": "MultiPref", "wmt": "WMT",
}  # fmt: skip
"""The names of their layouts in 1.0 -> the tools."""
COLUMNS = {
    "langsmith": (
        "run_id key score feedback_group_id", "id run_type inputs outputs session_id",
    ),
    "lm-eval": ("doc_id doc target resps arguments",),
    "promptfoo": (
        "provider prompt vars success score namedScores",
        "provider prompt vars success score gradingResult",
        "provider prompt vars success score testIdx",
    ),
    "deepeval": tuple(
        f"{metrics} {output}"
        for metrics in ("metrics_data", "metrics_metadata", "metricsData", "metricsMetadata")
        for output in ("actual_output", "actualOutput", "turns")
    ),
    "multipref": ("prompt_id normal_worker_annotations expert_worker_annotations",),
    "wmt": ("srclang trglang system1Id system1rank system2Id system2rank",),
    "helm": ("instance request train_trial_index", "instance_id train_trial_index stats"),
    "prometheus": (
        "orig_instruction orig_response_A orig_response_B orig_preference orig_criteria",
        "orig_instruction orig_response orig_criteria orig_score",
        "response score_rubric response_model_name",
    ),
    "ragas": (
        *(f"user_input response {name}"
          for name in ("retrieved_contexts", "reference", "reference_contexts")),
        *(f"question answer {name}"
          for name in ("faithfulness", "answer_relevancy", "answer_correctness",
                       "answer_similarity", "context_precision", "context_recall",
                       "context_relevancy", "context_utilization", "context_entity_recall")),
    ),
}  # fmt: skip
"""Columns by which a file of each is known: all of one of these."""
_INSTANCES = {"id", "input", "references"}  # of HELM, in instances.json
_GRADED = re.compile(r"\[(PASS|FAIL|ERROR)\] \((-?[\d.]+|NaN|undefined)[,)]")
"""How each cell of promptfoo's older tables begins."""


def refuse_tool(path: Path, name: str) -> NoReturn:
    """Raise the error that names the recipe for a tool's file."""
    raise UnrecognisedError(
        f"{path.name} is of {TOOLS[name]}: its recipe in docs/importing.md makes a table "
        "of it that is read here"
    )


def has_columns_of(name: str, columns: Iterable[str]) -> bool:
    """Return whether these are the columns of a file of this tool."""
    return any(set(columns).issuperset(each.split()) for each in COLUMNS[name])


def check_recipe(
    path: Path, columns: Collection[str], list_cells: Callable[[int], Iterable[Cells]]
) -> None:
    """Check that no recipe is needed for a file with these columns. Raises UnrecognisedError
    otherwise.
    """
    for name in COLUMNS:
        if has_columns_of(name, columns):
            refuse_tool(path, name)
    if _INSTANCES.issubset(columns) and path.name.startswith("instances"):
        refuse_tool(path, "helm")
    rows = list(list_cells(LOOKED_AT)) if suffix(path) in (".csv", ".tsv") else []
    for column in columns:
        cells = [str(row[column]).strip() for row in rows if row.get(column)]
        if cells and all(map(_GRADED.match, cells)):
            refuse_tool(path, "promptfoo")
