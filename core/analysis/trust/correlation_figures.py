"""What is held against people's scores, and the figures of that: correlations and ordered pairs,
with their resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.statistics import Resampled, correlation, intervals, win_ratio

COEFFICIENTS = ("spearman", "kendall", "pearson")
RESAMPLED = (*COEFFICIENTS, "pair_accuracy")
FIGURES = (
    *(f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")),
    "n", "items", "undefined_items", "few_items", "pair_accuracy", "pair_accuracy_low",
    "pair_accuracy_high", "pairs", "missing",
)  # fmt: skip

Ratings = Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]
"""(items, systems, counts of the items in B resamples) -> ratings (B, systems) on these resamples.
"""


@dataclass(frozen=True)
class Predicted:
    """What is to be correlated: generation and value; at system level, how to rate the systems on
    resamples.
    """

    values: pd.DataFrame
    ratings: Ratings | None = None


@dataclass(frozen=True)
class Correlated:
    """FIGURES by name, and those of RESAMPLED on the same resamples of the items for whatever
    follows the same scores.
    """

    figures: Mapping[str, Any]
    drawn: Resampled


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn: that many resamples of the items, the same ones for the same seed
    and items.
    """

    times: int
    seed: int

    def counts(self, items: int) -> NDArray[np.float64]:
        return intervals.resample_counts(items, self.times, np.random.default_rng(self.seed))


def bounds(drawn: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
    """The 95% interval of each figure from its resamples, as NAME_low and NAME_high."""
    ends = {name: intervals.percentiles(values) for name, values in drawn.items()}
    return {
        f"{name}_{end}": float(bound)
        for name, both in ends.items()
        for end, bound in zip(("low", "high"), both, strict=True)
    }


def correlated(
    truth: pd.DataFrame, predicted: Predicted, level: str, resampling: Resampling
) -> Correlated:
    """How well values follow the truth (generation, item, system, value) at a level: item, system
    or pool.
    """
    both = truth.merge(predicted.values, on="generation", how="outer", suffixes=("", "_predicted"))
    both = both.dropna(subset=["item"])
    x, y = both["value_predicted"].to_numpy(float), both["value"].to_numpy(float)
    (items, item_names), (systems, system_names) = (
        pd.factorize(both[name], sort=True) for name in ("item", "system")
    )
    alone = np.zeros(len(both), dtype=np.int64)
    undefined = few = 0
    found: correlation.Correlations | correlation.ItemCorrelations
    if level == "item":
        found = correlation.by_item(items, x, y)
        n, undefined, few = found.items, found.undefined, found.few
        accuracy = correlation.pair_accuracy(items, x, y)
    elif level == "system":
        found = correlation.by_system(systems, x, y)
        n = found.n
        means = (
            both.dropna(subset=["value", "value_predicted"])
            .groupby("system")[["value_predicted", "value"]]
            .mean()
        )
        accuracy = correlation.pair_accuracy(alone[: len(means)], *means.to_numpy(float).T)
    else:
        found = correlation.correlations(x, y)
        n = found.n
        accuracy = correlation.pair_accuracy(alone, x, y)
    counts = resampling.counts(len(item_names))
    rated = (
        predicted.ratings(np.asarray(item_names), np.asarray(system_names), counts)
        if predicted.ratings
        else None
    )
    drawn = correlation.resampled(level, items, systems, x, y, counts, ratings=rated)
    row = {
        **{name: getattr(found, name) for name in COEFFICIENTS},
        "n": n,
        "items": n if level == "item" else len(item_names),
        "undefined_items": undefined,
        "few_items": few,
        "pair_accuracy": accuracy.accuracy,
        "pairs": accuracy.pairs,
        "missing": found.missing,
        **bounds({name: getattr(drawn, name) for name in RESAMPLED}),
    }
    return Correlated({name: row[name] for name in FIGURES}, drawn)


def win_ratios(frame: pd.DataFrame, truth: pd.DataFrame, level: str) -> Predicted:
    """The win ratios, or mean probabilities, of the texts or systems in comparisons with their
    `outcome`.
    """
    sides = ("system_a", "system_b") if level == "system" else ("generation_a", "generation_b")
    names = np.unique(frame[list(sides)].to_numpy())
    first, second = (np.searchsorted(names, frame[side].to_numpy()) for side in sides)
    outcome = frame["outcome"].to_numpy(float)
    ratio = pd.Series(win_ratio(first, second, outcome, n=len(names)), index=names)
    if level != "system":
        return Predicted(pd.DataFrame({"generation": names, "value": ratio.to_numpy()}))
    values = pd.DataFrame({"generation": truth["generation"], "value": truth["system"].map(ratio)})

    def ratings(
        items: NDArray[Any], systems: NDArray[Any], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        place = pd.Index(items).get_indexer(frame["item"])
        code = pd.Index(systems).get_indexer(names)
        size = (len(items), len(systems))
        points, times = np.zeros(size), np.zeros(size)
        for side, of_side in ((first, outcome), (second, 1 - outcome)):
            column = code[side]
            there = (column >= 0) & (place >= 0)
            np.add.at(points, (place[there], column[there]), of_side[there])
            np.add.at(times, (place[there], column[there]), 1.0)
        drawn_points, drawn_times = counts @ points, counts @ times
        nothing = np.full(drawn_times.shape, np.nan)
        return np.asarray(np.divide(drawn_points, drawn_times, out=nothing, where=drawn_times > 0))

    return Predicted(values, ratings)
