"""Batches: comparisons of a run that were handed over as a file of requests, and wait for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .connection import StorePart, as_list, make_timestamp


@dataclass(frozen=True)
class Batch:
    """A file of requests: its row, the server's name ('' = only written), the file's name."""

    id: int
    name: str
    file: str


class Batches(StorePart):
    """Batches of requests that were handed over, and the comparisons in them.

    A comparison waits while its batch is open and it has no answer, wherever that comes from.
    """

    def add(self, run: int, comparisons: Sequence[int], *, name: str = "", file: str = "") -> None:
        """Record that these comparisons of a run were handed over as a batch."""
        with self._db.transaction():
            handed = {"run": run, "name": name, "file": file, "submitted_at": make_timestamp()}
            batch = self._db.insert_row("batches", handed)
            rows = ({"batch": batch, "comparison": one} for one in comparisons)
            self._db.insert_rows("batched", rows)

    def open(self, run: int) -> list[Batch]:
        """List the batches of a run that may still bring answers, oldest first."""
        rows = self._db.load_rows("batches", "run = ? AND ended_at IS NULL", run, order_by="id")
        return [Batch(row["id"], row["name"], row["file"]) for row in rows]

    def has_any(self, run: int) -> bool:
        """Return whether anything of a run was ever handed over."""
        return bool(self._db.rows("SELECT 1 FROM batches WHERE run = ? LIMIT 1", (run,)))

    def count_waiting(self, run: int | None = None) -> dict[int, int]:
        """Count the comparisons that wait for a batch, by run: of one run, or of all with any."""
        return self._db.mapping(
            f"""SELECT run, count(DISTINCT comparison) FROM ({_WAITING})
            WHERE ?1 IS NULL OR run = ?1 GROUP BY run""",
            (run,),
        )

    def list_unsent(self, run: int) -> list[int]:
        """List the comparisons of a run that have no answer and wait for none, in planned order."""
        return self._db.column(
            f"""SELECT comparison FROM run_comparisons WHERE run = ?1 AND asked = 0
                AND comparison NOT IN
                (SELECT comparison FROM ({_WAITING}) WHERE run = ?1) ORDER BY priority, id""",
            (run,),
        )

    def release(self, run: int, comparisons: Sequence[int]) -> None:
        """Let these comparisons wait no longer without an answer: they may be asked again."""
        with self._db.transaction():
            self._db.execute(
                """DELETE FROM batched WHERE comparison IN (SELECT value FROM json_each(?2))
                AND batch IN (SELECT id FROM batches WHERE run = ?1 AND ended_at IS NULL)""",
                (run, as_list(comparisons)),
            )

    def keep_votes(self, run: int, results: Iterable[tuple[int, str, str]]) -> None:
        """Keep votes of comparisons that lack others: comparison, name of the request and its
        result.

        Those of comparisons that are answered are kept no longer.
        """
        with self._db.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO batch_votes (run, comparison, request, result) "
                "VALUES (?, ?, ?, ?)",
                ((run, *result) for result in results),
            )
            self._db.execute(
                """DELETE FROM batch_votes WHERE run = ?1 AND comparison NOT IN
                (SELECT comparison FROM run_comparisons WHERE run = ?1 AND asked = 0)""",
                (run,),
            )

    def kept_votes(self, run: int) -> dict[str, str]:
        """Name of the request -> what came for it, of comparisons that lack other votes."""
        return self._db.mapping(
            """SELECT v.request, v.result FROM batch_votes v JOIN run_comparisons q
            ON q.run = v.run AND q.comparison = v.comparison AND q.asked = 0
            WHERE v.run = ?""",
            (run,),
        )

    def end(self, batch: int) -> None:
        """Record that a batch has ended: what it has not answered may be asked again."""
        with self._db.transaction():
            self._db.update_row("batches", batch, ended_at=make_timestamp())

    def end_answered(self, run: int) -> None:
        """End the batches of a run for which nothing waits any more."""
        with self._db.transaction():
            self._db.execute(
                f"""UPDATE batches SET ended_at = ?2 WHERE run = ?1 AND ended_at IS NULL
                AND id NOT IN (SELECT batch FROM ({_WAITING}))""",
                (run, make_timestamp()),
            )


_WAITING = """SELECT b.run, b.id AS batch, m.comparison FROM batches b
    JOIN batched m ON m.batch = b.id
    JOIN run_comparisons q ON q.run = b.run AND q.comparison = m.comparison AND q.asked = 0
    WHERE b.ended_at IS NULL"""
