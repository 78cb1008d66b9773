"""Data sets whose texts a test chooses, with a campaign that asks about all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.pairing import open_default
from core.records import Attribute, Dataset, Generation, Item
from core.store import Store
from tests import study


def add(
    store: Store,
    name: str,
    context: str,
    texts: Mapping[str, str],
    *attributes: str,
    items: int | Sequence[str] = 4,
    **about: str,
) -> None:
    """Every system has one text, the same of each item but for its name at "{item}"."""
    names = [str(item) for item in range(items)] if isinstance(items, int) else items
    study.add_texts(
        store,
        Dataset(name, **{"context_noun": "article", **about}),
        [
            Generation(item, system, 0, text.replace("{item}", item))
            for item in names
            for system, text in texts.items()
        ],
        items=[Item(item, context) for item in names],
        attributes=[Attribute(one, f"{one}-ish") for one in attributes],
    )
    open_default(store, name)
