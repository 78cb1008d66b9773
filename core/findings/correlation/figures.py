"""Correlations with people's scores, pairs in order and the noise ceiling, with resamples."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...rendering import declare_rows, list_names
from ...statistics import (
    Constant,
    ResampledFigures,
    correlation,
    intervals,
    system_level,
    win_ratio,
)
from ...statistics import reliability as reliable
from ...store import Store
from ..judgements.answers import load_rater_marks
from ..judgements.judges import CONFIDENCE
from ..judgements.population import code_families
from ..judgements.selection import Selection
from .columns import CEILING, Reference, declare_figures

CeilingRows = Annotated[pd.DataFrame, declare_rows([CEILING])]


def compute_ceilings(store: Store, selection: Selection, reference: Reference) -> CeilingRows:
    """Compute CEILING for each attribute (the index): the correlation that the texts' true scores
    have with the mean of the reference's raters, which is the root of its reliability (Spearman
    1904), with its interval over items. NaN where nobody shares a text with another rater.

    `level` item: of what differs within items; pool: over all texts; system: of the systems' means
    over these items. It is a product-moment correlation, and close to Spearman's.
    """
    marks = load_rater_marks(store, selection, reference.against).dropna(subset="value")
    keys = ["attribute", "generation", "item", "family", "system", "rater"]
    each = marks.groupby(keys, sort=False)["value"].mean().reset_index()
    rows = {
        str(attribute): _ceiling(of, reference, selection.seed)
        for attribute, of in each.groupby("attribute", sort=False)
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=CEILING.names)


def _ceiling(marks: pd.DataFrame, reference: Reference, seed: int) -> tuple[float, float, float]:
    target, _ = pd.factorize(marks["generation"])
    heads = marks.drop_duplicates("generation")
    item, system = (pd.factorize(heads[name])[0] for name in ("item", "system"))
    family = code_families(heads)
    values, size = marks["value"].to_numpy(float), int(family.max(initial=-1)) + 1
    drawn = intervals.resample_counts(size, reference.bootstrap, np.random.default_rng(seed))

    def figure(weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        if reference.level == "system":
            return reliable.estimate_reliability_of_means(values, target, system, weights=weights)
        group = item if reference.level == "item" else None
        return reliable.reliability(values, target, group=group, weights=weights)

    highest = float(reliable.ceiling(figure(None)))
    if np.isnan(highest):
        return np.nan, np.nan, np.nan
    low, high = intervals.percentiles(reliable.ceiling(figure(drawn[:, family])), groups=size)
    return highest, float(low), float(high)


COEFFICIENTS = ("spearman", "kendall", "pearson")
RESAMPLED = (*COEFFICIENTS, "pair_accuracy")
FIGURES = list_names(declare_figures("item"))

STEM = re.compile(r"[^\W\d_]{3,}")
NO_BASE = frozenset({"baseline", "human", "method", "model", "online", "run", "sys", "system"})
"""What names begin with, too, that have no base in common."""
MATTERS = 0.005
"""What a mean moves at least, for it to be said how items count on which a scorer is constant."""

Ratings = Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]
"""(items, systems, counts of the items in B resamples) -> ratings (B, systems) on these resamples.
"""


@dataclass(frozen=True)
class PredictedValues:
    """Predicted values: generation and value; at system level, also the function that rates systems
    on resamples.
    """

    values: pd.DataFrame
    ratings: Ratings | None = None


Spread = ResampledFigures | system_level.Noise
"""What intervals are made of: figures of resamples of the items; between systems, their noise."""


@dataclass(frozen=True)
class CorrelationFigures:
    """FIGURES by name, and their resamples. All comparisons with the same scores share the
    resamples of families.
    """

    figures: Mapping[str, Any]
    spread: Spread
    families: int


def compute_bounds(figures: Mapping[str, Any], spread: Spread, families: int) -> dict[str, float]:
    """The 95% interval of each of RESAMPLED over so many `families`, as NAME_low and NAME_high."""
    ends: dict[str, float] = {}
    for name in RESAMPLED:
        if isinstance(spread, ResampledFigures):
            samples = getattr(spread, name)
            low, high = map(float, intervals.percentiles(samples, groups=families))
        else:
            low, high = system_level.interval(name, figures[name], spread)
        ends |= {f"{name}_low": low, f"{name}_high": high}
    return ends


def bound_difference(
    one: CorrelationFigures, other: CorrelationFigures, judges: int
) -> tuple[float, float]:
    """The interval of what the Spearman correlation of one is more than that of another, on the
    same resamples. It holds for all pairs of so many judges together (Bonferroni), whichever of
    them is best here. NaN between systems.
    """
    if not (
        isinstance(one.spread, ResampledFigures) and isinstance(other.spread, ResampledFigures)
    ):
        return np.nan, np.nan
    return intervals.bound_resampled(
        one.figures["spearman"] - other.figures["spearman"],
        one.spread.spearman - other.spread.spearman,
        groups=min(one.families, other.families),
        confidence=1 - (1 - CONFIDENCE) / max(math.comb(judges, 2), 1),
    )


def average_figures(correlated: Sequence[CorrelationFigures]) -> dict[str, float]:
    """The means of RESAMPLED, and their intervals."""
    figures = [one.figures for one in correlated]
    means = {name: float(np.mean([of[name] for of in figures])) for name in RESAMPLED}
    noises = [one.spread for one in correlated if isinstance(one.spread, system_level.Noise)]
    drawn = [one.spread for one in correlated if isinstance(one.spread, ResampledFigures)]
    spread: Spread = (
        system_level.mean_of(noises)
        if noises
        else ResampledFigures(*(np.mean(same, axis=0) for same in zip(*drawn, strict=True)))
    )
    return means | compute_bounds(means, spread, min(one.families for one in correlated))


def describe_constant(figures: Mapping[str, Any], who: str, constant: str) -> str:
    """Note the items whose texts all have the same value by `who`, where leaving them out or
    counting them as 0 makes a difference; '' otherwise.
    """
    alike, items = int(figures["constant_items"]), int(figures["items"])
    if not alike:
        return ""
    others = items - alike if constant == "zero" else items
    total = figures["spearman"] * items if items else 0.0
    dropped, zero = total / others if others else np.nan, total / (others + alike)
    if abs(dropped - zero) < MATTERS:
        return ""
    without = f"{dropped:.2f}" if others else "undefined"
    return (
        f"{who} gives all texts the same value on {alike:,} of {others + alike:,} items. Spearman "
        f"is {without} without these items, and {zero:.2f} where each counts as 0."
    )


@dataclass(frozen=True)
class _Texts:
    """The scored texts, one a row: codes of their item and system, both of their values; and of
    each item the code of its family.
    """

    items: NDArray[np.int64]
    systems: NDArray[np.int64]
    predicted: NDArray[np.float64]
    truth: NDArray[np.float64]
    item_names: NDArray[Any]
    system_names: NDArray[Any]
    families: NDArray[np.int64]


def correlate_values(
    truth: pd.DataFrame, predicted: PredictedValues, reference: Reference, seed: int
) -> CorrelationFigures:
    """Correlate values with the truth (generation, item, family, system, value). Equal seeds and
    items give equal resamples.
    """
    both = truth.merge(predicted.values, on="generation", how="outer", suffixes=("", "_predicted"))
    both = both.dropna(subset=["item"])
    (items, item_names), (systems, system_names) = (
        pd.factorize(both[name], sort=True) for name in ("item", "system")
    )
    x, y = (both[name].to_numpy(float) for name in ("value_predicted", "value"))
    families = code_families(both.assign(code=items).drop_duplicates("code").sort_values("code"))
    of = _Texts(items, systems, x, y, np.asarray(item_names), np.asarray(system_names), families)
    rng, level, constant = np.random.default_rng(seed), reference.level, reference.constant
    number = int(of.families.max(initial=-1)) + 1
    counts = intervals.resample_counts(number, reference.bootstrap, rng)[:, of.families]
    spread: Spread
    if level == "system":
        base = find_bases(of.system_names.tolist(), reference.bases)
        row, spread = _correlate_systems(of, predicted.ratings, counts, base)
    else:
        row = _correlate_within(of, constant) if level == "item" else _correlate_texts(of)
        spread = correlation.resample_correlations(
            level, of.items, of.predicted, of.truth, counts, constant=constant
        )
    nothing = dict.fromkeys(("undefined_items", "few_items", "constant_items"), 0)
    row = {"items": len(of.item_names), "bases": np.nan, **nothing, **row}
    # Items that have no figure have none in the resamples either.
    number = min(number, row["items"])
    row |= compute_bounds(row, spread, number)
    return CorrelationFigures({name: row[name] for name in FIGURES}, spread, number)


def _list_figures(found: Any, accuracy: correlation.PairAccuracy) -> dict[str, Any]:
    return {
        **{name: getattr(found, name) for name in (*COEFFICIENTS, "missing")},
        "pair_accuracy": accuracy.accuracy,
        "pairs": accuracy.pairs,
    }


def _correlate_within(of: _Texts, constant: Constant) -> dict[str, Any]:
    found = correlation.correlate_by_item(of.items, of.predicted, of.truth, constant=constant)
    accuracy = correlation.pair_accuracy(of.items, of.predicted, of.truth)
    return {
        **_list_figures(found, accuracy),
        "n": found.items,
        "items": found.items,
        "undefined_items": found.undefined,
        "few_items": found.few,
        "constant_items": found.constant,
    }


def _correlate_texts(of: _Texts) -> dict[str, Any]:
    found = correlation.correlations(of.predicted, of.truth)
    accuracy = correlation.pair_accuracy(np.zeros_like(of.items), of.predicted, of.truth)
    return {**_list_figures(found, accuracy), "n": found.n}


def shorten_name(system: str) -> str:
    """A system's name without who publishes it, in small letters."""
    return system.rpartition("/")[2].casefold()


