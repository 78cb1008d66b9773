"""Votes written straight into a store, as people gave them."""

from __future__ import annotations

from core.records import Outcome
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
) -> None:
    """A vote of somebody on two systems, the first of which is shown first; '' is a skip."""
    store.connection.execute(
        """INSERT INTO judgements (comparison, judge, trial, outcome, failure, seconds, created_at)
        VALUES (?, ?, ?, ?, ?, ?, '2026-05-01T10:00:00')""",
        (
            compare(store, item, *sides, attribute),
            judge(store, who),
            trial,
            Outcome(said) if said else None,
            "" if said else "skipped",
            seconds,
        ),
    )
