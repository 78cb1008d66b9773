"""Compute separability from stored similarities: alignments and separability, one row per item and
pair.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...installation import command_to_run
from ...records import TandemError, option_ref
from ...rendering import declare_rows
from ...seeds import draw
from ...similarity import METRICS
from ...statistics import Codes, Floats, rankdata
from ...statistics import separability as statistics
from ...store import ChosenGenerations, Store
from ..judgements.debiasing import note_equal_texts
from ..judgements.finding import Finding
from ..judgements.selection import (
    Selection,
    check_selection,
    check_systems,
    keep_chosen_items,
    note_item_set,
    write_signature,
)
from .columns import BOUNDS, DESCRIBED, ITEMS, PAIRS
from .settings import Settings, request_similarities


def rank_mean(members: Sequence[Floats], scale: Floats) -> Floats:
    """The values of `scale` (n,), put in the order of the mean of the members' ranks (n,): quantile
    normalisation (Bolstad et al. 2003), so that they can be read as separabilities.

    Each member's ranks are of its own values; NaN where a member or the scale has none. Values of
    equal mean rank share the mean of theirs.
    """
    known = ~np.isnan(np.stack([*members, scale])).any(axis=0)
    ordered: Floats = np.full(len(scale), np.nan)
    if not known.any():
        return ordered
    means = np.mean([rankdata(member[known]) for member in members], axis=0)
    _, place, times = np.unique(means, return_inverse=True, return_counts=True)
    starts = np.cumsum(times) - times
    of_place = np.add.reduceat(np.sort(scale[known]), starts) / times
    ordered[known] = of_place[place]
    return ordered


RAW = ("raw_self_1", "raw_self_2", "raw_cross", "raw_separability")
MEASURES = (
    "item", "subset", "system_1", "system_2", "samples_1", "samples_2",
    "self_1", "self_2", "cross", "separability", "low", "high", *RAW,
)  # fmt: skip

SeparabilityRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "item subset system_1 system_2",
            int: "samples_1 samples_2",
            float: " ".join(MEASURES[6:]),
        }
    ),
]
PairSeparability = Annotated[pd.DataFrame, declare_rows(PAIRS)]
SIDED = ("system", "samples", "self", "raw_self")
MEASURED = Settings()
FEW_TEXTS = 20  # of a system on an item, below which its interval is too narrow


def separabilities(
    store: Store, selection: Selection, settings: Settings = MEASURED
) -> SeparabilityRows:
    """Compute the separability of each two systems on each item from stored similarities (Ghosh et
    al. 2024, eq. 2 and 3).

    One row per item and pair of systems, in name order: item, subset, system_1, system_2,
    samples_1, samples_2 (generations with a text), self_1, self_2, cross, separability with its
    bootstrap interval low to high (NaN with `resamples` 0), and raw_self_1, raw_self_2, raw_cross,
    raw_separability before normalisation. Null where a system has one generation only, where a pair
    is not measured, and where all alignments in scope are equal. By a metric made of others
    (`ensemble`), separability is in the order of its members' mean ranks, without an interval.
    Raises TandemError, saying what measures them, when there are no similarities.
    """
    check_selection(store, selection)
    settings = settings.fill_metric(store, selection.dataset)
    members = METRICS[settings.metric].members if settings.metric in METRICS else ()
    if members:
        return _rank_by_means(store, selection, settings, members)
    return _separabilities(store, selection, settings)


def _rank_by_means(
    store: Store, selection: Selection, settings: Settings, members: Sequence[str]
) -> SeparabilityRows:
    """Ranked among all pairs of systems on whose scale they are, as far as they are in this data
    set.
    """
    chosen = selection
    if settings.over in ("dataset", "all") and settings.normalise != "none":
        chosen = replace(selection, systems=())
    every = _separabilities(store, chosen, replace(settings, resamples=0))
    keys = ["item", "system_1", "system_2"]
    ranked = []
    for name in members:
        encoder = settings.encoder if "precision" in METRICS[name].takes else ""
        one = replace(settings, metric=name, encoder=encoder, resamples=0)
        found = _separabilities(store, chosen, one)
        ranked.append(every[keys].merge(found, on=keys, how="left")["separability"])
    parts = every.groupby(["system_1", "system_2"]).ngroup() if settings.over == "pair" else 0
    for part in np.unique(parts):
        rows = np.flatnonzero(np.broadcast_to(parts == part, len(every)))
        values = [column.to_numpy(float)[rows] for column in ranked]
        scale = every["separability"].to_numpy(float)[rows]
        every.loc[every.index[rows], "separability"] = rank_mean(values, scale)
    if len(set(selection.systems)) > 1:
        shown = every[["system_1", "system_2"]].isin(selection.systems).all(axis=1)
        every = every[shown].reset_index(drop=True)
    return every


def _separabilities(store: Store, selection: Selection, settings: Settings) -> SeparabilityRows:
    several = len(set(selection.systems)) > 1
    systems = set(selection.systems if several else store.datasets.systems(selection.dataset))
    alignments = _Alignments(store, settings, settings.key, selection.seed)
    every = alignments.measure_pairs(request_similarities(selection, settings).chosen, systems)
    shown = every["system_1"].isin(systems) & every["system_2"].isin(systems)
    if not shown.any():
        raise TandemError(_not_measured(selection, settings, nothing=every.empty))
    rows = every[shown].reset_index(drop=True)
    spans = _spans(alignments, every, dict.fromkeys(_pairs(rows)))
    low, high = (
        np.array(side) for side in zip(*(spans[pair] for pair in _pairs(rows)), strict=True)
    )
    scale = high - low
    for name in ("self_1", "self_2", "cross"):
        rows[name] = (rows[f"raw_{name}"] - low) / scale
    for name in ("low", "high"):
        rows[name] /= scale
        if settings.normalise == "minmax":  # a resample may hold more extreme alignments
            rows[name] = rows[name].clip(-1, 1)
    rows["separability"] = rows["raw_separability"] / scale
    rows = rows[list(MEASURES)]
    rows.attrs["metric"] = alignments.key  # for the signatures of figures made from it
    return rows


def _not_measured(selection: Selection, settings: Settings, *, nothing: bool) -> str:
    named = {"dataset": selection.dataset, "metric": settings.metric, "encoder": settings.encoder}
    if settings.precision not in ("", "fp32"):
        named["precision"] = settings.precision
    given = " ".join(f"{option_ref(name)} {value}" for name, value in named.items() if value)
    systems = f"{' and '.join(selection.systems)} with each other"
    return (
        f"no {settings.metric} similarities of {repr(selection.dataset) if nothing else systems} "
        f"have been measured: `{command_to_run('separability')}` does it with {given}"
    )


def check_pair(store: Store, selection: Selection) -> None:
    """Check that the store has what the selection names, and that no system is alone. Raises
    TandemError.
    """
    check_selection(store, selection)
    check_systems(selection, "separability is about two")


def separability(store: Store, selection: Selection, settings: Settings = MEASURED) -> Finding:
    """Compute alignments and separability of every item, for the two systems asked for or for every
    two.

    The columns are declared in `core.findings.separability.columns`. If exactly two systems are
    asked for, A is the one named first; else they are in name order. Facts: metric, mean, over;
    items without separability are not in the mean.
    """
    check_pair(store, selection)
    settings = settings.fill_metric(store, selection.dataset)
    measured = separabilities(store, selection, settings)
    measured = keep_chosen_items(store, selection, measured).reset_index(drop=True)
    systems = list(dict.fromkeys(selection.systems))
    turned = len(systems) == 2 and systems[0] > systems[1]
    sides = {"1": "b", "2": "a"} if turned else {"1": "a", "2": "b"}
    rows = measured.rename(
        columns={f"{name}_{n}": f"{name}_{side}" for n, side in sides.items() for name in SIDED}
    )
    unknown = int(rows["separability"].isna().sum())
    notes = [
        f"{unknown:,} of {len(rows):,} items have no separability. It takes two measured texts "
        "of each system on the item, and alignments that differ."
    ]
    few = rows["low"].notna() & (rows[["samples_a", "samples_b"]].min(axis=1) < FEW_TEXTS)
    narrow = [
        f"Intervals of {int(few.sum()):,} items are too narrow: they have fewer than {FEW_TEXTS} "
        "texts of a system. With 5, such intervals hold the truth in 85 to 89% of studies."
    ]
    return Finding(
        rows.drop(columns="subset"),
        write_signature(
            f"separability|metric:{measured.attrs['metric']}",
            **{**settings.signature_values(), "cross": settings.cross or "all"},
            boot=settings.resamples,
            subset=selection.subset,
            set=selection.item_set,
            systems="+".join(systems),
            seed=selection.seed if settings.cross or settings.resamples else None,
        ),
        0,
        notes=[
            *(notes if unknown else []),
            *(narrow if few.any() else []),
            *note_item_set(store, selection),
            *note_equal_texts(
                store, selection.dataset, {*measured["system_1"], *measured["system_2"]}
            ),
        ],
        facts={
            "metric": settings.metric,
            "mean": rows["separability"].mean(),
            "over": settings.over,
        },
        rows_are="items",
        columns=ITEMS,
        picture="separability",
    )


def describe_items(result: Finding) -> Finding:
    """Add `pair`, `tighter` (the greater self alignment) and `scenario`. Items of the two most
    separable systems come first.
    """
    rows = result.rows
    alignments = [rows[name].to_numpy(float) for name in ("self_a", "self_b", "cross")]
    rows = rows.assign(
        pair=rows["system_a"] + " / " + rows["system_b"],
        tighter=rows[["self_a", "self_b"]].max(axis=1),
        scenario=statistics.scenario(*alignments),
    )
    means = rows.groupby("pair")["separability"].transform("mean")
    by = ["mean", "pair", "separability"]
    ordered = rows.assign(mean=means).sort_values(by, ascending=False, ignore_index=True)
    return replace(result, rows=ordered.drop(columns="mean"), columns=DESCRIBED)


def compare_pairs(rows: pd.DataFrame) -> PairSeparability:
    """Average separability by pair of systems over the items that have one, the highest first.
    `below` and `above` are shares of the items beyond BOUNDS.
    """
    known = rows.dropna(subset="separability")
    low, high = BOUNDS
    known = known.assign(below=known["separability"] < low, above=known["separability"] > high)
    groups = known.groupby(["system_a", "system_b"], sort=False)
    found = groups.agg(
        items=("separability", "size"),
        mean=("separability", "mean"),
        below=("below", "mean"),
        above=("above", "mean"),
    )
    return found.sort_values("mean", ascending=False).reset_index()


def _pairs(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(rows["system_1"], rows["system_2"], strict=True))


def _spans(
    alignments: _Alignments, every: pd.DataFrame, pairs: Mapping[tuple[str, str], None]
) -> dict[tuple[str, str], tuple[float, float]]:
    settings = alignments.settings
    if settings.normalise == "none":
        return dict.fromkeys(pairs, (0.0, 1.0))
    if settings.over == "pair":
        of_pair = every.groupby(["system_1", "system_2"])
        return {pair: _span(of_pair.get_group(pair)) for pair in pairs}
    if settings.over == "all":
        names = alignments.store.datasets.names()
        every = pd.concat(
            alignments.measure_pairs(ChosenGenerations(name, samples=settings.samples))
            for name in names
        )
    return dict.fromkeys(pairs, _span(every))


def _span(rows: pd.DataFrame) -> tuple[float, float]:
    return statistics.span(*(rows[name].to_numpy(float) for name in RAW[:3]))


@dataclass(frozen=True)
class _Alignments:
    store: Store
    settings: Settings
    key: str
    seed: int

    def measure_pairs(
        self, chosen: ChosenGenerations, bootstrapped: Collection[str] = ()
    ) -> pd.DataFrame:
        """The raw columns of every pair of systems that share an item; of the systems
        `bootstrapped` with an interval.
        """
        rows = []
        similarities = self.store.similarities.load_all(self.key, chosen)
        origin = self.store.datasets.origin(chosen.dataset)
        for item, of_item in similarities.groupby("item", sort=False):
            matrix, texts = _matrix(of_item)
            for systems in combinations(sorted(texts), 2):
                first, second = (texts[system] for system in systems)
                blocks = statistics.Blocks(
                    matrix[np.ix_(first, first)],
                    matrix[np.ix_(second, second)],
                    matrix[np.ix_(first, second)],
                )
                # What is drawn depends on nothing but seed, data set, item and systems.
                rng = np.random.default_rng(draw(self.seed, origin, item, *systems))
                figures = self._compute_figures(blocks, {*systems} <= {*bootstrapped}, rng)
                head = (item, of_item["subset"].iloc[0], *systems, len(first), len(second))
                rows.append((*head, *figures))
        return pd.DataFrame(rows, columns=[*MEASURES[:6], *MEASURES[10:]])

    def _compute_figures(
        self, blocks: statistics.Blocks, bootstrapped: bool, rng: np.random.Generator
    ) -> tuple[float, ...]:
        drawn = statistics.draw_pairs(blocks.across.shape, self.settings.cross, rng=rng)
        self_1, self_2 = map(statistics.self_alignment, (blocks.within_1, blocks.within_2))
        cross = statistics.cross_alignment(blocks.across, drawn)
        low, high = np.nan, np.nan
        if bootstrapped and self.settings.resamples:
            low, high = statistics.bootstrap(
                blocks, drawn, rng=rng, resamples=self.settings.resamples
            )
        delta = float(statistics.separability(*map(np.asarray, (self_1, self_2, cross))))
        return low, high, self_1, self_2, cross, delta


def _matrix(of_item: pd.DataFrame) -> tuple[Floats, dict[str, Codes]]:
    """The similarities (n, n) of an item's texts, NaN where not measured; and of each system the
    places of its texts, by sample.
    """
    systems: dict[str, dict[int, int]] = {}
    for n in (1, 2):
        columns = (of_item[f"{name}_{n}"].tolist() for name in ("system", "sample", "generation"))
        for system, sample, generation in zip(*columns, strict=True):
            systems.setdefault(system, {})[sample] = generation
    texts = {
        system: [generation for _, generation in sorted(samples.items())]
        for system, samples in systems.items()
    }
    place = {
        generation: index for index, generation in enumerate(chain.from_iterable(texts.values()))
    }
    matrix = np.full((len(place), len(place)), np.nan)
    row, column = (of_item[f"generation_{n}"].map(place).to_numpy() for n in (1, 2))
    matrix[row, column] = matrix[column, row] = of_item["value"].to_numpy(float)
    return matrix, {
        system: np.array([place[generation] for generation in generations])
        for system, generations in texts.items()
    }
