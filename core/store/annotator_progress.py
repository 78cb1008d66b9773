"""Progress of an annotator: what they have answered in a campaign, how fast, and what is left for
them.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from statistics import median
from typing import Any, NamedTuple

from .assignments import ANSWERS_OF
from .campaigns import GIVEN_VOTES, MOST_VOTES
from .connection import StorePart, make_timestamp


class Latest(NamedTuple):
    """A person's latest live answer: its row, and how long it took where that is known."""

    judgement: int
    seconds: float | None


class AnnotatorProgress(StorePart):
    """Answers and progress of single annotators.

    Live answers alone count; a skip is one until it is taken back.
    """

    def latest(self, campaign: int, judge: int, limit: int = 20) -> list[Latest]:
        """List a person's latest live answers, newest first. They are rows, not a frame: making one
        took longer than the question.
        """
        return [
            Latest(*row)
            for row in self._db.rows(
                """SELECT id, seconds FROM live_judgements WHERE judge = ? AND campaign = ?
                ORDER BY id DESC LIMIT ?""",
                (judge, campaign, limit),
            )
        ]

    def pace(self, dataset: str, without: Collection[str] = (), latest: int = 20) -> float | None:
        """Return the median seconds that people took for an answer in a data set's campaigns.

        Only the `latest` timed answers of each person are looked at, and those of people `without`
        are not. It is None without any.
        """
        seconds = self._db.rows(
            """SELECT j.seconds FROM people w CROSS JOIN judgements j ON j.id IN (
                SELECT id FROM judgements WHERE judge = w.judge AND withdrawn_at IS NULL
                AND seconds IS NOT NULL ORDER BY id DESC LIMIT ?2)
            JOIN campaigns m ON m.id = j.campaign WHERE m.dataset = ?1
            AND w.judge NOT IN (
                SELECT id FROM judges WHERE name IN (SELECT value FROM json_each(?3)))""",
            (dataset, latest, json.dumps(list(without))),
        )
        return median(row[0] for row in seconds) if seconds else None

    def history(self, campaign: int, judge: int, limit: int) -> list[dict[str, Any]]:
        """List a person's latest live answers, newest first: judgement, attribute (row),
        generation_a, generation_b, created_at.
        """
        rows = self._db.rows(
            """SELECT j.id, c.attribute, c.generation_a, c.generation_b, j.created_at
            FROM live_judgements j JOIN comparisons c ON c.id = j.comparison
            WHERE j.judge = ? AND j.campaign = ? ORDER BY j.id DESC LIMIT ?""",
            (judge, campaign, limit),
        )
        names = ("judgement", "attribute", "generation_a", "generation_b", "created_at")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def answered_at(self, judgement: int) -> str:
        """Return when a judgement was given; '' for an unknown one."""
        at = self._db.value("SELECT created_at FROM judgements WHERE id = ?", (judgement,))
        return str(at or "")

    def count_given(self, campaign: int, judge: int) -> int:
        """Count the live answers and skips of this person in a campaign."""
        return sum(self._count_answers(campaign, judge))

    def given_since(self, campaign: int, judge: int, moment: str, most: int) -> int:
        """Count the live answers and skips of this person after a moment, up to `most`.

        Moments are ordered as by `make_moment_key`.
        """
        return self._db.count(
            """SELECT coalesce(sum((created_at <= ?5, created_at) > (?3 <= ?5, ?3)), 0) FROM (
                    SELECT created_at FROM live_judgements
                    WHERE judge = ?1 AND campaign = ?2 ORDER BY id DESC LIMIT ?4)""",
            (judge, campaign, moment, most, make_timestamp()),
        )

    def summarize(self, campaign: int, judge: int) -> dict[str, int]:
        """Count what this person did and what is left in a campaign.

        Keys: answered and skipped by this person; left are the pairs that want a vote they have not
        given, no more about an attribute than it takes. again is what they are to be asked a second
        time.
        """
        answered, skipped = self._count_answers(campaign, judge)
        mine = self._count_open_answered(campaign, judge)
        asked = self._db.rows(
            f"""SELECT p.id, (SELECT coalesce(sum(c.pairs), 0) FROM vote_counts c
                WHERE c.campaign_attribute = p.id AND c.votes < p.overlap),
                {MOST_VOTES} - {GIVEN_VOTES}
            FROM campaign_attributes p WHERE p.campaign = ?""",
            (campaign,),
        )
        left = 0
        for campaign_attribute, pairs, room in asked:
            theirs = pairs - mine.get(campaign_attribute, 0)
            left += theirs if room is None else min(theirs, max(0, room))
        again = self._db.value(
            f"""SELECT count(*) FROM repeats r CROSS JOIN campaign_pairs q ON q.id = r.pair
            CROSS JOIN campaign_attributes p ON p.id = q.campaign_attribute
            WHERE r.judge = ?1 AND p.campaign = ?2
            AND EXISTS ({ANSWERS_OF} AND j.trial = 0 AND j.outcome IS NOT NULL)
            AND NOT EXISTS ({ANSWERS_OF} AND j.trial = 1)""",
            (judge, campaign),
        )
        return {"answered": answered, "skipped": skipped, "left": left, "again": again}

    def _count_answers(self, campaign: int, judge: int) -> tuple[int, int]:
        """Count the live answers, and the skips, of this person in a campaign."""
        rows: list[tuple[int, int]] = self._db.rows(
            "SELECT answered, skipped FROM person_counts WHERE judge = ? AND campaign = ?",
            (judge, campaign),
        )
        return rows[0] if rows else (0, 0)

    def _count_open_answered(self, campaign: int, judge: int) -> dict[int, int]:
        """Count the pairs that want a vote, though this person has answered them.

        Returns attribute of the campaign (row) -> number. Where one vote is enough, an answer
        leaves no pair open: only skips are looked at, and they are few.
        """
        skips = self._only_skips(campaign, judge)
        return dict(
            self._db.rows(
                f"""SELECT p.id, count(DISTINCT q.id)
                FROM live_judgements j CROSS JOIN comparisons c ON c.id = j.comparison
                CROSS JOIN campaign_attributes p ON p.attribute = c.attribute AND p.campaign = ?2
                CROSS JOIN campaign_pairs q ON q.campaign_attribute = p.id
                    AND q.generation_1 = c.generation_1 AND q.generation_2 = c.generation_2
                WHERE j.judge = ?1 AND j.trial = 0 AND +q.votes < p.overlap
                {"AND j.failure <> ''" if skips else ""} GROUP BY p.id""",
                (judge, campaign),
            )
        )

    def _only_skips(self, campaign: int, judge: int) -> bool:
        """Return whether all pairs that this person has answered have all their votes.

        That is so where a pair takes one vote, theirs counts, and it was given here.
        """
        return self._db.holds(
            """SELECT max(p.overlap) = 1
                AND NOT EXISTS (SELECT 1 FROM exclusions x JOIN campaigns m ON m.dataset = x.dataset
                    WHERE x.judge = ?1 AND m.id = ?2 AND x.lifted_at IS NULL)
                AND (SELECT coalesce(sum(t.count), 0) FROM outcome_counts t WHERE t.judge = ?1
                    AND t.attribute IN (
                        SELECT attribute FROM campaign_attributes WHERE campaign = ?2))
                = (SELECT coalesce(sum(n.answered + n.skipped), 0) FROM person_counts n
                    WHERE n.judge = ?1 AND n.campaign = ?2)
                FROM campaign_attributes p WHERE p.campaign = ?2""",
            (judge, campaign),
        )
