"""Works: what a run can do, by the name of its task."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

from core.runs.attack import Attacking
from core.runs.compare import Comparing
from core.runs.generate import TextSampling
from core.runs.measure import Measuring
from core.runs.score import Marking
from core.store import RunRow, Store


class Work(Protocol):
    """The work of a run, done bit by bit. The store tells what is left of it, so it can be cut off
    anywhere and go on.

    `unit` is what is counted, in the plural. Three methods need no model: `counts` is (planned,
    done); `failures` maps a reason to how many of those done have no answer for it;
    `withdraw_failures` takes these back, or those of one `kind`, so that only they are left to do.

    `expected` is the most that `planned` may become while it runs. `left` gives the next that are
    not done, `stream` does them as they come, and `keep` stores what was done. If nothing is left,
    `plan_more` plans what comes next, and returns whether there was anything. `load` prepares the
    respondent, and `close` releases it. `situation` describes the respondent's state in words, if
    there is something to tell.
    """

    unit: str

    def __init__(self, store: Store, run: RunRow, by: Any = None) -> None: ...

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]: ...

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]: ...

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow, kind: str = "") -> int: ...

    def load(self) -> None: ...

    def count_expected(self) -> int: ...

    def next_tasks(self, n: int) -> list[Any]: ...

    def plan_more(self) -> bool: ...

    def key(self, question: Any) -> Hashable: ...

    @property
    def situation(self) -> str: ...

    def close(self) -> None: ...

    def stream(self, questions: Iterator[Any]) -> Iterator[list[tuple[Any, Any]]]: ...

    def keep(self, answered: Sequence[tuple[Any, Any]]) -> None: ...


WORKS: dict[str, type[Work]] = {
    "compare": Comparing,
    "score": Marking,
    "generate": TextSampling,
    "measure": Measuring,
    "attack": Attacking,
}
"""The works by task. Each is made from a store, a run of it and, instead of the stored one, whoever
is to answer.
"""
