"""The clock of the Annotate page, which the test turns."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pages.components.annotate import bar, question


@dataclass
class Clock:
    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for part in (question, bar):
        monkeypatch.setattr(part, "time", clock)
    return clock
