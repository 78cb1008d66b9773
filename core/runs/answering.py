"""Common base of works: load a respondent, stream questions to it, and close it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from ..judging import Batchable
from ..models import Respondent
from ..pairing import versions
from ..records import Reply
from ..store import RunRow, Store

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

SAMPLING_WAYS = "sampling ways"
"""Name of the setting that holds how servers draw their replies, and when that was found."""
KEPT_FOR = timedelta(days=1)
"""How long it holds: a server may be started anew with other options."""


def load_respondent(
    store: Store,
    respondent: Respondent[Any, Any] | Batchable,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> None:
    """Load a respondent. Servers that the store knows need not show again how they sample."""
    now = clock()
    kept = {
        server: (way, at)
        for server, (way, at) in json.loads(store.settings.get(SAMPLING_WAYS, "{}")).items()
        if abs(now - datetime.fromisoformat(at)) < KEPT_FOR
    }
    before = {server: way for server, (way, _) in kept.items()}
    respondent.sampling_ways = dict(before)
    respondent.load()
    new = dict(respondent.sampling_ways.items() - before.items())
    if new:
        kept.update((server, (way, now.isoformat())) for server, way in new.items())
        store.settings.put(SAMPLING_WAYS, json.dumps(kept))


class Ledger(NamedTuple):
    """The account that the store keeps of a run's tasks; it needs no model.

    `counts` gives the tasks (planned, done), `failures` the done ones by their reason for no
    answer. `withdraw` takes back all failures, or those of one kind, to be done again: how many.
    """

    counts: Callable[[], tuple[int, int]]
    failures: Callable[[], dict[str, int]] = dict
    withdraw: Callable[[str], int] = lambda kind: 0


class Answering(ABC, Generic[Q, A]):
    """Work of a run, done bit by bit by a respondent: here with all tasks planned from the start.

    The store knows what is left of it, so it can be cut off anywhere and go on. `unit` is the noun
    of what is counted, in the plural. `_execution` is the row of what its answers are computed on,
    noted each time the run is taken up.
    """

    unit: str

    @staticmethod
    @abstractmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        """Return the account of a run's tasks."""

    @abstractmethod
    def next_tasks(self, n: int) -> list[Q]:
        """Return up to `n` tasks that are not done."""

    @abstractmethod
    def key(self, question: Q) -> Hashable:
        """Return what identifies a task within the run."""

    @abstractmethod
    def keep(self, answered: Sequence[tuple[Q, A]]) -> None:
        """Store what was done, in one transaction."""

    def __init__(self, store: Store, run: RunRow, respondent: Respondent[Any, Any]) -> None:
        self._store, self._run = store, run
        # What a stored judge answers, only its spec tells.
        self.respondent: Respondent[Q, A] = respondent
        self._execution: int | None = None

    def load(self) -> None:
        """Load the respondent and record the hardware and versions it runs on."""
        runs, run = self._store.runs, self._run.id

        def show(line: str) -> None:  # why nothing is answered yet
            runs.beat(run, situation=line)

        self.respondent.announce = show
        load_respondent(self._store, self.respondent)
        self._execution = runs.begin_execution(run, *self.respondent.hardware, versions())

    def count_expected(self) -> int:
        """Return 0: the run plans no more tasks while it goes on."""
        return 0

    def plan_more(self) -> bool:
        """Return False: nothing is left to plan."""
        return False