def find_bases(systems: Sequence[str], beginnings: Sequence[str]) -> NDArray[np.int64]:
    """Find codes (systems,) of what each system is made of: llama-2-7b and Llama-3 are relatives,
    as their names begin with the same three letters or more, up to what is no letter. Where all do,
    that is what systems are called here. If `beginnings` are given, names that begin alike are
    those.
    """
    names = [shorten_name(name) for name in systems]
    if beginnings:
        chosen = [start.casefold() for start in beginnings]
        stems = [next((start for start in chosen if name.startswith(start)), "") for name in names]
    else:
        found = [STEM.match(name) for name in names]
        stems = [match[0] if match and match[0] not in NO_BASE else "" for match in found]
        stems = [""] * len(stems) if len({*stems}) == 1 else stems
    own = [stem or f"#{place}" for place, stem in enumerate(stems)]
    return np.unique(own, return_inverse=True)[1]


def _correlate_systems(
    of: _Texts, ratings: Ratings | None, counts: NDArray[np.float64], base: NDArray[np.int64]
) -> tuple[dict[str, Any], system_level.Noise]:
    """Correlate systems, and estimate the noise of their values. Systems may share a `base`;
    `ratings` replace means if given.
    """
    found = correlation.correlate_by_system(of.systems, of.predicted, of.truth)
    rows = (of.items, of.systems, of.predicted, of.truth)
    (predicted, truth), drawn = (
        correlation.system_means(*rows, times)
        for times in (np.ones((1, len(of.item_names))), counts)
    )
    if ratings:
        drawn = (ratings(of.item_names, of.system_names, counts), drawn[1])
    nothing = np.zeros(predicted.shape[1], dtype=np.int64)
    accuracy = correlation.pair_accuracy(nothing, predicted[0], truth[0])
    families = len(np.unique(of.families))
    noise = system_level.noise((predicted[0], truth[0]), drawn, families, base)
    return {**_list_figures(found, accuracy), "n": found.n, "bases": noise.systems}, noise


def rate_by_wins(frame: pd.DataFrame, truth: pd.DataFrame, level: str) -> PredictedValues:
    """The win ratios, or mean probabilities, of the texts or systems in comparisons with their
    `outcome`.
    """
    sides = ("system_a", "system_b") if level == "system" else ("generation_a", "generation_b")
    names = np.unique(frame[list(sides)].to_numpy())
    first, second = (np.searchsorted(names, frame[side].to_numpy()) for side in sides)
    outcome = frame["outcome"].to_numpy(float)
    ratio = pd.Series(win_ratio(first, second, outcome, n=len(names)), index=names)
    if level != "system":
        return PredictedValues(pd.DataFrame({"generation": names, "value": ratio.to_numpy()}))
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

    return PredictedValues(values, ratings)
