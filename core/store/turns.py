"""Turns: whose turn a pair is, what a person has answered, and taking an answer back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from core.records import Answer
from core.store.connection import Connection, Part, now
from core.store.judgements import Judgements

LEASE = timedelta(minutes=15)
"""How long a pair waits for the person who has it on screen."""

RENEW = timedelta(minutes=1)
"""How old the lease of a pair is before showing it again renews it."""

# Here and below CROSS JOIN is a JOIN that keeps its order: without statistics SQLite would start
# from all a judge has ever answered, and with ANALYZE it goes wrong elsewhere.

_ANSWERS = """SELECT 1 FROM comparisons c CROSS JOIN live_judgements j ON j.comparison = c.id
    WHERE c.attribute = p.attribute AND c.generation_1 = q.generation_1
    AND c.generation_2 = q.generation_2 AND j.judge = ?1"""

# Whether judge ?1 has a live answer (or a skip) for the pair of the planned row q, in either order.
# One whose first answer was taken back is to answer it again, whatever became of the second.
_MINE = f"EXISTS ({_ANSWERS} AND j.trial = 0)"

# Whether somebody else has the planned row q on screen (since ?2).
_HELD = """EXISTS (SELECT 1 FROM leases l WHERE l.planned = q.id AND l.judge <> ?1
    AND l.leased_at >= ?2)"""

# Whether the planned row q wants another vote, besides those it has and those that others who have
# it on screen (since ?2) will give.
_WANTS = """q.votes + (SELECT count(*) FROM leases l WHERE l.planned = q.id AND l.judge <> ?1
    AND l.leased_at >= ?2) < p.overlap"""

LIKELY = 20
"""Pairs of systems among which most often there is a question: the others are looked at later."""

# The planned rows of plan ?3 with fewer votes than ?4 that judge ?1 has not answered.
_ROWS = """SELECT q.votes, q.priority, q.id, q.plan, q.generation_1, q.generation_2, p.seed
    FROM {source} JOIN plans p ON p.id = q.plan
    WHERE q.plan = ?3 AND q.votes < ?4 {{among}} AND {{{{wanting}}}} AND NOT {mine}"""

_OPEN = (
    _ROWS.format(source="planned q", mine=_MINE).format(among="")
    + " ORDER BY q.votes, q.priority, q.id LIMIT 1"
)

# Row by row of ?5 as they stand there, in each by votes and priority, as the index has them.
_OPEN_AMONG = (
    _ROWS.format(
        source="json_each(?5) s CROSS JOIN planned q INDEXED BY planned_stratum", mine=_MINE
    ).format(among="AND q.stratum > 0 AND q.stratum = s.value")
    + " LIMIT 1"
)


@dataclass(frozen=True)
class Turn:
    """One question for one person: a planned pair and the plan that asks about it. `trial` is 1
    where they are asked a second time.
    """

    planned: int
    plan: int
    generation_1: int
    generation_2: int
    seed: int
    trial: int = 0


class Latest(NamedTuple):
    """A person's latest live answer: its row, and how long it took where that is known."""

    judgement: int
    seconds: float | None


