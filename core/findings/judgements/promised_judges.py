"""Compare the promised judges of a study with those used."""

from __future__ import annotations

from collections.abc import Collection

from core.labels import join_names
from core.store import Promise, Store


def list_promises(store: Store, dataset: str) -> list[Promise]:
    """List the latest promise of each campaign of a data set that has one."""
    made = [store.promises.list_all(campaign.id) for campaign in store.campaigns.list_all(dataset)]
    return [promised[-1] for promised in made if promised]


def note_other_judges(store: Store, dataset: str, judges: Collection[str]) -> list[str]:
    """Note that other judges than these were promised."""
    return [
        f"{join_names(one.judges)} {'was' if len(one.judges) == 1 else 'were'} promised beside the "
        f"votes on {one.created_at[:10]}; this is by {join_names(sorted(judges))}."
        for one in list_promises(store, dataset)
        if one.judges and set(one.judges) != set(judges)
    ]
