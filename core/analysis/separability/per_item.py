"""Which items can tell two systems apart: stored similarities -> alignments and separability, one
row per item and pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from core.analysis.judgements import Result, Selection, check, plain, signature
from core.records import TandemError
from core.seeds import draw
from core.similarity import Measured
from core.statistics import separability as statistics
from core.store import Chosen, Store

SCOPES = ("pair", "systems", "dataset", "all")
"""Over what the alignments' minimum and maximum are taken: one pair of systems, all pairs of the
systems chosen, all pairs of the data set, everything this metric has measured in the store.
"""

NORMALISATIONS = ("minmax", "none")

RAW = ("raw_self_1", "raw_self_2", "raw_cross", "raw_separability")
COLUMNS = ("item", "subset", "system_1", "system_2", "samples_1", "samples_2",
           "self_1", "self_2", "cross", "separability", "low", "high", *RAW)  # fmt: skip
SIDED = ("system", "samples", "self", "raw_self")
REPORTED = (
    "item",
    "system_a",
    "system_b",
    "self_a",
    "self_b",
    "cross",
    "separability",
    "low",
    "high",
    "raw_self_a",
    "raw_self_b",
    "raw_cross",
    "raw_separability",
    "samples_a",
    "samples_b",
)


@dataclass(frozen=True)
class Settings:
    """How separability is measured and normalised; `cross` pairs are drawn (None = all), `seed`
    decides which.
    """

    metric: str = "bertscore-length"
    encoder: str = ""
    precision: str = "fp32"
    samples: int = 5
    cross: int | None = None
    over: str = "dataset"
    normalise: str = "minmax"
    resamples: int = 200

    def __post_init__(self) -> None:
        for what, given, known in (
            ("--over", self.over, SCOPES),
            ("--normalise", self.normalise, NORMALISATIONS),
        ):
            if given not in known:
                raise TandemError(f"unknown {what} {given!r}; there are {', '.join(known)}")


def wanted(selection: Selection, how: Settings) -> Measured:
    """What has to be measured: the generations of the systems chosen or, to be normalised over the
    data set, of all.
    """
    of = selection.systems if how.normalise == "none" or how.over in ("pair", "systems") else ()
    chosen = Chosen(selection.dataset, tuple(of), selection.subset, how.samples)
    return Measured(chosen, how.metric, how.encoder, how.precision)


def separabilities(
    store: Store,
    dataset: str,
    *,
    metric: str = "bertscore-length",
    encoder: str | None = None,
    precision: str = "fp32",
    systems: Sequence[str] = (),
    subset: str | None = None,
    samples: int = 5,
    cross: int | None = None,
    over: str = "dataset",
    normalise: str = "minmax",
    resamples: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """How far each item tells each two systems apart, from stored similarities (Ghosh et al. 2024,
    eq. 2 and 3).

    One row per item and pair of systems, in name order: item, subset, system_1, system_2,
    samples_1, samples_2 (generations with a text), self_1, self_2, cross, separability with its
    bootstrap interval low to high (NaN with `resamples` 0), and raw_self_1, raw_self_2, raw_cross,
    raw_separability before normalisation. Null where a system has one generation only, where a pair
    is not measured, and where all alignments in scope are equal. Raises TandemError, saying which
    command measures them, when there are no similarities.
    """
    how = Settings(metric, encoder or "", precision, samples, cross, over, normalise, resamples)
    selection = Selection(dataset, subset=subset, systems=tuple(systems))
    check(store, selection)
    measured = wanted(selection, how)
    key = measured.make().signatures[metric]
    named = set(systems) if len(set(systems)) > 1 else set(store.datasets.systems(dataset))
    every = _aligned(store, measured.chosen, key, how, seed, named)
    shown = every["system_1"].isin(named) & every["system_2"].isin(named)
    if not shown.any():
        option = f" --encoder {encoder}" if encoder else ""
        option += f" --precision {precision}" if precision != "fp32" else ""
        which = repr(dataset) if every.empty else f"{' and '.join(systems)} with each other"
        raise TandemError(
            f"no {metric} similarities of {which} have been measured: "
            f"`python -m core separability --dataset {dataset} --metric {metric}{option}` does it"
        )
    spans = _spans(store, every, shown, key, how, seed)
    rows = every[shown].reset_index(drop=True)
    low, high = (
        np.array(side) for side in zip(*(spans[pair] for pair in _pair(rows)), strict=True)
    )
    scale = high - low
    for name, raw in (("self_1", RAW[0]), ("self_2", RAW[1]), ("cross", RAW[2])):
        rows[name] = (rows[raw] - low) / scale
    for name in ("low", "high"):
        rows[name] /= scale
        if how.normalise == "minmax":  # a resample may hold more extreme alignments than the set
            rows[name] = rows[name].clip(-1, 1)
    rows["separability"] = rows["raw_separability"] / scale
    found = rows[list(COLUMNS)]
    found.attrs["metric"] = key  # for the signatures of figures made from it
    return found


@dataclass(frozen=True)
class Separability(Result):
    """The result of `separability`: its rows are called items."""

    def document(self) -> dict[str, Any]:
        """As the command line prints it with --json."""
        whole = super().document()
        return {**plain(self.facts), "items": whole.pop("rows"), **whole}


def separability(store: Store, selection: Selection, how: Settings) -> Separability:
    """Alignments and separability of every item, for the two systems asked for or for every two.

    item, system_a, system_b, self_a, self_b, cross, separability, its interval low to high,
    raw_self_a, raw_self_b, raw_cross, raw_separability, samples_a, samples_b. Of exactly two
    systems asked for, A is the one named first; else they are in name order. Facts: metric, mean,
    over; items without separability are not in the mean.
    """
    asked = list(dict.fromkeys(selection.systems))
    if len(asked) == 1:
        raise TandemError(
            f"--systems {asked[0]} is one system, and separability is about two: name another"
        )
    found = separabilities(
        store,
        selection.dataset,
        systems=asked,
        subset=selection.subset,
        seed=selection.seed,
        **vars(how),
    )
    turned = len(asked) == 2 and asked[0] > asked[1]
    sides = {"1": "b", "2": "a"} if turned else {"1": "a", "2": "b"}
    found = found.rename(
        columns={f"{what}_{n}": f"{what}_{side}" for n, side in sides.items() for what in SIDED}
    )
    unknown = int(found["separability"].isna().sum())
    notes = []
    if unknown:
        notes.append(
            f"{unknown:,} of {len(found):,} items have no separability: it takes two texts of "
            "each system on the item, "
            "all of them measured, and alignments that are not all equal."
        )
    key = wanted(selection, how).make().signatures[how.metric]
    settings = signature(
        f"separability|metric:{key}",
        samples=how.samples,
        cross=how.cross or "all",
        over=how.over,
        normalise=how.normalise,
        boot=how.resamples,
        subset=selection.subset,
        systems="+".join(asked),
        seed=selection.seed if how.cross or how.resamples else None,
    )
    facts = {"metric": how.metric, "mean": found["separability"].mean(), "over": how.over}
    return Separability(found[list(REPORTED)], settings, 0, {}, notes, facts)


def _pair(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(rows["system_1"], rows["system_2"], strict=True))


def _spans(
    store: Store, every: pd.DataFrame, shown: pd.Series, key: str, how: Settings, seed: int
) -> dict[tuple[str, str], tuple[float, float]]:
    """system pair -> the least and the greatest alignment in scope."""
    pairs = dict.fromkeys(_pair(every[shown]))
    if how.normalise == "none":
        return dict.fromkeys(pairs, (0.0, 1.0))
    if how.over == "pair":
        of = every.groupby(["system_1", "system_2"])
        return {pair: _span(of.get_group(pair)) for pair in pairs}
    if how.over == "all":
        others = [
            _aligned(store, Chosen(name, samples=how.samples), key, how, seed)
            for name in store.datasets.names()
        ]
        every = pd.concat(others)
    return dict.fromkeys(pairs, _span(every))


def _span(rows: pd.DataFrame) -> tuple[float, float]:
    return statistics.span(*(rows[name].to_numpy(float) for name in RAW[:3]))


def _aligned(
    store: Store,
    chosen: Chosen,
    key: str,
    how: Settings,
    seed: int,
    interval_of: set[str] | None = None,
) -> pd.DataFrame:
    """The raw columns of every pair of systems that share an item, with the interval for pairs of
    `interval_of`.
    """
    found = store.similarities.all(key, chosen)
    rows: list[dict[str, Any]] = []
    for item, of_item in found.groupby("item", sort=False):
        systems: dict[str, dict[int, int]] = {}
        for side in ("1", "2"):
            columns = (
                of_item[f"{column}_{side}"].tolist()
                for column in ("system", "sample", "generation")
            )
            for system, sample, generation in zip(*columns, strict=True):
                systems.setdefault(system, {})[sample] = generation
        order = [
            generation for samples in systems.values() for _, generation in sorted(samples.items())
        ]
        place = {generation: index for index, generation in enumerate(order)}
        matrix = np.full((len(order), len(order)), np.nan)
        ones, others = (of_item[f"generation_{side}"].map(place).to_numpy() for side in ("1", "2"))
        matrix[ones, others] = matrix[others, ones] = of_item["value"].to_numpy(float)
        of = {
            system: np.array([place[generation] for _, generation in sorted(samples.items())])
            for system, samples in systems.items()
        }
        subset = of_item["subset"].iloc[0]
        for first, second in combinations(sorted(of), 2):
            interval = interval_of is not None and {first, second} <= interval_of
            row = _row(
                matrix,
                of[first],
                of[second],
                how,
                seed,
                (chosen.dataset, item, first, second),
                interval,
            )
            rows.append(
                {"item": item, "subset": subset, "system_1": first, "system_2": second, **row}
            )
    return pd.DataFrame(
        rows,
        columns=[
            name for name in COLUMNS if name not in ("self_1", "self_2", "cross", "separability")
        ],
    )


def _row(
    matrix: Any,
    first: Any,
    second: Any,
    how: Settings,
    seed: int,
    what: tuple[Any, ...],
    interval: bool,
) -> dict[str, Any]:
    """The raw figures of two systems on one item. What is drawn depends on nothing but seed, data
    set, item and systems.
    """
    within_1, within_2 = matrix[np.ix_(first, first)], matrix[np.ix_(second, second)]
    across = matrix[np.ix_(first, second)]
    rng = np.random.default_rng(draw(seed, *what))
    drawn = statistics.draw_pairs(across.shape, how.cross, rng=rng)
    self_1, self_2 = statistics.self_alignment(within_1), statistics.self_alignment(within_2)
    cross = statistics.cross_alignment(across, drawn)
    low, high = np.nan, np.nan
    if interval and how.resamples:
        low, high = statistics.bootstrap(
            within_1, within_2, across, drawn, rng=rng, resamples=how.resamples
        )
    delta = float(statistics.separability(*map(np.asarray, (self_1, self_2, cross))))
    return {
        "samples_1": len(first), "samples_2": len(second), "low": low, "high": high,
        **dict(zip(RAW, (self_1, self_2, cross, delta), strict=True)),
    }  # fmt: skip
