"""Answers to comparisons with an attacked text: no judgements, in a table of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import pandas as pd

from ..frames import Schema
from ..records import Answer, AttackedComparison, Outcome, Question
from .connection import StorePart, failed_for, make_timestamp
from .similarities import ChosenGenerations
from .texts import ABOUT, read_about

AttackRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "judge kind attribute item subset system_a system_b attacked sentence outcome "
            "failure clean_outcome",
            int: "comparison trial run",
            float: "prob_a clean_prob_a",
        }
    ),
]

# The answered comparisons of a run p, each with either side attacked by each sentence, and what its
# judge has said to that.
_WANTED = """FROM runs p JOIN run_comparisons q ON q.run = p.id
    JOIN live_judgements j ON j.comparison = q.comparison AND j.judge = p.judge
        AND j.trial = p.trial AND j.outcome IS NOT NULL
    CROSS JOIN (SELECT 'a' AS attacked UNION ALL SELECT 'b') side
    CROSS JOIN (SELECT key AS place, value AS sentence FROM json_each(:sentences)) said
    LEFT JOIN live_attack_answers x ON x.comparison = q.comparison AND x.judge = p.judge
        AND x.trial = p.trial AND x.attacked = side.attacked AND x.sentence = said.sentence
    WHERE p.id = :run"""


class Verdict(NamedTuple):
    """A comparison that a judge has decided, or called a tie: its item and texts, and what they are
    called.
    """

    item: str
    generation_a: int
    generation_b: int
    called: str


class Attacks(StorePart):
    """Answers of judges to attacked comparisons.

    One live answer for each comparison, judge, trial, attacked side and sentence.
    """

    def add_answers(
        self,
        run: int,
        judge: int,
        trial: int,
        answers: Iterable[tuple[AttackedComparison, Answer]],
        *,
        execution: int | None = None,
    ) -> int:
        """Store a judge's answers in a run; return how many are new.

        A comparison that was answered meanwhile keeps its first answer.
        """
        at = make_timestamp()
        with self._db.transaction():
            return self._db.executemany(
                """INSERT INTO attack_answers (comparison, judge, trial, attacked, sentence, run,
                    execution, outcome, prob_a, votes, failure, seconds, waited, tokens,
                    completion_tokens, context_cut, prompt_tokens_read, raw, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING""",
                (
                    (
                        *(question.comparison, judge, trial, question.attacked.value),
                        *(question.sentence, run, execution),
                        answer.outcome.value if answer.outcome else None,
                        *(answer.prob_a, answer.votes, answer.failure, answer.seconds),
                        *(answer.waited, answer.tokens, answer.completion_tokens),
                        *(answer.context_cut, answer.part_read, answer.raw, at),
                    )
                    for question, answer in answers
                ),
            )

    def verdicts(
        self, chosen: ChosenGenerations, attribute: str, judge: int, trial: int
    ) -> list[Verdict]:
        """List the comparisons of chosen texts that a judge has answered, in a known order."""
        rows = self._db.rows(
            """SELECT i.key, c.generation_a, c.generation_b,
                sa.name || char(31) || sb.name || char(31) || ga.sample || char(31) || gb.sample
            FROM attributes a JOIN comparisons c ON c.attribute = a.id
            JOIN live_judgements j ON j.comparison = c.id AND j.judge = ?3 AND j.trial = ?4
                AND j.outcome IS NOT NULL AND j.order_known = 1
            JOIN items i ON i.id = c.item
            JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b
            JOIN generations ga ON ga.id = c.generation_a AND ga.text IS NOT NULL
            JOIN generations gb ON gb.id = c.generation_b AND gb.text IS NOT NULL
            WHERE a.dataset = ?1 AND a.name = ?2 AND (?5 IS NULL OR i.subset = ?5)
            AND ga.sample < ?6 AND gb.sample < ?6
            AND (?7 = '[]' OR (sa.name IN (SELECT value FROM json_each(?7))
                AND sb.name IN (SELECT value FROM json_each(?7))))
            ORDER BY c.id""",
            (
                *(chosen.dataset, attribute, judge, trial, chosen.subset, chosen.samples),
                _list(chosen.systems),
            ),
        )
        return [Verdict(*row) for row in rows]

    def list_pending(
        self, run: int, sentences: Sequence[str], limit: int
    ) -> list[tuple[Question, Outcome, str]]:
        """List the next attacks of a run: comparisons its judge has answered as they are, not yet
        attacked.

        Each has its own texts, the side and the sentence.
        """
        rows = self._db.rows(
            f"""SELECT n.attacked, n.sentence, n.trial, c.id, i.context, ga.text, gb.text, {ABOUT}
            FROM (SELECT q.comparison, side.attacked, said.sentence, p.trial, q.priority, q.id,
                said.place {_WANTED} AND x.id IS NULL
                ORDER BY q.priority, q.id, side.attacked, said.place LIMIT :limit) n
            JOIN comparisons c ON c.id = n.comparison
            JOIN generations ga ON ga.id = c.generation_a
            JOIN generations gb ON gb.id = c.generation_b
            JOIN attributes a ON a.id = c.attribute JOIN items i ON i.id = ga.item
            JOIN datasets d ON d.name = a.dataset
            ORDER BY n.priority, n.id, n.attacked, n.place""",
            {"run": run, "sentences": _list(sentences), "limit": limit},
        )
        found = []
        for side, sentence, trial, comparison, context, text_a, text_b, *about in rows:
            own = read_about(about)
            question = Question(comparison, context or "", text_a, text_b, trial=trial, **own)
            found.append((question, Outcome(side), sentence))
        return found

    def count_asked(self, run: int, sentences: Sequence[str]) -> int:
        """Count the attacked comparisons of a run that were asked."""
        asked = {"run": run, "sentences": _list(sentences)}
        return int(self._db.rows(f"SELECT count(x.id) {_WANTED}", asked)[0][0])

    def failures(self, run: int, sentences: Sequence[str]) -> dict[str, int]:
        """Count the attacked comparisons of a run that have no answer, by reason."""
        return dict(
            self._db.rows(
                f"""SELECT x.failure, count(*) {_WANTED} AND x.failure <> ''
                GROUP BY 1 ORDER BY 2 DESC""",
                {"run": run, "sentences": _list(sentences)},
            )
        )

    def withdraw_failures(self, run: int, sentences: Sequence[str], kind: str = "") -> int:
        """Take back what was not answered, so that only that is asked again; with a `kind` what
        failed for it.
        """
        with self._db.transaction():
            lost = self._db.rows(
                f"SELECT x.id {_WANTED} AND {failed_for('x.failure', ':kind')}",
                {"run": run, "sentences": _list(sentences), "kind": kind},
            )
            return self._db.executemany(
                "UPDATE attack_answers SET withdrawn_at = ? WHERE id = ?",
                ((make_timestamp(), answer) for (answer,) in lost),
            )

    def runs(self, dataset: str) -> list[dict[str, Any]]:
        """List the requests of all runs that attack a data set, oldest first.

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

    def load_all(self, dataset: str) -> AttackRows:
        """Load all live answers to attacked comparisons, each beside the unattacked one.

        `clean_outcome` is the live answer to the comparison as it is. Rows where that one has been
        withdrawn are left out. `attacked` is a or b.
        """
        return self._db.frame(
            """SELECT w.name AS judge, w.kind, t.name AS attribute, i.key AS item, i.subset,
                sa.name AS system_a, sb.name AS system_b, x.comparison, x.trial, x.run,
                x.attacked, x.sentence, x.outcome, x.prob_a, x.failure,
                j.outcome AS clean_outcome, j.prob_a AS clean_prob_a
            FROM live_attack_answers x CROSS JOIN comparisons c ON c.id = x.comparison
            JOIN attributes t ON t.id = c.attribute
            JOIN live_judgements j ON j.comparison = x.comparison AND j.judge = x.judge
                AND j.trial = x.trial AND j.outcome IS NOT NULL
            JOIN judges w ON w.id = x.judge JOIN items i ON i.id = c.item
            JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b
            WHERE t.dataset = ? ORDER BY x.id""",
            (dataset,),
            rows=AttackRows,
        )


def _list(words: Sequence[str]) -> str:
    """Encode words as `json_each` reads them."""
    return json.dumps(list(words))
