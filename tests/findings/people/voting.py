"""Votes and answers of models, written straight into a store."""

from __future__ import annotations

from core.records import Kind, Outcome
from core.store import Store
from tests.study import compare, judge


def say(
    store: Store,
    who: str,
    item: str,
    sides: tuple[str, str],
    said: str,
    *,
    attribute: str = "coherence",
    seconds: float | None = None,
    trial: int = 0,
    kind: Kind = Kind.HUMAN,
) -> None:
    """A vote of somebody on two systems, the first of which is shown first; '' is no answer."""
    store.connection.execute(
        """INSERT INTO judgements (comparison, judge, trial, outcome, failure, seconds, created_at)
        VALUES (?, ?, ?, ?, ?, ?, '2026-05-01T10:00:00')""",
        (
            compare(store, item, *sides, attribute),
            judge(store, who, kind),
            trial,
            Outcome(said) if said else None,
            "" if said else "skipped" if kind is Kind.HUMAN else "unparsed",
            seconds,
        ),
    )
