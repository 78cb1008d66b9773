"""A judge that is tried before its run, in a process of its own, which draws nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.judging import ServerList, make
from core.models import Options
from core.prices import Prices
from core.runs import preview
from core.store import Store


@dataclass(frozen=True)
class TrialRequest:
    """A judge by its SPEC and options, to be tried on a request. It asks listed servers alone."""

    store: Path
    request: preview.JudgingRequest
    judge: str
    options: Options

    def compute(self) -> dict[str, Any]:
        """Return the document of the trial. Raises TandemError as `preview.trial` does."""
        judge = make(self.judge, replace(self.options, permit=ServerList(self.store).permit))
        prices = Prices.from_execution(self.options.execution)
        with Store(self.store, create=False) as store:
            return preview.trial(store, judge, self.request, prices).document()
