"""Similarities of generations: the expensive measurements, each kept once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from .connection import StorePart, as_list

SampledSystems = Annotated[
    pd.DataFrame, Schema({str: "system", int: "items several samples characters"})
]
SimilarityRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "item subset system_1 system_2",
            int: "generation_1 generation_2 sample_1 sample_2",
            float: "value",
        }
    ),
]

# The generations a metric compares, of one data set: those with a text, of the chosen systems,
# sample numbers and subset.
_CHOSEN = """FROM items i JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system
    WHERE i.dataset = :dataset AND g.text IS NOT NULL AND g.sample < :samples
    AND (:subset IS NULL OR i.subset = :subset)"""


@dataclass(frozen=True)
class ChosenGenerations:
    """Selection of the generations of a data set that are compared.

    It takes those of these systems (none = all), with a sample number below `samples`.
    """

    dataset: str
    systems: tuple[str, ...] = ()
    subset: str | None = None
    samples: int = 5

    def query(self, select: str, more: str = "") -> tuple[str, dict[str, Any]]:
        """Build an SQL query over the chosen generations, and the values of its parameters.

        `select` are its columns; `more` comes after the conditions.
        """
        of = "AND s.name IN (SELECT value FROM json_each(:systems))" if self.systems else ""
        return f"SELECT {select} {_CHOSEN} {of} {more}", {
            **vars(self), "systems": as_list(self.systems),
        }  # fmt: skip


@dataclass(frozen=True)
class Extent:
    """Size of a measurement, and how much of it is done.

    There are `items` with pairs of generations; `done` ones have no pair missing. There are `pairs`
    in all; `measured` ones have their value.
    """

    items: int
    done: int
    pairs: int
    measured: int

    @property
    def n_missing(self) -> int:
        """Number of pairs that are not measured yet."""
        return self.pairs - self.measured


class Similarities(StorePart):
    """Measured similarities of pairs of texts.

    A similarity belongs to a metric's signature and an unordered pair of generations of one item.
    """

    def add(self, rows: Iterable[tuple[str, int, int, float]]) -> int:
        """Add rows (metric signature, generation, generation, value); known ones are kept."""
        with self._db.transaction():
            return self._db.executemany(
                "INSERT OR IGNORE INTO similarities (metric, generation_1, generation_2, value) "
                "VALUES (?, ?, ?, ?)",
                ((metric, *sorted((one, other)), value) for metric, one, other, value in rows),
            )

    def iterate_texts(
        self, chosen: ChosenGenerations, *, at_once: int = 200
    ) -> Iterator[list[tuple[int, int, str]]]:
        """Yield (item id, generation id, text) of those chosen, some whole items at a time."""
        last = 0
        while True:
            sql, values = chosen.query(
                "DISTINCT i.id", f"AND i.id > :first ORDER BY i.id LIMIT {at_once}"
            )
            items = self._db.column(sql, {**values, "first": last})
            if not items:
                return
            sql, values = chosen.query(
                "i.id, g.id, g.text", "AND i.id > :first AND i.id <= :last ORDER BY i.id, g.id"
            )
            yield self._db.rows(sql, {**values, "first": last, "last": items[-1]})
            last = items[-1]

    def list_measured(self, metric: str, generations: Sequence[int]) -> set[tuple[int, int]]:
        """List the measured pairs whose lower generation is in the range of these."""
        if not generations:
            return set()
        rows = self._db.rows(
            """SELECT generation_1, generation_2 FROM similarities
            WHERE metric = ? AND generation_1 BETWEEN ? AND ?""",
            (metric, min(generations), max(generations)),
        )
        return set(rows)

    def has_any(self, metric: str, dataset: str) -> bool:
        """Return whether a metric has measured anything of a data set."""
        return self._db.holds(
            """SELECT EXISTS (SELECT 1 FROM similarities m JOIN generations g
                ON g.id = m.generation_1 JOIN systems s ON s.id = g.system
                WHERE m.metric = ? AND s.dataset = ?)""",
            (metric, dataset),
        )

    def extent(self, metric: str, chosen: ChosenGenerations) -> Extent:
        """Count what there is to measure of the chosen generations, and what has been."""
        ids, values = chosen.query("g.id, i.id")
        row = self._db.rows(
            f"""WITH chosen (id, item) AS ({ids}),
            there AS (SELECT item, count(*) * (count(*) - 1) / 2 AS pairs FROM chosen GROUP BY item
            HAVING count(*) > 1),
            measured AS (SELECT c.item, count(*) AS pairs FROM chosen c
                JOIN similarities m ON m.metric = :metric AND m.generation_1 = c.id
                WHERE m.generation_2 IN (SELECT id FROM chosen) GROUP BY c.item)
            SELECT count(*), coalesce(sum(m.pairs = t.pairs), 0), coalesce(sum(t.pairs), 0),
            coalesce(sum(m.pairs), 0)
            FROM there t LEFT JOIN measured m ON m.item = t.item""",
            {**values, "metric": metric},
        )[0]
        return Extent(*row)

    def count_samples(self, chosen: ChosenGenerations) -> SampledSystems:
        """Count the chosen generations of each system, by name.

        `items` counts those with a text, `several` those with more than one. `samples` is the most
        texts of an item, `characters` the length of all texts.
        """
        sizes, values = chosen.query(
            "s.name, count(*) AS n, sum(length(g.text)) AS characters", "GROUP BY i.id, s.id"
        )
        return self._db.frame(
            f"""SELECT name AS system, count(*) AS items, sum(n > 1) AS several, max(n) AS samples,
            sum(characters) AS characters FROM ({sizes}) GROUP BY name ORDER BY name""",
            values,
            rows=SampledSystems,
        )

    def sampled_systems(self, dataset: str) -> int:
        """Count the systems with two texts of an item, the first two samples."""
        return self._db.count(
            """SELECT count(*) FROM systems s WHERE s.dataset = ? AND EXISTS (
                SELECT 1 FROM generations b JOIN generations a
                ON a.item = b.item AND a.system = b.system AND a.sample = 0
                WHERE b.system = s.id AND b.sample = 1
                AND a.text IS NOT NULL AND b.text IS NOT NULL)""",
            (dataset,),
        )

    def load_all(
        self, metric: str, chosen: ChosenGenerations, *, item: str | None = None
    ) -> SimilarityRows:
        """Load a row for each measured pair of texts, in the order of items, or of one item."""
        chosen_rows, values = chosen.query(
            "g.id, i.id AS row, i.key, i.subset, s.name, g.sample",
            "AND (:item IS NULL OR i.key = :item)",
        )
        return self._db.frame(
            f"""WITH chosen AS ({chosen_rows})
            SELECT a.key AS item, a.subset, a.id AS generation_1, b.id AS generation_2,
            a.name AS system_1, b.name AS system_2, a.sample AS sample_1, b.sample AS sample_2,
            m.value
            FROM chosen a JOIN similarities m ON m.metric = :metric AND m.generation_1 = a.id
            JOIN chosen b ON b.id = m.generation_2 ORDER BY a.row, a.id, b.id""",
            {**values, "metric": metric, "item": item},
            rows=SimilarityRows,
        )
