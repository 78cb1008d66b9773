"""The registry of pairing strategies, and what they choose; sorting is in `sort`. To add a
strategy, write its function and name it in STRATEGIES.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import combinations, permutations
from math import gcd

import numpy as np

from ..statistics import active_choice
from .sort import count_most_comparisons, sort_next
from .strategy import Answers, Pair, SortSettings, Strategy, groups, take_turns


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
    return take_known_first(take_turns(circles), known)[:budget]


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
        last = [length - 1] * (length % 2)
        steps = [*range(0, length - 1, 2), *last, *range(1, length - length % 2, 2)]
        if 2 * distance == n:
            steps = [0]
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
    wave = np.arange(1, n)
    laplacian = {
        d: (1 if 2 * d == n else 2) * (1 - np.cos(2 * np.pi * wave * d / n))
        for d in range(1, n // 2 + 1)
    }
    order, total = list[int](), np.full(max(n - 1, 0), 1e-9)
    while laplacian:
        nearest = min(
            laplacian if order else [1],
            key=lambda d: (round(float((1 / (total + laplacian[d])).sum()), 9), d),
        )
        order.append(nearest)
        total = total + laplacian.pop(nearest)
    return order


def active_next(
    pairs: Sequence[Pair],
    known: Set[Pair],
    answers: Answers,
    rng: np.random.Generator,
    settings: SortSettings,
) -> list[Pair]:
    """Choose a ring and a half, then N / 4 comparisons at a time that are expected to tell most
    about the ranks.

    A pair is asked in its second order only when there is no new one. Who has been first more often
    is second.
    """
    chosen = []
    for candidates in groups(pairs):
        code = {candidate: i for i, candidate in enumerate(candidates)}
        inside = list(combinations(candidates, 2))
        asked = sorted((code[a], code[b]) for a, b in answers if a in code)
        start = min(len(inside), round(1.5 * len(candidates)))
        told = [(i, j) for i, j in asked if answers[candidates[i], candidates[j]] is not None]
        if len(asked) < start:
            batch = [one for one in ring(inside, start, known, rng) if one not in answers]
        elif told:
            batch = _most_telling(asked, told, answers, candidates)
        else:  # a judge that answers nothing tells nothing, and every comparison is as good
            every = choose_full(inside, None, known, rng)
            batch = [one for one in every if one not in answers][: len(candidates)]
        chosen.append(batch)
    return take_turns(chosen)


def _most_telling(
    asked: Sequence[Pair], told: Sequence[Pair], answers: Answers, candidates: Sequence[int]
) -> list[Pair]:
    """Return the next comparisons of candidates, which `asked` and `told` have by their places."""
    n = len(candidates)
    lead = np.zeros(n, dtype=int)  # how much more often first than second
    for i, j in asked:
        lead[i] += 1
        lead[j] -= 1
    there = set(asked)
    new = [
        (i, j) for i, j in combinations(range(n), 2) if (i, j) not in there and (j, i) not in there
    ]
    if new:
        open_ = [(i, j) if lead[i] <= lead[j] else (j, i) for i, j in new]
    else:
        open_ = [(i, j) for i, j in permutations(range(n), 2) if (i, j) not in there]
    if not open_:
        return []
    first, second = np.array(told).T
    probability = np.array([answers[candidates[i], candidates[j]] for i, j in told], dtype=float)
    known = active_choice.posterior(first, second, probability, n=n)
    batch = []
    for at in active_choice.choose(known, *np.array(open_).T, size=max(1, n // 4)):
        i, j = open_[at]
        if new and lead[i] > lead[j]:  # by what this batch has added
            i, j = j, i
        lead[i] += 1
        lead[j] -= 1
        batch.append((candidates[i], candidates[j]))
    return batch


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("full", "every pair, in both orders", "all there is", choose_full, takes=()),
        Strategy(
            "random",
            "some comparisons, drawn at random",
            "a pair may come in both orders, in one, or not at all",
            choose_random,
        ),
        Strategy(
            "no-repeat",
            "some pairs, each in one order",
            "a coin decides which text is shown first",
            choose_no_repeat,
            most=lambda pairs, settings: len(pairs),
        ),
        Strategy(
            "symmetric",
            "some pairs, each in both orders",
            "the effect of being shown first cancels out",
            choose_symmetric,
            even=True,
        ),
        Strategy(
            "ring",
            "some pairs, all texts equally often",
            "each text is also shown first about as often as second",
            ring,
            most=lambda pairs, settings: len(pairs),
        ),
        Strategy(
            "same-pairs",
            "the pairs people answered, in both orders",
            "for comparing a judge with people: of each attribute, what they have answered "
            "about it",
            choose_full,
            takes=(),
            answered=True,
        ),
        Strategy(
            "active",
            "the pair that says most about the ranking next",
            "the judge's answers so far decide what is asked",
            step=active_next,
        ),
        Strategy(
            "pairs-greedy",
            "sort: as few as a ranking needs",
            "merge sort by the judge's answers (Liu et al. 2024)",
            step=sort_next,
            most=count_most_comparisons,
            takes=("budget", "calibrate"),
            sorts=True,
        ),
        Strategy(
            "pairs-beam",
            "sort, and look again where it is close",
            "merge sort that follows both sides of a close pair and weighs all answers "
            "(Liu et al. 2024)",
            step=sort_next,
            most=count_most_comparisons,
            takes=("budget", "calibrate", "beam_size", "prob_gap"),
            sorts=True,
        ),
    )
}


def sorting() -> list[str]:
    """Return the strategies that end in a ranking."""
    return [name for name, strategy in STRATEGIES.items() if strategy.sorts]


def list_strategies_taking(name: str) -> tuple[str, ...]:
    """Return the strategies that take a setting, such as "budget"."""
    return tuple(one.name for one in STRATEGIES.values() if name in one.takes)
