"""Records for Argilla with a label question `preference` about the fields response_a and
response_b (argilla-io/argilla, argilla/src/argilla/records/_resource.py, `Record.from_dict`).

People's votes are responses, models' are suggestions. An annotator's id is made of their name or
number, as Argilla's users have UUIDs; the metadata say whose it is, under `annotators`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ...records import Kind, Outcome
from .layout import NO_TEXTS, UNANSWERED, Document, Format, Row, pair_key, select_pair_fields

QUESTION, COMMENT = "preference", "comment"
LABELS = {Outcome.A: "response_a", Outcome.B: "response_b"}


def records(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a record for each pair in an order; a further one for each further suggestion or second
    answer, as a record holds one.
    """
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        copies = found.setdefault(pair_key(row), [])
        record = next((copy for copy in copies if _has_room(copy, row)), None)
        if record is None:
            number = sum(map(len, found.values())) + 1
            record = _record(number, row)
            copies.append(record)
        _answer(record, row)
    yield from (("", record) for copies in found.values() for record in copies)


def annotator_id(judge: str) -> str:
    """Return the UUID that Argilla gets for an annotator."""
    return str(uuid5(NAMESPACE_URL, f"tandem:annotator:{judge}"))


def _record(number: int, row: Row) -> dict[str, Any]:
    fields = {"prompt": row["context"], "response_a": row["text_a"], "response_b": row["text_b"]}
    return {
        "id": f"pair-{number}", "fields": fields, "metadata": select_pair_fields(row),
        "suggestions": {}, "responses": {}, "vectors": {},
    }  # fmt: skip


def _has_room(record: dict[str, Any], row: Row) -> bool:
    if row["judge_kind"] != Kind.HUMAN:
        return QUESTION not in record["suggestions"]
    given = record["responses"].get(QUESTION, [])
    return annotator_id(row["judge"]) not in [response["user_id"] for response in given]


def _answer(record: dict[str, Any], row: Row) -> None:
    label = LABELS.get(row["winner"], row["winner"])
    if row["judge_kind"] != Kind.HUMAN:
        record["suggestions"][QUESTION] = {
            "value": label, "score": row["confidence"], "agent": row["judge"]
        }  # fmt: skip
        return
    user = annotator_id(row["judge"])
    record["metadata"].setdefault("annotators", []).append(f"{row['judge']}={user}")
    for question, value in ((QUESTION, label), (COMMENT, row["comment"])):
        if value:
            given = record["responses"].setdefault(question, [])
            given.append({"value": value, "user_id": user})


FORMAT = Format("argilla", "Argilla", (".json",), records, frozenset((NO_TEXTS, UNANSWERED)))
