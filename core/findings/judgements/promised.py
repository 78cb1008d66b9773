"""What was promised of a study's judges, beside results that take others."""

from __future__ import annotations

from collections.abc import Collection

from core.labels import join_names
from core.store import Promise, Store


def list_promises(store: Store, dataset: str) -> list[Promise]:
    """What holds of each campaign of a data set of which something was promised."""
    made = [store.promises.of(campaign.id) for campaign in store.campaigns.of(dataset)]
    return [promised[-1] for promised in made if promised]


def note_other_judges(store: Store, dataset: str, judges: Collection[str]) -> list[str]:
    """That others than these judges were promised, where some were."""
    return [
        f"{join_names(one.judges)} {'was' if len(one.judges) == 1 else 'were'} promised beside the "
        f"votes on {one.created_at[:10]}; this is by {join_names(sorted(judges))}."
        for one in list_promises(store, dataset)
        if one.judges and set(one.judges) != set(judges)
    ]
