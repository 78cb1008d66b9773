"""Tasks for Label Studio with the control Pairwise (HumanSignal/label-studio, its page "Label
Studio Task Format" and the template pairwise-classification).

People's votes are annotations, models' are predictions. The text control annotator names the
annotator, as Label Studio takes no annotator who has no account there
(label_studio/tasks/serializers.py). The control raw has the reply word for word, and the control
failure why there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...records import Kind, Outcome
from .layout import (
    NO_TEXTS,
    Document,
    Format,
    Row,
    pair_key,
    select_pair_fields,
    select_reply_fields,
)

SELECTED = {Outcome.A: "left", Outcome.B: "right"}


def tasks(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a task for each pair in an order, with everybody's answers."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        task = found.setdefault(pair_key(row), _task(len(found) + 1, row))
        if row["judge_kind"] == Kind.HUMAN:
            task["annotations"].append(_annotation(row))
        else:
            prediction = {"model_version": row["judge"], "result": _results(row)}
            task["predictions"].append({**prediction, "created_at": row["created_at"]})
    yield from (("", task) for task in found.values())


def _task(number: int, row: Row) -> dict[str, Any]:
    texts = {"prompt": row["context"], "text1": row["text_a"], "text2": row["text_b"]}
    return {
        "id": number,
        "data": {**texts, **select_pair_fields(row)},
        "annotations": [],
        "predictions": [],
    }


def _annotation(row: Row) -> dict[str, Any]:
    return {
        "result": [*_results(row), _build_textarea("annotator", row["judge"])],
        "was_cancelled": row["failure"] == "skipped",
        "ground_truth": False,
        "lead_time": row["seconds"],
        "created_at": row["created_at"],
    }


def _results(row: Row) -> list[dict[str, Any]]:
    results = []
    if row["winner"] in SELECTED:
        results.append(_result("pairwise", "pw", "text1,text2", selected=SELECTED[row["winner"]]))
    elif row["winner"]:
        results.append(_result("choices", "tie", "text1", choices=[row["winner"]]))
    texts = {"comment": row["comment"], **select_reply_fields(row)}
    return results + [_build_textarea(name, text) for name, text in texts.items() if text]


def _build_textarea(name: str, text: str) -> dict[str, Any]:
    return _result("textarea", name, "text1", text=[text])


def _result(kind: str, name: str, to: str, **value: Any) -> dict[str, Any]:
    return {"type": kind, "from_name": name, "to_name": to, "value": value}


FORMAT = Format("label-studio", "Label Studio", (".json",), tasks, frozenset((NO_TEXTS,)))
