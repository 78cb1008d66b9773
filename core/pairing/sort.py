"""Asking as merge sort does (PairS: Liu et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations, zip_longest

import numpy as np

from .merge_sort import SortProgress, SortSettings, merge_sort, most_comparisons
from .strategy import Answers, Pair, Strategy, groups


def sort_next(
    pairs: Sequence[Pair],
    known: Set[Pair],
    answers: Answers,
    rng: np.random.Generator,
    settings: SortSettings,
) -> list[Pair]:
    """Return the comparisons that merge sort cannot go on without; none when all is sorted."""
    asked = []
    for candidates, shown in _shuffle_candidates(pairs, rng):
        found = _sort_candidates(candidates, answers, settings)
        asked.append(
            [
                ordered
                for pair in found.asks
                for ordered in _orders(pair, shown, known, answers, settings)
            ]
        )
    return [one for turn in zip_longest(*asked) for one in turn if one is not None]


def sort_ranking(
    pairs: Sequence[Pair], answers: Answers, rng: np.random.Generator, settings: SortSettings
) -> list[tuple[int, ...]]:
    """Sort the candidates of each sample, best first; P = 1/2 where a budget cut off an answer."""
    return [
        _sort_candidates(candidates, answers, settings, missing=0.5).order
        for candidates, _ in _shuffle_candidates(pairs, rng)
    ]


def _shuffle_candidates(
    pairs: Sequence[Pair], rng: np.random.Generator
) -> list[tuple[list[int], set[Pair]]]:
    """Return each sample's candidates in random order, and the order a coin shows two in."""
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


def _sort_candidates(
    candidates: Sequence[int],
    answers: Answers,
    settings: SortSettings,
    missing: float | None = None,
) -> SortProgress:
    def beats(i: int, j: int) -> float | None:
        """Return the mean over the answered orders; 1/2 when both were asked in vain."""
        asked = ((i, j) in answers) + ((j, i) in answers)
        forward, backward = answers.get((i, j)), answers.get((j, i))
        told = [p for p in (forward, None if backward is None else 1.0 - backward) if p is not None]
        if asked == 2 or (told and not settings.calibrate):
            return sum(told) / len(told) if told else 0.5
        return missing

    return merge_sort(candidates, beats, settings)


def _orders(
    pair: Pair, shown: Set[Pair], known: Set[Pair], answers: Answers, settings: SortSettings
) -> list[Pair]:
    """Return the orders to ask a pair in: both, or the one a coin shows, unless the judge has
    answered just the other one.

    Where the order that was asked has no answer, the other one is asked.
    """
    first, second = (pair, pair[::-1]) if pair in shown else (pair[::-1], pair)
    orders = [order for order in (first, second) if order not in answers]
    if settings.calibrate or len(orders) < 2:
        return orders
    return [second if second in known and first not in known else first]


def _count_most_comparisons(pairs: Sequence[Pair], settings: SortSettings) -> int:
    each = 2 if settings.calibrate else 1
    return sum(
        each * most_comparisons(len(candidates), settings.beam_size) for candidates in groups(pairs)
    )


PAIRS_GREEDY = Strategy(
    "pairs-greedy",
    "sort: as few as a ranking needs",
    "merge sort by the judge's answers (Liu et al. 2024)",
    step=sort_next,
    most=_count_most_comparisons,
    takes=("budget", "calibrate"),
    sorts=True,
)
PAIRS_BEAM = Strategy(
    "pairs-beam",
    "sort, and look again where it is close",
    "merge sort that follows both sides of a close pair and weighs all answers (Liu et al. 2024)",
    step=sort_next,
    most=_count_most_comparisons,
    takes=("budget", "calibrate", "beam_size", "prob_gap"),
    sorts=True,
)
