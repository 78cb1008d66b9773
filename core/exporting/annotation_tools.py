"""Judgements for tools in which people annotate: Label Studio, Argilla and Potato. They keep a pair
in an order, with everybody's answers to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ..records import Kind, Outcome
from .layout import (
    BOTH_BAD,
    NO_TEXTS,
    UNANSWERED,
    Document,
    Format,
    Row,
    make_file_name,
    pair_key,
    select_pair_fields,
    select_reply_fields,
)

# ---- Tasks for Label Studio with the control Pairwise (HumanSignal/label-studio, its page "Label
# Studio Task Format" and the template pairwise-classification). People's votes are annotations,
# models' are predictions. The text control annotator names the annotator, as Label Studio takes no
# annotator who has no account there (label_studio/tasks/serializers.py). The control raw has the
# reply word for word, and the control failure why there is no answer.


def list_tasks(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a task of Label Studio for each pair in an order, with everybody's answers."""
    tasks: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        texts = {"prompt": row["context"], "text1": row["text_a"], "text2": row["text_b"]}
        task = tasks.setdefault(
            pair_key(row),
            {
                "id": len(tasks) + 1,
                "data": {**texts, **select_pair_fields(row)},
                "annotations": [],
                "predictions": [],
            },
        )
        results = _list_results(row)
        if row["judge_kind"] == Kind.HUMAN:
            annotation = {
                "result": [*results, _build_textarea("annotator", row["judge"])],
                "was_cancelled": row["failure"] == "skipped",
                "ground_truth": False,
                "lead_time": row["seconds"],
                "created_at": row["created_at"],
            }
            task["annotations"].append(annotation)
        else:
            prediction = {"model_version": row["judge"], "result": results}
            task["predictions"].append({**prediction, "created_at": row["created_at"]})
    yield from (("", task) for task in tasks.values())


def _list_results(row: Row) -> list[dict[str, Any]]:
    results = []
    if selected := {Outcome.A: "left", Outcome.B: "right"}.get(row["winner"]):
        results.append(_build_result("pairwise", "pw", "text1,text2", selected=selected))
    elif row["winner"]:
        results.append(_build_result("choices", "tie", "text1", choices=[row["winner"]]))
    texts = {"comment": row["comment"], **select_reply_fields(row)}
    return results + [_build_textarea(name, text) for name, text in texts.items() if text]


def _build_textarea(name: str, text: str) -> dict[str, Any]:
    return _build_result("textarea", name, "text1", text=[text])


def _build_result(kind: str, name: str, to: str, **value: Any) -> dict[str, Any]:
    return {"type": kind, "from_name": name, "to_name": to, "value": value}


# ---- Records for Argilla with a label question `preference` about the fields response_a and
# response_b (argilla-io/argilla, argilla/src/argilla/records/_resource.py, `Record.from_dict`).
# People's votes are responses, models' are suggestions. An annotator's id is made of their name or
# number, as Argilla's users have UUIDs; the metadata say whose it is, under `annotators`.

QUESTION, COMMENT = "preference", "comment"


def list_argilla_records(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a record of Argilla for each pair in an order; a further one for each further
    suggestion or second answer, as a record holds one.
    """
    by_pair: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        copies = by_pair.setdefault(pair_key(row), [])
        record = next((copy for copy in copies if _has_room(copy, row)), None)
        if record is None:
            number = sum(map(len, by_pair.values())) + 1
            texts = {"response_a": row["text_a"], "response_b": row["text_b"]}
            record = {
                "id": f"pair-{number}",
                "fields": {"prompt": row["context"], **texts},
                "metadata": select_pair_fields(row),
                "suggestions": {}, "responses": {}, "vectors": {},
            }  # fmt: skip
            copies.append(record)
        _add_answer(record, row)
    yield from (("", record) for copies in by_pair.values() for record in copies)


def _make_annotator_id(judge: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"tandem:annotator:{judge}"))


def _has_room(record: dict[str, Any], row: Row) -> bool:
    if row["judge_kind"] != Kind.HUMAN:
        return QUESTION not in record["suggestions"]
    given = record["responses"].get(QUESTION, [])
    return _make_annotator_id(row["judge"]) not in [response["user_id"] for response in given]


def _add_answer(record: dict[str, Any], row: Row) -> None:
    labels = {Outcome.A: "response_a", Outcome.B: "response_b"}
    label = labels.get(row["winner"], row["winner"])
    if row["judge_kind"] != Kind.HUMAN:
        record["suggestions"][QUESTION] = {
            "value": label, "score": row["confidence"], "agent": row["judge"]
        }  # fmt: skip
        return
    user = _make_annotator_id(row["judge"])
    record["metadata"].setdefault("annotators", []).append(f"{row['judge']}={user}")
    for question, value in ((QUESTION, label), (COMMENT, row["comment"])):
        if value:
            given = record["responses"].setdefault(question, [])
            given.append({"value": value, "user_id": user})


# ---- Pairs and answers for Potato's pairwise schema (davidjurgens/potato): the data file, and a
# folder for each annotator with what they answered.


def list_potato_lines(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield each pair in an order once, and each answer in its annotator's file."""
    known: dict[tuple[Any, ...], str] = {}
    for row in rows:
        key, texts = pair_key(row), [row["text_a"], row["text_b"]]
        if key not in known:
            known[key] = f"pair-{len(known) + 1}"
            fields = select_pair_fields(row)
            systems = [fields.pop("system_a"), fields.pop("system_b")]
            pair = {"id": known[key], "text": texts, "context": row["context"], "systems": systems}
            yield "data/pairs.jsonl", {**pair, **fields}
        seconds = row["seconds"]
        behaviour = {} if seconds is None else {"total_time_ms": round(1000 * seconds)}
        yield (
            f"annotation_output/{make_file_name(row['judge'])}/annotated_instances.jsonl",
            {
                "id": known[key],
                "displayed_text": "\n".join(map(str, texts)),
                "label_annotations": {"preference": _select_preference(row)},
                "span_annotations": {},
                "behavioral_data": behaviour,
                "created_at": row["created_at"],
                **select_reply_fields(row),
            },
        )


def _select_preference(row: Row) -> dict[str, str]:
    selections = {Outcome.A.value: "A", Outcome.B.value: "B", Outcome.TIE.value: "tie"}
    answer = {"selection": selections.get(row["winner"], "")}
    if row["comment"]:
        reasons = {"reasons": [], "rationale": row["comment"]}
        answer["justification"] = json.dumps(reasons, ensure_ascii=False)
    return answer


LABEL_STUDIO = Format(
    "label-studio", "Label Studio", (".json",), list_tasks, frozenset((NO_TEXTS,))
)
ARGILLA = Format(
    "argilla", "Argilla", (".json",), list_argilla_records, frozenset((NO_TEXTS, UNANSWERED))
)
POTATO = Format("potato", "Potato", (".zip",), list_potato_lines, frozenset((NO_TEXTS, BOTH_BAD)))
