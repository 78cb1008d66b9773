"""A request that is also told in bins of separability."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.findings.judgements import Selection
from core.findings.separability.compute import separabilities
from core.findings.separability.settings import Settings
from core.settings import declare
from core.store import Store


@dataclass(frozen=True)
class BinnedSettings:
    """A request that is also answered in bins of how separable items are, where a metric is named
    that was measured before.
    """

    by_separability: str = declare("", "also in bins of separability", metavar="METRIC")
    encoder: str = declare("", "encoder of the metric, where it has one", metavar="NAME")

    def measure_items(self, store: Store, selection: Selection) -> pd.DataFrame | None:
        """How far items tell systems apart by that metric; None without one."""
        if not self.by_separability:
            return None
        measured = Settings(self.by_separability, self.encoder, resamples=0)
        return separabilities(store, selection, measured)
