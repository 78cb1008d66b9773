"""Which pairs to ask about: the pairs that exist, and the strategies that choose among their ordered comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import combinations

import numpy as np
import pandas as pd

from core.records import TandemError

Pair = tuple[int, int]  # two generation ids; in a comparison the one shown first is in front


def candidate_pairs(generations: pd.DataFrame, *, samples: int = 1) -> Iterator[tuple[str, list[Pair]]]:
    """The unordered pairs of each item: different systems, sample j with sample j, j < `samples`, both texts at hand.

    `generations` is the store's frame (item, system, sample, generation, available). A pair is oriented by system name.
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


def full(pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator) -> list[Pair]:
    """Every pair in both orders."""
    return [ordered for pair in pairs for ordered in (pair, pair[::-1])]


def random(pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator) -> list[Pair]:
    """R ordered comparisons drawn without replacement (Liusie et al. 2024, "random")."""
    every = full(pairs, None, known, rng)
    drawn = [every[i] for i in rng.permutation(len(every))]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def no_repeat(pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator) -> list[Pair]:
    """R different pairs, a coin deciding the order of each (Liusie et al. 2024, "no-repeat")."""
    drawn = [pairs[i] if rng.random() < 0.5 else pairs[i][::-1] for i in rng.permutation(len(pairs))]
    drawn = [ordered if ordered in known or ordered[::-1] not in known else ordered[::-1] for ordered in drawn]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def symmetric(pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator) -> list[Pair]:
    """R / 2 different pairs, each in both orders (Liusie et al. 2024, "symmetric"). Raises TandemError for an odd R."""
    if budget is not None and budget % 2:
        raise TandemError(f"symmetric asks both orders of a pair, so --budget {budget} should be even")
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    drawn.sort(key=lambda pair: -(pair in known) - (pair[::-1] in known))
    return full(drawn[: None if budget is None else budget // 2], None, known, rng)


# Each takes the pairs of one item, the budget R (None = all there are), the comparisons the judge has answered already,
# which count towards R and so come first, and the randomness.
PAIRINGS: dict[str, Callable[[Sequence[Pair], int | None, Set[Pair], np.random.Generator], list[Pair]]] = {
    "full": full,
    "random": random,
    "no-repeat": no_repeat,
    "symmetric": symmetric,
}


def most(strategy: str, pairs: int) -> int:
    """How many comparisons a strategy can ask about that many pairs."""
    return pairs if strategy == "no-repeat" else 2 * pairs


def draw(*parts: object) -> int:
    """A number from 0 to 2^63 - 1 that depends on nothing but its parts: a seeded shuffle that does not change when
    pairs are added, and a coin that falls the same way after a reload."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
