"""Active choice: the comparisons that tell most about the ranking next, given the answers."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations, permutations, zip_longest

import numpy as np

from ..statistics import active_choice
from .drawn_pairs import choose_full
from .merge_sort import SortSettings
from .ring import ring
from .strategy import Answers, Pair, Strategy, groups


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
            batch = [
                (candidates[i], candidates[j])
                for i, j in _most_telling(len(candidates), asked, told, answers, candidates)
            ]
        else:  # a judge that answers nothing tells nothing, and every comparison is as good
            batch = [one for one in choose_full(inside, None, known, rng) if one not in answers][
                : len(candidates)
            ]
        chosen.append(batch)
    return [one for turn in zip_longest(*chosen) for one in turn if one is not None]


def _most_telling(
    n: int, asked: Sequence[Pair], told: Sequence[Pair], answers: Answers, candidates: Sequence[int]
) -> list[Pair]:
    """Return the next comparisons of candidates 0..n-1."""
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


ACTIVE = Strategy(
    "active",
    "the pair that says most about the ranking next",
    "the judge's answers so far decide what is asked",
    step=active_next,
)
