"""Crowds: the link by which participants of a panel come to a campaign, and these participants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from .connection import StorePart, make_timestamp

PaymentRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "questions checks failed",
            str: "identity key person parameters began_at seen_at ended_at ending code",
        }
    ),
]
QuestionnaireRows = Annotated[
    pd.DataFrame, Schema({str: "annotator part question answer created_at"})
]


@dataclass(frozen=True)
class Crowd:
    """The link of a campaign: the `code` in it, the `terms` as JSON knows them, and since when it
    lets nobody new in ('' while it does).
    """

    campaign: int
    code: str
    terms: Mapping[str, Any]
    opened_at: str
    closed_at: str


@dataclass(frozen=True)
class Participant:
    """Somebody who came by the link of a campaign. `name` is what their votes are kept under;
    `ending` is '' until they are done, then finished, failed or full; `code` what they were given.
    """

    id: int
    campaign: int
    person: int
    name: str
    judge: int
    began_at: str
    seen_at: str
    ended_at: str
    ending: str
    code: str


_PARTICIPANT = """SELECT t.id, t.campaign, t.person, p.name, p.judge, t.began_at, t.seen_at,
    coalesce(t.ended_at, ''), t.ending, t.code
    FROM participants t JOIN people p ON p.id = t.person WHERE t.key = ?"""


class Crowds(StorePart):
    """Campaigns' links for a crowd, and who came by them.

    A participant is known by a salted hash of the id that the panel gave them.
    """

    def open(self, campaign: int, code: str, terms: Mapping[str, Any]) -> None:
        """Let people in under these terms, by a link with this code; an earlier link ends."""
        with self._db.transaction():
            self._db.execute(
                """INSERT INTO crowds (campaign, code, terms, opened_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (campaign) DO UPDATE
                SET code = excluded.code, terms = excluded.terms, closed_at = NULL""",
                (campaign, code, json.dumps(dict(terms)), make_timestamp()),
            )

    def close(self, campaign: int) -> None:
        """Let nobody new in; those who have begun go on."""
        with self._db.transaction():
            self._db.execute(
                "UPDATE crowds SET closed_at = ? WHERE campaign = ? AND closed_at IS NULL",
                (make_timestamp(), campaign),
            )

    def find_by_campaign(self, campaign: int) -> Crowd | None:
        """Return the crowd of a campaign; None without one."""
        return self._find("campaign", campaign)

    def with_code(self, code: str) -> Crowd | None:
        """Return the crowd whose link has this code; None for an unknown one."""
        return self._find("code", code)

    def _find(self, column: str, value: object) -> Crowd | None:
        for row in self._db.load_rows("crowds", f"{column} = ?", value):
            read = {"terms": json.loads(row["terms"]), "closed_at": row["closed_at"] or ""}
            return Crowd(**{**row, **read})
        return None

    def participant(self, campaign: int, key: str) -> Participant | None:
        """Find the participant who has this hash in a campaign."""
        for row in self._db.rows(f"{_PARTICIPANT} AND t.campaign = ?", (key, campaign)):
            return Participant(*row)
        return None

    def name_of(self, key: str) -> str:
        """Return the name that votes of this hash have, in any campaign; '' if nobody has it."""
        for row in self._db.rows(f"{_PARTICIPANT} ORDER BY t.id LIMIT 1", (key,)):
            return Participant(*row).name
        return ""

    def new_name(self) -> str:
        """Return a name that no person and no judge has: "participant-7"."""
        number = self._db.value("SELECT seq FROM sqlite_sequence WHERE name = 'participants'") or 0
        while True:
            number += 1
            name = f"participant-{number}"
            taken = "SELECT EXISTS (SELECT 1 FROM judges WHERE name = ?1) OR EXISTS (SELECT 1 FROM "
            if not self._db.value(taken + "people WHERE name = ?1)", (name,)):
                return name

    def add_participant(
        self, campaign: int, person: int, key: str, identity: str, parameters: Mapping[str, str]
    ) -> None:
        """Add a participant to a campaign."""
        with self._db.transaction():
            who = {"campaign": campaign, "person": person, "key": key, "identity": identity}
            times = dict.fromkeys(("began_at", "seen_at"), make_timestamp())
            self._db.insert_row("participants", {**who, "parameters": dict(parameters), **times})

    def count(self, campaign: int, away: timedelta) -> int:
        """Count the places that are taken.

        Those who finished take one. So do those who are at it and were here within the time that
        one may be `away`.
        """
        return self._db.count(
            """SELECT count(*) FROM participants WHERE campaign = ?
                AND (ending = 'finished' OR (ending = '' AND seen_at >= ?))""",
            (campaign, make_timestamp(ago=away)),
        )

    def record_visit(self, participant: int) -> None:
        """Record that a participant is here."""
        with self._db.transaction():
            self._db.update_row("participants", participant, seen_at=make_timestamp())

    def end(self, participant: int, ending: str, code: str) -> None:
        """Record that a participant is done, and the code they get; one given before stays."""
        with self._db.transaction(durable=True):
            self._db.execute(
                """UPDATE participants SET ended_at = ?, ending = ?, code = ?
                WHERE id = ? AND ending = ''""",
                (make_timestamp(), ending, code, participant),
            )

    def answer(self, participant: int, part: str, answers: Mapping[str, str]) -> None:
        """Record a participant's answers to a questionnaire; pressing twice adds nothing."""
        with self._db.transaction(durable=True):
            self._db.add_rows(
                "questionnaire_answers",
                "participant, part, question, answer, created_at",
                ((participant, part, *answer, make_timestamp()) for answer in answers.items()),
            )

    def has_answered(self, participant: int, part: str) -> bool:
        """Return whether a participant has answered this part of the questionnaire."""
        where = "participant = ? AND part = ?"
        return bool(self._db.load_rows("questionnaire_answers", where, participant, part))

    def payments(self, campaign: int, *, key: str = "") -> PaymentRows:
        """Load the participants in the order in which they came, or the one with this hash.

        Each has the questions they answered or skipped, the checks they had, and those they failed.
        """
        return self._db.frame(
            """SELECT t.identity, t.key, p.name AS person, t.parameters, t.began_at, t.seen_at,
                coalesce(t.ended_at, '') AS ended_at, t.ending, t.code,
                coalesce(n.answered + n.skipped, 0) + coalesce(k.checks, 0) AS questions,
                coalesce(k.checks, 0) AS checks, coalesce(k.failed, 0) AS failed
            FROM participants t JOIN people p ON p.id = t.person
            LEFT JOIN person_counts n ON n.judge = p.judge AND n.campaign = t.campaign
            LEFT JOIN (SELECT a.judge, count(*) AS checks, sum(NOT a.passed) AS failed
                FROM check_answers a JOIN checks c ON c.id = a."check"
                WHERE c.campaign = ?1 AND c.role <> 'training' AND a.withdrawn_at IS NULL
                AND c.withdrawn_at IS NULL GROUP BY a.judge) k ON k.judge = p.judge
            WHERE t.campaign = ?1 AND (?2 = '' OR t.key = ?2) ORDER BY t.id""",
            (campaign, key),
            rows=PaymentRows,
        )

    def questionnaire(self, campaign: int) -> QuestionnaireRows:
        """Load what participants answered before and after, by who came first."""
        return self._db.frame(
            """SELECT p.name AS annotator, a.part, a.question, a.answer, a.created_at
            FROM questionnaire_answers a JOIN participants t ON t.id = a.participant
            JOIN people p ON p.id = t.person WHERE t.campaign = ?
            ORDER BY t.id, a.part DESC, a.created_at, a.question""",
            (campaign,),
            rows=QuestionnaireRows,
        )
