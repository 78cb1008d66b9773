"""Adjudications: decisions where people disagreed, kept as the judgements of a gold judge."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import Answer, JudgeSpec, Kind, Outcome, TandemError
from .connection import StorePart
from .judgements import Judgements
from .judges import Judges

AdjudicationRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "judgement generation_1 generation_2",
            str: "attribute outcome comment by created_at",
            float: "better",
        }
    ),
]

ADJUDICATED = "adjudicated"
"""The judge, of kind gold, whose answers adjudications are."""


@dataclass(frozen=True)
class ShownPair:
    """A pair of texts (generation rows) as it was shown, A first, and the question (its row)."""

    attribute: int
    generation_a: int
    generation_b: int


class Adjudications(StorePart):
    """Decisions about pairs that annotators disagree on.

    There is one live decision for each attribute of a pair, in either order. A new one withdraws
    the one before.
    """

    def decide(self, shown: ShownPair, outcome: Outcome, *, by: str, comment: str = "") -> int:
        """Record a decision about a pair; return its judgement (row). Raises TandemError where a
        judge of another kind bears the name, or a file brought an answer of that name.
        """
        judges, judgements = Judges(self._db), Judgements(self._db)
        sides = (shown.generation_a, shown.generation_b)
        with self._db.transaction(durable=True):
            judges.add([JudgeSpec(ADJUDICATED, Kind.GOLD)])
            judge = judges.id_of(ADJUDICATED)
            for row in self._live(shown):
                judgements.withdraw(row, judge)
            judgements.add_comparisons(shown.attribute, [sides])
            answer = Answer(
                outcome=outcome,
                comment=comment.strip(),
                screen=json.dumps({"adjudicated_by": by}, ensure_ascii=False),
            )
            comparison = judgements.comparison_id(shown.attribute, *sides)
            decided = judgements.add_vote(None, comparison, judge, answer)
            if decided is None:
                raise TandemError(
                    f"a file brought an answer of {ADJUDICATED!r} about this pair: what is "
                    "imported stays as it is"
                )
        return decided

    def undo(self, judgement: int) -> bool:
        """Withdraw a decision; return False for another judgement, or one withdrawn already."""
        judge = Judges(self._db).find_id(ADJUDICATED)
        return judge is not None and Judgements(self._db).withdraw(judgement, judge)

    def load_all(self, dataset: str) -> AdjudicationRows:
        """Load all live decisions: `judgement` is their row, `generation_1` < `generation_2` are
        rows of the texts, `better` is one of them, NaN where it is neither.
        """
        return self._db.frame(
            """SELECT j.id AS judgement, a.name AS attribute, c.generation_1, c.generation_2,
            CASE j.outcome WHEN 'a' THEN c.generation_a WHEN 'b' THEN c.generation_b END AS better,
            j.outcome, j.comment, json_extract(j.screen, '$.adjudicated_by') AS by, j.created_at
            FROM judges w JOIN live_judgements j ON j.judge = w.id
            JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
            WHERE w.name = ? AND a.dataset = ? AND j.screen <> '' ORDER BY j.id""",
            (ADJUDICATED, dataset),
            rows=AdjudicationRows,
        )

    def _live(self, shown: ShownPair) -> list[int]:
        return self._db.column(
            """SELECT j.id FROM comparisons c JOIN live_judgements j ON j.comparison = c.id
            JOIN judges w ON w.id = j.judge
            WHERE w.name = ?1 AND j.screen <> '' AND c.attribute = ?2
            AND c.generation_1 = min(?3, ?4) AND c.generation_2 = max(?3, ?4)""",
            (ADJUDICATED, shown.attribute, shown.generation_a, shown.generation_b),
        )
