"""Pairs from a circle, so that all texts are compared equally often."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import zip_longest
from math import gcd

import numpy as np

from .drawn_pairs import take_known_first
from .strategy import Pair, Strategy, count_one_order, groups


def ring(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Choose R different pairs, so that each candidate is compared about as often and is first
    about as often as second.

    The candidates stand in a circle in random order, and each meets the one d places on, for one d
    after another. Where R ends, candidates differ by at most two comparisons, and each has been
    first at most once more or less than second.
    """
    circles = []
    for candidates in groups(pairs):
        circle = [candidates[i] for i in rng.permutation(len(candidates))]
        circles.append([(circle[i], circle[j]) for i, j in _circulant(len(circle))])
    drawn = [one for turn in zip_longest(*circles) for one in turn if one is not None]
    return take_known_first(drawn, known)[:budget]


@lru_cache
def _circulant(n: int) -> tuple[Pair, ...]:
    """Return all pairs of places 0..n-1 of a circle, each once, distance by distance.

    Each is in the order that keeps the balance.
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


RING = Strategy(
    "ring",
    "some pairs, all texts equally often",
    "each text is also shown first about as often as second",
    ring,
    most=count_one_order,
)
