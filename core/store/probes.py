"""Answers to comparisons with a changed text: no judgements, in a table of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from ..records import Answer, Outcome, ProbedComparison
from .connection import StorePart, as_list, failed_for, make_timestamp
from .judgements import REPLIED, SYSTEMS, reply_columns

ProbeRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "judge kind attribute item subset system_a system_b probed asked outcome failure "
            "clean_outcome",
            int: "comparison trial run",
            float: "prob_a clean_prob_a",
        }
    ),
]

_COLUMNS = f"""comparison, judge, trial, attacked, sentence, run, execution, outcome, prob_a, votes,
    context_cut, created_at, {REPLIED}"""
# Live answers about the comparisons of a run r, each changed in one of the ways asked.
_OF_RUN = """FROM runs r JOIN run_comparisons q ON q.run = r.id
    JOIN live_attack_answers x ON x.comparison = q.comparison AND x.judge = r.judge
        AND x.trial = r.trial
    WHERE r.id = ?1 AND x.sentence IN (SELECT value FROM json_each(?2))"""


class Probes(StorePart):
    """Answers of judges to changed comparisons.

    One live answer for each comparison, judge, trial, changed side and change. The table has the
    names of version 1.0, `attack_answers`, where `sentence` is what was asked.
    """

    def add_answers(
        self,
        run: int,
        judge: int,
        trial: int,
        answers: Iterable[tuple[ProbedComparison, Answer]],
        *,
        execution: int | None = None,
    ) -> int:
        """Store a judge's answers in a run; return how many are new.

        A comparison that was answered meanwhile keeps its first answer.
        """
        at = make_timestamp()
        rows = (
            (
                *(question.comparison, judge, trial, question.probed.value, question.asked),
                *(run, execution, answer.outcome.value if answer.outcome else None),
                *(answer.prob_a, answer.votes, answer.context_cut, at, *reply_columns(answer)),
            )
            for question, answer in answers
        )
        with self._db.transaction():
            return self._db.add_rows("attack_answers", _COLUMNS, rows)

    def copy_swapped(self, run: int, asked: str) -> None:
        """Take over what the judge of a run has answered with the texts the other way round, as
        answers about its comparisons, `asked` so, with the second text first.
        """
        with self._db.transaction():
            self._db.execute(
                f"""INSERT INTO attack_answers ({_COLUMNS})
                SELECT c.id, r.judge, r.trial, 'b', ?2, r.id, NULL,
                    CASE m.outcome WHEN 'a' THEN 'b' WHEN 'b' THEN 'a' ELSE m.outcome END,
                    1 - m.prob_a, m.votes, 0, ?3, '', '', 0, 0, 0, NULL, NULL
                FROM runs r JOIN run_comparisons q ON q.run = r.id
                JOIN comparisons c ON c.id = q.comparison
                JOIN comparisons d ON d.attribute = c.attribute
                    AND d.generation_a = c.generation_b AND d.generation_b = c.generation_a
                JOIN live_judgements m ON m.comparison = d.id AND m.judge = r.judge
                    AND m.trial = r.trial AND m.outcome IS NOT NULL AND m.order_known = 1
                WHERE r.id = ?1 ON CONFLICT DO NOTHING""",
                (run, asked, make_timestamp()),
            )

    def load_planned(self, run: int) -> dict[int, tuple[str, str]]:
        """Map the answered comparisons of a run, in the order of asking, to their systems."""
        rows = self._db.rows(
            f"""SELECT c.id, sa.name, sb.name FROM runs r JOIN run_comparisons q ON q.run = r.id
            JOIN comparisons c ON c.id = q.comparison {SYSTEMS}
            JOIN live_judgements j ON j.comparison = c.id AND j.judge = r.judge
                AND j.trial = r.trial AND j.outcome IS NOT NULL
            WHERE r.id = ? ORDER BY q.priority, q.id""",
            (run,),
        )
        return {comparison: (one, other) for comparison, one, other in rows}

    def list_answered(self, run: int, asked: Sequence[str]) -> dict[tuple[int, Outcome, str], str]:
        """Map the comparison, the side and what was asked of the answers about the comparisons of a
        run, of whichever run they are, to '' or why there is none.
        """
        rows = self._db.rows(
            f"SELECT x.comparison, x.attacked, x.sentence, x.failure {_OF_RUN}",
            (run, as_list(asked)),
        )
        return {(row[0], Outcome(row[1]), row[2]): row[3] for row in rows}

    def withdraw_failures(self, run: int, asked: Sequence[str], kind: str = "") -> int:
        """Take back what failed (for a `kind`), so that only that is asked again."""
        with self._db.transaction():
            return self._db.execute(
                f"""UPDATE attack_answers SET withdrawn_at = ?4 WHERE id IN (
                    SELECT x.id {_OF_RUN} AND {failed_for("x.failure", "?3")})""",
                (run, as_list(asked), kind, make_timestamp()),
            )

    def runs(self, dataset: str) -> list[dict[str, Any]]:
        """List the requests of all runs that probe a data set, oldest first.

        Each comes with its number (run) and its judge's name (judge).
        """
        rows = self._db.rows(
            """SELECT p.id, w.name, p.settings FROM runs p JOIN judges w ON w.id = p.judge
            WHERE p.dataset = ? AND p.task = 'attack' ORDER BY p.id""",
            (dataset,),
        )
        return [
            {**json.loads(settings), "run": run, "judge": judge} for run, judge, settings in rows
        ]

    def load_all(self, dataset: str) -> ProbeRows:
        """Load all live answers to changed comparisons, each beside the one as it is.

        `clean_outcome` is the live answer to the comparison as it is. Rows where that one has been
        withdrawn are left out. `probed` is a or b.
        """
        return self._db.frame(
            f"""SELECT w.name AS judge, w.kind, t.name AS attribute, i.key AS item, i.subset,
                sa.name AS system_a, sb.name AS system_b, x.comparison, x.trial, x.run,
                x.attacked AS probed, x.sentence AS asked, x.outcome, x.prob_a, x.failure,
                j.outcome AS clean_outcome, j.prob_a AS clean_prob_a
            FROM live_attack_answers x CROSS JOIN comparisons c ON c.id = x.comparison
            JOIN attributes t ON t.id = c.attribute
            JOIN live_judgements j ON j.comparison = x.comparison AND j.judge = x.judge
                AND j.trial = x.trial AND j.outcome IS NOT NULL
            JOIN judges w ON w.id = x.judge JOIN items i ON i.id = c.item {SYSTEMS}
            WHERE t.dataset = ? ORDER BY x.id""",
            (dataset,),
            rows=ProbeRows,
        )
