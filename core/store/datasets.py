"""Data sets and what they hold: items, systems, generations, attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ..frames import Schema
from ..records import (
    Attribute,
    Dataset,
    Generation,
    Item,
    System,
    TandemError,
    TextFormat,
    has_control,
)
from .connection import StorePart, make_timestamp
from .names import decode_names
from .similarities import ChosenGenerations
from .wording import hash_wording

DatasetRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "dataset source licence context_noun candidate_noun instructions created_at files",
            int: "items systems generations attributes scores judges comparisons judgements",
        }
    ),
]
SystemDecodings = Annotated[pd.DataFrame, Schema({str: "system base", float: "temperature"})]
ItemRows = Annotated[pd.DataFrame, Schema({str: "item context references subset family"})]
FamilyItems = Annotated[pd.DataFrame, Schema({str: "item subset family", int: "wording"})]
GenerationRows = Annotated[
    pd.DataFrame,
    Schema(
        {int: "generation sample", str: "item subset system"},
        maybe={str: "text", int: "available"},
    ),
]

ORIGIN = "origin of "
"""Before the name of a data set: the setting with the name that draws use for it."""

_TEXTS_AT_A_TIME = 500


class Datasets(StorePart):
    """Data sets with their items, systems, attributes and texts.

    All `add_*` methods add what is not there yet, change nothing that is, and return how many rows
    they added.
    """

    def add(self, dataset: Dataset, files: Mapping[str, str] | None = None) -> int:
        """Add a data set, or more `files` (name -> sha256) of a known one.

        Returns 1 for a new one, else 0.
        """
        with self._db.transaction():
            added = self._db.execute(
                """INSERT OR IGNORE INTO datasets
                (name, source, licence, context_noun, candidate_noun, instructions, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (
                    dataset.name,
                    dataset.source,
                    dataset.licence,
                    dataset.context_noun,
                    dataset.candidate_noun,
                    dataset.instructions,
                    make_timestamp(),
                ),
            )
            self._db.execute(
                "UPDATE datasets SET files = json_patch(files, ?) WHERE name = ?",
                (json.dumps(dict(files or {})), dataset.name),
            )
            if added:
                self._own_origin(dataset.name)
        return added

    def _own_origin(self, dataset: str) -> None:
        """Give a new data set an origin of its own if an earlier one had its name."""
        taken = {
            origin
            for (origin,) in self._db.rows(
                "SELECT value FROM settings WHERE name LIKE ? || '%'", (ORIGIN,)
            )
        }
        number = 2
        while f"{dataset} ({number})" in taken:
            number += 1
        if dataset in taken:
            self._db.execute(
                "INSERT INTO settings (name, value) VALUES (?, ?)",
                (ORIGIN + dataset, f"{dataset} ({number})"),
            )

    def add_items(self, dataset: str, items: Iterable[Item]) -> int:
        """Add items.

        An item known without a context, references, subset or family gets the one that arrives
        later.
        """
        with self._db.transaction():
            before = self._get_last_row("items")
            self._db.executemany(
                """INSERT INTO items (dataset, key, context, "references", subset, family, wording)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (dataset, key) DO UPDATE SET
                    context = CASE context WHEN '' THEN excluded.context ELSE context END,
                    wording = CASE context WHEN '' THEN excluded.wording ELSE wording END,
                    "references" = CASE "references" WHEN '[]' THEN excluded."references" ELSE
                    "references" END,
                    subset = CASE subset WHEN '' THEN excluded.subset ELSE subset END,
                    family = CASE family WHEN '' THEN excluded.family ELSE family END
                WHERE (context = '' AND excluded.context <> '')
                    OR ("references" = '[]' AND excluded."references" <> '[]')
                    OR (subset = '' AND excluded.subset <> '')
                    OR (family = '' AND excluded.family <> '')""",
                (
                    (
                        dataset,
                        item.key,
                        item.context,
                        json.dumps(item.references, ensure_ascii=False)
                        if item.references
                        else "[]",
                        item.subset,
                        item.family,
                        hash_wording(item.context),
                    )
                    for item in items
                ),
            )
            return self._count_since("items", before)

    def add_systems(self, dataset: str, systems: Iterable[System]) -> int:
        """Add the systems that a data set does not have yet; return how many."""
        with self._db.transaction():
            return self._db.executemany(
                """INSERT OR IGNORE INTO systems (dataset, name, base, decoding, temperature)
                VALUES (?, ?, ?, ?, ?)""",
                (
                    (
                        dataset,
                        system.name,
                        system.base,
                        json.dumps(decoding := dict(system.decoding)),
                        decoding.get("temperature"),
                    )
                    for system in systems
                ),
            )

    def add_attributes(self, dataset: str, attributes: Iterable[Attribute]) -> int:
        """Add the attributes that a data set does not have yet; return how many."""
        with self._db.transaction():
            return self._db.executemany(
                """INSERT OR IGNORE INTO attributes
                (dataset, name, adjective, question, guideline, lower_is_better, text_format)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (
                    (
                        dataset,
                        a.name,
                        a.adjective,
                        a.question,
                        a.guideline,
                        a.lower_is_better,
                        a.text_format,
                    )
                    for a in attributes
                ),
            )

    def set_lower_is_better(self, dataset: str, attributes: Iterable[str]) -> None:
        """Record that lower marks of these attributes, as files have them, are better."""
        with self._db.transaction():
            self._db.executemany(
                "UPDATE attributes SET lower_is_better = 1 WHERE dataset = ? AND name = ?",
                ((dataset, name) for name in attributes),
            )

    def items_are(self, dataset: str) -> str:
        """Return what tells the items of a data set apart: 'names', 'contexts', '' = unknown."""
        return str(
            self._db.value("SELECT items_are FROM datasets WHERE name = ?", (dataset,)) or ""
        )

    def set_items_are(self, dataset: str, value: str) -> None:
        """Record what distinguishes the items of a data set: 'names' or 'contexts'."""
        with self._db.transaction():
            self._db.execute("UPDATE datasets SET items_are = ? WHERE name = ?", (value, dataset))

    def add_generations(self, dataset: str, generations: Iterable[Generation]) -> int:
        """Add generations of known items and systems; return how many texts came.

        A text, or its length, that was not known before is filled in. A generation without its text
        does not count as a text.
        """
        every = list(generations)
        with self._db.transaction():
            before = self._get_last_row("generations")
            changed = self._db.executemany(
                """INSERT INTO generations (item, system, sample, text, length)
                SELECT i.id, s.id, ?4, ?5, ?6 FROM items i CROSS JOIN systems s
                WHERE i.dataset = ?1 AND i.key = ?2 AND s.dataset = ?1 AND s.name = ?3
                ON CONFLICT (item, system, sample) DO UPDATE SET text = excluded.text, failure = ''
                WHERE text IS NULL AND excluded.text IS NOT NULL""",
                ((dataset, *generation) for generation in every),
            )
            self._db.executemany(
                """UPDATE generations SET length = ?5
                WHERE length IS NULL AND text IS NULL AND sample = ?4
                AND item = (SELECT id FROM items WHERE dataset = ?1 AND key = ?2)
                AND system = (SELECT id FROM systems WHERE dataset = ?1 AND name = ?3)""",
                ((dataset, *one[:3], one.length) for one in every if one.length is not None),
            )
            return changed - int(
                self._db.value(
                    "SELECT count(*) FROM generations WHERE id > ? AND text IS NULL", (before,)
                )
            )

    def system_ids(self, dataset: str) -> dict[str, int]:
        """Return the row of each system of a data set, by name."""
        return dict(self._db.rows("SELECT name, id FROM systems WHERE dataset = ?", (dataset,)))

    def _get_last_row(self, table: str) -> int:
        return int(self._db.value(f"SELECT coalesce(max(id), 0) FROM {table}"))

    def _count_since(self, table: str, last: int) -> int:
        """Count the rows that were added after row `last`.

        An upsert's own count takes in the rows it only filled.
        """
        return int(self._db.value(f"SELECT count(*) FROM {table} WHERE id > ?", (last,)))

    def texts(self, dataset: str, item: str, system: str) -> dict[int, str | None]:
        """Return the texts of one system on one item by sample, None for a missing one."""
        return dict(
            self._db.rows(
                """SELECT g.sample, g.text FROM generations g
                JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
                WHERE i.dataset = ? AND i.key = ? AND s.dataset = ? AND s.name = ?""",
                (dataset, item, dataset, system),
            )
        )

    def texts_of_items(
        self, dataset: str, items: Sequence[str]
    ) -> list[tuple[str, str, int, str | None]]:
        """List item, system, sample and text of all generations on these items."""
        return self._db.rows(
            """SELECT i.key, s.name, g.sample, g.text FROM json_each(?) v
            CROSS JOIN items i ON i.dataset = ? AND i.key = v.value
            JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system""",
            (json.dumps(list(items)), dataset),
        )

    def iterate_texts(self, generations: Sequence[int]) -> Iterator[str]:
        """Yield the available texts of these generations, reading a few hundred at a time."""
        for start in range(0, len(generations), _TEXTS_AT_A_TIME):
            portion = list(generations[start : start + _TEXTS_AT_A_TIME])
            yield from (
                text
                for (text,) in self._db.rows(
                    """SELECT g.text FROM json_each(?) v JOIN generations g ON g.id = v.value
                    WHERE g.text IS NOT NULL""",
                    (json.dumps(portion),),
                )
            )

    def two_texts(self, dataset: str, items: Sequence[str], letters: int) -> list[tuple[str, str]]:
        """List item and the first `letters` of a text, for the first two systems that have one on
        each of these items.
        """
        return self._db.rows(
            """SELECT i.key, substr(g.text, 1, ?) FROM json_each(?) v
            CROSS JOIN items i ON i.dataset = ? AND i.key = v.value
            JOIN generations g ON g.item = i.id AND g.sample = 0 AND g.text IS NOT NULL
            WHERE (SELECT count(*) FROM generations h WHERE h.item = g.item AND h.sample = 0
                AND h.text IS NOT NULL AND h.system < g.system) < 2
            ORDER BY i.id, g.system""",
            (letters, json.dumps(list(items)), dataset),
        )

    def summary(self) -> DatasetRows:
        """Count what each data set holds.

        `generations` are those whose text is at hand, as votes without texts have none.
        """
        return self._db.frame(
            # the table itself is read, once: by way of an index its pages would be read in disorder
            """WITH texts AS MATERIALIZED (
                SELECT system, count(*) AS texts FROM generations NOT INDEXED
                WHERE text IS NOT NULL GROUP BY system)
            SELECT d.name AS dataset, source, licence, context_noun, candidate_noun,
                instructions, created_at, files,
            (SELECT count(*) FROM items WHERE dataset = d.name) AS items,
            (SELECT count(*) FROM systems WHERE dataset = d.name) AS systems,
            (SELECT coalesce(sum(t.texts), 0) FROM texts t JOIN systems s ON s.id = t.system
                WHERE s.dataset = d.name) AS generations,
            (SELECT count(*) FROM attributes WHERE dataset = d.name) AS attributes,
            (SELECT count(*) FROM live_scores r JOIN attributes a ON a.id = r.attribute
                WHERE a.dataset = d.name) AS scores,
            (SELECT count(DISTINCT judge) FROM (
                SELECT judge FROM outcome_counts t JOIN attributes a ON a.id = t.attribute
                    WHERE a.dataset = d.name AND t.count > 0
                UNION SELECT judge FROM scores r JOIN attributes a ON a.id = r.attribute
                    WHERE a.dataset = d.name)) AS judges,
            (SELECT count(*) FROM comparisons c JOIN attributes a ON a.id = c.attribute WHERE
            a.dataset = d.name)
                AS comparisons,
            (SELECT coalesce(sum(count), 0) FROM outcome_counts t
                JOIN attributes a ON a.id = t.attribute WHERE a.dataset = d.name) AS judgements
            FROM datasets d ORDER BY d.created_at, d.name""",
            rows=DatasetRows,
        )

    def identity(self, dataset: str) -> str:
        """Return the identity of a data set: 32 hex digits; '' for an unknown one.

        It differs from that of any other that is, was or will be called so. It is the same for as
        long as the data set is there, also under another name.
        """
        return str(self._db.value("SELECT uid FROM datasets WHERE name = ?", (dataset,)) or "")

    def has_had_any(self) -> bool:
        """Return whether the store has, or had, a data set: deleted, or replaced by a backup."""
        return bool(
            self._db.value(
                """SELECT EXISTS (SELECT 1 FROM datasets)
                OR EXISTS (SELECT 1 FROM settings WHERE name = 'had a data set')
                OR EXISTS (SELECT 1 FROM audit WHERE action = 'restored the store')"""
            )
        )

    def files(self, dataset: str) -> dict[str, str]:
        """Return the sha256 of each file that was imported into a data set, by name."""
        found = self._db.value("SELECT files FROM datasets WHERE name = ?", (dataset,))
        return dict(json.loads(found)) if found else {}

    def origin(self, dataset: str) -> str:
        """Return the first name of a data set, also after it was renamed.

        It represents the data set in all draws, and distinguishes imported votes from others.
        """
        found = self._db.value("SELECT value FROM settings WHERE name = ?", (ORIGIN + dataset,))
        return str(found or dataset)

    def lacks_texts(self, dataset: str) -> bool:
        """Return whether votes came without the texts they are about, and no text is there."""
        return bool(
            self._db.value(
                """WITH own AS (SELECT id FROM systems WHERE dataset = ?)
                SELECT CASE
                    WHEN NOT EXISTS (SELECT 1 FROM generations WHERE system IN own) THEN 0
                    WHEN EXISTS (SELECT 1 FROM own WHERE (SELECT text FROM generations
                        WHERE system = own.id LIMIT 1) IS NOT NULL) THEN 0
                    ELSE NOT EXISTS (SELECT 1 FROM generations NOT INDEXED
                        WHERE text IS NOT NULL AND system IN own) END""",
                (dataset,),
            )
        )

    def has_any_text(self, dataset: str) -> bool:
        """Return whether any text of a data set is at hand."""
        return bool(
            self._db.rows(
                """SELECT 1 FROM systems s JOIN generations g ON g.system = s.id
                WHERE s.dataset = ? AND g.text IS NOT NULL LIMIT 1""",
                (dataset,),
            )
        )

    def has_texts(self, chosen: ChosenGenerations) -> bool:
        """Return whether any of the chosen texts is at hand."""
        sql, values = chosen.query("1", "LIMIT 1")
        return bool(self._db.rows(sql, values))

    def volume(self) -> int:
        """Estimate how many judgements, marks and texts the store holds: what reading it costs."""
        return sum(map(self._get_last_row, ("judgements", "scores", "generations")))

    def load_description(self, dataset: str) -> Dataset:
        """Load the source, licence and wording of a data set."""
        row = self._db.record(
            """SELECT source, licence, context_noun, candidate_noun, instructions FROM datasets
            WHERE name = ?""",
            (dataset,),
        )
        return Dataset(dataset, **row)

    def nouns(self, dataset: str) -> tuple[str, str]:
        """Return a data set's nouns for contexts and candidates, such as article and summary."""
        [nouns] = self._db.rows(
            "SELECT context_noun, candidate_noun FROM datasets WHERE name = ?", (dataset,)
        )
        return str(nouns[0]), str(nouns[1])

    def names(self) -> list[str]:
        """List the names of the data sets in the order they came."""
        return [
            name for (name,) in self._db.rows("SELECT name FROM datasets ORDER BY created_at, name")
        ]

    def attributes(self, dataset: str) -> list[Attribute]:
        """List the attributes of a data set in the order they were added."""
        found = self._db.rows(
            """SELECT name, adjective, question, guideline, lower_is_better, text_format
            FROM attributes WHERE dataset = ? ORDER BY id""",
            (dataset,),
        )
        return [
            Attribute(name, adjective, question, guideline, bool(lower), TextFormat(format))
            for name, adjective, question, guideline, lower, format in found
        ]

    def text_format(self, dataset: str, attribute: str = "") -> TextFormat:
        """Return how people see the texts of an attribute.

        Where no attribute is meant, the texts of a data set are shown as those of its first
        attribute.
        """
        found = self._db.value(
            """SELECT text_format FROM attributes WHERE dataset = ?1
            ORDER BY name <> ?2, id LIMIT 1""",
            (dataset, attribute),
        )
        return TextFormat(found) if found else TextFormat.PLAIN

    def set_text_format(
        self, dataset: str, text_format: TextFormat, attributes: Iterable[str]
    ) -> None:
        """Set the format in which the texts of these attributes are shown."""
        with self._db.transaction():
            self._db.executemany(
                "UPDATE attributes SET text_format = ? WHERE dataset = ? AND name = ?",
                ((text_format, dataset, name) for name in attributes),
            )

    def systems(self, dataset: str) -> list[str]:
        """List the names of the systems, sorted: the orientation of every unordered pair."""
        return [
            name
            for (name,) in self._db.rows(
                "SELECT name FROM systems WHERE dataset = ? ORDER BY name", (dataset,)
            )
        ]

    def decodings(self, dataset: str) -> SystemDecodings:
        """Load the decoding settings of the systems.

        `base` is the model whose decoding settings are systems, '' where it is not known;
        `temperature` is NaN then.
        """
        return self._db.frame(
            "SELECT name AS system, base, temperature FROM systems WHERE dataset = ? ORDER BY name",
            (dataset,),
            rows=SystemDecodings,
        )

    def subsets(self, dataset: str) -> list[str]:
        """List the names of a data set's subsets, sorted."""
        found = self._db.rows(
            "SELECT DISTINCT subset FROM items WHERE dataset = ? AND subset <> '' ORDER BY 1",
            (dataset,),
        )
        return [subset for (subset,) in found]

    def has_lengths(self, dataset: str) -> bool:
        """Return whether a file gave the length of a text that it does not have."""
        return bool(
            self._db.value(
                """SELECT EXISTS (SELECT 1 FROM systems s JOIN generations g ON g.system = s.id
                WHERE s.dataset = ? AND g.length IS NOT NULL)""",
                (dataset,),
            )
        )

    def has_families(self, dataset: str, *, contexts: bool) -> bool:
        """Return whether a file named a family here.

        With `contexts`, it is enough that two items have the same words for a context. It reads an
        index alone.
        """
        return bool(
            self._db.value(
                """SELECT EXISTS (SELECT 1 FROM items WHERE dataset = ?1 AND family > '')
                OR (?2 AND EXISTS (SELECT 1 FROM items WHERE dataset = ?1 AND family = ''
                    AND wording <> 0 GROUP BY wording HAVING count(*) > 1))""",
                (dataset, contexts),
            )
        )

    def families(self, dataset: str) -> FamilyItems:
        """Load the items of a data set with their families.

        Columns: item (its key), subset, family ('' = none is named) and wording. Wording is the
        same for contexts of the same words, 0 = no words. Items are in the order they were added.
        """
        return self._db.frame(
            """SELECT key AS item, subset, family, wording FROM items WHERE dataset = ?
            ORDER BY id""",
            (dataset,),
            rows=FamilyItems,
        )

    def items(self, dataset: str, among: Sequence[str] | None = None) -> ItemRows:
        """Load all items, or those with these keys, in the order they were added.

        Columns: item (its key), context, references (JSON list), subset, family.
        """
        return self._db.frame(
            """SELECT key AS item, context, "references", subset, family FROM items
            WHERE dataset = ?1 AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2)))
            ORDER BY id""",
            (dataset, None if among is None else json.dumps(list(among))),
            rows=ItemRows,
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

    def first_context(self, dataset: str) -> str | None:
        """Return the context of the item that was added first; None without items."""
        context = self._db.value(
            "SELECT context FROM items WHERE id = (SELECT min(id) FROM items WHERE dataset = ?)",
            (dataset,),
        )
        return None if context is None else str(context)

    def keys(self, dataset: str, subset: str | None = None) -> list[str]:
        """List the keys of the items in the order they were added."""
        found = self._db.rows(
            "SELECT key FROM items WHERE dataset = ?1 AND (?2 IS NULL OR subset = ?2) ORDER BY id",
            (dataset, subset),
        )
        return [key for (key,) in found]

    def group_sizes(
        self, chosen: ChosenGenerations, items: Sequence[str] | None = None
    ) -> list[tuple[tuple[int, ...], int]]:
        """Count the items by how many of their chosen texts can be compared with one another.

        Each row has the numbers of texts, sample by sample, and the number of items that are like
        that. Counted are all items, or these `items` (keys).
        """
        rows, values = chosen.query(
            "g.item, g.sample, count(*) AS n",
            """AND (? IS NULL OR i.key IN (SELECT value FROM json_each(?)))
            GROUP BY g.item, g.sample HAVING count(*) > 1 ORDER BY g.item, g.sample""",
        )
        among = None if items is None else json.dumps(list(items))
        found = self._db.rows(
            f"""SELECT sizes, count(*) FROM
            (SELECT group_concat(n) AS sizes FROM ({rows}) GROUP BY item) GROUP BY sizes""",
            [*values, among, among],
        )
        return [(tuple(map(int, str(sizes).split(","))), count) for sizes, count in found]

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
        among = None if items is None else json.dumps(list(items))
        if not texts:
            return self._without_texts(dataset, among)
        return self._db.frame(
            """SELECT g.id AS generation, i.key AS item, i.subset, s.name AS system, g.sample,
            g.text
            FROM generations g JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
            WHERE i.dataset = ?1 AND (?2 IS NULL OR i.key IN (SELECT value FROM json_each(?2)))
            ORDER BY i.id, s.name, g.sample""",
            (dataset, among),
            rows=GenerationRows,
        )

    def identical_pairs(
        self, dataset: str, rows: tuple[int, int] | None = None
    ) -> set[tuple[int, int]]:
        """Find pairs of generations of two systems with the same text on an item, sample by sample.

        They are ids, the lower first: of all items, or of those in these rows, from the first to
        the last.
        """
        among = "" if rows is None else "AND i.id BETWEEN ? AND ?"
        return set(
            self._db.rows(
                f"""SELECT min(g.id, h.id), max(g.id, h.id) FROM items i
                JOIN generations g ON g.item = i.id
                JOIN generations h ON h.item = g.item AND h.sample = g.sample
                    AND h.system > g.system AND h.text = g.text
                WHERE {"+" if rows else ""}i.dataset = ? {among}""",
                (dataset, *(rows or ())),
            )
        )

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

    def attribute_id(self, dataset: str, name: str) -> int:
        """Return the row of an attribute of a data set."""
        return int(
            self._db.value(
                "SELECT id FROM attributes WHERE dataset = ? AND name = ?", (dataset, name)
            )
        )

    def pair_texts(
        self, generation_1: int, generation_2: int
    ) -> tuple[str, str | None, str | None]:
        """Return the context of two texts of an item, and the texts, None for one that is not
        available.
        """
        found: tuple[str, str | None, str | None] = self._db.rows(
            """SELECT i.context, one.text, other.text FROM generations one JOIN generations other ON
                other.id = ?
            JOIN items i ON i.id = one.item WHERE one.id = ?""",
            (int(generation_2), int(generation_1)),
        )[0]
        return found


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


def check_dataset_name(name: str) -> None:
    """Raise TandemError for a data set's name with a control character."""
    if has_control(name):
        raise TandemError(f"the name {name[:60]!a} has a control character: type it without")