class Turns(Part):
    """A pair is asked until it has `overlap` votes of different people. Whoever has it on screen
    holds a lease, which counts as the vote it is about to become. With `votes`, a plan takes so
    many in all, and its leases count in the same way.

    So a pair gets more votes than its overlap, and a plan more than its `votes`, only from people
    who no longer held it when they answered: at most one for each such answer, and in a plan fewer
    than one bundle besides. Where the overlap is lowered or somebody's exclusion is lifted, what
    was given or leased before stays.
    """

    def __init__(self, connection: Connection, judgements: Judgements) -> None:
        super().__init__(connection)
        self._judgements = judgements

    def held(self, campaign: int, judge: int) -> Turn | None:
        """What this person has on screen, or was promised, and has not answered. Its lease is
        renewed.
        """
        rows = self._db.rows(
            f"""SELECT q.id, q.plan, q.generation_1, q.generation_2, p.seed, l.leased_at
            FROM leases l CROSS JOIN planned q ON q.id = l.planned
            CROSS JOIN plans p ON p.id = q.plan
            WHERE l.judge = ?1 AND l.leased_at >= ?2 AND p.campaign = ?3
            AND q.votes < p.overlap AND NOT {_MINE}
            ORDER BY l.leased_at DESC, q.priority, q.generation_1, q.generation_2, p.id LIMIT 1""",
            (judge, _since(LEASE), campaign),
        )
        if not rows:
            return None
        *turn, leased_at = rows[0]
        if leased_at < _since(RENEW):
            with self._db.transaction():
                self._db.execute(
                    "UPDATE leases SET leased_at = ? WHERE judge = ? AND leased_at = ?",
                    (now(), judge, leased_at),
                )
        return Turn(*turn)

    def next(
        self,
        campaign: int,
        judge: int,
        *,
        together: bool,
        strata: Sequence[int] = (),
        votes: int | None = None,
    ) -> Turn | None:
        """The least answered pair that wants another vote, leased to this person; None when there
        is none.

        Attribute after attribute, or all attributes of a pair `together`. With `strata`, of the
        first pair of systems among these that has one. A plan with so many `votes`, leases of
        others among them, is asked about no more.
        """
        with self._db.transaction():
            plans = self._with_room(campaign, judge, votes)
            turn = self._open(plans, judge, together, strata)
            if turn is None:
                return None
            self._lease(plans if together else [(turn.plan, 0)], judge, turn)
            # The first of all that came with it, as a reload shows it.
            return self.held(campaign, judge)

    def _with_room(self, campaign: int, judge: int, votes: int | None) -> list[tuple[int, int]]:
        """(plan, overlap) of those that have not got all their votes, the first first."""
        plans: list[tuple[int, int]] = self._db.rows(
            "SELECT id, overlap FROM plans WHERE campaign = ? ORDER BY id", (campaign,)
        )
        if votes is None:
            return plans
        given = self._given_to(campaign)
        leased = dict(
            self._db.rows(
                """SELECT q.plan, count(*) FROM leases l CROSS JOIN planned q ON q.id = l.planned
                JOIN plans p ON p.id = q.plan WHERE l.leased_at >= ? AND l.judge <> ?
                AND p.campaign = ? AND q.votes < p.overlap GROUP BY q.plan""",
                (_since(LEASE), judge, campaign),
            )
        )
        return [row for row in plans if given.get(row[0], 0) + leased.get(row[0], 0) < votes]

    def _given_to(self, campaign: int) -> dict[int, int]:
        """plan -> its votes, none counted beyond what its pair wants."""
        return dict(
            self._db.rows(
                """SELECT p.id, sum(c.pairs * min(c.votes, p.overlap)) FROM plans p
                JOIN vote_counts c ON c.plan = p.id WHERE p.campaign = ? GROUP BY p.id""",
                (campaign,),
            )
        )

    def _open(
        self,
        plans: Sequence[tuple[int, int]],
        judge: int,
        together: bool,
        strata: Sequence[int],
    ) -> Turn | None:
        best: tuple[Any, ...] | None = None
        for plan, overlap in plans:
            row = self._open_of(plan, overlap, judge, strata)
            # Only what is less answered, or comes earlier, is preferred: so a pair is asked in the
            # order of its attributes.
            if row and (best is None or row[:2] < best[:2]):
                best = row
            if best and not together:
                break
        return Turn(*best[2:]) if best else None

    def _open_of(
        self, plan: int, overlap: int, judge: int, strata: Sequence[int]
    ) -> tuple[Any, ...] | None:
        """What nobody else has on screen comes first: then votes spread over the pairs."""
        given = (judge, _since(LEASE), plan, overlap)
        for some in (strata[:LIKELY], strata[LIKELY:], None):
            for wanting in (f"NOT {_HELD}", _WANTS):
                if some is None:
                    rows = self._db.rows(_OPEN.format(wanting=wanting), given)
                elif some:
                    among = (*given, json.dumps(list(some)))
                    rows = self._db.rows(_OPEN_AMONG.format(wanting=wanting), among)
                else:
                    rows = []
                if rows:
                    return rows[0]
        return None

    def _lease(self, plans: Sequence[tuple[int, int]], judge: int, turn: Turn) -> None:
        """With the pair whatever goes to the same person: its bundle, and its other attributes."""
        mine = f"q.plan IN (SELECT value FROM json_each(?4)) AND {_WANTS} AND NOT {_MINE}"
        # What a person left lying is nobody's any more.
        self._db.execute(
            "DELETE FROM leases WHERE judge = ? AND leased_at < ?", (judge, _since(LEASE))
        )
        self._db.execute(
            f"""WITH turn AS (SELECT * FROM planned WHERE id = ?3)
            INSERT INTO leases (planned, judge, leased_at)
            SELECT q.id, ?1, ?5 FROM turn CROSS JOIN planned q JOIN plans p ON p.id = q.plan
            WHERE q.comparison IS NULL AND q.generation_1 = turn.generation_1
                AND q.generation_2 = turn.generation_2 AND {mine}
            UNION
            SELECT q.id, ?1, ?5 FROM turn CROSS JOIN planned q JOIN plans p ON p.id = q.plan
            WHERE turn.bundle > 0 AND q.bundle > 0 AND q.bundle = turn.bundle AND {mine}
            ON CONFLICT DO UPDATE SET leased_at = excluded.leased_at""",
            (
                judge,
                _since(LEASE),
                turn.planned,
                json.dumps([plan for plan, _ in plans]),
                now(),
            ),
        )

    def release(self, campaign: int, judge: int) -> None:
        """Let go of all that this person has on screen or was promised: others may have it."""
        if not self._db.value("SELECT 1 FROM leases WHERE judge = ?", (judge,)):
            return
        with self._db.transaction():
            self._db.execute(
                """DELETE FROM leases WHERE judge = ? AND planned IN (SELECT q.id FROM planned q
                JOIN plans p ON p.id = q.plan WHERE q.id = leases.planned AND p.campaign = ?)""",
                (judge, campaign),
            )

    def repeat(self, campaign: int, judge: int, answered: int | None) -> Turn | None:
        """What this person is to be asked a second time after so many answers; at once when
        `answered` is None.
        """
        rows = self._db.rows(
            f"""SELECT q.id, q.plan, q.generation_1, q.generation_2, p.seed
            FROM repeats r CROSS JOIN planned q ON q.id = r.planned
            CROSS JOIN plans p ON p.id = q.plan
            WHERE r.judge = ?1 AND p.campaign = ?2 AND (?3 IS NULL OR r.after <= ?3)
            AND EXISTS ({_ANSWERS} AND j.trial = 0 AND j.outcome IS NOT NULL)
            AND NOT EXISTS ({_ANSWERS} AND j.trial = 1)
            ORDER BY r.after, r.planned LIMIT 1""",
            (judge, campaign, answered),
        )
        return replace(Turn(*rows[0]), trial=1) if rows else None

    def ask_again(self, plan: int, pair: tuple[int, int], judge: int, after: int) -> None:
        """Ask this person about a pair a second time, once they have answered so many questions."""
        self._db.execute(
            """INSERT INTO repeats (planned, judge, after)
            SELECT id, ?, ? FROM planned WHERE plan = ? AND generation_1 = ? AND generation_2 = ?
            AND comparison IS NULL
            ON CONFLICT DO UPDATE SET after = excluded.after""",
            (judge, after, plan, *sorted(pair)),
        )

    def undo(self, judgement: int, judge: int, *, votes: int | None = None) -> bool:
        """Withdraw this person's answer and show them that pair again next: unless it was a skip,
        and others have taken the pair since, or all `votes` of its plan.
        """
        with self._db.transaction(durable=True):
            if not self._judgements.withdraw(judgement, judge):
                return False
            campaign = self.campaign_of(judgement)
            if campaign is None:
                return True
            if self._trial(judgement):
                self._ask_next(campaign, judgement, judge)
                return True
            plans = [plan for plan, _ in self._with_room(campaign, judge, votes)]
            self._db.execute(
                f"""INSERT INTO leases (planned, judge, leased_at)
                SELECT q.id, ?1, ?4 FROM judgements j JOIN comparisons c ON c.id = j.comparison
                JOIN planned q ON q.plan = j.plan AND q.comparison IS NULL
                    AND q.generation_1 = c.generation_1 AND q.generation_2 = c.generation_2
                JOIN plans p ON p.id = q.plan
                WHERE j.id = ?3 AND p.id IN (SELECT value FROM json_each(?5)) AND {_WANTS}
                ON CONFLICT DO UPDATE SET leased_at = excluded.leased_at""",
                (judge, _since(LEASE), judgement, now(), json.dumps(plans)),
            )
        return True

    def _trial(self, judgement: int) -> int:
        return int(self._db.value("SELECT trial FROM judgements WHERE id = ?", (judgement,)))

    def _ask_next(self, campaign: int, judgement: int, judge: int) -> None:
        """A pair that was asked a second time comes at once, before what this person has on screen
        now.
        """
        self.release(campaign, judge)
        self._db.execute(
            """UPDATE repeats SET after = 0 WHERE judge = ?2 AND planned IN (
                SELECT q.id FROM judgements j JOIN comparisons c ON c.id = j.comparison
                JOIN planned q ON q.plan = j.plan AND q.comparison IS NULL
                    AND q.generation_1 = c.generation_1 AND q.generation_2 = c.generation_2
                WHERE j.id = ?1)""",
            (judgement, judge),
        )

    def replace(self, judgement: int, judge: int, answer: Answer) -> int | None:
        """Withdraw this person's answer and put another in its place, about the same showing: its
        row, or None when theirs was withdrawn already.
        """
        with self._db.transaction(durable=True):
            if not self._judgements.withdraw(judgement, judge):
                return None
            plan, comparison, trial = self._db.rows(
                "SELECT plan, comparison, trial FROM judgements WHERE id = ?", (judgement,)
            )[0]
            return self._judgements.add_vote(plan, comparison, judge, answer, trial=trial)

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

    def shown(
        self, attribute: int, generation_1: int, generation_2: int | None = None
    ) -> dict[str, Any]:
        """What a question is about: dataset, instructions, context_noun, candidate_noun, attribute,
        attribute_id, adjective, question, guideline, item, subset, context, system_1, system_2,
        sample_1, sample_2, text_1, text_2; the second of each is None where there is one text.
        """
        return self._db.record(
            """SELECT d.name AS dataset, d.instructions, d.context_noun, d.candidate_noun, a.name AS
                attribute,
            a.id AS attribute_id, a.adjective, a.question, a.guideline, i.key AS item, i.subset,
            i.context,
            s1.name AS system_1, s2.name AS system_2, g1.sample AS sample_1, g2.sample AS sample_2,
            g1.text AS text_1, g2.text AS text_2
            FROM attributes a JOIN datasets d ON d.name = a.dataset
            JOIN generations g1 ON g1.id = ? LEFT JOIN generations g2 ON g2.id = ?
            JOIN systems s1 ON s1.id = g1.system LEFT JOIN systems s2 ON s2.id = g2.system
            JOIN items i ON i.id = g1.item
            WHERE a.id = ?""",
            (generation_1, generation_2, attribute),
        )

    def attribute_of(self, plan: int) -> int:
        """The row of the attribute a plan asks about."""
        return int(self._db.value("SELECT attribute FROM plans WHERE id = ?", (plan,)))

    def latest(self, campaign: int, judge: int, limit: int = 20) -> list[Latest]:
        """A person's latest live answers, newest first. Rows, not a frame: making one took longer
        than the question.
        """
        return [
            Latest(*row)
            for row in self._db.rows(
                """SELECT j.id, j.seconds FROM live_judgements j JOIN plans p ON p.id = j.plan
                WHERE j.judge = ? AND p.campaign = ?
                ORDER BY j.id DESC LIMIT ?""",
                (judge, campaign, limit),
            )
        ]

    def pace(self, dataset: str, latest: int = 20) -> float | None:
        """Seconds that people took for an answer in the campaigns of a data set: the median over
        the latest so many of each; None where there is none.
        """
        seconds = self._db.rows(
            """SELECT j.seconds FROM people w CROSS JOIN judgements j ON j.id IN (
                SELECT id FROM judgements WHERE judge = w.judge AND withdrawn_at IS NULL
                AND seconds IS NOT NULL ORDER BY id DESC LIMIT ?2)
            JOIN plans p ON p.id = j.plan WHERE p.dataset = ?1 AND p.kind = 'campaign'""",
            (dataset, latest),
        )
        return median(row[0] for row in seconds) if seconds else None

    def history(self, campaign: int, judge: int, limit: int) -> list[dict[str, Any]]:
        """A person's latest live answers, newest first: judgement, attribute (row), generation_a,
        generation_b, created_at.
        """
        rows = self._db.rows(
            """SELECT j.id, c.attribute, c.generation_a, c.generation_b, j.created_at
            FROM live_judgements j JOIN plans p ON p.id = j.plan
            JOIN comparisons c ON c.id = j.comparison
            WHERE j.judge = ? AND p.campaign = ? ORDER BY j.id DESC LIMIT ?""",
            (judge, campaign, limit),
        )
        names = ("judgement", "attribute", "generation_a", "generation_b", "created_at")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def answered_at(self, judgement: int) -> str:
        """When a judgement was given."""
        return str(self._db.value("SELECT created_at FROM judgements WHERE id = ?", (judgement,)))

    def may_answer(self, judgement: int, judge: int, *, votes: int | None = None) -> bool:
        """Whether a skip may still become an answer: its pair and its plan want another vote,
        besides those others are about to give. A second answer to a pair is no vote.
        """
        campaign = self.campaign_of(judgement)
        if campaign is None or self._trial(judgement):
            return campaign is not None
        plans = [plan for plan, _ in self._with_room(campaign, judge, votes)]
        return bool(
            self._db.value(
                f"""SELECT 1 FROM judgements j JOIN comparisons c ON c.id = j.comparison
                JOIN planned q ON q.plan = j.plan AND q.comparison IS NULL
                    AND q.generation_1 = c.generation_1 AND q.generation_2 = c.generation_2
                JOIN plans p ON p.id = q.plan WHERE j.id = ?3
                AND p.id IN (SELECT value FROM json_each(?4)) AND {_WANTS}""",
                (judge, _since(LEASE), judgement, json.dumps(plans)),
            )
        )

    def campaign_of(self, judgement: int) -> int | None:
        """The campaign that asked for a judgement, if one did."""
        found = self._db.value(
            "SELECT p.campaign FROM judgements j JOIN plans p ON p.id = j.plan WHERE j.id = ?",
            (judgement,),
        )
        return None if found is None else int(found)

    def given(self, campaign: int, judge: int) -> int:
        """How many live answers and skips of this person a campaign has."""
        return sum(self._counted(campaign, judge))

    def _counted(self, campaign: int, judge: int) -> tuple[int, int]:
        """How many live answers, and how many skips, of this person a campaign has."""
        answered, skipped = self._db.rows(
            """SELECT coalesce(sum(n.answered), 0), coalesce(sum(n.skipped), 0) FROM plans p
            JOIN person_counts n ON n.judge = ? AND n.plan = p.id WHERE p.campaign = ?""",
            (judge, campaign),
        )[0]
        return answered, skipped

    def given_since(self, campaign: int, judge: int, moment: str, most: int) -> int:
        """How many live answers and skips this person gave after a moment, counted up to `most`."""
        return int(
            self._db.value(
                """SELECT coalesce(sum(created_at > ?3), 0) FROM (
                    SELECT j.created_at FROM live_judgements j JOIN plans p ON p.id = j.plan
                    WHERE j.judge = ?1 AND p.campaign = ?2 ORDER BY j.id DESC LIMIT ?4)""",
                (judge, campaign, moment, most),
            )
        )

    def progress(self, campaign: int, judge: int, *, votes: int | None = None) -> dict[str, int]:
        """answered and skipped by this person; left: the pairs that want a vote they have not
        given, no more of a plan than its `votes` allow; again: what they are to be asked a second
        time.
        """
        answered, skipped = self._counted(campaign, judge)
        mine, given = self._mine(campaign, judge), self._given_to(campaign)
        open_ = self._db.rows(
            """SELECT p.id, sum(c.pairs) FROM plans p JOIN vote_counts c ON c.plan = p.id
            WHERE p.campaign = ? AND c.votes < p.overlap GROUP BY p.id""",
            (campaign,),
        )
        left = sum(
            min(
                pairs - mine.get(plan, 0),
                pairs if votes is None else max(0, votes - given.get(plan, 0)),
            )
            for plan, pairs in open_
        )
        again = self._db.value(
            f"""SELECT count(*) FROM repeats r CROSS JOIN planned q ON q.id = r.planned
            CROSS JOIN plans p ON p.id = q.plan WHERE r.judge = ?1 AND p.campaign = ?2
            AND EXISTS ({_ANSWERS} AND j.trial = 0 AND j.outcome IS NOT NULL)
            AND NOT EXISTS ({_ANSWERS} AND j.trial = 1)""",
            (judge, campaign),
        )
        return {"answered": answered, "skipped": skipped, "left": left, "again": again}

    def _mine(self, campaign: int, judge: int) -> dict[int, int]:
        """plan -> how many of its pairs want a vote, though this person has answered them.

        Where one vote is enough, an answer leaves no pair open: only skips are looked at, of which
        there are few.
        """
        skips = self._only_skips(campaign, judge)
        return dict(
            self._db.rows(
                f"""SELECT p.id, count(DISTINCT q.id)
                FROM live_judgements j CROSS JOIN comparisons c ON c.id = j.comparison
                CROSS JOIN plans p ON p.attribute = c.attribute AND p.campaign = ?2
                CROSS JOIN planned q ON q.plan = p.id AND q.generation_1 = c.generation_1
                    AND q.generation_2 = c.generation_2
                WHERE j.judge = ?1 AND j.trial = 0 AND +q.votes < p.overlap
                {"AND j.failure <> ''" if skips else ""} GROUP BY p.id""",
                (judge, campaign),
            )
        )

    def _only_skips(self, campaign: int, judge: int) -> bool:
        """Whether every pair that this person has answered has all its votes: it takes one vote,
        theirs counts, and it was given here.
        """
        return bool(
            self._db.value(
                """SELECT max(p.overlap) = 1
                AND NOT EXISTS (SELECT 1 FROM exclusions x WHERE x.judge = ?1
                    AND x.dataset = p.dataset AND x.lifted_at IS NULL)
                AND (SELECT coalesce(sum(t.count), 0) FROM tally t WHERE t.judge = ?1
                    AND t.attribute IN (SELECT attribute FROM plans WHERE campaign = ?2))
                = (SELECT coalesce(sum(n.answered + n.skipped), 0) FROM person_counts n
                    WHERE n.judge = ?1
                    AND n.plan IN (SELECT id FROM plans WHERE campaign = ?2))
                FROM plans p WHERE p.campaign = ?2""",
                (judge, campaign),
            )
        )


def _since(ago: timedelta) -> str:
    return (datetime.now(UTC) - ago).isoformat(timespec="microseconds")
