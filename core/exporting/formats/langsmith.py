"""Runs and pairwise feedback for LangSmith (langchain-ai/langsmith-sdk, python/langsmith/schemas.py
and evaluation/_runner.py): each text a run of its system's experiment, each vote two entries of
feedback with one group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ...records import Kind, Outcome
from .layout import BOTH_BAD, NO_TEXTS, Document, Format, Row, select_reply_fields

RUNS, FEEDBACK = "runs.jsonl", "feedback.jsonl"
SCORES = {Outcome.A: (1.0, 0.0), Outcome.B: (0.0, 1.0), Outcome.TIE: (0.5, 0.5)}


def entries(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield each run once, and two entries of feedback for each vote."""
    known = set[str]()
    for number, row in enumerate(rows, start=1):
        runs = [_run(row, side) for side in "ab"]
        for run in runs:
            if run["id"] not in known:
                known.add(run["id"])
                yield RUNS, run
        scores = SCORES.get(row["winner"], (None, None))
        for place, (run, score) in enumerate(zip(runs, scores, strict=True)):
            yield FEEDBACK, _feedback((number, place), row, run, score)


def _id(*parts: object) -> str:
    return str(uuid5(NAMESPACE_URL, f"tandem:{':'.join(map(str, parts))}"))


def _run(row: Row, side: str) -> dict[str, Any]:
    system, sample = row[f"system_{side}"], row[f"sample_{side}"]
    name = _id("run", row["dataset"], row["item"], system, sample)
    return {
        "id": name, "trace_id": name, "name": system,
        "run_type": "chain", "session_id": _id("session", row["dataset"], system),
        "session_name": system, "parent_run_id": None,
        "reference_example_id": _id("example", row["dataset"], row["item"]),
        "inputs": {"input": row["context"]}, "outputs": {"output": row[f"text_{side}"]},
        "start_time": row["created_at"], "extra": {"metadata": {"item": row["item"]}},
    }  # fmt: skip


def _feedback(
    number: tuple[int, int], row: Row, run: dict[str, Any], score: float | None
) -> dict[str, Any]:
    person = row["judge_kind"] == Kind.HUMAN
    source: dict[str, Any] = {"type": "app", "user_name": row["judge"], "metadata": {}}
    if not person:
        source = {"type": "model", "metadata": {"model": row["judge"]}}
    key = "preference" if row["attribute"] == "overall" else row["attribute"]
    return {
        "id": _id("feedback", row["dataset"], *number), "key": key, "run_id": run["id"],
        "trace_id": run["id"],
        "session_id": run["session_id"], "score": score, "value": None,
        "comment": row["comment"] or None, "feedback_source": source,
        "feedback_group_id": _id("group", row["dataset"], number[0]),
        "comparative_experiment_id": _id("experiment", row["dataset"]),
        "created_at": row["created_at"], "modified_at": row["created_at"],
        "extra": select_reply_fields(row) or None,
    }  # fmt: skip


FORMAT = Format("langsmith", "LangSmith", (".zip",), entries, frozenset((NO_TEXTS, BOTH_BAD)))
