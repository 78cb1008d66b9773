"""PairS: rank candidates by merge sort, given P(i beats j) (Liu et al. 2024, "Aligning with human
judgement").

A sort is a function of the answers there are: it goes as far as they reach and names the
comparisons it cannot go on without, those of all merges that can be made side by side at once. So
it is resumed, and replayed, by sorting again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Preference = Callable[[int, int], float | None]
"""P(i beats j) for two candidates; None while it is not known. P(j beats i) is its complement."""

CERTAIN = 1e-6  # log P of what a judge called impossible is that of one in a million


@dataclass(frozen=True)
class Settings:
    """How PairS decides. A beam of one follows the likelier side alone, which is `pairs-greedy`.

    `calibrate` takes the mean of both orders of a pair; otherwise one order is asked.
    """

    beam_size: int = 1
    prob_gap: float = 0.0  # 0 to 1/2
    calibrate: bool = False


GREEDY = Settings()


@dataclass(frozen=True)
class Sorted:
    """The candidates, best first; or, while answers are missing, the pairs to ask about."""

    order: tuple[int, ...]
    asks: tuple[tuple[int, int], ...] = ()
    log_likelihood: float = 0.0  # of the decisions taken: the sum of log P over all merges


def merge_sort(candidates: Sequence[int], beats: Preference, settings: Settings = GREEDY) -> Sorted:
    """Candidates from best to worst by merge sort, asking `beats` at most N log2 N times with a
    beam of one.
    """
    if len(candidates) < 2:
        return Sorted(tuple(candidates))
    half = len(candidates) // 2
    left, right = (
        merge_sort(part, beats, settings) for part in (candidates[:half], candidates[half:])
    )
    if left.asks or right.asks:
        return Sorted((), left.asks + right.asks)
    merged = merge(left.order, right.order, beats, settings)
    return Sorted(
        merged.order,
        merged.asks,
        left.log_likelihood + right.log_likelihood + merged.log_likelihood,
    )


def merge(
    left: Sequence[int], right: Sequence[int], beats: Preference, settings: Settings
) -> Sorted:
    """Two rankings into one: at each place the better of the two heads, the left one where P is
    exactly 1/2.

    Where |P - 1/2| is below the probability gap both branches are kept, and of all branches those
    with the largest sum of log P, as many as the beam holds. Branches that have placed the same
    candidates ask the same from there on: only the likelier is kept. The branch that always took
    the likelier side keeps its place in the beam, so that what comes out is at least as likely as
    without a beam.
    """
    # taken from the left -> (sum of log P, which sides were taken, last first, as a linked list)
    branches: dict[int, tuple[float, _Path]] = {0: (0.0, None)}
    greedy = 0
    for placed in range(len(left) + len(right)):
        asks: list[tuple[int, int]] = []
        longer: dict[int, tuple[float, _Path]] = {}
        for i, (total, path) in branches.items():
            j = placed - i
            if i == len(left) or j == len(right):
                steps = [(i < len(left), 0.0)]
            else:
                p = beats(left[i], right[j])
                if p is None:
                    asks.append((left[i], right[j]))
                    continue
                steps = [(p >= 0.5, math.log(max(p, 1 - p, CERTAIN)))]
                if abs(p - 0.5) < settings.prob_gap:
                    steps.append((p < 0.5, math.log(max(min(p, 1 - p), CERTAIN))))
            if i == greedy:
                likelier = i + steps[0][0]
            for from_left, log_p in steps:
                if i + from_left not in longer or longer[i + from_left][0] < total + log_p:
                    longer[i + from_left] = (total + log_p, (path, from_left))
        if asks:
            return Sorted((), tuple(asks))
        greedy = likelier
        kept = sorted(longer, key=lambda i: (i != greedy, -longer[i][0], i))[: settings.beam_size]
        branches = {i: longer[i] for i in kept}
    total, path = branches[len(left)]
    return Sorted(_followed(left, right, path), (), total)


_Path = tuple["_Path", bool] | None


def _followed(left: Sequence[int], right: Sequence[int], path: _Path) -> tuple[int, ...]:
    order: list[int] = []
    lefts, rights = list(left), list(right)
    while path is not None:
        path, from_left = path
        order.append((lefts if from_left else rights).pop())
    return tuple(reversed(order))


def most_comparisons(n: int, beam_size: int = 1) -> int:
    """The most pairs a sort of n candidates can ask about."""
    if n < 2:
        return 0
    left, right = n // 2, n - n // 2
    return (
        most_comparisons(left, beam_size)
        + most_comparisons(right, beam_size)
        + min(left * right, beam_size * (left + right - 1))
    )
