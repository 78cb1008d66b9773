"""What separability is used for: the items a plan draws by it, and judgements with it, as sep-Elo
takes them, beside Elo.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.analysis.separability.per_item import separabilities
from core.pairing import BySeparability, by_separability
from core.records import TandemError
from core.seeds import draw
from core.store import Store


def with_separability(
    store: Store,
    dataset: str,
    frame: pd.DataFrame,
    *,
    metric: str,
    encoder: str = "",
    subset: str | None = None,
) -> tuple[pd.DataFrame, int]:
    """The judgements whose systems have a separability on their item, in `separability`; and how
    many have none.

    Normalised over all pairs of the systems that are ranked (docs/definitions.md, "Separability").
    Raises TandemError when no similarity is stored, or none for these.
    """
    systems = tuple(sorted({*frame["system_a"], *frame["system_b"]}))
    found = of_ranked(store, dataset, metric, encoder, systems, subset)
    known = found.set_index(["item", "system_1", "system_2"])["separability"]
    sides = frame[["system_a", "system_b"]]
    of = pd.MultiIndex.from_arrays([frame["item"], sides.min(axis=1), sides.max(axis=1)])
    frame = frame.assign(separability=known.reindex(of).to_numpy(float))
    kept = frame.dropna(subset="separability")
    if kept.empty:
        raise TandemError(
            f"none of these judgements is about an item with a {metric} separability: it takes "
            "two samples of each system "
            "on an item, measured by `python -m core separability`"
        )
    return kept, len(frame) - len(kept)


def of_ranked(
    store: Store,
    dataset: str,
    metric: str,
    encoder: str,
    systems: Sequence[str] = (),
    subset: str | None = None,
) -> pd.DataFrame:
    """Separabilities normalised over all pairs of the systems that are ranked, all of them where
    none are named.
    """
    how: dict[str, Any] = {
        "metric": metric,
        "encoder": encoder or None,
        "over": "systems",
        "resamples": 0,
    }
    return separabilities(store, dataset, systems=systems, subset=subset or None, **how)


def drawn_items(
    store: Store,
    dataset: str,
    how: BySeparability,
    *,
    metric: str,
    encoder: str = "",
    systems: Sequence[str] = (),
    subset: str | None = None,
    seed: int = 0,
) -> tuple[tuple[tuple[str, float], ...], int]:
    """The items a plan takes and the probability with which each was, in the order to ask; and how
    many are left out for want of a separability. An item's is the mean over its pairs of (these)
    systems.
    """
    found = of_ranked(store, dataset, metric, encoder, systems, subset)
    of_item = found.groupby("item", sort=False)["separability"].mean()
    taken = by_separability(
        of_item.to_numpy(float), how, np.random.default_rng(draw(seed, dataset, "by separability"))
    )
    items = zip(of_item.index[taken.places], taken.probability.tolist(), strict=True)
    return tuple((str(item), probability) for item, probability in items), taken.unknown
