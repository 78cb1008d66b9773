"""Integrity of a store: SQLite's own checks, and all counts that triggers keep, counted again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from . import schema


class QueryReader(Protocol):
    """A connection, as far as checks use it."""

    def rows(self, sql: str) -> Sequence[Any]:
        """Return the rows of a query."""

    def value(self, sql: str) -> Any:
        """Return the first value of a query."""


# What is kept of how far campaigns and people are, and a recount does not give.
_WRONG_COUNTS = """SELECT (SELECT count(*) FROM (SELECT 1 FROM (
        SELECT campaign_attribute, votes, pairs FROM vote_counts
        UNION ALL SELECT campaign_attribute, votes, -1 FROM campaign_pairs)
    GROUP BY campaign_attribute, votes HAVING sum(pairs) <> 0))
    + (SELECT count(*) FROM (SELECT 1 FROM (
        SELECT judge, campaign, answered, skipped FROM person_counts
        UNION ALL SELECT judge, campaign, -(outcome IS NOT NULL), -(outcome IS NULL)
        FROM live_judgements WHERE campaign IS NOT NULL)
    GROUP BY judge, campaign HAVING sum(answered) <> 0 OR sum(skipped) <> 0))"""


def recount(db: QueryReader) -> dict[str, Any]:
    """Recount what triggers keep, and let SQLite check its file and references."""
    integrity = [row[0] for row in db.rows("PRAGMA integrity_check")]
    foreign = db.rows("PRAGMA foreign_key_check")
    tally = db.value(
        """SELECT count(*) FROM (SELECT sum(count) FROM (
            SELECT judge, attribute, system_a, system_b, order_known, outcome, count
            FROM outcome_counts
            UNION ALL
            SELECT j.judge, c.attribute, c.system_a, c.system_b, j.order_known,
            coalesce(j.outcome, 'failed'), -1
            FROM live_judgements j JOIN comparisons c ON c.id = j.comparison)
        GROUP BY judge, attribute, system_a, system_b, order_known, outcome HAVING sum(count) <>
        0)"""
    )
    votes = db.value(
        """SELECT (SELECT count(*) FROM run_comparisons q JOIN runs r ON r.id = q.run
            WHERE q.asked <> EXISTS (SELECT 1 FROM live_judgements j
                WHERE j.comparison = q.comparison AND j.judge = r.judge AND j.trial = r.trial))
        + (SELECT count(*) FROM campaign_pairs q
            JOIN campaign_attributes p ON p.id = q.campaign_attribute
            JOIN campaigns m ON m.id = p.campaign WHERE q.votes <> (SELECT count(j.outcome)
                FROM comparisons c JOIN live_judgements j ON j.comparison = c.id
                WHERE c.attribute = p.attribute AND c.generation_1 = q.generation_1
                AND c.generation_2 = q.generation_2 AND j.campaign = m.id AND j.trial = 0
                AND j.judge NOT IN (SELECT x.judge FROM exclusions x
                    WHERE x.dataset = m.dataset AND x.lifted_at IS NULL)))"""
    )
    counts = db.value(_WRONG_COUNTS)
    tables = (
        "datasets",
        "items",
        "systems",
        "generations",
        "scores",
        "comparisons",
        "judgements",
        "campaign_attributes",
        "runs",
    )
    rows = {table: db.value(f"SELECT count(*) FROM {table}") for table in tables}
    return {
        "ok": integrity == ["ok"] and not foreign and tally == votes == counts == 0,
        "integrity": integrity[0],
        "foreign_keys": len(foreign),
        "wrong_tallies": tally,
        "wrong_votes": votes,
        "wrong_counts": counts,
        "schema": schema.VERSION,
        "counts": rows,
    }
