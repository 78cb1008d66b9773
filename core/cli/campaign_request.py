"""The options that commands about campaigns share: the campaign they are about."""

from __future__ import annotations

from dataclasses import dataclass

from ..campaigns import current
from ..records import TandemError
from ..settings import declare
from ..similarity import METRICS
from ..store import Campaign, Store

INFORMATIVE = "informative"


@dataclass(frozen=True, kw_only=True)
class CampaignRequest:
    """The campaign of a data set that a command is about."""

    dataset: str
    name: str = declare(
        "", "the campaign (default: the one people get now)", metavar="NAME", is_positional=True
    )

    def find(self, store: Store) -> Campaign:
        """The campaign that is named; without a name the one people get now."""
        dataset, name = self.dataset, self.name
        named = store.campaigns.find(dataset, name) if name else current(store, dataset)
        if named:
            return named
        there = ", ".join(repr(one.name) for one in store.campaigns.list_all(dataset))
        if not there:
            raise TandemError(
                f"data set {dataset!r} has no campaign: `campaign create NAME` opens one"
            )
        which = repr(name) if name else "that people get now"
        raise TandemError(f"data set {dataset!r} has no campaign {which}; it has {there}")


def label_metrics() -> dict[str, str]:
    """Return the label of each metric, as shown to people."""
    return {name: metric.label for name, metric in METRICS.items()}
