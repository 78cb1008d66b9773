"""Simulated studies in which judges answered all pairs and people some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core.statistics import JudgedPairs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """`items` with all pairs of `systems`, whose strengths differ by item with `by_item`; people
    see the same as judges beside what each pair is worth, `taste`.

    `quality` of each judge: 0 knows nothing, 1 as much as people, infinity what they will say;
    each judge also has its own `leaning` towards systems. `copies` of the first judge are added.
    """

    systems: int = 6
    items: int = 200
    voted: int = 20
    pairs_each: int = 0  # of an item with votes; 0 = all
    quality: tuple[float, ...] = (1.0,)
    leaning: float = 1.0
    copies: int = 0
    ties: float = 0.0
    by_item: float = 0.5
    taste: float = 1.0
    soft: bool = False
    spread: float = 0.8  # between the best and the average system, in log-odds
    unequal: bool = False  # items on which systems lie farther apart are likelier to be voted on

    @property
    def strengths(self) -> Floats:
        return np.linspace(-self.spread, self.spread, self.systems)

    @property
    def sides(self) -> NDArray[np.int64]:
        return np.array(list(combinations(range(self.systems), 2))).T


def study(world: World, rng: np.random.Generator) -> JudgedPairs:
    low, high = world.sides
    shape = (world.items, len(low))
    of_item = rng.normal(size=(world.items, world.systems)) * world.by_item
    every = world.strengths + of_item
    apart = every[:, low] - every[:, high] + rng.normal(size=shape) * world.taste
    said = (rng.random(shape) < expit(2 * apart)).astype(float)
    said = np.where(rng.random(shape) < world.ties, 0.5, said)
    judged = [_judge(world, quality, apart, said, rng) for quality in world.quality]
    judged += [judged[0]] * world.copies
    voted, chance = _asked(world, of_item, shape, rng)
    return JudgedPairs(
        np.tile(low, world.items),
        np.tile(high, world.items),
        np.repeat(np.arange(world.items), len(low)),
        np.stack(judged, axis=2).reshape(said.size, -1),
        np.where(voted, said, np.nan).ravel(),
        world.systems,
        inclusion=np.repeat(chance, len(low)) if world.unequal else None,
    )


def _judge(
    world: World, quality: float, apart: Floats, said: Floats, rng: np.random.Generator
) -> Floats:
    if np.isinf(quality):
        return said.copy()
    low, high = world.sides
    leaning = rng.normal(size=world.systems) * world.leaning
    noise = rng.normal(size=apart.shape) * (quality > 0)
    p = expit(2 * quality * apart + 0.5 * (leaning[low] - leaning[high]) + noise)
    return p if world.soft else (rng.random(apart.shape) < p).astype(float)


def _asked(
    world: World, of_item: Floats, shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Floats]:
    """Which pairs people are asked about, and how likely that was for those of each item."""
    if world.unequal:
        size = 0.15 + np.abs(of_item).sum(axis=1)
        chance = np.clip(size / size.sum() * world.voted, 0.02, 1.0)
        chosen = rng.random(world.items) < chance
    else:
        chance = np.full(world.items, world.voted / world.items)
        chosen = np.isin(np.arange(world.items), rng.permutation(world.items)[: world.voted])
    each = world.pairs_each or shape[1]
    among = np.argsort(rng.random(shape), axis=1) < each
    return chosen[:, None] & among, chance * each / shape[1]


def everybody(world: World) -> JudgedPairs:
    """A study so large, and with votes on everything, that its figures are the truth."""
    names = ("systems", "ties", "by_item", "taste", "spread")
    kept = {name: getattr(world, name) for name in names}
    large = replace(World(), **kept, items=40_000, voted=40_000, quality=(0.0,))
    return study(large, np.random.default_rng(99))
