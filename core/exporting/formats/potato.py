"""Pairs and answers for Potato's pairwise schema (davidjurgens/potato): the data file, and a folder
for each annotator with what they answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...records import Outcome
from .layout import (
    BOTH_BAD,
    NO_TEXTS,
    Document,
    Format,
    Row,
    named_file,
    pair_key,
    select_pair_fields,
    select_reply_fields,
)

DATA = "data/pairs.jsonl"
SELECTED = {Outcome.A.value: "A", Outcome.B.value: "B", Outcome.TIE.value: "tie"}


def instances(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield each pair in an order once, and each answer in its annotator's file."""
    known: dict[tuple[Any, ...], str] = {}
    for row in rows:
        key = pair_key(row)
        if key not in known:
            known[key] = f"pair-{len(known) + 1}"
            yield DATA, _pair(known[key], row)
        yield (
            f"annotation_output/{named_file(row['judge'])}/annotated_instances.jsonl",
            _instance(known[key], row),
        )


def _pair(name: str, row: Row) -> dict[str, Any]:
    known = select_pair_fields(row)
    systems = [known.pop("system_a"), known.pop("system_b")]
    text = [row["text_a"], row["text_b"]]
    return {"id": name, "text": text, "context": row["context"], "systems": systems, **known}


def _instance(name: str, row: Row) -> dict[str, Any]:
    answer = {"selection": SELECTED.get(row["winner"], "")}
    if row["comment"]:
        said = {"reasons": [], "rationale": row["comment"]}
        answer["justification"] = json.dumps(said, ensure_ascii=False)
    return {
        "id": name, "displayed_text": f"{row['text_a']}\n{row['text_b']}",
        "label_annotations": {"preference": answer}, "span_annotations": {},
        "behavioral_data": _behaviour(row), "created_at": row["created_at"],
        **select_reply_fields(row),
    }  # fmt: skip


def _behaviour(row: Row) -> dict[str, Any]:
    return {} if row["seconds"] is None else {"total_time_ms": round(1000 * row["seconds"])}


FORMAT = Format("potato", "Potato", (".zip",), instances, frozenset((NO_TEXTS, BOTH_BAD)))
