"""Scores: absolute marks of single texts, and the wanted ones that are still missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from ..records import Candidate, Mark, Score
from .connection import StorePart, as_list, failed_for, make_timestamp
from .exclusions import EXCLUDED
from .judgements import REPLIED, reply_columns
from .similarities import ChosenGenerations
from .texts import ABOUT, read_about

WantedMarks = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "item system attribute failure raw created_at context text context_noun "
            "candidate_noun refs",
            int: "sample generation tokens",
            float: "value",
        }
    ),
]
ScorerRows = Annotated[pd.DataFrame, Schema({str: "judge kind mode attribute"})]
ScoreRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "generation sample trial lower_is_better",
            str: "item subset system attribute rater kind failure",
            float: "value",
        }
    ),
]

_MARK = """live_scores r ON r.generation = g.id AND r.attribute = a.id AND r.judge = :judge
    AND r.trial = :trial"""


@dataclass(frozen=True)
class WantedScores:
    """Marks that are wanted: of the chosen generations, on each of these attributes.

    The marks are those of one judge (its row) at one trial.
    """

    chosen: ChosenGenerations
    attributes: tuple[str, ...]
    judge: int
    trial: int = 0

    def query(self, select: str, joined: str, more: str = "") -> tuple[str, dict[str, Any]]:
        """Build a query over items i, generations g and attributes a, each g with each a."""
        chosen, values = self.chosen.query("g.id, g.item, g.text")
        sql = f"""WITH wanted AS ({chosen}), asked AS (SELECT * FROM attributes
                WHERE dataset = :dataset AND name IN (SELECT value FROM json_each(:attributes)))
            SELECT {select} FROM wanted g CROSS JOIN asked a JOIN items i ON i.id = g.item {joined}
            {more}"""
        of = {"attributes": as_list(self.attributes), "judge": self.judge, "trial": self.trial}
        return sql, values | of


class Scores(StorePart):
    """Absolute marks of single texts.

    There is one live mark for each generation, attribute, judge and trial. A mark that is taken
    back stays, as withdrawn.
    """

    def has_had(self, dataset: str, judge: str) -> bool:
        """Return whether a judge has ever given a mark here, also one that is withdrawn."""
        return self._db.holds(
            """SELECT EXISTS (SELECT 1 FROM scores r JOIN attributes a ON a.id = r.attribute
                WHERE a.dataset = ? AND r.judge = (SELECT id FROM judges WHERE name = ?))""",
            (dataset, judge),
        )

    def add(self, dataset: str, scores: Iterable[Score]) -> int:
        """Add absolute marks of known generations by known judges; known marks stay as they are."""
        at = make_timestamp()
        with self._db.transaction():
            return self._db.executemany(
                """INSERT INTO scores (generation, attribute, judge, trial, value, failure, raw,
                    created_at)
                SELECT g.id, a.id, j.id, ?7, ?8, ?9, ?10, ?11
                FROM items i, systems s, generations g, attributes a, judges j
                WHERE i.dataset = ?1 AND i.key = ?2 AND s.dataset = ?1 AND s.name = ?3
                AND g.item = i.id AND g.system = s.id AND g.sample = ?4
                AND a.dataset = ?1 AND a.name = ?5 AND j.name = ?6 ON CONFLICT DO NOTHING""",
                (
                    (
                        *(dataset, score.item, score.system, score.sample),
                        *(score.attribute, score.judge, score.trial),
                        *(score.value, score.failure, score.raw, at),
                    )
                    for score in scores
                ),
            )

    def add_marks(
        self,
        run: int,
        wanted: WantedScores,
        marks: Iterable[tuple[Candidate, Mark]],
        *,
        execution: int | None = None,
    ) -> int:
        """Store a judge's marks in a run; a candidate marked meanwhile keeps its first mark."""
        asked = (wanted.judge, wanted.trial, run, execution, make_timestamp())
        with self._db.transaction():
            attributes = self._db.mapping(
                "SELECT name, id FROM attributes WHERE dataset = ?", (wanted.chosen.dataset,)
            )
            return self._db.add_rows(
                "scores",
                "judge, trial, run, execution, created_at, generation, attribute, value, "
                f"context_cut, {REPLIED}",
                (
                    (*asked, candidate.generation, attributes[candidate.attribute.name],
                     mark.value, mark.context_cut, *reply_columns(mark))
                    for candidate, mark in marks
                ),
            )  # fmt: skip

    def items_of(self, chosen: ChosenGenerations) -> dict[int, str]:
        """Return the key of each item that has chosen generations, by row."""
        sql, values = chosen.query("DISTINCT i.id, i.key", "ORDER BY i.id")
        return self._db.mapping(sql, values)

    def list_unmarked(
        self, wanted: WantedScores, items: Sequence[int], limit: int
    ) -> list[Candidate]:
        """List the next candidates of these items (rows) without a live mark, text by text."""
        sql, values = wanted.query(
            f"g.id, i.context, g.text, {ABOUT}",
            f"""JOIN json_each(:items) o ON o.value = g.item JOIN datasets d ON d.name = a.dataset
            LEFT JOIN {_MARK}""",
            "WHERE r.id IS NULL ORDER BY o.key, g.id, a.id LIMIT :limit",
        )
        return [
            Candidate(generation=generation, context=context, text=text, **read_about(about))
            for generation, context, text, *about in self._db.rows(
                sql, {**values, "items": as_list(items), "limit": limit}
            )
        ]

    def counts(self, wanted: WantedScores) -> tuple[int, int]:
        """Count the marks that are wanted, and those that are there, given or failed."""
        sql, values = wanted.query("count(*), count(r.id)", f"LEFT JOIN {_MARK}")
        planned, done = self._db.rows(sql, values)[0]
        return int(planned), int(done)

    def failures(self, wanted: WantedScores) -> dict[str, int]:
        """Count the wanted marks that failed, by reason."""
        sql, values = wanted.query(
            "r.failure, count(*)",
            f"JOIN {_MARK}",
            "WHERE r.failure <> '' GROUP BY 1 ORDER BY 2 DESC",
        )
        return self._db.mapping(sql, values)

    def withdraw_failures(self, wanted: WantedScores, kind: str = "") -> int:
        """Take back the wanted marks that failed (for a `kind`): only those are asked again."""
        sql, values = wanted.query(
            "r.id", f"JOIN {_MARK}", f"WHERE {failed_for('r.failure', ':kind')}"
        )
        with self._db.transaction():
            failed = self._db.column(sql, {**values, "kind": kind})
            return self._db.executemany(
                "UPDATE scores SET withdrawn_at = ? WHERE id = ?",
                [(make_timestamp(), row) for row in failed],
            )

    def load_marks(
        self, wanted: WantedScores, *, failed: bool = False, limit: int = 50, offset: int = 0
    ) -> WantedMarks:
        """Load the wanted marks that are there, or only those that failed; `refs` are references as
        JSON, `all` in attrs is how many marks there are.
        """
        which = "WHERE r.failure <> '' OR NOT :failed"
        sql, values = wanted.query(
            """i.key AS item, s.name AS system, n.sample, g.id AS generation, a.name AS attribute,
            r.value, r.failure, r.raw, r.tokens, r.created_at, i.context, g.text, d.context_noun,
            d.candidate_noun, i."references" AS refs""",
            f"""JOIN {_MARK} JOIN generations n ON n.id = g.id JOIN systems s ON s.id = n.system
            JOIN datasets d ON d.name = a.dataset""",
            f"{which} ORDER BY r.id LIMIT :limit OFFSET :offset",
        )
        values |= {"failed": failed, "limit": limit, "offset": offset}
        frame = self._db.frame(sql, values, rows=WantedMarks)
        counted, values = wanted.query("count(*)", f"JOIN {_MARK}", which)
        frame.attrs["all"] = self._db.count(counted, {**values, "failed": failed})
        return frame

    def scorers(self, dataset: str) -> ScorerRows:
        """List the judges with live marks here, with each attribute, without excluded ones."""
        return self._db.frame(
            f"""SELECT j.name AS judge, j.kind, j.mode, a.name AS attribute
            FROM judges j CROSS JOIN attributes a WHERE a.dataset = ?1 AND EXISTS (
                SELECT 1 FROM live_scores r WHERE r.attribute = a.id AND r.judge = j.id)
            AND j.id NOT IN ({EXCLUDED.format(dataset="?1")})
            ORDER BY j.name, a.id""",
            (dataset,),
            rows=ScorerRows,
        )

    def load_all(self, dataset: str, *, excluded: bool = False) -> ScoreRows:
        """Load all live marks, `value` NaN for a failed one.

        `lower_is_better` (1 or 0) is of marks from files. With `excluded`, the marks of excluded
        judges are among them.
        """
        return self._db.frame(
            f"""SELECT g.id AS generation, i.key AS item, i.subset, s.name AS system, g.sample,
            a.name AS attribute, j.name AS rater, j.kind, r.trial, r.value, r.failure,
            a.lower_is_better AND r.run IS NULL AS lower_is_better
            FROM live_scores r JOIN generations g ON g.id = r.generation
            JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
            JOIN attributes a ON a.id = r.attribute JOIN judges j ON j.id = r.judge
            WHERE a.dataset = ?1
            AND (?2 OR r.judge NOT IN ({EXCLUDED.format(dataset="?1")})) ORDER BY r.id""",
            (dataset, excluded),
            rows=ScoreRows,
        )

    def stamp(self, dataset: str) -> str:
        """Return a text that changes whenever a score is added, withdrawn or means something else.

        No other data set of that name has it.
        """
        return self._db.stamp(
            """SELECT (SELECT uid FROM datasets WHERE name = ?1), count(*), coalesce(max(r.id), 0),
            coalesce(sum(a.lower_is_better), 0)
            FROM live_scores r JOIN attributes a ON a.id = r.attribute WHERE a.dataset = ?1""",
            (dataset,),
        )
