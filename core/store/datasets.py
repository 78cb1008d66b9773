"""Data sets and what they hold: items, systems, generations, attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

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
from .connection import StorePart, as_list, make_timestamp
from .schema import hash_wording

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
ORIGIN = "origin of "
"""Before the name of a data set: the setting with the name that draws use for it."""


class Datasets(StorePart):
    """Data sets with their items, systems, attributes and texts.

    All `add_*` methods add what is not there yet, change nothing that is, and return how many rows
    they added.
    """

    def add(self, dataset: Dataset, files: Mapping[str, str] | None = None) -> int:
        """Add a data set, or `files` (name -> sha256) of a known one; return 1 for a new one."""
        with self._db.transaction():
            added = int(not self.identity(dataset.name))
            if added:
                self._db.insert_row("datasets", {**vars(dataset), "created_at": make_timestamp()})
            self._db.execute(
                "UPDATE datasets SET files = json_patch(files, ?) WHERE name = ?",
                (json.dumps(dict(files or {})), dataset.name),
            )
            if added:
                self._own_origin(dataset.name)
        return added

    def _own_origin(self, dataset: str) -> None:
        """Give a new data set an origin of its own if an earlier one had its name."""
        taken = set(
            self._db.column("SELECT value FROM settings WHERE name LIKE ? || '%'", (ORIGIN,))
        )
        number = 2
        while f"{dataset} ({number})" in taken:
            number += 1
        if dataset in taken:
            row = {"name": ORIGIN + dataset, "value": f"{dataset} ({number})"}
            self._db.insert_row("settings", row)

    def add_items(self, dataset: str, items: Iterable[Item]) -> int:
        """Add items; one known without a context, references, subset or family gets it later."""
        with self._db.transaction():
            before = self._get_last_row("items")
            self._db.executemany(
                """INSERT INTO items (dataset, key, context, "references", subset, family, wording)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (dataset, key) DO UPDATE SET
                    context = iif(context = '', excluded.context, context),
                    wording = iif(context = '', excluded.wording, wording),
                    "references" = iif("references" = '[]', excluded."references", "references"),
                    subset = iif(subset = '', excluded.subset, subset),
                    family = iif(family = '', excluded.family, family)
                WHERE (context = '' AND excluded.context <> '')
                    OR ("references" = '[]' AND excluded."references" <> '[]')
                    OR (subset = '' AND excluded.subset <> '')
                    OR (family = '' AND excluded.family <> '')""",
                (
                    (
                        *(dataset, key, context, json.dumps(references, ensure_ascii=False)),
                        *(subset, family, hash_wording(context)),
                    )
                    for key, context, references, subset, family in items
                ),
            )
            # An upsert's own count takes in the rows it only filled.
            return self._db.count("SELECT count(*) FROM items WHERE id > ?", (before,))

    def add_systems(self, dataset: str, systems: Iterable[System]) -> int:
        """Add the systems that a data set does not have yet; return how many."""
        rows = (
            {"dataset": dataset, "name": system.name, "base": system.base,
             "decoding": json.dumps(dict(system.decoding)),
             "temperature": dict(system.decoding).get("temperature")}
            for system in systems
        )  # fmt: skip
        with self._db.transaction():
            return self._db.insert_rows("systems", rows)

    def add_attributes(self, dataset: str, attributes: Iterable[Attribute]) -> int:
        """Add the attributes that a data set does not have yet; return how many."""
        with self._db.transaction():
            rows = ({"dataset": dataset, **vars(attribute)} for attribute in attributes)
            return self._db.insert_rows("attributes", rows)

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
            self._db.update_row("datasets", dataset, items_are=value)

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
            return changed - self._db.count(
                "SELECT count(*) FROM generations WHERE id > ? AND text IS NULL", (before,)
            )

    def system_ids(self, dataset: str) -> dict[str, int]:
        """Return the row of each system of a data set, by name."""
        return self._db.mapping("SELECT name, id FROM systems WHERE dataset = ?", (dataset,))

    def _get_last_row(self, table: str) -> int:
        return self._db.count(f"SELECT coalesce(max(id), 0) FROM {table}")

    def summary(self) -> DatasetRows:
        """Count what each data set holds; `generations` are those whose text is at hand."""
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
            (SELECT count(*) FROM comparisons c JOIN attributes a ON a.id = c.attribute
                WHERE a.dataset = d.name) AS comparisons,
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
        return self._db.holds(
            """SELECT EXISTS (SELECT 1 FROM datasets)
                OR EXISTS (SELECT 1 FROM settings WHERE name = 'had a data set')
                OR EXISTS (SELECT 1 FROM audit WHERE action = 'restored the store')"""
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
        return self._db.column("SELECT name FROM datasets ORDER BY created_at, name")

    def attributes(self, dataset: str) -> list[Attribute]:
        """List the attributes of a data set in the order they were added."""
        rows = self._db.rows(
            """SELECT name, adjective, question, guideline, lower_is_better, text_format
            FROM attributes WHERE dataset = ? ORDER BY id""",
            (dataset,),
        )
        return [
            Attribute(name, adjective, question, guideline, bool(lower), TextFormat(text_format))
            for name, adjective, question, guideline, lower, text_format in rows
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
        return self._db.column(
            "SELECT name FROM systems WHERE dataset = ? ORDER BY name", (dataset,)
        )

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
        return self._db.column(
            "SELECT DISTINCT subset FROM items WHERE dataset = ? AND subset <> '' ORDER BY 1",
            (dataset,),
        )

    def has_families(self, dataset: str, *, contexts: bool) -> bool:
        """Return whether a file named a family here.

        With `contexts`, it is enough that two items have the same words for a context. It reads an
        index alone.
        """
        return self._db.holds(
            """SELECT EXISTS (SELECT 1 FROM items WHERE dataset = ?1 AND family > '')
                OR (?2 AND EXISTS (SELECT 1 FROM items WHERE dataset = ?1 AND family = ''
                    AND wording <> 0 GROUP BY wording HAVING count(*) > 1))""",
            (dataset, contexts),
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
            (dataset, as_list(among)),
            rows=ItemRows,
        )

    def first_context(self, dataset: str) -> str | None:
        """Return the context of the item that was added first; None without items."""
        context = self._db.value(
            "SELECT context FROM items WHERE id = (SELECT min(id) FROM items WHERE dataset = ?)",
            (dataset,),
        )
        return None if context is None else str(context)

    def keys(self, dataset: str, subset: str | None = None) -> list[str]:
        """List the keys of the items in the order they were added."""
        return self._db.column(
            "SELECT key FROM items WHERE dataset = ?1 AND (?2 IS NULL OR subset = ?2) ORDER BY id",
            (dataset, subset),
        )

    def attribute_id(self, dataset: str, name: str) -> int:
        """Return the row of an attribute of a data set."""
        return self._db.count(
            "SELECT id FROM attributes WHERE dataset = ? AND name = ?", (dataset, name)
        )


def check_dataset_name(name: str) -> None:
    """Raise TandemError for a data set's name with a control character."""
    if has_control(name):
        raise TandemError(f"the name {name[:60]!a} has a control character: type it without")
