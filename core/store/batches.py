"""Batches: which comparisons of a run were handed over as a file of requests, and wait for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.store.connection import Part, now


@dataclass(frozen=True)
class Batch:
    """One file of requests: its row, what the server calls it ('' = it was only written) and the
    file's name.
    """

    id: int
    name: str
    file: str


class Batches(Part):
    """A comparison waits while its batch is open and it has no answer, wherever that comes from."""

    def add(self, run: int, comparisons: Sequence[int], *, name: str = "", file: str = "") -> None:
        """These comparisons of a run were handed over."""
        with self._db.transaction():
            batch = self._db.insert(
                "INSERT INTO batches (plan, name, file, submitted_at) VALUES (?, ?, ?, ?)",
                (run, name, file, now()),
            )
            self._db.executemany(
                "INSERT INTO batched (batch, comparison) VALUES (?, ?)",
                ((batch, comparison) for comparison in comparisons),
            )

    def open(self, run: int) -> list[Batch]:
        """The batches of a run that may still bring answers, oldest first."""
        rows = self._db.rows(
            "SELECT id, name, file FROM batches WHERE plan = ? AND ended_at IS NULL ORDER BY id",
            (run,),
        )
        return [Batch(*row) for row in rows]

    def any(self, run: int) -> bool:
        """Whether anything of a run was ever handed over."""
        return bool(self._db.rows("SELECT 1 FROM batches WHERE plan = ? LIMIT 1", (run,)))

    def waiting(self, run: int | None = None) -> dict[int, int]:
        """run -> how many of its comparisons wait for a batch; of one run, or of all that have
        any.
        """
        return dict(
            self._db.rows(
                f"""SELECT plan, count(DISTINCT comparison) FROM ({_WAITING})
                WHERE ?1 IS NULL OR plan = ?1 GROUP BY plan""",
                (run,),
            )
        )

    def unsent(self, run: int) -> list[int]:
        """The comparisons of a run that have no answer and wait for none, in planned order."""
        rows = self._db.rows(
            f"""SELECT comparison FROM planned WHERE plan = ?1 AND votes = 0 AND comparison NOT IN
                (SELECT comparison FROM ({_WAITING}) WHERE plan = ?1) ORDER BY priority, id""",
            (run,),
        )
        return [comparison for (comparison,) in rows]

    def release(self, run: int, comparisons: Sequence[int]) -> None:
        """These wait no longer, though they have no answer: they may be asked again."""
        with self._db.transaction():
            self._db.execute(
                """DELETE FROM batched WHERE comparison IN (SELECT value FROM json_each(?2))
                AND batch IN (SELECT id FROM batches WHERE plan = ?1 AND ended_at IS NULL)""",
                (run, json.dumps(list(comparisons))),
            )

    def keep_votes(self, run: int, results: Iterable[tuple[int, str, str]]) -> None:
        """Votes of comparisons that lack others: comparison, name of the request and what came for
        it. Those of comparisons that are answered are kept no longer.
        """
        with self._db.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO batch_votes (plan, comparison, request, result) "
                "VALUES (?, ?, ?, ?)",
                ((run, *result) for result in results),
            )
            self._db.execute(
                """DELETE FROM batch_votes WHERE plan = ?1 AND comparison NOT IN
                (SELECT comparison FROM planned WHERE plan = ?1 AND votes = 0)""",
                (run,),
            )

    def kept_votes(self, run: int) -> dict[str, str]:
        """Name of the request -> what came for it, of comparisons that lack other votes."""
        return dict(
            self._db.rows(
                """SELECT v.request, v.result FROM batch_votes v JOIN planned q
                ON q.plan = v.plan AND q.comparison = v.comparison AND q.votes = 0
                WHERE v.plan = ?""",
                (run,),
            )
        )

    def end(self, batch: int) -> None:
        """Nothing more comes of it: what it has not answered may be asked again."""
        with self._db.transaction():
            self._db.execute("UPDATE batches SET ended_at = ? WHERE id = ?", (now(), batch))

    def end_answered(self, run: int) -> None:
        """End the batches of a run for which nothing waits any more."""
        with self._db.transaction():
            self._db.execute(
                f"""UPDATE batches SET ended_at = ?2 WHERE plan = ?1 AND ended_at IS NULL
                AND id NOT IN (SELECT batch FROM ({_WAITING}))""",
                (run, now()),
            )


_WAITING = """SELECT b.plan, b.id AS batch, m.comparison FROM batches b
    JOIN batched m ON m.batch = b.id
    JOIN planned q ON q.plan = b.plan AND q.comparison = m.comparison AND q.votes = 0
    WHERE b.ended_at IS NULL"""
