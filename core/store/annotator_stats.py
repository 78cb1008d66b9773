"""Statistics of annotators: when they answered, how long texts are, which checks they passed, how
many votes pairs have; and what one annotator has answered and has left.
"""

from __future__ import annotations

from collections.abc import Collection
from statistics import median
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from ..frames import Schema
from .assignments import ANSWERS_OF
from .campaigns import GIVEN_VOTES, MOST_VOTES, WANTED_VOTES
from .connection import StorePart, as_list, make_timestamp

AnsweredDays = Annotated[pd.DataFrame, Schema({str: "judge day first_at last_at", int: "answers"})]
CheckCounts = Annotated[pd.DataFrame, Schema({str: "judge role", int: "answered passed"})]
PairProgress = Annotated[
    pd.DataFrame, Schema({str: "attribute system_1 system_2", int: "pairs complete votes wanted"})
]
GivenVotes = Annotated[pd.DataFrame, Schema({str: "judge", int: "answered skipped"})]

UNSPACED = 20  # characters a word beyond which a text is taken to put no spaces between words
A_WORD = 2  # characters, in such writing

_WHITE = "replace(replace(replace({}, char(9), ' '), char(10), ' '), char(13), ' ')"
_PAIRED = f"replace(trim({_WHITE}), ' ', char(1) || char(2))"
_SINGLE_SPACED = f"replace(replace({_PAIRED}, char(2) || char(1), ''), char(1) || char(2), ' ')"
"""A text with one space for all white space between two words."""
_CAMPAIGN = "(?2 IS NULL OR p.campaign = ?2)"


