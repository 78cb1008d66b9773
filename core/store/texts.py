"""Texts of a data set, by item, system and sample: those at hand, and those that models write."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..frames import Schema
from ..records import Attribute, Draft, Slot
from .connection import StorePart, as_list, failed_for
from .judgements import REPLIED, reply_columns
from .judges import MANY
from .similarities import ChosenGenerations

GenerationRows = Annotated[
    pd.DataFrame,
    Schema(
        {int: "generation sample", str: "item subset system"}, maybe={str: "text", int: "available"}
    ),
]

_TEXTS_AT_A_TIME = 500


class StoreTexts(StorePart):
    """The texts of data sets, each of a system on an item; a text may not be at hand."""

    def list_by_sample(self, dataset: str, item: str, system: str) -> dict[int, str | None]:
        """Return the texts of one system on one item by sample, None for a missing one."""
        return self._db.mapping(
            """SELECT g.sample, g.text FROM generations g
            JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
            WHERE i.dataset = ? AND i.key = ? AND s.dataset = ? AND s.name = ?""",
            (dataset, item, dataset, system),
        )

    def texts_of_items(
        self, dataset: str, items: Sequence[str]
    ) -> list[tuple[str, str, int, str | None]]:
        """List item, system, sample and text of all generations on these items."""
        return self._db.rows(
            """SELECT i.key, s.name, g.sample, g.text FROM json_each(?) v
            CROSS JOIN items i ON i.dataset = ? AND i.key = v.value
            JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system""",
            (as_list(items), dataset),
        )

    def iterate_texts(self, generations: Sequence[int]) -> Iterator[str]:
        """Yield the available texts of these generations, reading a few hundred at a time."""
        for start in range(0, len(generations), _TEXTS_AT_A_TIME):
            yield from self._db.column(
                """SELECT g.text FROM json_each(?) v JOIN generations g ON g.id = v.value
                WHERE g.text IS NOT NULL""",
                (as_list(generations[start : start + _TEXTS_AT_A_TIME]),),
            )

    def two_texts(self, dataset: str, items: Sequence[str], letters: int) -> list[tuple[str, str]]:
        """List (item, first `letters` of a text) of the first two systems with one on each."""
        return self._db.rows(
            """SELECT i.key, substr(g.text, 1, ?) FROM json_each(?) v
            CROSS JOIN items i ON i.dataset = ? AND i.key = v.value
            JOIN generations g ON g.item = i.id AND g.sample = 0 AND g.text IS NOT NULL
            WHERE (SELECT count(*) FROM generations h WHERE h.item = g.item AND h.sample = 0
                AND h.text IS NOT NULL AND h.system < g.system) < 2
            ORDER BY i.id, g.system""",
            (letters, as_list(items), dataset),
        )

    def lacks_texts(self, dataset: str) -> bool:
        """Return whether votes came without the texts they are about, and no text is there."""
        return self._db.holds(
            """WITH own AS (SELECT id FROM systems WHERE dataset = ?)
                SELECT CASE
                    WHEN NOT EXISTS (SELECT 1 FROM generations WHERE system IN own) THEN 0
                    WHEN EXISTS (SELECT 1 FROM own WHERE (SELECT text FROM generations
                        WHERE system = own.id LIMIT 1) IS NOT NULL) THEN 0
                    ELSE NOT EXISTS (SELECT 1 FROM generations NOT INDEXED
                        WHERE text IS NOT NULL AND system IN own) END""",
            (dataset,),
        )

    def has_any_text(self, dataset: str) -> bool:
        """Return whether any text of a data set is at hand."""
        return self.has_texts(ChosenGenerations(dataset, samples=sys.maxsize))

    def has_texts(self, chosen: ChosenGenerations) -> bool:
        """Return whether any of the chosen texts is at hand."""
        return self._db.holds(*chosen.query("1", "LIMIT 1"))

    def has_lengths(self, dataset: str) -> bool:
        """Return whether a file gave the length of a text that it does not have."""
        return self._db.holds(
            """SELECT EXISTS (SELECT 1 FROM systems s JOIN generations g ON g.system = s.id
                WHERE s.dataset = ? AND g.length IS NOT NULL)""",
            (dataset,),
        )

    def generation_id(self, dataset: str, item: str, system: str, sample: int = 0) -> int | None:
        """Return the row of a text; None for a missing one."""
        found = self._db.value(
            """SELECT g.id FROM generations g JOIN items i ON i.id = g.item
            JOIN systems s ON s.id = g.system WHERE i.dataset = ? AND i.key = ? AND s.name = ?
            AND g.sample = ? AND g.text IS NOT NULL""",
            (dataset, item, system, sample),
        )
        return None if found is None else int(found)

    def generations(
        self, dataset: str, *, texts: bool = True, items: Sequence[str] | None = None
    ) -> GenerationRows:
        """Load all generations (rows), or those of these items, with their `text` (NaN = not
        available) or, unless `texts`, whether it is `available` (1 or 0).
        """
        of = (dataset, as_list(items))
        if not texts:
            return self._without_texts(*of)
        return self._db.frame(
            """SELECT g.id AS generation, i.key AS item, i.subset, s.name AS system, g.sample,
            g.text FROM generations g JOIN items i ON i.id = g.item
            JOIN systems s ON s.id = g.system
            WHERE i.dataset = ?1 AND (?2 IS NULL OR i.key IN (SELECT value FROM json_each(?2)))
            ORDER BY i.id, s.name, g.sample""",
            of,
            rows=GenerationRows,
        )

    def _without_texts(self, dataset: str, among: str | None) -> GenerationRows:
        systems = self._db.rows(
            "SELECT id, name, rank() OVER (ORDER BY name) FROM systems WHERE dataset = ? "
            "ORDER BY id",
            (dataset,),
        )
        items = self._db.rows(
            """SELECT id, key, subset FROM items WHERE dataset = ?1
            AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2))) ORDER BY id""",
            (dataset, among),
        )
        rows = self._db.numbers(
            """SELECT g.id AS generation, g.item, g.system, g.sample, g.text IS NOT NULL AS
            available FROM items i JOIN generations g ON g.item = i.id WHERE i.dataset = ?1
            AND (?2 IS NULL OR i.key IN (SELECT value FROM json_each(?2)))""",
            (dataset, among),
        )
        place = np.searchsorted([row[0] for row in systems], rows["system"])
        by_name = np.array([row[2] for row in systems], dtype=np.int64)[place]
        order = np.lexsort((rows["sample"], by_name, rows["item"]))
        rows = {name: column[order] for name, column in rows.items()}
        return pd.DataFrame(
            {
                "generation": rows["generation"],
                "item": decode_names(items, rows["item"]),
                "subset": decode_names(items, rows["item"], 2),
                "system": decode_names(systems, rows["system"]),
                "sample": rows["sample"],
                "available": rows["available"],
            }
        )

    def identical_pairs(
        self, dataset: str, rows: tuple[int, int] | None = None
    ) -> set[tuple[int, int]]:
        """Find pairs of generations of two systems with the same text on an item, sample by sample.

        They are ids, the lower first: of all items, or of those in these rows, from the first to
        the last.
        """
        among = "" if rows is None else "AND i.id BETWEEN ? AND ?"
        pairs = self._db.rows(
            f"""SELECT min(g.id, h.id), max(g.id, h.id) FROM items i
            JOIN generations g ON g.item = i.id
            JOIN generations h ON h.item = g.item AND h.sample = g.sample
                AND h.system > g.system AND h.text = g.text
            WHERE {"+" if rows else ""}i.dataset = ? {among}""",
            (dataset, *(rows or ())),
        )
        return set(pairs)

    def compared_texts(self, dataset: str, size: int) -> Iterator[list[tuple[int, str, int, str]]]:
        """Yield the first text of each system on each item, where it is at hand.

        Each is (row of the item, its key, generation, system), by item and by the name of the
        system; some items at a time.
        """
        for portion in self.portions(dataset, "id", size):
            yield self._db.rows(
                """SELECT i.id, i.key, g.id, s.name FROM items i
                JOIN generations g ON g.item = i.id AND g.sample = 0 AND g.text IS NOT NULL
                JOIN systems s ON s.id = g.system
                WHERE i.id BETWEEN ? AND ? AND +i.dataset = ? ORDER BY i.id, s.name""",
                (portion[0][0], portion[-1][0], dataset),
            )

    def portions(self, dataset: str, columns: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield columns of all items in the order they were added, `size` rows at a time."""
        last = 0
        # By row: an index of the data set would be sorted again for each portion.
        while some := self._db.rows(
            f"""SELECT id, {columns} FROM items WHERE id > ? AND +dataset = ?
            ORDER BY id LIMIT {size:d}""",
            (last, dataset),
        ):
            yield [row[1:] for row in some]
            last = some[-1][0]

    def group_sizes(
        self, chosen: ChosenGenerations, items: Sequence[str] | None = None
    ) -> list[tuple[tuple[int, ...], int]]:
        """Count the items by how many of their chosen texts can be compared with one another.

        Each row has the numbers of texts, sample by sample, and the number of items that are like
        that. Counted are all items, or these `items` (keys).
        """
        rows, values = chosen.query(
            "g.item, g.sample, count(*) AS n",
            """AND (:items IS NULL OR i.key IN (SELECT value FROM json_each(:items)))
            GROUP BY g.item, g.sample HAVING count(*) > 1 ORDER BY g.item, g.sample""",
        )
        found = self._db.rows(
            f"""SELECT sizes, count(*) FROM
            (SELECT group_concat(n) AS sizes FROM ({rows}) GROUP BY item) GROUP BY sizes""",
            {**values, "items": as_list(items)},
        )
        return [(tuple(map(int, str(sizes).split(","))), count) for sizes, count in found]

    def pair_texts(
        self, generation_1: int, generation_2: int
    ) -> tuple[str, str | None, str | None]:
        """Return the context of two texts of an item, and the texts, None for a missing one."""
        [texts] = self._db.rows(
            """SELECT i.context, one.text, other.text FROM generations one
            JOIN generations other ON other.id = ? JOIN items i ON i.id = one.item
            WHERE one.id = ?""",
            (int(generation_2), int(generation_1)),
        )
        return texts


