"""Votes that came in files, and how one is known again that was imported before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from core.moments import parse_moment
from core.records import SourceRow, Vote
from core.store.connection import Connection, Part, now
from core.store.datasets import Datasets
from core.store.judgements import ANSWERED, answered

_COLUMNS = [name.strip() for name in ANSWERED.split(",")]
_AT = {name: f"?{place}" for place, name in enumerate(_COLUMNS, start=7)}

# A repeated vote of the same judge on the same comparison is the next trial. One that is there
# already, taken back or not, stays as it is. So does one that was given here, or came with another
# file, at the very same moment: what was exported adds nothing. The last values are
# whether a moment is known, and whether no other vote can be repeated: the first of a judge on a
# comparison that is new.
_ADD = f"""INSERT INTO judgements (comparison, judge, trial, source, source_mark,
        source_occurrence, itemless, {ANSWERED})
    SELECT ?1, ?2, CASE WHEN ?{8 + len(_COLUMNS)} THEN 0 ELSE
        (SELECT coalesce(max(trial) + 1, 0) FROM live_judgements
        WHERE comparison = ?1 AND judge = ?2) END, ?3, ?4, ?5, ?6, {", ".join(_AT.values())}
    WHERE NOT ?{7 + len(_COLUMNS)} OR coalesce(?5, 1) > (SELECT count(*) FROM live_judgements
        WHERE comparison = ?1 AND judge = ?2 AND source IS NOT ?3
        AND created_at = {_AT["created_at"]} AND outcome IS {_AT["outcome"]}
        AND failure = {_AT["failure"]})
    ON CONFLICT DO NOTHING"""

MIDNIGHT = "T00:00:00.000000+00:00"
"""How days end that have no time: two votes on one day are two."""

Key = tuple[int, int, int]
Side = Key
"""Item, system and sample of a text."""
_SIDE = ("item", "system", "sample")
_PAIR = ("attribute", "generation_a", "generation_b")


class ImportedVotes(Part):
    """Judgements that no plan asked for."""

    def __init__(self, connection: Connection, datasets: Datasets) -> None:
        super().__init__(connection)
        self._datasets = datasets

    def add(self, dataset: str, votes: Sequence[Vote]) -> tuple[int, int]:
        """Votes on known items: how many comparisons and judgements were new.

        A vote whose `source_row` is there already is the same vote and is not added again. One of
        which no moment is known gets that of its import, and so comes after the others. A text
        that a vote is about and nobody has brought is noted as not available.
        """
        at = now()
        with self._db.transaction():
            judges = dict(self._db.rows("SELECT name, id FROM judges"))
            sources = self._sources(vote.source_row.source for vote in votes if vote.source_row)
            begin = self._next("comparisons")
            asked, comparisons, new = self._compare(dataset, votes)
            seen = set[tuple[int, int]]()
            rows = []
            for vote, pair in zip(votes, asked, strict=True):
                moment = parse_moment(vote.created_at)
                asks = comparisons[pair], judges[vote.judge]
                is_first = asks[0] >= begin and asks not in seen
                seen.add(asks)
                is_timed = bool(moment) and not moment.endswith(MIDNIGHT)
                rows.append(
                    (
                        *asks,
                        *_place(vote.source_row, sources),
                        *answered(vote.answer, vote.order_known, moment or at),
                        is_timed and not is_first,
                        is_first,
                    )
                )
            judgements = self._db.executemany(_ADD, rows)
        return new, judgements

    def add_pairs(self, dataset: str, votes: Sequence[Vote]) -> int:
        """Pairs of votes that nobody has given yet: of their items just these are asked about.
        Returns how many comparisons were new.
        """
        with self._db.transaction():
            asked, comparisons, new = self._compare(dataset, votes)
            self._db.executemany(
                "UPDATE comparisons SET listed = 1 WHERE id = ?",
                ((comparisons[pair],) for pair in dict.fromkeys(asked)),
            )
        return new

    def listed_pairs(self, dataset: str, items: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
        """Of those of these items that files list pairs of: the pairs (ids of generations whose
        texts are at hand), each once.
        """
        found: dict[str, list[tuple[int, int]]] = {}
        for item, first, second in self._db.rows(
            """SELECT DISTINCT i.key, c.generation_1, c.generation_2 FROM json_each(?2) v
            JOIN items i ON i.dataset = ?1 AND i.key = v.value
            JOIN comparisons c ON c.item = i.id AND c.listed
            JOIN generations a ON a.id = c.generation_1 AND a.text IS NOT NULL
            JOIN generations b ON b.id = c.generation_2 AND b.text IS NOT NULL ORDER BY c.id""",
            (dataset, json.dumps(list(items))),
        ):
            found.setdefault(item, []).append((first, second))
        return found

    def items_of(self, rows: Iterable[SourceRow]) -> dict[SourceRow, str]:
        """Which of these votes without an item have been imported -> the item each is about."""
        return {
            SourceRow(source, mark, occurrence, itemless=True): item
            for source, mark, occurrence, item in self._db.rows(
                """SELECT s.name, j.source_mark, j.source_occurrence, i.key
                FROM json_each(?) v JOIN sources s ON s.name = json_extract(v.value, '$[0]')
                CROSS JOIN judgements j ON j.source = s.id AND j.itemless
                    AND j.source_mark = json_extract(v.value, '$[1]')
                    AND j.source_occurrence = json_extract(v.value, '$[2]')
                JOIN comparisons c ON c.id = j.comparison JOIN items i ON i.id = c.item""",
                (json.dumps(list(rows)),),
            )
        }

    def _compare(
        self, dataset: str, votes: Sequence[Vote]
    ) -> tuple[list[Key], dict[Key, int], int]:
        """What each vote is about, its comparisons, and how many of these are new."""
        systems = self._datasets.system_ids(dataset)
        attributes = self._datasets.attribute_ids(dataset)
        items = self._datasets.item_ids(dataset, (vote.item for vote in votes))
        sides = [
            (
                (items[v.item], systems[v.system_a], v.sample_a),
                (items[v.item], systems[v.system_b], v.sample_b),
            )
            for v in votes
        ]
        texts = self._texts(side for both in sides for side in both)
        asked = [
            (attributes[vote.attribute], texts[first], texts[second])
            for vote, (first, second) in zip(votes, sides, strict=True)
        ]
        return asked, *self._comparisons(dict(zip(asked, sides, strict=True)))

    def _sources(self, names: Iterable[str]) -> dict[str, int]:
        """name -> row, of files that are new, too."""
        wanted = list(dict.fromkeys(names))
        self._db.executemany(
            "INSERT OR IGNORE INTO sources (name) VALUES (?)", ((name,) for name in wanted)
        )
        return dict(
            self._db.rows(
                "SELECT name, id FROM sources WHERE name IN (SELECT value FROM json_each(?))",
                (json.dumps(wanted),),
            )
        )

    def _texts(self, sides: Iterable[Side]) -> dict[Side, int]:
        """The generation of each, added without its text where there is none."""
        wanted = list(dict.fromkeys(sides))
        known = self._known("generations", _SIDE, wanted)
        missing = self._numbered("generations", (side for side in wanted if side not in known))
        self._db.executemany(
            "INSERT INTO generations (item, system, sample, id) VALUES (?, ?, ?, ?)",
            ((*side, row) for side, row in missing.items()),
        )
        return known | missing

    def _comparisons(self, asked: dict[Key, tuple[Side, Side]]) -> tuple[dict[Key, int], int]:
        """The comparison of each attribute and two generations, and how many of them are new."""
        known = self._known("comparisons", _PAIR, list(asked))
        missing = self._numbered("comparisons", (pair for pair in asked if pair not in known))
        self._db.executemany(
            """INSERT INTO comparisons (id, attribute, generation_a, generation_b, item, system_a,
            system_b) VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                (row, *pair, *first[:2], second[1])
                for pair, row in missing.items()
                for first, second in [asked[pair]]
            ),
        )
        return known | missing, len(missing)

    def _numbered(self, table: str, keys: Iterable[Key]) -> dict[Key, int]:
        """The rows that new ones will have: nobody else adds any in this transaction, and a row
        that is gone had a number of its own.
        """
        return {key: row for row, key in enumerate(keys, start=self._next(table))}

    def _next(self, table: str) -> int:
        """The row that the next new one will have."""
        last = self._db.value("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)) or 0
        return int(last) + 1

    def _known(self, table: str, columns: Sequence[str], keys: Sequence[Key]) -> dict[Key, int]:
        """The row of each that is there, by three numbers that tell it from all others."""
        first, second, third = columns
        return {
            (one, two, three): row
            for one, two, three, row in self._db.rows(
                f"""SELECT t.{first}, t.{second}, t.{third}, t.id FROM json_each(?) v
                CROSS JOIN {table} t ON t.{first} = json_extract(v.value, '$[0]')
                    AND t.{second} = json_extract(v.value, '$[1]')
                    AND t.{third} = json_extract(v.value, '$[2]')""",
                (json.dumps(keys),),
            )
        }


def _place(row: SourceRow | None, sources: dict[str, int]) -> tuple[int | None, ...]:
    """The columns of a judgement that say where it comes from."""
    if row is None:
        return None, None, None, 0
    return sources[row.source], row.mark, row.occurrence, int(row.itemless)
