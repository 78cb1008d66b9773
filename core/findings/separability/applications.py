"""Uses of separability: items drawn by a plan, judgements for sep-Elo, bins of items from low to
high, and the texts of one item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from ...installation import command_to_run
from ...pairing import BySeparability, draw_by_separability
from ...records import TandemError, option_ref
from ...seeds import draw
from ...settings import Part, declare
from ...store import Store
from ..judgements.finding import unless_refused
from ..judgements.selection import Selection, keep_chosen_items
from .compute import SeparabilityRows, separabilities
from .settings import Settings, choose_metric, request_similarities


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
            for sample, text in store.texts.list_by_sample(dataset, item, system).items()
            if sample < how.samples and text is not None
        ],
        columns=["side", "system", "sample", "label", "text"],
    )
    labels = {n: found[f"system_{n}"].map(sides) + found[f"sample_{n}"].astype(str) for n in (1, 2)}
    one_way = pd.DataFrame(
        {"label_1": labels[1], "label_2": labels[2], "similarity": found["value"]}
    )
    other_way = one_way.rename(columns={"label_1": "label_2", "label_2": "label_1"})
    context, _, _ = store.texts.pair_texts(
        int(found["generation_1"].iloc[0]), int(found["generation_2"].iloc[0])
    )
    return Likeness(context, texts, pd.concat([one_way, other_way], ignore_index=True))


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


BINS = 4


def cut_bins(values: pd.Series, item: pd.Series, *, percent: bool = False) -> pd.Series:
    """Assign each unit to one of BINS with about equally many items, as an ordered category "from
    to"; None without a value. Bins with equal labels are merged.
    """
    of_item = values.groupby(item).mean().dropna()
    edges = (
        np.unique(np.quantile(of_item, np.linspace(0, 1, BINS + 1)))
        if len(of_item)
        else np.array([])
    )
    edges = np.repeat(edges, 2) if len(edges) == 1 else edges
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(len(edges) - 2, 0))
    written = ".0%" if percent else ".2f"
    ends = [f"{round(edge, 2) + 0.0:{written}}" for edge in edges]  # what rounds to -0 is 0
    labels = [f"{low} to {high}" for low, high in pairwise(ends)]
    names = list(dict.fromkeys(labels))
    code_of = np.array([names.index(label) for label in labels] or [-1])
    codes = np.where(values.isna(), -1, code_of[place])
    return pd.Series(pd.Categorical.from_codes(codes.tolist(), pd.Index(names), ordered=True))
