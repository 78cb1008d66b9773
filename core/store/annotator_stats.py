"""Statistics of annotators.

They say when people answered, how long the texts are, and which checks they passed. Others count
the votes of the pairs of campaigns.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ..frames import Schema
from .campaigns import MOST_VOTES
from .connection import StorePart

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
    """Statistics of what annotators did.

    Nothing here tells what anybody answered about whom: `judgement_frames` does.
    """

    def days(self, dataset: str, campaign: int | None = None) -> AnsweredDays:
        """Count the live judgements (and skips) of each person on each day (UTC): of all, or of
        those in this campaign.
        """
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
        parts = self._db.rows(
            """SELECT (SELECT uid FROM datasets WHERE name = ?1), coalesce(max(n.id), 0),
            count(n.withdrawn_at) FROM campaigns m
            JOIN checks k ON k.campaign = m.id JOIN check_answers n ON n."check" = k.id
            WHERE m.dataset = ?1""",
            (dataset,),
        )[0]
        return ".".join(map(str, parts))

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
        return dict(
            self._db.rows(
                f"""SELECT a.name, sum(missing) FROM (
                    SELECT p.attribute, max(0, min(count(*) * p.overlap,
                        coalesce({MOST_VOTES}, count(*) * p.overlap))
                        - sum(min(q.votes, p.overlap))) AS missing
                    FROM campaign_attributes p
                    JOIN campaigns m ON m.id = p.campaign
                        AND (m.status = 'open' OR ?3 AND m.status = 'paused')
                    JOIN campaign_pairs q ON q.campaign_attribute = p.id
                    WHERE m.dataset = ?1 AND {_CAMPAIGN} GROUP BY p.id) o
                JOIN attributes a ON a.id = o.attribute GROUP BY a.id""",
                (dataset, campaign, paused),
            )
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
