"""Comparisons and the answers to them: append-only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from core.records import Answer, Outcome, Vote
from core.store.connection import Connection, Part, now
from core.store.datasets import Datasets

_COLUMNS = """comparison, judge, trial, plan, execution, outcome, prob_a, votes, failure, strength,
    confidence, comment, reasons, seconds, waited, tokens, completion_tokens, context_cut,
    part_read, raw, screen, order_known, source_row, created_at"""

_ADD = f"""INSERT INTO judgements ({_COLUMNS})
    VALUES ({", ".join("?" * 24)}) ON CONFLICT DO NOTHING"""

# The two generations of an imported vote, by what its file calls them.
_SIDES = """FROM generations a JOIN generations b ON b.item = a.item AND b.system = ? AND
    b.sample = ?"""
_FIRST = "a.item = ? AND a.system = ? AND a.sample = ?"

# A repeated vote of the same judge on the same comparison is the next trial.
_ADD_IMPORTED = f"""INSERT INTO judgements ({_COLUMNS})
    SELECT c.id, ?1, (SELECT coalesce(max(trial) + 1, 0) FROM live_judgements
        WHERE comparison = c.id AND judge = ?1),
    NULL, NULL, {", ".join("?" * 19)}
    {_SIDES} JOIN comparisons c ON c.attribute = ? AND c.generation_a = a.id AND c.generation_b =
    b.id
    WHERE {_FIRST} ON CONFLICT DO NOTHING"""


class Judgements(Part):
    """Who answered what; `withdrawn_at` is the only thing about an answer that ever changes."""

    def __init__(self, connection: Connection, datasets: Datasets) -> None:
        super().__init__(connection)
        self._datasets = datasets

    def add_comparisons(self, attribute: int, pairs: Iterable[tuple[int, int]]) -> int:
        """Ordered pairs of generation ids, the one shown first in front; those already known are
        kept.
        """
        with self._db.transaction():
            return self._db.executemany(
                """INSERT OR IGNORE INTO comparisons (attribute, generation_a, generation_b, item,
                    system_a, system_b)
                SELECT ?, a.id, b.id, a.item, a.system, b.system FROM generations a, generations b
                WHERE a.id = ? AND b.id = ? AND a.item = b.item""",
                ((attribute, first, second) for first, second in pairs),
            )

    def comparison_id(self, attribute: int, generation_a: int, generation_b: int) -> int:
        """The row of an ordered pair that has been added."""
        return int(
            self._db.value(
                "SELECT id FROM comparisons WHERE attribute = ? AND generation_a = ? AND "
                "generation_b = ?",
                (attribute, generation_a, generation_b),
            )
        )

    def add_votes(self, dataset: str, votes: Sequence[Vote]) -> tuple[int, int]:
        """Imported judgements of known generations: how many comparisons and judgements were new.

        A vote whose `source_row` is there already is the same vote and is not added again.
        """
        at = now()
        with self._db.transaction():
            systems = self._datasets.system_ids(dataset)
            attributes = {
                a.name: self._datasets.attribute_id(dataset, a.name)
                for a in self._datasets.attributes(dataset)
            }
            judges = dict(self._db.rows("SELECT name, id FROM judges"))
            known = self.known_rows(vote.source_row for vote in votes)
            new = [vote for vote in votes if vote.source_row not in known]
            items = self._datasets.item_ids(dataset, (vote.item for vote in new))
            sides = [
                (
                    (systems[v.system_b], v.sample_b),
                    attributes[v.attribute],
                    (items.get(v.item), systems[v.system_a], v.sample_a),
                )
                for v in new
            ]
            comparisons = self._db.executemany(
                f"""INSERT OR IGNORE INTO comparisons (attribute, generation_a, generation_b, item,
                    system_a, system_b)
                SELECT ?, a.id, b.id, a.item, a.system, b.system {_SIDES} WHERE {_FIRST}""",
                ((attribute, *second, *first) for second, attribute, first in sides),
            )
            judgements = self._db.executemany(
                _ADD_IMPORTED,
                (
                    (
                        judges[v.judge],
                        *_answer(v.answer, v.order_known, v.source_row, v.created_at or at),
                        *second,
                        attribute,
                        *first,
                    )
                    for v, (second, attribute, first) in zip(new, sides, strict=True)
                ),
            )
        return comparisons, judgements

    def known_rows(self, source_rows: Iterable[str]) -> dict[str, str]:
        """Which of these rows of files have been imported -> the item their vote is about."""
        return dict(
            self._db.rows(
                """SELECT j.source_row, i.key FROM judgements j
                JOIN comparisons c ON c.id = j.comparison JOIN items i ON i.id = c.item
                WHERE j.source_row IN (SELECT value FROM json_each(?)) AND j.source_row <> ''""",
                (json.dumps(list(source_rows)),),
            )
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
        """A judge's answers to comparisons of a run. One that was answered meanwhile keeps its
        first answer.
        """
        at = now()
        with self._db.transaction():
            return self._db.executemany(
                _ADD,
                (
                    (comparison, judge, trial, run, execution, *_answer(answer, True, "", at))
                    for comparison, answer in answers
                ),
            )

    def add_vote(
        self, plan: int | None, comparison: int, judge: int, answer: Answer, *, trial: int = 0
    ) -> int | None:
        """A person's answer, given in a campaign or (None) outside of all, on disk when this
        returns: its row, or None when this comparison has an answer already.
        """
        with self._db.transaction(durable=True):
            row = self._db.insert(
                _ADD, (comparison, judge, trial, plan, None, *_answer(answer, True, "", now()))
            )
            return row or None

    def given(self, judgement: int) -> Answer:
        """What a person answered, taken back or not: outcome or failure, strength, confidence,
        comment, reasons.
        """
        outcome, failure, strength, confidence, comment, reasons = self._db.rows(
            "SELECT outcome, failure, strength, confidence, comment, reasons FROM judgements "
            "WHERE id = ?",
            (judgement,),
        )[0]
        return Answer(
            outcome=Outcome(outcome) if outcome else None,
            failure=failure,
            strength=strength,
            confidence=confidence,
            comment=comment,
            reasons=tuple(json.loads(reasons)),
        )

    def screen(self, judgement: int) -> str:
        """What was on the screen of the person who gave it."""
        return str(self._db.value("SELECT screen FROM judgements WHERE id = ?", (judgement,)))

    def withdraw(self, judgement: int, judge: int) -> bool:
        """Take back an answer of this judge; false when it is not theirs or already withdrawn."""
        with self._db.transaction(durable=True):
            return bool(
                self._db.execute(
                    "UPDATE judgements SET withdrawn_at = ? WHERE id = ? AND judge = ? AND "
                    "withdrawn_at IS NULL",
                    (now(), judgement, judge),
                )
            )


def _answer(answer: Answer, order_known: bool, source_row: str, at: str) -> tuple[object, ...]:
    """The columns of a judgement from `outcome` on."""
    return (
        answer.outcome.value if answer.outcome else None,
        answer.prob_a,
        answer.votes,
        answer.failure,
        answer.strength,
        answer.confidence,
        answer.comment,
        json.dumps(answer.reasons, ensure_ascii=False) if answer.reasons else "[]",
        answer.seconds,
        answer.waited,
        answer.tokens,
        answer.completion_tokens,
        answer.context_cut,
        answer.part_read,
        answer.raw,
        answer.screen,
        int(order_known),
        source_row,
        at,
    )
