"""Which pairs to ask about: the pairs that exist, and the strategies that choose among their
ordered comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import combinations, zip_longest
from math import gcd

import numpy as np
import pandas as pd

from core.records import TandemError

Pair = tuple[int, int]  # two generation ids; in a comparison the one shown first is in front


def candidate_pairs(
    generations: pd.DataFrame, *, samples: int = 1
) -> Iterator[tuple[str, list[Pair]]]:
    """The unordered pairs of each item: different systems, sample j with sample j, j < `samples`,
    both texts at hand.

    `generations` is the store's frame (item, system, sample, generation, available). A pair is
    oriented by system name.
    """
    usable = generations[generations["available"].astype(bool) & (generations["sample"] < samples)]
    for item, of_item in usable.sort_values(["sample", "system"]).groupby("item", sort=False):
        pairs = [
            pair
            for _, of_sample in of_item.groupby("sample")
            for pair in combinations(of_sample["generation"].tolist(), 2)
        ]
        if pairs:
            yield str(item), pairs


def full(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Every pair in both orders."""
    return [ordered for pair in pairs for ordered in (pair, pair[::-1])]


def random(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """R ordered comparisons drawn without replacement (Liusie et al. 2024, "random")."""
    every = full(pairs, None, known, rng)
    drawn = [every[i] for i in rng.permutation(len(every))]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def no_repeat(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """R different pairs, a coin deciding the order of each (Liusie et al. 2024, "no-repeat")."""
    drawn = [
        pairs[i] if rng.random() < 0.5 else pairs[i][::-1] for i in rng.permutation(len(pairs))
    ]
    drawn = [
        ordered if ordered in known or ordered[::-1] not in known else ordered[::-1]
        for ordered in drawn
    ]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def symmetric(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """R / 2 different pairs, each in both orders (Liusie et al. 2024, "symmetric"). Raises
    TandemError for an odd R.
    """
    if budget is not None and budget % 2:
        raise TandemError(
            f"symmetric asks both orders of a pair, so --budget {budget} should be even"
        )
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    drawn.sort(key=lambda pair: -(pair in known) - (pair[::-1] in known))
    return full(drawn[: None if budget is None else budget // 2], None, known, rng)


def ring(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """R different pairs, so that each candidate is compared about as often and is first about as
    often as second.

    The candidates stand in a circle in random order, and each meets the one d places on, for one d
    after another. Where R ends, candidates differ by at most two comparisons, and each has been
    first at most once more or less than second.
    """
    circles = []
    for candidates in groups(pairs):
        circle = [candidates[i] for i in rng.permutation(len(candidates))]
        circles.append([(circle[i], circle[j]) for i, j in _circulant(len(circle))])
    drawn = [one for turn in zip_longest(*circles) for one in turn if one is not None]
    drawn = [
        ordered if ordered in known or ordered[::-1] not in known else ordered[::-1]
        for ordered in drawn
    ]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """The candidates that are compared with one another: those of each sample, in the order of the
    pairs.
    """
    found: list[list[int]] = []
    of: dict[int, list[int]] = {}
    for first, second in pairs:
        if first not in of:
            found.append([first])
            of[first] = found[-1]
        if second not in of:
            of[first].append(second)
            of[second] = of[first]
    return found


@lru_cache
def _circulant(n: int) -> tuple[Pair, ...]:
    """Every pair of places 0..n-1 of a circle once, distance by distance, each in the order that
    keeps the balance.
    """
    every: list[Pair] = []
    for distance in _distances(n):
        cycles = gcd(distance, n)
        length = n // cycles
        # Every other step of each cycle is a round in which nobody meets two; the steps between are
        # the next round.
        steps = (
            [0]
            if 2 * distance == n
            else [
                *range(0, length - 1, 2),
                *([length - 1] * (length % 2)),
                *range(1, length - length % 2, 2),
            ]
        )
        for step in steps:
            every += [
                ((c + step * distance) % n, (c + (step + 1) * distance) % n) for c in range(cycles)
            ]
    return tuple(every)


def _distances(n: int) -> list[int]:
    """1, then whichever distance leaves the least mean variance of a difference between two
    candidates' scores.

    That variance is a sum over the eigenvalues of the circulant graph's Laplacian, which are known
    in closed form.
    """
    left = list(range(1, n // 2 + 1))
    wave = np.arange(1, n)
    laplacian = {d: (1 if 2 * d == n else 2) * (1 - np.cos(2 * np.pi * wave * d / n)) for d in left}
    order: list[int] = []
    total = np.full(max(n - 1, 0), 1e-9)
    while left:
        nearest = (
            min(left, key=lambda d: (round(float((1 / (total + laplacian[d])).sum()), 9), d))
            if order
            else 1
        )
        left.remove(nearest)
        order.append(nearest)
        total = total + laplacian[nearest]
    return order


# Each takes the pairs of one item, the budget R (None = all there are), the comparisons the judge
# has answered already, which count towards R and so come first, and the randomness.
PAIRINGS: dict[
    str, Callable[[Sequence[Pair], int | None, Set[Pair], np.random.Generator], list[Pair]]
] = {
    "full": full,
    "random": random,
    "no-repeat": no_repeat,
    "symmetric": symmetric,
    "ring": ring,
}


def most(strategy: str, pairs: int) -> int:
    """How many comparisons a strategy can ask about that many pairs."""
    return pairs if strategy in ("no-repeat", "ring") else 2 * pairs
