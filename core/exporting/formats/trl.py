"""Preference pairs as TRL and Hugging Face's `datasets` read them (huggingface/trl, its page
"Dataset formats"): as texts, or as lists of messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...records import Outcome
from .layout import BOTH_BAD, NO_TEXTS, TIE, UNANSWERED, Document, Format, Row

KEPT = ("item", "subset", "attribute", "judge", "judge_kind", "comment", "created_at")
LACKS = frozenset((UNANSWERED, TIE, BOTH_BAD, NO_TEXTS))


def texts(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield prompt, chosen, rejected, and beside them whose texts they are and who judged."""
    for row in rows:
        won, lost = _sides(row)
        yield (
            "",
            {
                "prompt": row["context"],
                "chosen": row[f"text_{won}"],
                "rejected": row[f"text_{lost}"],
                **_describe_sides(row, won, lost),
            },
        )


def messages(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield rows as chosen and rejected texts, each as a list of one message."""
    for row in rows:
        won, lost = _sides(row)
        yield (
            "",
            {
                "prompt": [_message("user", row["context"])],
                "chosen": [_message("assistant", row[f"text_{won}"])],
                "rejected": [_message("assistant", row[f"text_{lost}"])],
                **_describe_sides(row, won, lost),
            },
        )


def _sides(row: Row) -> tuple[str, str]:
    return ("a", "b") if row["winner"] == Outcome.A else ("b", "a")


def _describe_sides(row: Row, won: str, lost: str) -> dict[str, Any]:
    first = "chosen" if won == "a" else "rejected"
    return {
        "chosen_model": row[f"system_{won}"],
        "rejected_model": row[f"system_{lost}"],
        "shown_first": first if row["order_known"] else None,
        "score_chosen": row.get(f"mark_{won}"),
        "score_rejected": row.get(f"mark_{lost}"),
        **{name: row[name] for name in KEPT},
    }


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


TEXTS = Format("trl", "TRL", (".jsonl", ".parquet", ".csv"), texts, LACKS)
MESSAGES = Format("trl-chat", "TRL, as messages", (".jsonl", ".parquet"), messages, LACKS)
