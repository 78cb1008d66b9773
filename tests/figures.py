"""Pages that are drawn without a browser have their figures counted where they are drawn."""

from __future__ import annotations

from time import monotonic

import pytest

from pages.components.shared import cached_report, counting, picture
from pages.components.shared.counting import QUICK, Counter, CountingTask


class CounterInPlace(Counter):
    """Counts without a process of its own."""

    def ask(self, task: CountingTask) -> None:
        turn = counting._Turn(task, monotonic(), monotonic())
        pickled, error = counting.count(task)
        with self._changed:
            self._now = turn
            self._keep(pickled, error)


def count_in_place(patch: pytest.MonkeyPatch) -> None:
    """Count at once, and anew at each look what has changed."""
    counter = CounterInPlace(QUICK)
    for module in (cached_report, picture):
        patch.setattr(module, "get_counter", lambda lane: counter)
    patch.setattr(cached_report, "PATIENCE", 600.0)
    patch.setattr(cached_report, "REST", 0)
    patch.setattr(counting, "NICE", 0)
