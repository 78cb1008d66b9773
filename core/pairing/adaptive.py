"""Strategies that look at the answers so far before they choose what to ask next.

What they choose is a function of the pairs, the seed and the answers to what they chose before.
Nothing else is remembered, so a run that died goes on as if it had not, and its ranking can be made
again from the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import partial
from itertools import combinations, permutations, zip_longest

import numpy as np

from core.pairing.merge_sort import Settings, Sorted, merge_sort, most_comparisons
from core.pairing.strategies import PAIRINGS, Pair, full, groups, ring
from core.statistics import active_choice

Answers = Mapping[Pair, float | None]
"""P(the first is better) of each ordered comparison a run has asked; None where the judge gave no
answer.
"""


def sort_next(
    pairs: Sequence[Pair],
    known: Set[Pair],
    answers: Answers,
    rng: np.random.Generator,
    settings: Settings,
) -> list[Pair]:
    """What merge sort cannot go on without; nothing when all is sorted."""
    asked = []
    for candidates, shown in _shuffled(pairs, rng):
        found = _sorted(candidates, answers, settings)
        asked.append(
            [
                ordered
                for pair in found.asks
                for ordered in _orders(pair, shown, known, answers, settings)
            ]
        )
    return [one for turn in zip_longest(*asked) for one in turn if one is not None]


def sort_ranking(
    pairs: Sequence[Pair], answers: Answers, rng: np.random.Generator, settings: Settings
) -> list[tuple[int, ...]]:
    """The candidates of each sample, best first; an answer that a budget cut off counts as P =
    1/2."""
    return [
        _sorted(candidates, answers, settings, missing=0.5).order
        for candidates, _ in _shuffled(pairs, rng)
    ]


def _shuffled(pairs: Sequence[Pair], rng: np.random.Generator) -> list[tuple[list[int], set[Pair]]]:
    """The candidates of each sample in random order, and for each two of them the order a coin
    shows them in.
    """
    found = []
    for candidates in groups(pairs):
        shuffled = [candidates[i] for i in rng.permutation(len(candidates))]
        two = list(combinations(candidates, 2))
        coins = rng.random(len(two)) < 0.5
        found.append(
            (
                shuffled,
                {pair if coin else pair[::-1] for pair, coin in zip(two, coins, strict=True)},
            )
        )
    return found


def _sorted(
    candidates: Sequence[int], answers: Answers, settings: Settings, missing: float | None = None
) -> Sorted:
    def beats(i: int, j: int) -> float | None:
        """The mean over the orders that were answered; 1/2 when neither was, though both were
        asked.
        """
        asked = ((i, j) in answers) + ((j, i) in answers)
        forward, backward = answers.get((i, j)), answers.get((j, i))
        told = [p for p in (forward, None if backward is None else 1.0 - backward) if p is not None]
        if asked == 2 or (told and not settings.calibrate):
            return sum(told) / len(told) if told else 0.5
        return missing

    return merge_sort(candidates, beats, settings)


def _orders(
    pair: Pair, shown: Set[Pair], known: Set[Pair], answers: Answers, settings: Settings
) -> list[Pair]:
    """The orders to ask a pair in: both, or the one a coin shows, unless the judge has answered
    just the other one.

    Where the order that was asked has no answer, the other one is asked.
    """
    first, second = (pair, pair[::-1]) if pair in shown else (pair[::-1], pair)
    orders = [order for order in (first, second) if order not in answers]
    if settings.calibrate or len(orders) < 2:
        return orders
    return [second if second in known and first not in known else first]


def active_next(
    pairs: Sequence[Pair], known: Set[Pair], answers: Answers, rng: np.random.Generator
) -> list[Pair]:
    """A ring and a half, then N / 4 comparisons at a time that are expected to tell most about the
    ranks.

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
            batch = [
                (candidates[i], candidates[j])
                for i, j in _most_telling(len(candidates), asked, told, answers, candidates)
            ]
        else:  # a judge that answers nothing tells nothing, and every comparison is as good
            batch = [one for one in full(inside, None, known, rng) if one not in answers][
                : len(candidates)
            ]
        chosen.append(batch)
    return [one for turn in zip_longest(*chosen) for one in turn if one is not None]


def _most_telling(
    n: int, asked: Sequence[Pair], told: Sequence[Pair], answers: Answers, candidates: Sequence[int]
) -> list[Pair]:
    """The next comparisons of candidates 0..n-1."""
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
        batch.append((i, j))
    return batch


SORTS = ("pairs-greedy", "pairs-beam")
ADAPTIVE = ("active", *SORTS)
"""For these a budget is an upper bound, and a run plans as it goes."""

STRATEGIES = (*PAIRINGS, *ADAPTIVE)


def choose_next(
    strategy: str,
    pairs: Sequence[Pair],
    budget: int | None,
    known: Set[Pair],
    answers: Answers,
    rng: np.random.Generator,
    settings: Settings,
) -> list[Pair]:
    """What an adaptive strategy asks next about the pairs of one item; nothing when it is through.

    `answers` are those to all it has chosen so far, `known` what the judge has answered for
    whatever reason. The same `rng` each time.
    """
    ask = active_next if strategy == "active" else partial(sort_next, settings=settings)
    chosen = ask(pairs, known, answers, rng)
    return chosen if budget is None else chosen[: max(0, budget - len(answers))]


def bound(strategy: str, pairs: Sequence[Pair], budget: int | None, settings: Settings) -> int:
    """The most comparisons an adaptive strategy asks of an item whose judge answers all of them."""
    if strategy == "active":
        return 2 * len(pairs) if budget is None else min(budget, 2 * len(pairs))
    each = 2 if settings.calibrate else 1
    most = sum(
        each * most_comparisons(len(candidates), settings.beam_size) for candidates in groups(pairs)
    )
    return most if budget is None else min(budget, most)