class AnnotatorStats(StorePart):
    """Statistics of what annotators did; what they answered is in `judgement_frames`."""

    def days(self, dataset: str, campaign: int | None = None) -> AnsweredDays:
        """Count each person's live judgements and skips by day (UTC), in all or this campaign."""
        return self._db.frame(
            """SELECT w.name AS judge, date(j.created_at) AS day, count(*) AS answers,
            min(j.created_at) AS first_at, max(j.created_at) AS last_at
            FROM attributes a JOIN comparisons c ON c.attribute = a.id
            JOIN live_judgements j ON j.comparison = c.id
            JOIN judges w ON w.id = j.judge AND w.kind = 'human'
            WHERE a.dataset = ?1
            AND (?2 IS NULL OR j.campaign = ?2)
            GROUP BY w.id, 2 ORDER BY w.name, 2""",
            (dataset, campaign),
            rows=AnsweredDays,
        )

    def words(self, dataset: str) -> pd.Series:
        """Count the words of each text of a data set, by generation (id).

        White space separates them; a text without spaces has a word for every two characters. NaN
        where it is not available.
        """
        found = self._db.numbers(
            f"""SELECT generation, length(text) AS length,
            coalesce(length(text) - length(replace(text, ' ', '')), 0) AS spaces
            FROM (SELECT g.id AS generation, {_SINGLE_SPACED.format("g.text")} AS text
                FROM systems s JOIN generations g ON g.system = s.id WHERE s.dataset = ?)
            ORDER BY generation""",
            (dataset,),
        )
        length, spaced = found["length"], found["spaces"] + 1.0
        words = np.where(length / spaced > UNSPACED, length / A_WORD, spaced)
        words = np.where(np.isnan(length), np.nan, np.where(length == 0, 0.0, words))
        return pd.Series(words, index=found["generation"], name="words")

    def characters(self, dataset: str) -> pd.Series:
        """Count the characters of each text of a data set, by generation (id).

        For a missing text it is the number that its file gives, or NaN.
        """
        found = self._db.numbers(
            """SELECT g.id AS generation, coalesce(length(g.text), g.length) AS length
            FROM systems s JOIN generations g ON g.system = s.id WHERE s.dataset = ?
            ORDER BY g.id""",
            (dataset,),
        )
        return pd.Series(found["length"], index=found["generation"], name="characters")

    def checks(self, dataset: str, campaign: int | None = None) -> CheckCounts:
        """Count the live answers to checks, by role: `gold`, `attention` or `training`."""
        return self._db.frame(
            """SELECT w.name AS judge, k.role, count(*) AS answered, sum(n.passed) AS passed
            FROM campaigns m JOIN checks k ON k.campaign = m.id
            JOIN check_answers n ON n."check" = k.id AND n.withdrawn_at IS NULL
            JOIN judges w ON w.id = n.judge
            WHERE m.dataset = ?1 AND (?2 IS NULL OR m.id = ?2)
            GROUP BY w.id, k.role ORDER BY w.name, k.role""",
            (dataset, campaign),
            rows=CheckCounts,
        )

    def stamp(self, dataset: str) -> str:
        """Return a text that changes whenever a check is answered, or such an answer taken back.

        No other data set of that name has it.
        """
        return self._db.stamp(
            """SELECT (SELECT uid FROM datasets WHERE name = ?1), coalesce(max(n.id), 0),
            count(n.withdrawn_at) FROM campaigns m
            JOIN checks k ON k.campaign = m.id JOIN check_answers n ON n."check" = k.id
            WHERE m.dataset = ?1""",
            (dataset,),
        )

    def progress(self, dataset: str, campaign: int | None = None) -> PairProgress:
        """Count the pairs of texts of two systems (by name), and their votes.

        `complete` pairs have all their votes. `votes` are those of judges who are not excluded, no
        more than asked for. `wanted` votes are those of the open campaigns, as paused or closed
        ones want nothing, or of one campaign in any status. An active campaign with a budget
        may ask about any pair: only those that were asked count.
        """
        return self._db.frame(
            f"""SELECT a.name AS attribute, min(s1.name, s2.name) AS system_1,
            max(s1.name, s2.name) AS system_2, sum({MOST_VOTES} IS NULL OR q.votes > 0) AS pairs,
            sum(q.votes >= p.overlap) AS complete, sum(min(q.votes, p.overlap)) AS votes,
            sum(iif({MOST_VOTES} IS NULL, p.overlap, min(q.votes, p.overlap))) AS wanted
            FROM campaign_attributes p JOIN campaigns m ON m.id = p.campaign
                AND (?2 IS NOT NULL OR m.status = 'open')
            JOIN attributes a ON a.id = p.attribute
            JOIN campaign_pairs q ON q.campaign_attribute = p.id
            JOIN generations g1 ON g1.id = q.generation_1
            JOIN generations g2 ON g2.id = q.generation_2
            JOIN systems s1 ON s1.id = g1.system JOIN systems s2 ON s2.id = g2.system
            WHERE m.dataset = ?1 AND {_CAMPAIGN}
            GROUP BY a.id, 2, 3 ORDER BY a.id, 2, 3""",
            (dataset, campaign),
            rows=PairProgress,
        )

    def count_missing(
        self, dataset: str, campaign: int | None = None, *, paused: bool = False
    ) -> dict[str, int]:
        """Count the votes that open and paused campaigns still ask for, by attribute."""
        return self._db.mapping(
            f"""SELECT a.name, sum(max(0, {WANTED_VOTES} - {GIVEN_VOTES})) AS missing
            FROM campaign_attributes p JOIN campaigns m ON m.id = p.campaign
                AND (m.status = 'open' OR ?3 AND m.status = 'paused')
            JOIN attributes a ON a.id = p.attribute
            WHERE m.dataset = ?1 AND {_CAMPAIGN} GROUP BY a.id HAVING missing IS NOT NULL""",
            (dataset, campaign, paused),
        )

    def is_collecting(self, dataset: str, campaign: int | None = None) -> bool:
        """Return whether a campaign (or this one) has some of the votes it asks for, not all.

        Open and paused campaigns count: a paused one can go on when its numbers please nobody.
        """
        begun = self._db.value(
            f"""SELECT EXISTS (SELECT 1 FROM campaign_attributes p
                JOIN campaigns m ON m.id = p.campaign AND m.status != 'closed'
                JOIN campaign_pairs q ON q.campaign_attribute = p.id AND q.votes > 0
                WHERE m.dataset = ?1 AND {_CAMPAIGN})""",
            (dataset, campaign),
        )
        return bool(begun) and any(self.count_missing(dataset, campaign, paused=True).values())

    def count_given(
        self, dataset: str, campaign: int | None = None, attribute: str | None = None
    ) -> GivenVotes:
        """Count what everybody who is not excluded has answered and skipped."""
        return self._db.frame(
            """SELECT w.name AS judge, count(j.outcome) AS answered,
            count(*) - count(j.outcome) AS skipped
            FROM attributes a JOIN comparisons c ON c.attribute = a.id
            JOIN live_judgements j ON j.comparison = c.id
            JOIN judges w ON w.id = j.judge AND w.kind = 'human'
            WHERE a.dataset = ?1 AND (?3 IS NULL OR a.name = ?3)
            AND (?2 IS NULL OR j.campaign = ?2)
            AND NOT EXISTS (SELECT 1 FROM exclusions e WHERE e.judge = w.id AND e.dataset = ?1
                AND e.lifted_at IS NULL)
            GROUP BY w.id ORDER BY answered DESC, w.name""",
            (dataset, campaign, attribute),
            rows=GivenVotes,
        )


