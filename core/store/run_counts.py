"""Counts of runs: how far each is, what it answered, how long that took and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..frames import Schema
from .connection import StorePart, as_list
from .judgements import SYSTEMS, TEXTS
from .runs import EXPECTED

RunAnswers = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "judgement comparison sample_a sample_b generation_a generation_b votes tokens "
            "attribute_id",
            str: "attribute item system_a system_b outcome failure raw created_at",
            float: "prob_a seconds waited",
        }
    ),
]

_ITS_JUDGES = "run = ?1 AND judge IN (SELECT judge FROM runs WHERE id = ?1)"
"""Of judgements; that the judge is named lets SQLite find them by an index."""
_COLUMNS = "tokens, completion_tokens, seconds, waited, prompt_tokens_read AS part"
_LIVE = "context_cut AS cut, withdrawn_at IS NULL AS live"
_TAKEN = f"""WITH taken AS (SELECT {_COLUMNS}, {_LIVE} FROM judgements WHERE {_ITS_JUDGES}
    UNION ALL SELECT {_COLUMNS}, {_LIVE} FROM scores WHERE run = ?1
    UNION ALL SELECT {_COLUMNS}, {_LIVE} FROM attack_answers WHERE run = ?1
    UNION ALL SELECT {_COLUMNS}, 0, 1 FROM generations WHERE run = ?1)"""
"""What each answer of run ?1 took; of a withdrawn one, too."""
_ANSWERS = """FROM runs r JOIN run_comparisons q ON q.run = r.id
    JOIN live_judgements j ON j.comparison = q.comparison AND j.judge = r.judge
        AND j.trial = r.trial"""
"""The live answers j to the comparisons q of a run r, whichever run asked first."""


class RunCounts(StorePart):
    """Counts of runs by their answers, live ones alone."""

    def answers(self, run: int, *, kind: str = "", limit: int = 50, offset: int = 0) -> RunAnswers:
        """Load what a run's judge has answered, in planned order.

        `kind` narrows it to an outcome, or to those "unanswered"; `all` in attrs is how many there
        are of that kind.
        """
        found = f"""{_ANSWERS} WHERE r.id = ?1 AND (?2 = '' OR j.outcome = ?2
                OR (?2 = 'unanswered' AND j.outcome IS NULL))"""
        frame = self._db.frame(
            f"""SELECT j.id AS judgement, c.id AS comparison, a.name AS attribute, i.key AS item,
            sa.name AS system_a, sb.name AS system_b, ga.sample AS sample_a, gb.sample AS sample_b,
            c.generation_a, c.generation_b, j.outcome, j.prob_a, j.votes, j.failure, j.raw,
            j.tokens, j.seconds, j.waited, j.created_at, c.attribute AS attribute_id
            FROM (SELECT j.id, q.priority, q.id AS place {found}
                ORDER BY q.priority, q.id LIMIT ?3 OFFSET ?4) f
            JOIN judgements j ON j.id = f.id JOIN comparisons c ON c.id = j.comparison
            JOIN attributes a ON a.id = c.attribute JOIN items i ON i.id = c.item {SYSTEMS} {TEXTS}
            ORDER BY f.priority, f.place""",
            (run, kind, limit, offset),
            rows=RunAnswers,
        )
        frame.attrs["all"] = self._db.value(f"SELECT count(*) {found}", (run, kind))
        return frame

    def counts(self, run: int) -> dict[str, int]:
        """Count the comparisons of a run: `planned` and `asked`.

        Planned are those it has or, until it is done, is expected to have. Asked are those its
        judge has been asked.
        """
        return self._db.record(
            f"""SELECT max(count(q.id), {EXPECTED}) AS planned, coalesce(sum(q.asked), 0) AS asked
            FROM runs r LEFT JOIN run_comparisons q ON q.run = r.id WHERE r.id = ?""",
            (run,),
        )

    def firsts(self, run: int) -> tuple[int, int]:
        """Count how often the text shown first was preferred, and of how many decisions."""
        [(first, decided)] = self._db.rows(
            f"""SELECT coalesce(sum(j.outcome = 'a'), 0), count(*) {_ANSWERS}
            WHERE r.id = ? AND j.outcome IN ('a', 'b')""",
            (run,),
        )
        return first, decided

    def failures(self, run: int) -> dict[str, int]:
        """Count a run's comparisons that have no answer, by reason."""
        return self._db.mapping(
            f"""SELECT j.failure, count(*) {_ANSWERS}
            WHERE r.id = ? AND j.failure <> '' GROUP BY 1 ORDER BY 2 DESC""",
            (run,),
        )

    def count_shortened(self, run: int) -> int:
        """Count the answers of a run to a prompt whose context did not fit."""
        return self._db.count(f"{_TAKEN} SELECT count(*) FROM taken WHERE live AND cut > 0", (run,))

    def split(self, run: int) -> int:
        """Count the answers of a run that are ties as their sampled votes were split evenly."""
        return self._db.count(
            f"""SELECT count(*) FROM live_judgements
            WHERE {_ITS_JUDGES} AND votes > 1 AND prob_a = 0.5""",
            (run,),
        )

    def read_in_part(self, run: int) -> int:
        """Count the answers of a run whose prompt the server read only in part."""
        return self._db.count(
            f"{_TAKEN} SELECT count(*) FROM taken WHERE live AND part > 0", (run,)
        )

    def seconds(self, run: int) -> dict[str, NDArray[np.float64]]:
        """Load the times of all live answers of a run whose time is known.

        They are `seconds`, and how long an answer had `waited` (NaN where it did not).
        """
        return self._db.numbers(
            f"{_TAKEN} SELECT seconds, waited FROM taken WHERE live AND seconds IS NOT NULL", (run,)
        )

    def tokens(self, run: int) -> tuple[int, int]:
        """Count the tokens a run's answers took, read and written, and those that were written."""
        [(tokens, written)] = self._db.rows(
            f"{_TAKEN} SELECT total(tokens), total(completion_tokens) FROM taken", (run,)
        )
        return int(tokens), int(written)

    def judgements(self, runs: Sequence[int]) -> NDArray[np.int64]:
        """Return the live judgements (ids) on comparisons of these runs, whoever asked first."""
        answered = self._db.numbers(
            f"""SELECT DISTINCT j.id AS judgement {_ANSWERS}
            WHERE r.id IN (SELECT value FROM json_each(?))""",
            (as_list(runs),),
        )
        return answered["judgement"]

    def list_unfinished(self) -> list[int]:
        """List the runs that are queued or said to be running, oldest first.

        Those that wait for a batch are left out: they must not be asked.
        """
        return self._db.column(
            """SELECT id FROM runs WHERE status IN ('queued', 'running')
            AND id NOT IN (SELECT run FROM batches WHERE ended_at IS NULL) ORDER BY id"""
        )
