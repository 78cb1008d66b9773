"""Correlations with scores, within items, over all texts and between systems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from core.findings.correlation import Level, Reference
from core.findings.correlation.figures import PredictedValues, correlate_values
from tests.coverage.simulation import Simulation, cases, hold

RESAMPLES = 200
COEFFICIENTS = ("pearson", "spearman", "kendall", "pair_accuracy")

Values = NDArray[np.float64]
Truth = dict[str, float]


def held(
    level: Level, x: Values, y: Values, truths: Sequence[Truth], seed: int,
    names: Sequence[object] = (),
) -> list[float]:  # fmt: skip
    """Of values (items, systems): whether the intervals hold each of these truths."""
    frame = texts(y, names or [f"{system:02}" for system in range(x.shape[1])])
    predicted = PredictedValues(frame[["generation"]].assign(value=x.ravel()))
    reference = Reference("truth", level, bootstrap=RESAMPLES)
    figures = correlate_values(frame, predicted, reference, seed).figures
    return [
        float(hold(figures[f"{name}_low"], truth[name], figures[f"{name}_high"]))
        for truth in truths
        for name in COEFFICIENTS
    ]


def texts(values: Values, names: Sequence[object]) -> pd.DataFrame:
    """As scores are read: these values (items, systems) of systems with these names."""
    item = np.repeat(np.arange(len(values)), len(names))
    return pd.DataFrame({
        "generation": np.arange(values.size), "item": item, "family": item,
        "system": np.tile(np.array(names, dtype=object), len(values)), "value": values.ravel(),
    })  # fmt: skip


def of_r(r: float) -> Truth:
    """What each coefficient is for bivariate normal values with Pearson's r (Kruskal 1958)."""
    return {
        "pearson": r,
        "spearman": float(6 / np.pi * np.arcsin(r / 2)),
        "kendall": float(2 / np.pi * np.arcsin(r)),
        "pair_accuracy": float(0.5 + np.arcsin(r) / np.pi),
    }


def normal(rng: np.random.Generator, r: float, *shape: int) -> Values:
    """(2, *shape) pairs of normal values with that correlation."""
    one, other = rng.normal(size=(2, *shape))
    return np.stack([one, r * one + np.sqrt(1 - r**2) * other])


def between_systems(
    rng: np.random.Generator, *, systems: int, items: int, r: float, reliability: float
) -> list[float]:
    """Systems drawn with correlation r of their two values, of which a mean over ten items has that
    reliability. Held is what the systems' own values have, and what means over as many items have.
    """
    noise = 10 * (1 - reliability) / reliability
    of_system, difficulty = normal(rng, r, 1, systems), rng.normal(size=(2, items, 1))
    x, y = of_system + difficulty + np.sqrt(noise) * rng.normal(size=(2, items, systems))
    truths = (of_r(r), of_r(r / (1 + noise / items)))
    return held("system", x, y, truths, int(rng.integers(2**31)))


def between_relatives(rng: np.random.Generator, *, bases: int, each: int, r: float) -> list[float]:
    """Systems of which so many `each` have one base, where nine tenths of what they differ in comes
    from; items leave no noise.
    """
    of_base, own = normal(rng, r, bases, 1), normal(rng, r, bases, each)
    x, y = (np.sqrt(0.9) * of_base + np.sqrt(0.1) * own).reshape(2, 1, -1)
    x, y = np.repeat(x, 10, axis=0), np.repeat(y, 10, axis=0)
    words = ["".join(letters) for letters in product("abc", repeat=3)]
    names = [f"{words[base]}-{place}" for base in range(bases) for place in range(each)]
    return held("system", x, y, [of_r(r)], int(rng.integers(2**31)), names)


def within_items(rng: np.random.Generator, *, systems: int, items: int, r: float) -> list[float]:
    """Items whose correlation varies around r; the truth is simulated with 20,000 items."""
    x, y = _of_items(rng, systems, items, r)
    return held("item", x, y, [_within(systems, r)], int(rng.integers(2**31)))


def over_texts(rng: np.random.Generator, *, systems: int, items: int, r: float) -> list[float]:
    """Half of the variance is the item's, of either value, with the same correlation."""
    item, own = normal(rng, r, items, 1), normal(rng, r, items, systems)
    x, y = item + own
    return held("pool", x, y, [of_r(r)], int(rng.integers(2**31)))


def _of_items(rng: np.random.Generator, systems: int, items: int, r: float) -> Values:
    of_item = np.clip(r + rng.normal(0, 0.3, size=(items, 1)), -0.95, 0.95)
    one, other = rng.normal(size=(2, items, systems))
    return np.stack([one, of_item * one + np.sqrt(1 - of_item**2) * other])


@cache
def _within(systems: int, r: float) -> Truth:
    """scipy's coefficients within 20,000 items, on average."""
    x, y = _of_items(np.random.default_rng(1), systems, 20_000, r)
    ranks = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    tau = np.mean([stats.kendalltau(*rows).statistic for rows in zip(x, y, strict=True)])
    return {
        "pearson": float(np.mean(stats.pearsonr(x, y, axis=1).statistic)),
        "spearman": float(np.mean(stats.pearsonr(*ranks, axis=1).statistic)),
        "kendall": float(tau),
        "pair_accuracy": float((1 + tau) / 2),
    }


PRINTED = "`correlate`: `pearson`, `spearman`, `kendall`, `pair_accuracy` with `--level {}`"
MORE = "also holds what more items would give, so it is wider than one of the two needs"

BETWEEN = Simulation(
    "correlation between systems",
    PRINTED.format("system"),
    cases("{systems} systems, {items} items, r = {r}, reliability of 10 items {reliability}",
          between_systems, MORE, systems=(6, 16), items=(10, 50, 200), r=(0.0, 0.9),
          reliability=(0.5, 0.9)),
    studies=400,
)  # fmt: skip
RELATIVES = Simulation(
    "correlation between systems of few bases",
    PRINTED.format("system"),
    cases("{bases} bases of {each} systems, r = {r}", between_relatives,
          "relatives count as nothing, though each has something of its own", most=1.0,
          bases=(8, 16), each=(2, 4), r=(0.0, 0.7)),
    studies=400,
)  # fmt: skip
WITHIN = Simulation(
    "correlation within items",
    PRINTED.format("item"),
    cases("{items} items of {systems} texts, r = {r}", within_items, systems=(6, 16),
          items=(10, 20, 50, 200), r=(0.0, 0.6)),
    studies=200,
)  # fmt: skip
OVER = Simulation(
    "correlation over all texts",
    PRINTED.format("pool"),
    cases("{items} items of 6 texts, r = {r}", over_texts,
          "of few items Student's tails are a little wide", systems=[6], items=(10, 20, 50),
          r=(0.0, 0.6)),
    studies=200,
)  # fmt: skip

CORRELATIONS = (BETWEEN, RELATIVES, WITHIN, OVER)
