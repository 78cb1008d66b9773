"""Uses of separability: items drawn by a plan, judgements for sep-Elo, bins of items from low to
high, the texts of one item, and curves: how it depends on the number of texts, of pairs, and on the
temperature the texts were sampled at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...pairing import BySeparability, draw_by_separability
from ...records import TandemError, option_ref
from ...rendering import declare_rows
from ...seeds import draw
from ...settings import Part, declare
from ...statistics import correlation, intervals
from ...store import Store
from ..judgements.finding import unless_refused
from ..judgements.population import code_families
from ..judgements.selection import Selection, add_families, keep_chosen_items
from .columns import CURVES, TEMPERATURES
from .compute import RAW, SeparabilityRows, separabilities
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


def cut_bins(values: pd.Series, item: pd.Series) -> pd.Series:
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
    ends = [f"{round(edge, 2) + 0.0:.2f}" for edge in edges]  # what rounds to -0 is 0
    labels = [f"{low} to {high}" for low, high in pairwise(ends)]
    names = list(dict.fromkeys(labels))
    code_of = np.array([names.index(label) for label in labels] or [-1])
    codes = np.where(values.isna(), -1, code_of[place])
    return pd.Series(pd.Categorical.from_codes(codes.tolist(), pd.Index(names), ordered=True))


CurveRows = Annotated[pd.DataFrame, declare_rows(CURVES)]
TemperatureRows = Annotated[pd.DataFrame, declare_rows(TEMPERATURES)]

FEW = (1, 2, 3, 5, 8, 12, 18)
"""The numbers of cross pairs that are tried, and all."""


def compare_sizes(store: Store, selection: Selection, how: Settings) -> CurveRows:
    """Mean separability against K and C (Ghosh et al. 2024, figure 5), from stored similarities.

    The columns are CURVES, the mean being over items and pairs of systems. Each point is of the
    first K texts, or of C pairs drawn among all, on the scale of all of them, so that the points of
    a curve can be compared.
    """
    full = _separability(store, selection, replace(how, cross=None))
    texts = int(full[["samples_1", "samples_2"]].to_numpy().max(initial=0))
    most = int((full["samples_1"] * full["samples_2"]).max()) if len(full) else 0
    scale = _scale(full)
    settings = [("samples", k, replace(how, samples=k, cross=None)) for k in range(2, texts)]
    settings += [("cross", c, replace(how, cross=c)) for c in FEW if c < most]
    rows = []
    for of, value, less in settings:
        found = _separability(store, selection, replace(less, normalise="none", over="systems"))
        rows.append((of, value, *_point(full, found, scale)))
    for of, value in (("samples", texts), ("cross", most)):
        if any(row[0] == of for row in rows):
            rows.append((of, value, *_point(full, full, None)))
    return get_schema(CurveRows).make(rows).sort_values(["of", "value"], ascending=[False, True])


def compare_temperatures(store: Store, selection: Selection, how: Settings) -> TemperatureRows:
    """Compute mean separability by the temperature of two models, where one or both were sampled at
    several.

    The columns are TEMPERATURES. If both were, pairs with equal temperature are compared; if one
    was, each of its temperatures with the other model. Systems with the same `base` are one model;
    the two of a pair are of different ones. If the selection names systems, all systems with their
    bases are included.
    """
    systems = store.datasets.decodings(selection.dataset).dropna(subset="temperature")
    systems = systems[systems["base"] != ""].set_index("system")
    several = systems.groupby("base")["temperature"].nunique()
    varied = set(several[several > 1].index)
    if not varied:
        return get_schema(TemperatureRows).make()
    every = _separability(store, replace(selection, systems=()), how)
    base = {**{name: name for name in store.datasets.systems(selection.dataset)}, **systems["base"]}
    asked = {base[name] for name in selection.systems} or set(base.values())
    rows = []
    for one, two in combinations(
        [name for name in dict.fromkeys(base.values()) if name in asked], 2
    ):
        if not varied & {one, two}:
            continue
        ones, twos = every["system_1"].map(base), every["system_2"].map(base)
        between = every[((ones == one) & (twos == two)) | ((ones == two) & (twos == one))]
        sides = [between[f"system_{n}"].map(systems["temperature"]) for n in (1, 2)]
        if {one, two} <= varied:
            between = between.assign(temperature=sides[0])[sides[0] == sides[1]]
        else:
            first = between["system_1"].map(base).isin(varied)
            between = between.assign(temperature=sides[0].where(first, sides[1]))
        for temperature, of in between.groupby("temperature"):
            rows.append((one, two, temperature, *_mean(of)))
    return get_schema(TemperatureRows).make(rows)


def _separability(store: Store, selection: Selection, how: Settings) -> pd.DataFrame:
    return add_families(
        store, selection, separabilities(store, selection, replace(how, resamples=0))
    )


def _scale(full: pd.DataFrame) -> pd.Series:
    """(system_1, system_2) -> what the raw alignments of a pair were divided by; NaN where they had
    no scale.
    """
    pairs = ["system_1", "system_2"]
    ends = {
        name: full[columns].max(axis=1).groupby([full[pair] for pair in pairs]).max()
        - full[columns].min(axis=1).groupby([full[pair] for pair in pairs]).min()
        for name, columns in (("raw", list(RAW[:3])), ("own", ["self_1", "self_2", "cross"]))
    }
    return ends["raw"] / ends["own"].replace(0, np.nan)


def _point(
    full: pd.DataFrame, found: pd.DataFrame, scale: pd.Series | None
) -> tuple[float, float, float, int, float]:
    keys = ["system_1", "system_2"]
    if scale is not None:
        by = found[keys].merge(scale.rename("scale").reset_index(), on=keys, how="left")["scale"]
        found = found.assign(separability=found["raw_separability"].to_numpy() / by.to_numpy())
    both = full[["item", *keys, "separability"]].merge(
        found[["item", *keys, "separability"]], on=["item", *keys]
    )
    ranks = correlation.correlations(
        both["separability_x"].to_numpy(float), both["separability_y"].to_numpy(float)
    )
    return *_mean(found), ranks.spearman


def _mean(measured: pd.DataFrame) -> tuple[float, float, float, int]:
    return intervals.mean(measured["separability"].to_numpy(float), code_families(measured))