_WRITTEN = """FROM items i JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system
    WHERE i.dataset = ?1 AND s.name = ?2 AND (?3 = '' OR i.subset = ?3) AND g.sample < ?4"""


class GeneratedTexts(StorePart):
    """Texts that runs have sampled, as generations; a failed one keeps its reason."""

    def count_imported(self, dataset: str, system: str) -> int:
        """Count the texts of a system that no run of ours wrote."""
        return self._db.count(
            """SELECT count(*) FROM generations g JOIN systems s ON s.id = g.system
                WHERE s.dataset = ? AND s.name = ? AND g.text IS NOT NULL AND g.run IS NULL""",
            (dataset, system),
        )

    def list_unwritten(
        self, dataset: str, system: str, subset: str, samples: int, limit: int
    ) -> list[Slot]:
        """List the next texts a system lacks, samples below `samples`, item by item."""
        rows = self._db.rows(
            """WITH RECURSIVE numbers (sample) AS (
                VALUES (0) UNION ALL SELECT sample + 1 FROM numbers WHERE sample + 1 < ?4)
            SELECT i.id, i.key, n.sample, i.context FROM items i, numbers n
            JOIN systems s ON s.dataset = i.dataset AND s.name = ?2
            LEFT JOIN generations g ON g.item = i.id AND g.system = s.id AND g.sample = n.sample
            WHERE i.dataset = ?1 AND (?3 = '' OR i.subset = ?3) AND g.text IS NULL
            AND coalesce(g.failure, '') = '' ORDER BY i.id, n.sample LIMIT ?5""",
            (dataset, system, subset, samples, limit),
        )
        return [Slot(*row) for row in rows]

    def count_written(
        self, dataset: str, system: str, subset: str, samples: int
    ) -> tuple[int, int]:
        """Count the texts of a system: (planned, done); one that did not come counts as done."""
        items = self._db.value(
            "SELECT count(*) FROM items WHERE dataset = ?1 AND (?2 = '' OR subset = ?2)",
            (dataset, subset),
        )
        done = self._db.value(
            f"SELECT count(*) {_WRITTEN} AND (g.text IS NOT NULL OR g.failure <> '')",
            (dataset, system, subset, samples),
        )
        return items * samples, done

    def failures(self, dataset: str, system: str, subset: str, samples: int) -> dict[str, int]:
        """Count a system's texts that did not come, by reason."""
        return self._db.mapping(
            f"""SELECT g.failure, count(*) {_WRITTEN} AND g.failure <> ''
            GROUP BY 1 ORDER BY 2 DESC""",
            (dataset, system, subset, samples),
        )

    def count_identical(self, dataset: str, least: int = MANY) -> dict[str, int]:
        """Count the items of each system whose several texts are the same within every item.

        Systems with fewer than `least` such items are left out.
        """
        return self._db.mapping(
            """SELECT system, count(*) FROM (
                SELECT s.id, s.name AS system, count(DISTINCT g.text) AS texts
                FROM systems s JOIN generations g ON g.system = s.id
                WHERE s.dataset = ? AND g.text IS NOT NULL
                GROUP BY g.system, g.item HAVING count(*) > 1)
            GROUP BY id HAVING max(texts) = 1 AND count(*) >= ? ORDER BY id""",
            (dataset, least),
        )

    def withdraw_failures(
        self, dataset: str, system: str, subset: str, samples: int, kind: str = ""
    ) -> int:
        """Let texts that failed (for a `kind`) be asked for again; return how many."""
        with self._db.transaction():
            return self._db.execute(
                "UPDATE generations SET failure = '', raw = '' WHERE id IN (SELECT g.id "
                f"{_WRITTEN} AND {failed_for('g.failure', '?5')})",
                (dataset, system, subset, samples, kind),
            )

    def add(
        self,
        run: int,
        dataset: str,
        system: str,
        drafts: Iterable[tuple[Slot, Draft]],
        *,
        execution: int | None = None,
    ) -> int:
        """Add what a model wrote; a text that is there already stays."""
        written = f"text, run, execution, {REPLIED}"
        replaced = ", ".join(f"{name} = excluded.{name}" for name in written.split(", "))
        with self._db.transaction():
            return self._db.executemany(
                f"""INSERT INTO generations (item, system, sample, {written})
                SELECT ?, s.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM systems s
                WHERE s.dataset = ? AND s.name = ?
                ON CONFLICT (item, system, sample) DO UPDATE SET {replaced} WHERE text IS NULL""",
                (
                    (
                        *(slot.item, slot.sample, draft.text, run, execution),
                        *(*reply_columns(draft), dataset, system),
                    )
                    for slot, draft in drafts
                ),
            )


ABOUT = (
    'a.name, a.adjective, a.question, a.guideline, i."references", d.context_noun, '
    "d.candidate_noun, i.key, i.subset"
)
"""What a question says besides its texts, of attribute a, item i and data set d."""


def read_about(row: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of ABOUT as a `Question` and a `Candidate` take them."""
    *attribute, references, context_noun, candidate_noun, item, subset = row
    return {
        "attribute": Attribute(*attribute),
        "references": tuple(json.loads(references)),
        "context_noun": context_noun,
        "candidate_noun": candidate_noun,
        "item": item,
        "subset": subset,
    }


def decode_names(
    rows: Sequence[tuple[Any, ...]], codes: NDArray[np.int64], column: int = 1
) -> pd.Series:
    """Return the names of codes; `rows` have a code first, in rising order.

    At a million rows numbers come out of SQLite, and names are put in afterwards.
    """
    place = np.searchsorted([row[0] for row in rows], codes)
    return pd.Series([row[column] for row in rows], dtype="str").take(place).reset_index(drop=True)
