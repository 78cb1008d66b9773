"""Samples: texts that a model of ours writes, as generations of a system."""

from __future__ import annotations

from collections.abc import Iterable

from ..records import Draft, Slot
from .connection import StorePart, failed_for
from .judgements import REPLIED, reply_columns
from .judges import MANY


class GeneratedTexts(StorePart):
    """Texts that runs have sampled.

    A sampled text is a generation of the run that asked for it; a failed one keeps its reason.
    """

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
        """List the next texts a system lacks, sample numbers below `samples`, item by item in the
        order they came.
        """
        return [
            Slot(*row)
            for row in self._db.rows(
                """WITH RECURSIVE numbers (sample) AS (VALUES (0) UNION ALL SELECT sample + 1 FROM
                    numbers WHERE sample + 1 < ?4)
                SELECT i.id, i.key, n.sample, i.context FROM items i, numbers n
                JOIN systems s ON s.dataset = i.dataset AND s.name = ?2
                LEFT JOIN generations g ON g.item = i.id AND g.system = s.id AND g.sample = n.sample
                WHERE i.dataset = ?1 AND (?3 = '' OR i.subset = ?3) AND g.text IS NULL AND
                coalesce(g.failure, '') = ''
                ORDER BY i.id, n.sample LIMIT ?5""",
                (dataset, system, subset, samples, limit),
            )
        ]

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
        return dict(
            self._db.rows(
                f"SELECT g.failure, count(*) {_WRITTEN} AND g.failure <> '' GROUP BY 1 ORDER BY "
                "2 DESC",
                (dataset, system, subset, samples),
            )
        )

    def count_identical(self, dataset: str, least: int = MANY) -> dict[str, int]:
        """Count the items of each system whose several texts are the same within every item.

        Systems with fewer than `least` such items are left out.
        """
        return dict(
            self._db.rows(
                """SELECT system, count(*) FROM (
                    SELECT s.id, s.name AS system, count(DISTINCT g.text) AS texts
                    FROM systems s JOIN generations g ON g.system = s.id
                    WHERE s.dataset = ? AND g.text IS NOT NULL
                    GROUP BY g.system, g.item HAVING count(*) > 1)
                GROUP BY id HAVING max(texts) = 1 AND count(*) >= ? ORDER BY id""",
                (dataset, least),
            )
        )

    def withdraw_failures(
        self, dataset: str, system: str, subset: str, samples: int, kind: str = ""
    ) -> int:
        """Let the texts that did not come be asked for again, with a `kind` those that failed for
        it: how many.
        """
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


_WRITTEN = """FROM items i JOIN generations g ON g.item = i.id JOIN systems s ON s.id = g.system
    WHERE i.dataset = ?1 AND s.name = ?2 AND (?3 = '' OR i.subset = ?3) AND g.sample < ?4"""
