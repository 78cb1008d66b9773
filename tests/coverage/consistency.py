"""How well separability predicts consistency, and how well anything could."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.findings.separability import consistency
from tests.coverage.simulation import Simulation, cases

JUDGES = 3
TEXTS = 5  # pairs of texts a rating set
FIGURES = (
    "spearman", "spearman_within", "ceiling", "ceiling_within", "difference", "difference_within"
)  # fmt: skip


class World(NamedTuple):
    """Items of pairs of systems; how far texts are apart decides whether preferences hold."""

    items: int
    pairs: int
    slope: float


def sets(world: World, rng: np.random.Generator) -> pd.DataFrame:
    """Rating sets of three judges: consistency of five verdicts, the separability and another,
    noisier one; the second pair of systems is apart from the first in both.
    """
    pair = np.repeat(np.arange(world.pairs), world.items)
    separability = rng.normal(size=len(pair)) + 0.7 * pair
    other = 0.7 * separability + rng.normal(size=len(pair)) * 0.7
    clear = world.slope * separability + rng.normal(size=len(pair)) * 0.7
    alone = rng.normal(size=(JUDGES, len(pair))) * 0.5
    p = 1 / (1 + np.exp(-2 * np.abs(clear + 1 + alone)))
    wins = rng.binomial(TEXTS, p)
    consistency = np.where((wins == 0) | (wins == TEXTS), 1.0, 0.0)
    of = {
        "item": np.arange(len(pair)), "family": np.arange(len(pair)), "system_a": pair, "system_b": 9, "subset": "",
        "separability": separability, "beside": other,
    }  # fmt: skip
    frames = [pd.DataFrame({**of, "consistency": row}) for row in consistency]
    return pd.concat(frames, ignore_index=True)


@cache
def truth(world: World) -> dict[str, float]:
    """The same of 20,000 items a pair of systems."""
    every = sets(world._replace(items=20_000), np.random.default_rng(1))
    return consistency.predict(every, seed=1, beside="beside")


def held(rng: np.random.Generator, *, world: World) -> list[float]:
    found = consistency.predict(sets(world, rng), seed=int(rng.integers(2**31)), beside="beside")
    right = truth(world)
    return [float(found[f"{of}_low"] <= right[of] <= found[f"{of}_high"]) for of in FIGURES]


CONSISTENCY = Simulation(
    "separability with consistency, and how well anything could do",
    "`consistency`: `spearman`, `spearman_within`, `ceiling`, `ceiling_within`, `difference`, "
    "`difference_within`",
    cases("{world}", held,
          world={
              f"{items} items of each of 2 pairs of systems, slope {slope}": World(items, 2, slope)
              for items, slope in ((10, 0.7), (25, 0.7), (50, 0.7), (25, 0.0))
          }),
    studies=100,
)  # fmt: skip
