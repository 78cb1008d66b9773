"""Campaigns: which pairs people are asked about, whose turn a pair is, and taking an answer
back."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from core.store.connection import Connection, Part, now
from core.store.datasets import Datasets
from core.store.judgements import Judgements

LEASE = timedelta(minutes=15)

# Here and below CROSS JOIN is a JOIN that keeps its order: without statistics SQLite would start
# from all a judge has ever answered, and with ANALYZE it goes wrong elsewhere.

# Whether judge ?1 has a live answer (or a skip) for the pair of the planned row q, in either order.
_MINE = """EXISTS (SELECT 1 FROM comparisons c CROSS JOIN live_judgements j ON j.comparison = c.id
    WHERE c.attribute = p.attribute AND c.generation_1 = q.generation_1
    AND c.generation_2 = q.generation_2 AND j.judge = ?1)"""


@dataclass(frozen=True)
class Turn:
    """One question for one person: a planned pair and the campaign that asks about it."""

    plan: int
    generation_1: int
    generation_2: int
    seed: int


class Campaigns(Part):
    """A campaign asks people about pairs of one attribute until each has `overlap` votes."""

    def __init__(self, connection: Connection, datasets: Datasets, judgements: Judgements) -> None:
        super().__init__(connection)
        self._datasets = datasets
        self._judgements = judgements

    def add(
        self,
        dataset: str,
        attribute: str,
        *,
        strategy: str = "full",
        overlap: int = 1,
        seed: int = 0,
    ) -> int:
        """The campaign of an attribute; the one that is there is kept."""
        attribute_id = self._datasets.attribute_id(dataset, attribute)
        with self._db.transaction():
            found = self._db.value(
                "SELECT id FROM plans WHERE kind = 'campaign' AND attribute = ? AND strategy = "
                "? AND seed = ?",
                (attribute_id, strategy, seed),
            )
            if found is None:
                self._db.execute(
                    """INSERT INTO plans (dataset, kind, attribute, strategy, overlap, seed, status,
                        created_at)
                    VALUES (?, 'campaign', ?, ?, ?, ?, 'open', ?)""",
                    (dataset, attribute_id, strategy, overlap, seed, now()),
                )
                found = self._db.value("SELECT last_insert_rowid()")
        return int(found)

    def add_pairs(self, campaign: int, rows: Sequence[tuple[int, int, int]]) -> int:
        """Pairs of a campaign: (generation, other generation, priority); those already planned are
        kept.
        """
        with self._db.transaction():
            return self._db.executemany(
                "INSERT OR IGNORE INTO planned (plan, generation_1, generation_2, priority) "
                "VALUES (?, ?, ?, ?)",
                ((campaign, min(a, b), max(a, b), priority) for a, b, priority in rows),
            )

    def pairs(self, dataset: str) -> list[tuple[int, int, str, str, str]]:
        """(generation, generation, item, system, system) of every pair people are asked about,
        whatever the attribute.
        """
        return self._db.rows(
            """SELECT DISTINCT q.generation_1, q.generation_2, i.key, s1.name, s2.name FROM plans p
            JOIN planned q ON q.plan = p.id JOIN generations g1 ON g1.id = q.generation_1
            JOIN generations g2 ON g2.id = q.generation_2 JOIN items i ON i.id = g1.item
            JOIN systems s1 ON s1.id = g1.system JOIN systems s2 ON s2.id = g2.system
            WHERE p.dataset = ? AND p.kind = 'campaign' ORDER BY 1, 2""",
            (dataset,),
        )

    def ordering(self, dataset: str) -> str:
        """How the pairs people are asked about are ordered: "random", or by what."""
        return str(
            self._db.value(
                "SELECT ordering FROM plans WHERE dataset = ? AND kind = 'campaign' ORDER BY id",
                (dataset,),
            )
            or "random"
        )

    def drawn_votes(self, dataset: str) -> int:
        """How many live votes people gave in campaigns whose pairs are ordered by anything but
        chance.
        """
        return int(
            self._db.value(
                """SELECT count(*) FROM live_judgements WHERE plan IN (
                SELECT id FROM plans WHERE dataset = ? AND kind = 'campaign' AND ordering <>
                'random')""",
                (dataset,),
            )
        )

    def reorder(
        self, dataset: str, ordering: str, places: Mapping[tuple[int, int], tuple[int, float]]
    ) -> int:
        """Ask people about pairs in this order: pair -> its place and the probability that it is
        drawn to come first; how many pairs there are. What is drawn has the places 0, 1 ..; a place
        of 63 bits always comes after those.
        """
        with self._db.transaction():
            plans = "SELECT id FROM plans WHERE dataset = ? AND kind = 'campaign'"
            self._db.execute(
                "UPDATE plans SET ordering = ? WHERE dataset = ? AND kind = 'campaign'",
                (ordering, dataset),
            )
            self._db.executemany(
                f"""UPDATE planned SET priority = ?, probability = ?
                WHERE generation_1 = ? AND generation_2 = ? AND plan IN ({plans})""",
                ((*place, *pair, dataset) for pair, place in places.items()),
            )
        return len(places)

    def next_turn(self, dataset: str, judge: int) -> Turn | None:
        """The question to show this person: what they hold unanswered, else the least answered pair
        nobody holds.

        A pair is leased for all its attributes, so that one person answers them together; the lease
        lasts LEASE from being shown, so that people working at once get different pairs.
        """
        expired = (datetime.now(UTC) - LEASE).isoformat(timespec="microseconds")
        held = self._held(dataset, judge, expired)
        if held:
            return held
        with self._db.transaction():
            turn = self._open(dataset, judge, expired)
            if turn:
                self._db.execute(
                    """UPDATE planned SET lease_judge = ?1, leased_at = ?2 WHERE generation_1 = ?3
                        AND generation_2 = ?4
                    AND comparison IS NULL AND plan IN (SELECT id FROM plans WHERE dataset = ?5 AND
                    kind = 'campaign')
                    AND (lease_judge IS NULL OR lease_judge = ?1 OR leased_at < ?6)""",
                    (judge, now(), turn.generation_1, turn.generation_2, dataset, expired),
                )
        return turn

    def _held(self, dataset: str, judge: int, expired: str) -> Turn | None:
        found = self._db.rows(
            f"""SELECT q.plan, q.generation_1, q.generation_2, p.seed FROM planned q JOIN plans p ON
                p.id = q.plan
            WHERE q.lease_judge = ?1 AND q.leased_at >= ?3 AND p.dataset = ?2 AND p.status = 'open'
            AND q.votes < p.overlap AND NOT {_MINE}
            ORDER BY q.leased_at DESC, p.attribute LIMIT 1""",
            (judge, dataset, expired),
        )
        return Turn(*found[0]) if found else None

    def _open(self, dataset: str, judge: int, expired: str) -> Turn | None:
        campaigns = self._db.rows(
            """SELECT id, overlap FROM plans WHERE dataset = ? AND kind = 'campaign' AND status =
                'open'
            ORDER BY attribute, id""",
            (dataset,),
        )
        found = [
            row
            for campaign, overlap in campaigns
            for row in self._db.rows(
                f"""SELECT q.votes, q.priority, q.plan, q.generation_1, q.generation_2, p.seed
                FROM planned q JOIN plans p ON p.id = q.plan
                WHERE q.plan = ?2 AND q.votes < ?3
                AND (q.lease_judge IS NULL OR q.lease_judge = ?1 OR q.leased_at < ?4) AND NOT
                {_MINE}
                ORDER BY q.votes, q.priority, q.id LIMIT 1""",
                (judge, campaign, overlap, expired),
            )
        ]
        # `min` keeps the first of equals, so a pair is asked in the order of its attributes.
        return Turn(*min(found, key=lambda row: row[:2])[2:]) if found else None

    def seal(self, *facts: object) -> str:
        """16 hex digits that stand for these facts in a browser: always the same in this store, and
        telling nothing of them without its secret.
        """
        secret = self._db.value("SELECT value FROM secrets WHERE name = 'screen'")
        return hmac.new(secret, repr(facts).encode(), "sha256").hexdigest()[:16]

    def undo(self, judgement: int, judge: int) -> bool:
        """Withdraw this person's answer and show them that pair again next."""
        with self._db.transaction(durable=True):
            if not self._judgements.withdraw(judgement, judge):
                return False
            self._db.execute(
                """UPDATE planned SET lease_judge = ?, leased_at = ?
                FROM judgements j JOIN comparisons c ON c.id = j.comparison
                WHERE j.id = ? AND planned.plan = j.plan AND planned.comparison IS NULL
                AND planned.generation_1 = c.generation_1 AND planned.generation_2 =
                c.generation_2""",
                (judge, now(), judgement),
            )
        return True

    def rounds(self, attribute: int, generation_1: int, generation_2: int, judge: int) -> int:
        """How often this person has answered this pair, withdrawn answers included: tells two
        showings apart.
        """
        answers = """SELECT count(*) FROM comparisons c CROSS JOIN judgements j ON j.comparison =
            c.id
            WHERE c.attribute = ?1 AND c.generation_1 = ?2 AND c.generation_2 = ?3 AND j.judge = ?4
            AND j.withdrawn_at IS"""
        return int(
            self._db.value(
                f"SELECT ({answers} NULL) + ({answers} NOT NULL)",  # each has an index of its own
                (attribute, generation_1, generation_2, judge),
            )
        )

    def shown(self, turn: Turn) -> dict[str, Any]:
        """What a turn is about: dataset, instructions, context_noun, candidate_noun, attribute,
        attribute_id, adjective, question, guideline, item, subset, context, system_1, system_2,
        sample_1, sample_2, text_1, text_2.
        """
        return self._db.record(
            """SELECT d.name AS dataset, d.instructions, d.context_noun, d.candidate_noun, a.name AS
                attribute,
            a.id AS attribute_id, a.adjective, a.question, a.guideline, i.key AS item, i.subset,
            i.context,
            s1.name AS system_1, s2.name AS system_2, g1.sample AS sample_1, g2.sample AS sample_2,
            g1.text AS text_1, g2.text AS text_2
            FROM plans p JOIN attributes a ON a.id = p.attribute JOIN datasets d ON d.name =
            a.dataset
            JOIN generations g1 ON g1.id = ? JOIN generations g2 ON g2.id = ?
            JOIN systems s1 ON s1.id = g1.system JOIN systems s2 ON s2.id = g2.system JOIN items i
            ON i.id = g1.item
            WHERE p.id = ?""",
            (turn.generation_1, turn.generation_2, turn.plan),
        )

    def latest_answers(
        self, dataset: str, judge: int, limit: int = 20
    ) -> list[tuple[int, float | None]]:
        """A person's latest live answers in campaigns, newest first: judgement, and seconds where
        they are known. Rows, not a frame: making one took longer than the question.
        """
        return self._db.rows(
            """SELECT j.id, j.seconds FROM live_judgements j JOIN plans p ON p.id = j.plan
            WHERE j.judge = ? AND p.dataset = ?
            ORDER BY j.id DESC LIMIT ?""",
            (judge, dataset, limit),
        )

    def progress(self, dataset: str, judge: int) -> dict[str, int]:
        """answered and skipped by this person, and left: the questions still open to them."""
        answered, skipped = self._db.rows(
            """SELECT count(j.outcome), count(*) - count(j.outcome)
            FROM live_judgements j JOIN plans p ON p.id = j.plan
            WHERE j.judge = ? AND p.dataset = ? AND p.kind = 'campaign'""",
            (judge, dataset),
        )[0]
        open_ = self._db.value(
            """SELECT coalesce(sum((SELECT count(*) FROM planned q WHERE q.plan = p.id AND q.votes <
                p.overlap)), 0)
            FROM plans p WHERE p.dataset = ? AND p.kind = 'campaign' AND p.status = 'open'""",
            (dataset,),
        )
        mine = self._db.value(
            """SELECT count(DISTINCT q.id)
            FROM live_judgements j CROSS JOIN comparisons c ON c.id = j.comparison
            CROSS JOIN plans p ON p.attribute = c.attribute AND p.kind = 'campaign'
                AND p.status = 'open'
            CROSS JOIN planned q ON q.plan = p.id AND q.generation_1 = c.generation_1
                AND q.generation_2 = c.generation_2
            WHERE j.judge = ? AND p.dataset = ? AND +q.votes < p.overlap""",
            (judge, dataset),
        )
        return {"answered": answered, "skipped": skipped, "left": open_ - mine}
