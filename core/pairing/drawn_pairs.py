"""All pairs, those that people have answered, and pairs drawn at random (Liusie et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from .strategy import Pair, Strategy, count_one_order


def choose_full(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Return all pairs in both orders."""
    return [ordered for pair in pairs for ordered in (pair, pair[::-1])]


def choose_random(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Draw R ordered comparisons without replacement (Liusie et al. 2024, "random")."""
    every = choose_full(pairs, None, known, rng)
    drawn = [every[i] for i in rng.permutation(len(every))]
    drawn.sort(key=lambda ordered: ordered not in known)
    return drawn[:budget]


def choose_no_repeat(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Draw R different pairs, each in a random order (Liusie et al. 2024, "no-repeat")."""
    drawn = [
        pairs[i] if rng.random() < 0.5 else pairs[i][::-1] for i in rng.permutation(len(pairs))
    ]
    return take_known_first(drawn, known)[:budget]


def take_known_first(pairs: Sequence[Pair], known: Set[Pair]) -> list[Pair]:
    """Return the pairs with those in front that the judge has answered, in the order it has."""
    turned = [pair if pair in known or pair[::-1] not in known else pair[::-1] for pair in pairs]
    return sorted(turned, key=lambda pair: pair not in known)


def choose_symmetric(
    pairs: Sequence[Pair], budget: int | None, known: Set[Pair], rng: np.random.Generator
) -> list[Pair]:
    """Draw R / 2 different pairs, each in both orders (Liusie et al. 2024, "symmetric")."""
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    drawn.sort(key=lambda pair: -(pair in known) - (pair[::-1] in known))
    return choose_full(drawn[: None if budget is None else budget // 2], None, known, rng)


FULL = Strategy("full", "every pair, in both orders", "all there is", choose_full, takes=())
RANDOM = Strategy(
    "random",
    "some comparisons, drawn at random",
    "a pair may come in both orders, in one, or not at all",
    choose_random,
)
NO_REPEAT = Strategy(
    "no-repeat",
    "some pairs, each in one order",
    "a coin decides which text is shown first",
    choose_no_repeat,
    most=count_one_order,
)
SYMMETRIC = Strategy(
    "symmetric",
    "some pairs, each in both orders",
    "the effect of being shown first cancels out",
    choose_symmetric,
    even=True,
)
SAME_PAIRS = Strategy(
    "same-pairs",
    "the pairs people answered, in both orders",
    "for comparing a judge with people: of each attribute, what they have answered about it",
    choose_full,
    takes=(),
    answered=True,
)
