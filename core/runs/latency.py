"""How long the answers of a run took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.store import Store

SHORTEST = 0.01
"""Seconds below which a time is not told exactly."""


@dataclass(frozen=True)
class Latency:
    """Seconds by answer, over the `answers` whose time is known, and what they waited in line
    before: for their turn, for a server's limits and between tries. See `Reply` for what is
    counted. Of a model on this machine nothing waits.
    """

    answers: int
    median: float
    p95: float
    waited_median: float
    waited_p95: float

    @classmethod
    def of(cls, store: Store, run: int) -> Latency | None:
        """That of a run, None where no answer has its time."""
        took = store.runs.seconds(run)
        if not len(took["seconds"]):
            return None
        each = took["seconds"], np.nan_to_num(took["waited"])
        quantiles = (float(np.quantile(values, q)) for values in each for q in (0.5, 0.95))
        return cls(len(took["seconds"]), *quantiles)

    def __str__(self) -> str:
        """A median latency of 0.8 s (95% within 2.1 s), after 0.1 s in line (95% within 3 s)."""
        line = (
            f", after {short_time(self.waited_median)} in line "
            f"(95% within {short_time(self.waited_p95)})"
            if self.waited_p95 >= SHORTEST
            else ""
        )
        took = f"{short_time(self.median)} (95% within {short_time(self.p95)})"
        return f"median latency {took}{line}"


def short_time(seconds: float) -> str:
    """Seconds in two digits or as whole ones: "under 0.01 s", "0.21 s", "120 s"."""
    if seconds < SHORTEST:
        return f"under {SHORTEST} s"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