class Latest(NamedTuple):
    """A person's latest live answer: its row, and how long it took where that is known."""

    judgement: int
    seconds: float | None


class AnnotatorProgress(StorePart):
    """Answers and progress of single annotators, by live answers; a skip is an answer."""

    def latest(self, campaign: int, judge: int, limit: int = 20) -> list[Latest]:
        """List a person's latest live answers, newest first, as rows: a frame takes too long."""
        rows = self._db.rows(
            """SELECT id, seconds FROM live_judgements WHERE judge = ? AND campaign = ?
            ORDER BY id DESC LIMIT ?""",
            (judge, campaign, limit),
        )
        return [Latest(*row) for row in rows]

    def pace(self, dataset: str, without: Collection[str] = (), latest: int = 20) -> float | None:
        """Return the median seconds that people took for an answer in a data set's campaigns.

        Only the `latest` timed answers of each person are looked at, and those of people `without`
        are not. It is None without any.
        """
        seconds = self._db.column(
            """SELECT j.seconds FROM people w CROSS JOIN judgements j ON j.id IN (
                SELECT id FROM judgements WHERE judge = w.judge AND withdrawn_at IS NULL
                AND seconds IS NOT NULL ORDER BY id DESC LIMIT ?2)
            JOIN campaigns m ON m.id = j.campaign WHERE m.dataset = ?1
            AND w.judge NOT IN (
                SELECT id FROM judges WHERE name IN (SELECT value FROM json_each(?3)))""",
            (dataset, latest, as_list(without)),
        )
        return median(seconds) if seconds else None

    def history(self, campaign: int, judge: int, limit: int) -> list[dict[str, Any]]:
        """List a person's latest live answers, newest first, by the names of columns."""
        names = ("judgement", "attribute", "generation_a", "generation_b", "created_at")
        rows = self._db.rows(
            """SELECT j.id, c.attribute, c.generation_a, c.generation_b, j.created_at
            FROM live_judgements j JOIN comparisons c ON c.id = j.comparison
            WHERE j.judge = ? AND j.campaign = ? ORDER BY j.id DESC LIMIT ?""",
            (judge, campaign, limit),
        )
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
        for answered, skipped in self._db.rows(
            "SELECT answered, skipped FROM person_counts WHERE judge = ? AND campaign = ?",
            (judge, campaign),
        ):
            return answered, skipped
        return 0, 0

    def _count_open_answered(self, campaign: int, judge: int) -> dict[int, int]:
        """Count the pairs that want a vote, though this person has answered them.

        Returns attribute of the campaign (row) -> number. Where one vote is enough, an answer
        leaves no pair open: only skips are looked at, and they are few.
        """
        skips = self._only_skips(campaign, judge)
        return self._db.mapping(
            f"""SELECT p.id, count(DISTINCT q.id)
            FROM live_judgements j CROSS JOIN comparisons c ON c.id = j.comparison
            CROSS JOIN campaign_attributes p ON p.attribute = c.attribute AND p.campaign = ?2
            CROSS JOIN campaign_pairs q ON q.campaign_attribute = p.id
                AND q.generation_1 = c.generation_1 AND q.generation_2 = c.generation_2
            WHERE j.judge = ?1 AND j.trial = 0 AND +q.votes < p.overlap
            {"AND j.failure <> ''" if skips else ""} GROUP BY p.id""",
            (judge, campaign),
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
