"""How long it takes still: by the pace of the stage that is at work."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.cli import progress as module
from core.cli.progress import ProgressLine


@dataclass
class Clock:
    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now


def test_the_time_left_is_by_the_pace_of_its_own_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty minutes of checking and 2,000 of 1e6 rows a minute: 8.3 hours are left, not weeks."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    progress = ProgressLine()
    for rows in range(1000, 1_000_001, 1000):
        progress("checking", rows, 0)
        clock.now += 1.2
    capsys.readouterr()
    for rows in range(1000, 4001, 1000):
        progress("importing", rows, 1_000_000)
        clock.now += 30
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "importing 4,000 of 1,000,000 (0%), about 8.3 h left"
