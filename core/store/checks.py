"""Checks: pairs with a known answer, and the answers of people to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import Answer, Outcome
from .connection import StorePart, make_timestamp

CheckAnswers = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "campaign attribute item subset role better worse system_a judge kind outcome "
            "text_format created_at",
            int: "tie passed excluded",
            float: "seconds",
        }
    ),
]


@dataclass(frozen=True)
class Check:
    """A pair with a known answer.

    `role` is training (asked first, with feedback), gold (among the others) or attention (one text
    beside its own words in disorder: `generation_2` is None). `expected` is the better text, "1" or
    "2", or "tie".
    """

    role: str
    attribute: int
    generation_1: int
    generation_2: int | None
    expected: str
    feedback: str = ""
    id: int = 0


_COLUMNS = "role, attribute, generation_1, generation_2, expected, feedback, id"


class Checks(StorePart):
    """Checks of campaigns, and answers to them, which are no judgements."""

    def add(self, campaign: int, checks: Iterable[Check]) -> int:
        """Add checks to a campaign and return how many were added."""
        at = make_timestamp()
        with self._db.transaction():
            rows = (
                {**vars(one), "id": None, "campaign": campaign, "created_at": at} for one in checks
            )
            return self._db.insert_rows("checks", rows)

    def list_active(self, campaign: int) -> list[Check]:
        """List the checks of a campaign that are asked."""
        return self._select("withdrawn_at IS NULL", campaign)

    def _select(self, where: str, *values: object) -> list[Check]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM checks c WHERE campaign = ?1 AND {where} ORDER BY id", values
        )
        return [Check(*row) for row in rows]

    def list_unanswered(self, campaign: int, judge: int, *, training: bool) -> list[Check]:
        """List the checks this person has not answered, in the order of their rows."""
        return self._select(
            """withdrawn_at IS NULL AND (role = 'training') = ?3 AND NOT EXISTS (
                SELECT 1 FROM check_answers a
                WHERE a."check" = c.id AND a.judge = ?2 AND a.withdrawn_at IS NULL)""",
            *(campaign, judge, int(training)),
        )

    def screens(self, judge: int) -> dict[int, str]:
        """Return the text shown as A, by check, for those shown before the store had a secret."""
        return self._db.mapping(
            'SELECT "check", first FROM check_screens WHERE judge = ?', (judge,)
        )

    def rounds(self, check: int, judge: int) -> int:
        """Count how often this person has answered a check, withdrawn answers included."""
        return self._db.count(
            'SELECT count(*) FROM check_answers WHERE "check" = ? AND judge = ?', (check, judge)
        )

    def answer(self, check: int, judge: int, answer: Answer, *, passed: bool) -> int | None:
        """Store a person's answer on disk; return its row, None when there is one already."""
        with self._db.transaction(durable=True):
            row = self._db.insert(
                """INSERT INTO check_answers ("check", judge, outcome, passed, seconds, screen,
                    text_format, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING""",
                (
                    *(check, judge, answer.outcome.value if answer.outcome else None, int(passed)),
                    *(answer.seconds, answer.screen, answer.text_format or None, make_timestamp()),
                ),
            )
            return row or None

    def load_answer(self, answer: int) -> Answer:
        """Return a person's answer to a check, taken back or not."""
        outcome = self._db.value("SELECT outcome FROM check_answers WHERE id = ?", (answer,))
        return Answer(outcome=Outcome(outcome)) if outcome else Answer(failure="skipped")

    def load_answers(self, dataset: str) -> CheckAnswers:
        """Load the live answers to checks, in the order they were given.

        `better` and `worse` are systems: the same one of an attention check, either one of a `tie`.
        `system_a` is the system shown as A, missing where that was not recorded. `outcome` is
        missing where the check was skipped.
        """
        return self._db.frame(
            """SELECT m.name AS campaign, a.name AS attribute, i.key AS item, i.subset, c.role,
            iif(c.expected = '2', s2.name, s1.name) AS better,
            iif(c.expected = '2', s1.name, coalesce(s2.name, s1.name)) AS worse,
            c.expected = 'tie' AS tie,
            CASE iif(json_valid(n.screen), n.screen ->> '$.a', NULL)
                WHEN g1.id THEN s1.name WHEN g2.id THEN s2.name END AS system_a,
            w.name AS judge, w.kind, n.outcome, n.passed, n.seconds,
            n.text_format, n.created_at, EXISTS (SELECT 1 FROM exclusions e
                WHERE e.dataset = ?1 AND e.judge = w.id AND e.lifted_at IS NULL) AS excluded
            FROM campaigns m JOIN checks c ON c.campaign = m.id
            JOIN check_answers n ON n."check" = c.id AND n.withdrawn_at IS NULL
            JOIN judges w ON w.id = n.judge JOIN attributes a ON a.id = c.attribute
            JOIN generations g1 ON g1.id = c.generation_1 JOIN items i ON i.id = g1.item
            JOIN systems s1 ON s1.id = g1.system
            LEFT JOIN generations g2 ON g2.id = c.generation_2
            LEFT JOIN systems s2 ON s2.id = g2.system
            WHERE m.dataset = ?1 ORDER BY n.id""",
            (dataset,),
            rows=CheckAnswers,
        )

    def undo(self, answer: int, judge: int) -> bool:
        """Take an answer of this person back, so that they are asked again."""
        with self._db.transaction(durable=True):
            withdrawn = self._db.execute(
                """UPDATE check_answers SET withdrawn_at = ?
                WHERE id = ? AND judge = ? AND withdrawn_at IS NULL""",
                (make_timestamp(), answer, judge),
            )
        return withdrawn > 0

    def campaign_of(self, answer: int) -> int | None:
        """Return the campaign of the check that was answered; None for an unknown answer."""
        found = self._db.value(
            """SELECT c.campaign FROM check_answers a JOIN checks c ON c.id = a."check"
            WHERE a.id = ?""",
            (answer,),
        )
        return None if found is None else int(found)

    def given_at(self, answer: int) -> str:
        """Return when a check was answered; '' for an unknown answer."""
        at = self._db.value("SELECT created_at FROM check_answers WHERE id = ?", (answer,))
        return str(at or "")

    def answered_at(self, campaign: int, judge: int) -> str:
        """Return when this person last answered a gold or attention check; '' if they never did."""
        moment = self._db.value(
            """SELECT a.created_at FROM check_answers a
            JOIN checks c ON c.id = a."check" WHERE a.judge = ? AND c.campaign = ?
            AND c.role <> 'training' AND a.withdrawn_at IS NULL ORDER BY a.id DESC LIMIT 1""",
            (judge, campaign),
        )
        return str(moment or "")

    def latest(self, campaign: int, judge: int, *, told: bool) -> tuple[int, str] | None:
        """Return the row of this person's latest answer to a check, and when it was given.

        `told` says whether they learn which checks they failed. These are then left out, training
        excepted: they would know better now.
        """
        for answer, moment in self._db.rows(
            """SELECT a.id, a.created_at FROM check_answers a JOIN checks c ON c.id = a."check"
            WHERE a.judge = ? AND c.campaign = ? AND a.withdrawn_at IS NULL
            AND NOT (? AND c.role <> 'training' AND NOT a.passed)
            ORDER BY a.id DESC LIMIT 1""",
            (judge, campaign, int(told)),
        ):
            return answer, moment
        return None

    def count_results(self, campaign: int, judge: int) -> dict[str, int]:
        """Count the checks of a campaign, and how this person did.

        Keys: `answered` (also skipped) and `failed` are checks of gold and attention, among all
        `checks`. `trained` are those answered in training, among all `training`.
        """
        return self._db.record(
            """SELECT count(*) FILTER (WHERE c.role <> 'training') AS checks,
                count(a.id) FILTER (WHERE c.role <> 'training') AS answered,
                count(a.id) FILTER (WHERE c.role <> 'training' AND NOT a.passed) AS failed,
                count(a.id) FILTER (WHERE c.role = 'training') AS trained,
                count(*) FILTER (WHERE c.role = 'training') AS training
            FROM checks c LEFT JOIN check_answers a ON a."check" = c.id AND a.judge = ?
                AND a.withdrawn_at IS NULL
            WHERE c.campaign = ? AND c.withdrawn_at IS NULL""",
            (judge, campaign),
        )
