"""Which campaign of a data set somebody annotates."""

from __future__ import annotations

from core.store import Campaign, Store


def open_campaigns(store: Store, dataset: str) -> list[Campaign]:
    """The campaigns of a data set that ask people something, the newest first."""
    return [campaign for campaign in reversed(store.campaigns.of(dataset)) if campaign.open]


def current(store: Store, dataset: str, name: str = "") -> Campaign | None:
    """The campaign of that name, be it open or not; else the newest that is open, else the newest;
    None where there is none.
    """
    every = store.campaigns.of(dataset)
    named = [campaign for campaign in every if campaign.name == name]
    return next(iter([*named, *open_campaigns(store, dataset), *reversed(every)]), None)
