"""Comparisons and the answers to them: append-only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ..records import Answer, Kind, Outcome, Reply
from .connection import StorePart, make_timestamp

REPLIED = "failure, raw, tokens, completion_tokens, prompt_tokens_read, seconds, waited"
"""The columns of a reply that `reply_columns` gives."""

ANSWERED = f"""outcome, prob_a, votes, strength, confidence, comment, reasons, context_cut, screen,
    text_format, order_known, created_at, {REPLIED}"""
"""The columns of a judgement that `answer_columns` gives."""

SYSTEMS = "JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b"
TEXTS = """JOIN generations ga ON ga.id = c.generation_a
    JOIN generations gb ON gb.id = c.generation_b"""
"""The systems and the texts of a comparison c, the one shown first as `a`."""

_OF_DATASET = {
    "judgements": """comparison IN (SELECT c.id FROM comparisons c
        JOIN attributes a ON a.id = c.attribute WHERE a.dataset = ?1)""",
    "scores": "attribute IN (SELECT id FROM attributes WHERE dataset = ?1)",
}

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""SQLite's functions stop at NUL, and half a surrogate pair is no UTF-8: the rest of a
comment is kept.
"""

_ADD = f"""INSERT INTO judgements (comparison, judge, trial, run, campaign, execution, {ANSWERED})
    VALUES ({", ".join("?" * 25)}) ON CONFLICT DO NOTHING"""


class Judgements(StorePart):
    """Answers to comparisons, by judge. Of an answer only `withdrawn_at` ever changes."""

    def add_comparisons(self, attribute: int, pairs: Iterable[tuple[int, int]]) -> int:
        """Add ordered pairs of generation ids, the first shown in front; known ones are kept."""
        with self._db.transaction():
            return self._db.executemany(
                """INSERT OR IGNORE INTO comparisons (attribute, generation_a, generation_b, item,
                    system_a, system_b)
                SELECT ?, a.id, b.id, a.item, a.system, b.system FROM generations a, generations b
                WHERE a.id = ? AND b.id = ? AND a.item = b.item""",
                ((attribute, first, second) for first, second in pairs),
            )

    def comparison_id(self, attribute: int, generation_a: int, generation_b: int) -> int:
        """Return the row of an ordered pair that has been added."""
        return self._db.count(
            "SELECT id FROM comparisons WHERE attribute = ? AND generation_a = ? AND "
            "generation_b = ?",
            (attribute, generation_a, generation_b),
        )

    def add_answers(
        self,
        run: int,
        judge: int,
        trial: int,
        answers: Iterable[tuple[int, Answer]],
        *,
        execution: int | None = None,
    ) -> int:
        """Store a judge's answers in a run; what was answered meanwhile keeps its first answer."""
        at = make_timestamp()
        with self._db.transaction():
            return self._db.executemany(
                _ADD,
                (
                    (comparison, judge, trial, run, None, execution, *answer_columns(answer, at))
                    for comparison, answer in answers
                ),
            )

    def add_vote(
        self, campaign: int | None, comparison: int, judge: int, answer: Answer, *, trial: int = 0
    ) -> int | None:
        """Store a person's answer; return its row, or None when the comparison has an answer
        already.

        It is given in a campaign or (None) outside of all, and on disk when this returns.
        """
        with self._db.transaction(durable=True):
            given = answer_columns(answer, make_timestamp())
            row = self._db.insert(_ADD, (comparison, judge, trial, None, campaign, None, *given))
            return row or None

    def load_answer(self, judgement: int) -> Answer:
        """Load what a person answered and said of it, taken back or not."""
        row = self._db.record(
            """SELECT outcome, failure, strength, confidence, comment, reasons FROM judgements
            WHERE id = ?""",
            (judgement,),
        )
        outcome = Outcome(row["outcome"]) if row["outcome"] else None
        return Answer(**{**row, "outcome": outcome, "reasons": tuple(json.loads(row["reasons"]))})

    def screen(self, judgement: int) -> str:
        """Return what was on the screen of the person who gave the judgement."""
        return str(self._db.value("SELECT screen FROM judgements WHERE id = ?", (judgement,)))

    def withdraw(self, judgement: int, judge: int) -> bool:
        """Take back an answer of this judge; false when it is not theirs or already withdrawn."""
        with self._db.transaction(durable=True):
            withdrawn = self._db.execute(
                """UPDATE judgements SET withdrawn_at = ?
                WHERE id = ? AND judge = ? AND withdrawn_at IS NULL""",
                (make_timestamp(), judgement, judge),
            )
        return withdrawn > 0

    def withdraw_kind(self, dataset: str, kind: Kind) -> int:
        """Take back all live judgements and marks of judges of a kind; return how many."""
        with self._db.transaction(durable=True):
            return sum(
                self._db.execute(
                    f"""UPDATE {table} SET withdrawn_at = ?3 WHERE withdrawn_at IS NULL
                    AND judge IN (SELECT id FROM judges WHERE kind = ?2) AND {about}""",
                    (dataset, kind.value, make_timestamp()),
                )
                for table, about in _OF_DATASET.items()
            )


def reply_columns(reply: Reply) -> tuple[object, ...]:
    """Return what a model's reply took, and its literal words, as the columns REPLIED."""
    return (
        *(reply.failure, reply.raw, reply.tokens, reply.completion_tokens, reply.part_read),
        *(reply.seconds, reply.waited),
    )


def answer_columns(answer: Answer, at: str) -> tuple[object, ...]:
    """Return an answer in a known order, and when it was given, as the columns ANSWERED."""
    return (
        *(answer.outcome.value if answer.outcome else None, answer.prob_a, answer.votes),
        *(answer.strength, answer.confidence, _UNSTORABLE.sub("", answer.comment)),
        json.dumps(answer.reasons, ensure_ascii=False) if answer.reasons else "[]",
        *(answer.context_cut, answer.screen, answer.text_format),
        *(1, at, *reply_columns(answer)),
    )
