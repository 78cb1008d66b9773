"""Uses of separability: items drawn by a plan, judgements for sep-Elo, and bins of items from low
to high.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...installation import command_to_run
from ...pairing import BySeparability, draw_by_separability
from ...records import TandemError, option_ref
from ...seeds import draw
from ...settings import Part, declare
from ...store import Store
from ..judgements import Selection, keep_chosen_items, unless_refused
from .compute import SeparabilityRows, separabilities
from .settings import Settings, choose_metric


def with_separability(
    store: Store, selection: Selection, frame: pd.DataFrame, metric: str, encoder: str = ""
) -> tuple[pd.DataFrame, int]:
    """Add `separability` to judgements. Return those whose systems have one on their item, and the
    number of others.

    Normalised over all pairs of the systems that are ranked (docs/statistics/separability.md,
    "Separability"). Raises TandemError when no similarity is stored, or none for these.
    """
    systems = tuple(sorted({*frame["system_a"], *frame["system_b"]}))
    measured = measure_ranked_systems(store, replace(selection, systems=systems), metric, encoder)
    known = measured.set_index(["item", "system_1", "system_2"])["separability"]
    sides = frame[["system_a", "system_b"]]
    of = pd.MultiIndex.from_arrays([frame["item"], sides.min(axis=1), sides.max(axis=1)])
    frame = frame.assign(separability=known.reindex(of).to_numpy(float))
    kept = frame.dropna(subset="separability")
    if kept.empty:
        raise TandemError(
            f"none of these judgements is about an item with a {metric} separability: sample "
            f"each system twice, then run `{command_to_run('separability')}`"
        )
    return kept, len(frame) - len(kept)


def measure_ranked_systems(
    store: Store, selection: Selection, metric: str, encoder: str = ""
) -> SeparabilityRows:
    """Separabilities normalised over all pairs of the systems that are ranked, all of them where
    none are named.
    """
    settings = Settings(metric, encoder, over="systems", resamples=0)
    return separabilities(store, selection, settings)


def drawn_items(
    store: Store, selection: Selection, draws: BySeparability, metric: str, encoder: str = ""
) -> tuple[tuple[tuple[str, float], ...], int]:
    """The items a plan takes and the probability with which each was, in the order to ask; and how
    many are left out for want of a separability. An item's is the mean over its pairs of (these)
    systems.
    """
    measured = keep_chosen_items(
        store, selection, measure_ranked_systems(store, selection, metric, encoder)
    )
    of_item = measured.groupby("item", sort=False)["separability"].mean()
    seed = draw(selection.seed, store.datasets.origin(selection.dataset), "by separability")
    taken = draw_by_separability(of_item.to_numpy(float), draws, np.random.default_rng(seed))
    items = zip(of_item.index[taken.places], taken.probability.tolist(), strict=True)
    return tuple((str(item), probability) for item, probability in items), taken.unknown


@dataclass(frozen=True)
class BinnedSettings:
    """A request that is also answered in bins of how separable items are, by the usual metric of
    the data set (`choose_metric`) unless one is named, where anything was measured.
    """

    by_separability: str = declare(
        "", "the metric of the bins of separability (default: the one measured here)",
        metavar="METRIC",
    )  # fmt: skip
    encoder: str = declare(
        "",
        "encoder of the metric, where it has one",
        metavar="NAME",
        part=Part(
            f"{option_ref('by_separability')} METRIC", lambda values: values["by_separability"]
        ),
    )

    def measure_items(self, store: Store, selection: Selection) -> SeparabilityRows | None:
        """Load the separability of items by that metric; None if none was named or measured."""
        metric = self.by_separability or choose_metric(store, selection.dataset)
        measured = Settings(metric, self.encoder, resamples=0)
        if self.by_separability:
            return separabilities(store, selection, measured)
        if not metric:
            return None
        return unless_refused(lambda: separabilities(store, selection, measured))
