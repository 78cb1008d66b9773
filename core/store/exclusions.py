"""Exclusions: whose votes and marks the statistics of a data set leave out. Nothing is deleted, and
each can be lifted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import TandemError
from .connection import StorePart, as_list, make_timestamp
from .judgements import SYSTEMS
from .people import clean_name
from .settings import Audit

ExclusionRows = Annotated[
    pd.DataFrame, Schema({str: "judge reason excluded_by created_at lifted_by lifted_at"})
]
LeftOutVotes = Annotated[pd.DataFrame, Schema({str: "judge kind", int: "votes"})]

EXCLUDED = "SELECT judge FROM exclusions WHERE dataset = {dataset} AND lifted_at IS NULL"
"""The rows of the judges whose answers statistics leave out."""

# What a judge has answered in campaigns of the data set, counted as the trigger counts it.
_RECOUNT = """UPDATE campaign_pairs SET votes = campaign_pairs.votes {sign} given.votes FROM (
        SELECT o.pair, count(j.outcome) AS votes
        FROM live_judgements j JOIN campaigns m ON m.id = j.campaign
        JOIN judged_pairs o ON o.judgement = j.id
        WHERE j.judge = ? AND m.dataset = ? AND j.trial = 0 GROUP BY o.pair) given
    WHERE campaign_pairs.id = given.pair"""


class Exclusions(StorePart):
    """Exclusions of annotators and judges from a data set.

    Pairs that an excluded person has answered lack that vote, and others are asked again.
    """

    def add(self, dataset: str, judge: str, *, reason: str, by: str) -> int:
        """Leave a judge's votes and marks out of statistics: how many votes that are. Raises
        TandemError without a reason, for a judge without answers here, and for one who is excluded
        already.
        """
        if not reason.strip():
            raise TandemError("say why: an exclusion is recorded with its reason")
        with self._db.transaction(durable=True):
            row = self._find_judge(dataset, judge)
            live = "dataset = ? AND judge = ? AND lifted_at IS NULL"
            if self._db.load_rows("exclusions", live, dataset, row):
                raise TandemError(f"{judge!r} is excluded already: lift that first")
            why = {"reason": reason.strip(), "excluded_by": by, "created_at": make_timestamp()}
            self._db.insert_row("exclusions", {"dataset": dataset, "judge": row, **why})
            self._db.execute(_RECOUNT.format(sign="-"), (row, dataset))
            Audit(self._db).add(by, "excluded", judge, dataset=dataset, reason=reason.strip())
        return self._votes(dataset, row)

    def lift(self, dataset: str, judge: str, *, by: str) -> int:
        """Count a judge's votes again; return how many. Raises TandemError if not excluded."""
        with self._db.transaction(durable=True):
            row = self._find_judge(dataset, judge)
            lifted = self._db.execute(
                """UPDATE exclusions SET lifted_by = ?, lifted_at = ?
                WHERE dataset = ? AND judge = ? AND lifted_at IS NULL""",
                (by, make_timestamp(), dataset, row),
            )
            if not lifted:
                raise TandemError(f"{judge!r} is not excluded here: there is nothing to lift")
            self._db.execute(_RECOUNT.format(sign="+"), (row, dataset))
            Audit(self._db).add(by, "included again", judge, dataset=dataset)
        return self._votes(dataset, row)

    def load_all(self, dataset: str) -> ExclusionRows:
        """Load the exclusions in the order they were made; `lifted_at` is NaN while one holds."""
        return self._db.frame(
            """SELECT w.name AS judge, x.reason, x.excluded_by, x.created_at, x.lifted_by,
            x.lifted_at FROM exclusions x JOIN judges w ON w.id = x.judge
            WHERE x.dataset = ? ORDER BY x.id""",
            (dataset,),
            rows=ExclusionRows,
        )

    def kinds(self, dataset: str) -> dict[str, str]:
        """Map the name of each judge who is excluded now to their kind, in the order of names."""
        return self._db.mapping(
            f"""SELECT name, kind FROM judges WHERE id IN ({EXCLUDED.format(dataset="?")})
            ORDER BY name""",
            (dataset,),
        )

    def left_out(
        self,
        dataset: str,
        *,
        attribute: str | None = None,
        subset: str | None = None,
        systems: Sequence[str] = (),
        items: Collection[str] | None = None,
    ) -> LeftOutVotes:
        """Count the live `votes` about these that are left out, for each excluded judge.

        Votes are about all `items`, or about those with these keys.
        """
        return self._db.frame(
            f"""SELECT w.name AS judge, w.kind, count(*) AS votes
            FROM exclusions x CROSS JOIN live_judgements j ON j.judge = x.judge
            JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
            JOIN items i ON i.id = c.item JOIN judges w ON w.id = x.judge {SYSTEMS}
            WHERE x.dataset = ?1 AND x.lifted_at IS NULL AND a.dataset = ?1
            AND (?2 IS NULL OR a.name = ?2) AND (?3 IS NULL OR i.subset = ?3)
            AND (?4 = '[]' OR (sa.name IN (SELECT value FROM json_each(?4))
                AND sb.name IN (SELECT value FROM json_each(?4))))
            AND (?5 IS NULL OR i.key IN (SELECT value FROM json_each(?5)))
            GROUP BY w.id ORDER BY w.name""",
            (dataset, attribute, subset, as_list(systems), as_list(items)),
            rows=LeftOutVotes,
        )

    def _find_judge(self, dataset: str, judge: str) -> int:
        """Return the row of a judge with answers here, also by the name as their file spells it."""
        row = self._db.value(
            """SELECT w.id FROM judges w WHERE w.name IN (?2, ?3) AND (EXISTS (
                SELECT 1 FROM outcome_counts t JOIN attributes a ON a.id = t.attribute
                WHERE t.judge = w.id AND a.dataset = ?1 AND t.count > 0)
            OR EXISTS (SELECT 1 FROM live_scores r JOIN attributes a ON a.id = r.attribute
                WHERE r.judge = w.id AND a.dataset = ?1)) ORDER BY w.name = ?2 DESC LIMIT 1""",
            (dataset, judge, clean_name(judge)),
        )
        if row is None:
            raise TandemError(
                f"nobody called {judge!r} has judged data set {dataset!r}: choose somebody who has"
            )
        return int(row)

    def _votes(self, dataset: str, judge: int) -> int:
        return self._db.count(
            """SELECT coalesce(sum(t.count), 0) FROM outcome_counts t
                JOIN attributes a ON a.id = t.attribute WHERE t.judge = ? AND a.dataset = ?""",
            (judge, dataset),
        )
