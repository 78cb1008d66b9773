"""Assignments: the pair a person is asked about next, and taking an answer back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ..records import Answer
from .campaigns import GIVEN_VOTES, MOST_VOTES
from .connection import StorePart, make_timestamp
from .judgements import Judgements

LEASE = timedelta(minutes=15)
"""How long a pair waits for the person who has it on screen."""

RENEW = timedelta(minutes=1)
"""How old the lease of a pair is before showing it again renews it."""

# Here and below CROSS JOIN is a JOIN that keeps its order: without statistics SQLite would start
# from all a judge has ever answered, and with ANALYZE it goes wrong elsewhere.

ANSWERS_OF = """SELECT 1 FROM comparisons c CROSS JOIN live_judgements j ON j.comparison = c.id
    WHERE c.attribute = p.attribute AND c.generation_1 = q.generation_1
    AND c.generation_2 = q.generation_2 AND j.judge = ?1"""
"""The live answers of judge ?1 to the pair q of the attribute p of a campaign."""

# Whether judge ?1 has a live answer (or a skip) for the pair q, in either order.
# After the first answer was taken back it is asked again, also where the second one stays.
_MINE = f"EXISTS ({ANSWERS_OF} AND j.trial = 0)"

# Whether somebody else has the pair q on screen (since ?2).
_HELD = """EXISTS (SELECT 1 FROM leases l WHERE l.pair = q.id AND l.judge <> ?1
    AND l.leased_at >= ?2)"""

# Whether the pair q wants another vote, besides those it has and those that others who have it on
# screen (since ?2) will give.
_WANTS = """q.votes + (SELECT count(*) FROM leases l WHERE l.pair = q.id AND l.judge <> ?1
    AND l.leased_at >= ?2) < p.overlap"""

LIKELY = 20
"""Pairs of systems among which most often there is a question: the others are looked at later."""

# The pairs of the attribute ?3 of a campaign with fewer votes than ?4 that judge ?1 has not
# answered.
_ROWS = """SELECT q.votes, q.priority, q.id, q.campaign_attribute, q.generation_1, q.generation_2
    FROM {source} JOIN campaign_attributes p ON p.id = q.campaign_attribute
    WHERE q.campaign_attribute = ?3 AND q.votes < ?4 {{among}} AND {{{{wanting}}}} AND NOT {mine}"""

_OPEN = (
    _ROWS.format(source="campaign_pairs q", mine=_MINE).format(among="")
    + " ORDER BY q.votes, q.priority, q.id LIMIT 1"
)

# In the order of ?5, and for each of its rows by votes and priority, as the index has them.
# If `likely` were missing, SQLite would go through all pairs of the attribute for each of ?5.
_OPEN_AMONG = (
    _ROWS.format(
        source="json_each(?5) s CROSS JOIN campaign_pairs q INDEXED BY campaign_pairs_stratum",
        mine=_MINE,
    ).format(among="AND likely(q.stratum > 0) AND q.stratum = CAST(s.value AS INTEGER)")
    + " LIMIT 1"
)


@dataclass(frozen=True)
class Assignment:
    """One question for one person: a pair of a campaign and the attribute of it that is asked
    about. `trial` is 1 where they are asked a second time.
    """

    pair: int
    campaign_attribute: int
    generation_1: int
    generation_2: int
    trial: int = 0


class Assignments(StorePart):
    """Assignments of pairs to people, by leases.

    A pair is asked until it has `overlap` votes of different people. A person who has it on
    screen holds a lease, which counts as the vote it is about to become. An attribute of an active
    campaign takes so many votes in all, and its leases count in the same way.

    So a pair gets more votes than its overlap, and an attribute more than it takes, only from
    people who no longer held it when they answered: at most one for each such answer, and for an
    attribute fewer than one bundle besides. Where the overlap is lowered or somebody's exclusion is
    lifted, what was given or leased before stays.
    """

    def load_held(self, campaign: int, judge: int) -> Assignment | None:
        """Load the assignment this person has on screen, or was promised, and renew its lease."""
        rows = self._db.rows(
            f"""SELECT q.id, p.id, q.generation_1, q.generation_2, l.leased_at
            FROM leases l CROSS JOIN campaign_pairs q ON q.id = l.pair
            CROSS JOIN campaign_attributes p ON p.id = q.campaign_attribute
            WHERE l.judge = ?1 AND l.leased_at >= ?2 AND p.campaign = ?3
            AND q.votes < p.overlap AND NOT {_MINE}
            ORDER BY l.leased_at DESC, q.priority, q.generation_1, q.generation_2, p.id LIMIT 1""",
            (judge, make_timestamp(ago=LEASE), campaign),
        )
        if not rows:
            return None
        *turn, leased_at = rows[0]
        if leased_at < make_timestamp(ago=RENEW):
            with self._db.transaction():
                self._db.execute(
                    "UPDATE leases SET leased_at = ? WHERE judge = ? AND leased_at = ?",
                    (make_timestamp(), judge, leased_at),
                )
        return Assignment(*turn)

    def lease_next(
        self, campaign: int, judge: int, *, together: bool, strata: Sequence[int] = ()
    ) -> Assignment | None:
        """Lease the least answered pair that wants another vote to this person.

        It goes attribute after attribute, or takes all attributes of a pair `together`. With
        `strata`, it takes a pair of the first of these pairs of systems that has one. Returns None
        without such a pair.
        """
        with self._db.transaction():
            self._begin_anew_leases_to_come()
            asked = self._with_room(campaign, judge)
            turn = self._open(asked, judge, together, strata)
            if turn is None:
                return None
            self._lease(asked if together else [(turn.campaign_attribute, 0)], judge, turn)
            # The first of all that came with it, as a reload shows it.
            return self.load_held(campaign, judge)

    def _begin_anew_leases_to_come(self) -> None:
        """Restart leases that were taken before the clock was set back.

        They would hold their pairs until it is as late again.
        """
        moment = make_timestamp()
        if self._db.value("SELECT 1 FROM leases WHERE leased_at > ?", (moment,)):
            self._db.execute("UPDATE leases SET leased_at = ?1 WHERE leased_at > ?1", (moment,))

    def _with_room(self, campaign: int, judge: int) -> list[tuple[int, int]]:
        """List the attributes of a campaign that lack votes, in their order, as (row, overlap).

        The leases of others count as votes.
        """
        rows: list[tuple[int, int]] = self._db.rows(
            f"""SELECT p.id, p.overlap FROM campaign_attributes p WHERE p.campaign = ?1
            AND ({MOST_VOTES} IS NULL OR {GIVEN_VOTES} + (SELECT count(*) FROM leases l
                CROSS JOIN campaign_pairs q ON q.id = l.pair
                WHERE l.leased_at >= ?2 AND l.judge <> ?3
                AND q.campaign_attribute = p.id AND q.votes < p.overlap) < {MOST_VOTES})
            ORDER BY p.id""",
            (campaign, make_timestamp(ago=LEASE), judge),
        )
        return rows

    def _open(
        self, asked: Sequence[tuple[int, int]], judge: int, together: bool, strata: Sequence[int]
    ) -> Assignment | None:
        best: tuple[Any, ...] | None = None
        for campaign_attribute, overlap in asked:
            row = self._open_of(campaign_attribute, overlap, judge, strata)
            # Only what is less answered, or comes earlier, is preferred: so a pair is asked in the
            # order of its attributes.
            if row and (best is None or row[:2] < best[:2]):
                best = row
            if best and not together:
                break
        return Assignment(*best[2:]) if best else None

    def _open_of(
        self, campaign_attribute: int, overlap: int, judge: int, strata: Sequence[int]
    ) -> tuple[Any, ...] | None:
        """Find the next open pair of an attribute for a person.

        Pairs that nobody else has on screen come first; then votes are spread over the pairs.
        """
        given = (judge, make_timestamp(ago=LEASE), campaign_attribute, overlap)
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

    def _lease(self, asked: Sequence[tuple[int, int]], judge: int, turn: Assignment) -> None:
        """Lease the pair with all that goes to the same person: its bundle, other attributes."""
        mine = f"p.id IN (SELECT value FROM json_each(?4)) AND {_WANTS} AND NOT {_MINE}"
        # What a person left lying is nobody's any more.
        self._db.execute(
            "DELETE FROM leases WHERE judge = ? AND leased_at < ?",
            (judge, make_timestamp(ago=LEASE)),
        )
        self._db.execute(
            f"""WITH turn AS (SELECT * FROM campaign_pairs WHERE id = ?3)
            INSERT INTO leases (pair, judge, leased_at)
            SELECT q.id, ?1, ?5 FROM turn CROSS JOIN campaign_attributes p
            JOIN campaign_pairs q ON q.campaign_attribute = p.id
            WHERE q.generation_1 = turn.generation_1 AND q.generation_2 = turn.generation_2
                AND {mine}
            UNION
            SELECT q.id, ?1, ?5 FROM turn CROSS JOIN campaign_attributes p
            JOIN campaign_pairs q ON q.campaign_attribute = p.id
            WHERE turn.bundle > 0 AND q.bundle > 0 AND q.bundle = turn.bundle AND {mine}
            ON CONFLICT DO UPDATE SET leased_at = excluded.leased_at""",
            (
                judge,
                make_timestamp(ago=LEASE),
                turn.pair,
                json.dumps([campaign_attribute for campaign_attribute, _ in asked]),
                make_timestamp(),
            ),
        )

    def release(self, campaign: int, judge: int) -> None:
        """Let go of all that this person has on screen or was promised: others may have it."""
        if not self._db.value("SELECT 1 FROM leases WHERE judge = ?", (judge,)):
            return
        with self._db.transaction():
            self._db.execute(
                """DELETE FROM leases WHERE judge = ? AND EXISTS (SELECT 1 FROM campaign_pairs q
                JOIN campaign_attributes p ON p.id = q.campaign_attribute
                WHERE q.id = leases.pair AND p.campaign = ?)""",
                (judge, campaign),
            )

    def repeat(self, campaign: int, judge: int, answered: int | None) -> Assignment | None:
        """Find the turn to ask a second time after so many answers; None asks at once."""
        rows = self._db.rows(
            f"""SELECT q.id, p.id, q.generation_1, q.generation_2
            FROM repeats r CROSS JOIN campaign_pairs q ON q.id = r.pair
            CROSS JOIN campaign_attributes p ON p.id = q.campaign_attribute
            WHERE r.judge = ?1 AND p.campaign = ?2 AND (?3 IS NULL OR r.after <= ?3)
            AND EXISTS ({ANSWERS_OF} AND j.trial = 0 AND j.outcome IS NOT NULL)
            AND NOT EXISTS ({ANSWERS_OF} AND j.trial = 1)
            ORDER BY r.after, r.pair LIMIT 1""",
            (judge, campaign, answered),
        )
        return replace(Assignment(*rows[0]), trial=1) if rows else None

    def ask_again(
        self, campaign_attribute: int, pair: tuple[int, int], judge: int, after: int
    ) -> None:
        """Ask this person about a pair a second time, once they have answered so many questions."""
        self._db.execute(
            """INSERT INTO repeats (pair, judge, after) SELECT id, ?, ? FROM campaign_pairs
            WHERE campaign_attribute = ? AND generation_1 = ? AND generation_2 = ?
            ON CONFLICT DO UPDATE SET after = excluded.after""",
            (judge, after, campaign_attribute, *sorted(pair)),
        )

    def undo(self, judgement: int, judge: int) -> bool:
        """Withdraw this person's answer and show them that pair again next.

        A skip is not shown again when others have taken the pair since, or the last votes of its
        attribute.
        """
        with self._db.transaction(durable=True):
            if not Judgements(self._db).withdraw(judgement, judge):
                return False
            campaign = self.campaign_of(judgement)
            if campaign is None:
                return True
            self._keep_sides(judgement)
            if self._trial(judgement):
                self._ask_next(campaign, judgement, judge)
                return True
            self._begin_anew_leases_to_come()
            if pair := self._wanting_pair(campaign, judgement, judge):
                self._db.execute(
                    """INSERT INTO leases (pair, judge, leased_at) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET leased_at = excluded.leased_at""",
                    (pair, judge, make_timestamp()),
                )
        return True

    def _keep_sides(self, judgement: int) -> None:
        """Keep the sides of a pair for when it comes back."""
        self._db.execute(
            """INSERT INTO pair_screens (pair, judge, trial, first)
            SELECT o.pair, j.judge, j.trial, c.generation_a
            FROM judged_pairs o JOIN judgements j ON j.id = o.judgement
            JOIN comparisons c ON c.id = j.comparison WHERE o.judgement = ?
            ON CONFLICT DO UPDATE SET first = excluded.first""",
            (judgement,),
        )

    def kept_first(self, turn: Assignment, judge: int) -> int | None:
        """Return the generation that this person sees as A of a pair; None before it is drawn."""
        first = self._db.value(
            "SELECT first FROM pair_screens WHERE pair = ? AND judge = ? AND trial = ?",
            (turn.pair, judge, turn.trial),
        )
        return None if first is None else int(first)

    def _trial(self, judgement: int) -> int:
        return self._db.count("SELECT trial FROM judgements WHERE id = ?", (judgement,))

    def _ask_next(self, campaign: int, judgement: int, judge: int) -> None:
        """Put a pair that was asked a second time before what this person has on screen now."""
        self.release(campaign, judge)
        self._db.execute(
            """UPDATE repeats SET after = 0 WHERE judge = ?
            AND pair = (SELECT pair FROM judged_pairs WHERE judgement = ?)""",
            (judge, judgement),
        )

    def replace(self, judgement: int, judge: int, answer: Answer) -> int | None:
        """Withdraw this person's answer and put another in its place, about the same showing: its
        row, or None when theirs was withdrawn already.
        """
        with self._db.transaction(durable=True):
            if not Judgements(self._db).withdraw(judgement, judge):
                return None
            campaign, comparison, trial = self._db.rows(
                "SELECT campaign, comparison, trial FROM judgements WHERE id = ?", (judgement,)
            )[0]
            return Judgements(self._db).add_vote(campaign, comparison, judge, answer, trial=trial)

    def rounds(self, attribute: int, generation_1: int, generation_2: int, judge: int) -> int:
        """Count a person's answers to a pair, withdrawn ones too: it tells two showings apart."""
        answers = """SELECT count(*) FROM comparisons c CROSS JOIN judgements j ON j.comparison =
            c.id
            WHERE c.attribute = ?1 AND c.generation_1 = ?2 AND c.generation_2 = ?3 AND j.judge = ?4
            AND j.withdrawn_at IS"""
        return self._db.count(
            f"SELECT ({answers} NULL) + ({answers} NOT NULL)",  # each has an index of its own
            (attribute, generation_1, generation_2, judge),
        )

    def load_question(
        self, attribute: int, generation_1: int, generation_2: int | None = None
    ) -> dict[str, Any]:
        """Load what a question is about.

        It has dataset and its identity (`uid`), instructions, context_noun, candidate_noun,
        attribute, attribute_id, adjective, question, guideline, text_format, item, subset, context,
        system_1, system_2, sample_1, sample_2, text_1, text_2. The second of each is None where
        there is one text.

        Raises LookupError where one of these is not there any more.
        """
        return self._db.record(
            """SELECT d.name AS dataset, d.uid, d.instructions, d.context_noun, d.candidate_noun,
            a.name AS attribute,
            a.id AS attribute_id, a.adjective, a.question, a.guideline, a.text_format,
            i.key AS item, i.subset, i.context,
            s1.name AS system_1, s2.name AS system_2, g1.sample AS sample_1, g2.sample AS sample_2,
            g1.text AS text_1, g2.text AS text_2
            FROM attributes a JOIN datasets d ON d.name = a.dataset
            JOIN generations g1 ON g1.id = ? LEFT JOIN generations g2 ON g2.id = ?
            JOIN systems s1 ON s1.id = g1.system LEFT JOIN systems s2 ON s2.id = g2.system
            JOIN items i ON i.id = g1.item
            WHERE a.id = ?""",
            (generation_1, generation_2, attribute),
        )

    def attribute_of(self, campaign_attribute: int) -> int:
        """Return the data set's attribute of a campaign's. Raises LookupError if unknown."""
        found = self._db.record(
            "SELECT attribute FROM campaign_attributes WHERE id = ?", (campaign_attribute,)
        )
        return int(found["attribute"])

    def may_answer(self, judgement: int, judge: int) -> bool:
        """Return whether a skip may still become an answer.

        Its pair and its attribute must want another vote, besides those others are about to give. A
        second answer to a pair is no vote.
        """
        campaign = self.campaign_of(judgement)
        if campaign is None or self._trial(judgement):
            return campaign is not None
        return self._wanting_pair(campaign, judgement, judge) is not None

    def _wanting_pair(self, campaign: int, judgement: int, judge: int) -> int | None:
        """Return the pair that was answered, if it and its attribute want another vote."""
        asked = [campaign_attribute for campaign_attribute, _ in self._with_room(campaign, judge)]
        pair: int | None = self._db.value(
            f"""SELECT q.id FROM judged_pairs o JOIN campaign_pairs q ON q.id = o.pair
            JOIN campaign_attributes p ON p.id = q.campaign_attribute
            WHERE o.judgement = ?3 AND p.id IN (SELECT value FROM json_each(?4)) AND {_WANTS}""",
            (judge, make_timestamp(ago=LEASE), judgement, json.dumps(asked)),
        )
        return pair

    def campaign_of(self, judgement: int) -> int | None:
        """Return the campaign that asked for a judgement; None if none did."""
        found = self._db.value("SELECT campaign FROM judgements WHERE id = ?", (judgement,))
        return None if found is None else int(found)
