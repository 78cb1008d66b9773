"""Annotations as AlpacaEval has them (tatsu-lab/alpaca_eval, results/MODEL/ANNOTATOR/
annotations.json): 1 is the first output, 2 the second, and what lies between is how likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...records import Outcome
from .layout import BOTH_BAD, NO_TEXTS, Document, Format, Row

PREFERENCES = {Outcome.A: 1.0, Outcome.B: 2.0, Outcome.TIE: 1.5}


def preferences(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a row a vote; the first output is the one that was shown first."""
    for row in rows:
        yield (
            "",
            {
                "instruction": row["context"],
                "output_1": row["text_a"],
                "generator_1": row["system_a"],
                "dataset": row["subset"],
                "output_2": row["text_b"],
                "generator_2": row["system_b"],
                "annotator": row["judge"],
                "preference": _preference(row),
            },
        )


def _preference(row: Row) -> float | None:
    if row["winner"] is None:
        return None
    if row["prob_a"] is not None:
        return 2.0 - float(row["prob_a"])
    return PREFERENCES[Outcome(row["winner"])]


FORMAT = Format(
    "alpaca-eval", "AlpacaEval", (".json",), preferences, frozenset((BOTH_BAD, NO_TEXTS)),
    one_attribute=True,
)  # fmt: skip
