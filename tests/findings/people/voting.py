"""Votes and answers of models, written straight into a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

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
    outcome, failure = (Outcome(said), "") if said else (None, "skipped")
    if failure and kind is not Kind.HUMAN:
        failure = "unparsed"
    about = compare(store, item, *sides, attribute), judge(store, who, kind), trial
    store.connection.execute(
        """INSERT INTO judgements (comparison, judge, trial, outcome, failure, seconds, created_at)
        VALUES (?, ?, ?, ?, ?, ?, '2026-05-01T10:00:00')""",
        (*about, outcome, failure, seconds),
    )


def say_all(
    store: Store,
    who: str,
    items: Iterable[int],
    sides: tuple[str, str],
    said: str | Callable[[int], str],
    **how: Any,
) -> None:
    """What somebody says of two systems on items i0, i1 ..., by the number of the item."""
    with store.transaction():
        for item in items:
            say(store, who, f"i{item}", sides, said if isinstance(said, str) else said(item), **how)
