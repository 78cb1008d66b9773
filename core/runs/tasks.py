"""Works: what a run can do, by the name of its task."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

from ..store import RunRow, Store
from .compare import Comparing
from .generate import TextSampling
from .measure import Measuring
from .probe import Probing
from .score import Marking


class Work(Protocol):
    """Work of a run, done bit by bit.

    The store knows what is left of it, so it can be cut off anywhere and go on. `unit` is the noun
    of what is counted, in the plural. The three static methods need no model.
    """

    unit: str

    def __init__(self, store: Store, run: RunRow, by: Any = None) -> None: ...

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]:
        """Count the tasks of a run: (planned, done)."""

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]:
        """Map each reason for no answer to the number of done tasks with it."""

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow, kind: str = "") -> int:
        """Take back all failures, or those of one `kind`, to be done again; return how many."""

    def load(self) -> None:
        """Prepare the respondent."""

    def count_expected(self) -> int:
        """Return the most tasks that a run may come to; 0 if it plans no more while it goes on."""

    def next_tasks(self, n: int) -> list[Any]:
        """Return up to `n` tasks that are not done."""

    def plan_more(self) -> bool:
        """Plan what comes next when nothing is left; return whether there was anything."""

    def key(self, question: Any) -> Hashable:
        """Return what identifies a task within the run."""

    @property
    def situation(self) -> str:
        """State of the respondent in words; '' if there is nothing to tell."""

    def close(self) -> None:
        """Release the respondent."""

    def stream(self, questions: Iterator[Any]) -> Iterator[list[tuple[Any, Any]]]:
        """Do these tasks and yield them with their answers, in batches as they come."""

    def keep(self, answered: Sequence[tuple[Any, Any]]) -> None:
        """Store what was done, in one transaction."""


WORKS: dict[str, type[Work]] = {
    "compare": Comparing,
    "score": Marking,
    "generate": TextSampling,
    "measure": Measuring,
    "attack": Probing,  # as stores of 1.0 call it
}
"""The works by task. Each is made from a store, a run of it and, optionally, the respondent to use
instead of the stored one.
"""
