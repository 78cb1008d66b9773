"""Votes that came in files, and how a vote that was imported before is recognized."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..records import Vote
from .connection import StorePart, as_list, make_timestamp

FIELDS = Vote._fields

_SYSTEM = "(SELECT id FROM systems WHERE dataset = ?1 AND name = ?{})"
_KNOWN = {
    "item": "(SELECT id FROM items WHERE dataset = ?1 AND key = ?{})",
    "system_a": _SYSTEM,
    "system_b": _SYSTEM,
    "attribute": "(SELECT id FROM attributes WHERE dataset = ?1 AND name = ?{})",
    "judge": "(SELECT id FROM judges WHERE name = ?{})",
}
"""Fields of a vote that name something: what the store does not know is an error, never a lost
vote. A pair that nobody judged has no judge.
"""
_COLUMNS = (name + " NOT NULL" * (name in _KNOWN and name != "judge") for name in FIELDS)
_STAGED = f"""CREATE TEMP TABLE IF NOT EXISTS staged_votes (nth INTEGER PRIMARY KEY,
    {", ".join(_COLUMNS)})"""
_VALUES = (_KNOWN.get(name, "?{}").format(place) for place, name in enumerate(FIELDS, start=2))
_STAGE = f"INSERT INTO staged_votes ({', '.join(FIELDS)}) VALUES ({', '.join(_VALUES)})"
"""A vote, behind the name of its data set."""

_TEXTS = """INSERT INTO generations (item, system, sample)
    SELECT item, system, sample FROM (
        SELECT nth, 0, item, system_a AS system, sample_a AS sample FROM staged_votes
        UNION ALL SELECT nth, 1, item, system_b, sample_b FROM staged_votes ORDER BY 1, 2) v
    WHERE NOT EXISTS (SELECT 1 FROM generations g WHERE g.item = v.item AND g.system = v.system
        AND g.sample = v.sample)
    ON CONFLICT DO NOTHING"""
_SIDED = """staged_votes v
    CROSS JOIN generations a ON a.item = v.item AND a.system = v.system_a AND a.sample = v.sample_a
    CROSS JOIN generations b ON b.item = v.item AND b.system = v.system_b AND b.sample = v.sample_b
    """
_ASKED = f"""{_SIDED} CROSS JOIN comparisons c ON c.attribute = v.attribute
    AND c.generation_a = a.id AND c.generation_b = b.id"""
_COMPARISONS = f"""INSERT INTO comparisons (attribute, generation_a, generation_b, item, system_a,
        system_b)
    SELECT v.attribute, a.id, b.id, v.item, v.system_a, v.system_b FROM {_SIDED}
    WHERE NOT EXISTS (SELECT 1 FROM comparisons c WHERE c.attribute = v.attribute
        AND c.generation_a = a.id AND c.generation_b = b.id)
    ORDER BY v.nth ON CONFLICT DO NOTHING"""
_LIST = f"UPDATE comparisons SET listed = 1 WHERE id IN (SELECT c.id FROM {_ASKED})"

MIDNIGHT = "T00:00:00.000000+00:00"
"""How days end that have no time: two votes on one day are two."""

# A repeated vote of the same judge on the same comparison is the next trial. One that is there
# already, taken back or not, stays as it is. So does one that was given here, or came with another
# file, at the very same moment: what was exported adds nothing.
_JUDGEMENTS = f"""INSERT INTO judgements (comparison, judge, trial, source, source_mark,
        source_occurrence, itemless, outcome, failure, order_known, prob_a, raw, strength,
        confidence, seconds, comment, text_format, created_at)
    WITH asked AS (
        SELECT c.id AS comparison, v.* FROM {_ASKED}),
    new AS (
        SELECT *, row_number() OVER (PARTITION BY comparison, judge ORDER BY nth) - 1 AS trial
        FROM asked v
        WHERE NOT EXISTS (SELECT 1 FROM judgements k WHERE k.comparison = v.comparison
            AND k.source = ?1 AND k.source_mark = v.mark AND k.source_occurrence = v.occurrence
            AND NOT k.itemless)
        AND NOT (v.itemless AND EXISTS (SELECT 1 FROM judgements k WHERE k.itemless
            AND k.source = ?1 AND k.source_mark = v.mark AND k.source_occurrence = v.occurrence))
        AND (v.created_at = '' OR v.created_at LIKE '%{MIDNIGHT}' OR coalesce(v.occurrence, 1) > (
            SELECT count(*) FROM live_judgements k WHERE k.comparison = v.comparison
            AND k.judge = v.judge AND k.source IS NOT ?1 AND k.created_at = v.created_at
            AND k.outcome IS v.outcome AND k.failure = v.failure)))
    SELECT v.comparison, v.judge, v.trial + (SELECT coalesce(max(trial) + 1, 0)
            FROM live_judgements k WHERE k.comparison = v.comparison AND k.judge = v.judge),
        ?1, v.mark, v.occurrence, v.itemless, v.outcome, v.failure, v.order_known, v.prob_a, v.raw,
        v.strength, v.confidence, v.seconds, v.comment, v.text_format,
        coalesce(nullif(v.created_at, ''), ?2)
    FROM new v ORDER BY v.nth ON CONFLICT DO NOTHING"""


class ImportedVotes(StorePart):
    """Judgements that no run or campaign asked for."""

    def add(
        self, dataset: str, votes: Iterable[Sequence[Any]], source: str = ""
    ) -> tuple[int, int]:
        """Add votes of one source on known items, each in the fields of `core.records.Vote`.

        Returns how many comparisons and judgements were new. A vote whose mark and occurrence in
        its source are there already is the same vote and is not added again. A vote without a known
        moment gets that of its import, and so comes after the others. A text that a vote is about
        and nobody has brought is noted as not available.
        """
        with self._db.transaction():
            comparisons = self._compare(dataset, votes)
            return comparisons, self._db.execute(
                _JUDGEMENTS, (self._source(source), make_timestamp())
            )

    def add_pairs(self, dataset: str, votes: Iterable[Sequence[Any]]) -> int:
        """Add pairs that nobody has voted on yet; return how many comparisons were new.

        Only these pairs of their items are asked about.
        """
        with self._db.transaction():
            comparisons = self._compare(dataset, votes)
            self._db.execute(_LIST)
        return comparisons

    def listed_pairs(self, first: int, last: int) -> dict[int, list[tuple[int, int, str, str]]]:
        """Load the pairs that files list of the items in the rows from `first` to `last`.

        Each item (row) has its pairs, each once: the ids of two generations whose texts are at
        hand, and their systems.
        """
        found: dict[int, list[tuple[int, int, str, str]]] = {}
        for item, *pair in self._db.rows(
            """SELECT DISTINCT c.item, a.id, b.id, s.name, t.name FROM comparisons c
            JOIN generations a ON a.id = c.generation_1 AND a.text IS NOT NULL
            JOIN generations b ON b.id = c.generation_2 AND b.text IS NOT NULL
            JOIN systems s ON s.id = a.system JOIN systems t ON t.id = b.system
            WHERE c.listed AND c.item BETWEEN ? AND ? ORDER BY c.id""",
            (first, last),
        ):
            found.setdefault(item, []).append(tuple(pair))
        return found

    def items_of(self, source: str, votes: Iterable[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Find the items of those votes, given without an item, that a source has brought before.

        Returns the mark and occurrence of each such vote -> the item it is about.
        """
        rows = self._db.rows(
            """SELECT j.source_mark, j.source_occurrence, i.key
                FROM json_each(?2) v CROSS JOIN judgements j ON j.itemless
                    AND j.source = (SELECT id FROM sources WHERE name = ?1)
                    AND j.source_mark = json_extract(v.value, '$[0]')
                    AND j.source_occurrence = json_extract(v.value, '$[1]')
                JOIN comparisons c ON c.id = j.comparison JOIN items i ON i.id = c.item""",
            (source, as_list(votes)),
        )
        return {(mark, occurrence): item for mark, occurrence, item in rows}

    def _compare(self, dataset: str, votes: Iterable[Sequence[Any]]) -> int:
        """Stage votes, and add the comparisons they are about; return how many of these are new."""
        self._db.execute(_STAGED)
        self._db.execute("DELETE FROM staged_votes")
        self._db.executemany(_STAGE, ((dataset, *vote) for vote in votes))
        self._db.execute(_TEXTS)
        return self._db.execute(_COMPARISONS)

    def _source(self, name: str) -> int | None:
        """Return the row of a source, which may be new; None for votes without one."""
        if not name:
            return None
        self._db.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (name,))
        return self._db.count("SELECT id FROM sources WHERE name = ?", (name,))
