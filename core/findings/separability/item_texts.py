"""Likeness: how alike the texts of two systems on one item are, each with each."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ...records import TandemError
from ...store import Store
from ..judgements import Selection
from .settings import Settings, request_similarities


@dataclass(frozen=True)
class Likeness:
    """One item opened: what its texts are about, the texts and the similarity of every two of them.

    `texts`: side (A, B), system, sample, label (A0, A1 .. B0 ..), text. `matrix`: label_1, label_2,
    similarity, both ways round; a text with itself is not in it.
    """

    context: str
    texts: pd.DataFrame
    matrix: pd.DataFrame


def likeness(
    store: Store, dataset: str, item: str, systems: tuple[str, str], how: Settings
) -> Likeness:
    """Load the texts of two systems on an item with their stored similarities. Raises TandemError
    if none are stored.
    """
    selection = Selection(dataset, systems=systems)
    found = store.similarities.load_all(
        how.key, request_similarities(selection, how).chosen, item=item
    )
    found = found[found["system_1"].isin(systems) & found["system_2"].isin(systems)]
    if found.empty:
        raise TandemError(
            f"no {how.metric} similarities of item {item!r} have been measured for "
            f"{' and '.join(systems)}"
        )
    sides = dict(zip(systems, "AB", strict=True))
    texts = pd.DataFrame(
        [
            (side, system, sample, f"{side}{sample}", text)
            for system, side in sides.items()
            for sample, text in store.datasets.texts(dataset, item, system).items()
            if sample < how.samples and text is not None
        ],
        columns=["side", "system", "sample", "label", "text"],
    )
    labels = {n: found[f"system_{n}"].map(sides) + found[f"sample_{n}"].astype(str) for n in (1, 2)}
    one_way = pd.DataFrame(
        {"label_1": labels[1], "label_2": labels[2], "similarity": found["value"]}
    )
    other_way = one_way.rename(columns={"label_1": "label_2", "label_2": "label_1"})
    context, _, _ = store.datasets.pair_texts(
        int(found["generation_1"].iloc[0]), int(found["generation_2"].iloc[0])
    )
    return Likeness(context, texts, pd.concat([one_way, other_way], ignore_index=True))
