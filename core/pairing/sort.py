"""PairS: rank candidates by merge sort, given P(i beats j) (Liu et al. 2024, "Aligning with human
judgement").

A sort is a function of the answers there are: it goes as far as they reach and names the
comparisons it cannot go on without, those of all merges that can be made side by side at once. So
it is resumed, and replayed, by sorting again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, combinations

import numpy as np

from .strategy import GREEDY, Answers, Pair, SortSettings, groups, take_turns

Preference = Callable[[int, int], float | None]
"""P(i beats j) for two candidates; None while it is not known. P(j beats i) is its complement."""

CERTAIN = 1e-6  # log P of what a judge called impossible is that of one in a million


@dataclass(frozen=True)
class SortProgress:
    """The candidates, best first; or, while answers are missing, the pairs to ask about.

    `log_likelihood` is that of the order given all answers: the sum of log P over every pair that
    was asked about, whichever branch asked.
    """

    order: tuple[int, ...]
    asks: tuple[tuple[int, int], ...] = ()
    log_likelihood: float = 0.0


def merge_sort(
    candidates: Sequence[int], beats: Preference, settings: SortSettings = GREEDY
) -> SortProgress:
    """Sort candidates, best first; a beam of one asks `beats` at most N log2 N times."""
    if len(candidates) < 2:
        return SortProgress(tuple(candidates))
    half = len(candidates) // 2
    left, right = (
        merge_sort(part, beats, settings) for part in (candidates[:half], candidates[half:])
    )
    if left.asks or right.asks:
        return SortProgress((), left.asks + right.asks)
    merged = merge(left.order, right.order, beats, settings)
    told = (part.log_likelihood for part in (left, right, merged))
    return replace(merged, log_likelihood=sum(told))


_Path = tuple["_Path", bool] | None  # which sides were taken, last first


@dataclass(frozen=True)
class _Branch:
    total: float = 0.0  # log-likelihood, given all answers of this merge so far
    path: _Path = None


def merge(
    left: Sequence[int], right: Sequence[int], beats: Preference, settings: SortSettings
) -> SortProgress:
    """Merge two rankings into one: at each place the better of the two heads, the left one where P
    is exactly 1/2.

    Where |P - 1/2| is below the probability gap both branches are kept, and of all branches the
    likeliest given every answer so far, as many as the beam holds. An answer that one branch asked
    for speaks for or against each other branch, too. So all orders are measured by the same
    answers: a sum over a branch's own answers would favour the branch that asked for fewest.

    Branches that have placed the same candidates ask the same from there on: only the likelier is
    kept. The branch that always took the likelier side keeps its place in the beam, so the merged
    order is never less likely, given all answers, than that of a beam of one.
    """
    branches = {0: _Branch()}  # by how many are taken from the left
    greedy = 0
    for placed in range(len(left) + len(right)):
        heads = {
            i: (left[i], right[placed - i])
            for i in branches
            if i < len(left) and placed - i < len(right)
        }
        answers = {i: beats(*pair) for i, pair in heads.items()}
        if asks := tuple(heads[i] for i, p in answers.items() if p is None):
            return SortProgress((), asks)
        told = {i: p for i, p in answers.items() if p is not None}
        sides = {i: _sides(told[i], settings) if i in told else [i < len(left)] for i in branches}
        greedy += sides[greedy][0]
        longer = _lengthen_branches(branches, sides, told)
        kept = sorted(longer, key=lambda i: (i != greedy, -longer[i].total, i))
        branches = {i: longer[i] for i in kept[: settings.beam_size]}
    end = branches[len(left)]
    return SortProgress(_follow_path(left, right, end.path), (), end.total)


def _lengthen_branches(
    branches: Mapping[int, _Branch], sides: Mapping[int, Sequence[bool]], told: Mapping[int, float]
) -> dict[int, _Branch]:
    """Return the branches one place on.

    The last argument maps k to P(left head beats right head) after k texts from the left.
    """
    longer: dict[int, _Branch] = {}
    for i, branch in branches.items():
        for from_left in sides[i]:
            taken = i + from_left
            # The left text of each of these answers is placed by now, or else the right one is.
            total = branch.total + sum(
                math.log(max(p if taken > k else 1 - p, CERTAIN)) for k, p in told.items()
            )
            if taken not in longer or longer[taken].total < total:
                longer[taken] = _Branch(total, (branch.path, from_left))
    return longer


def _sides(p: float, settings: SortSettings) -> list[bool]:
    """List whether to take the left head: the likelier choice, then the other where it is close."""
    likelier = p >= 0.5
    return [likelier, not likelier] if abs(p - 0.5) < settings.prob_gap else [likelier]


def _follow_path(left: Sequence[int], right: Sequence[int], path: _Path) -> tuple[int, ...]:
    order: list[int] = []
    lefts, rights = list(left), list(right)
    while path is not None:
        path, from_left = path
        order.append((lefts if from_left else rights).pop())
    return tuple(reversed(order))


def most_comparisons(n: int, beam_size: int = 1) -> int:
    """Return the most pairs a sort of n candidates can ask about."""
    if n < 2:
        return 0
    left, right = n // 2, n - n // 2
    parts = most_comparisons(left, beam_size) + most_comparisons(right, beam_size)
    return parts + min(left * right, beam_size * (left + right - 1))


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
        asks = _sort_candidates(candidates, answers, settings).asks
        orders = [_orders(pair, shown, known, answers, settings) for pair in asks]
        asked.append(list(chain.from_iterable(orders)))
    return take_turns(asked)


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
        shown = {pair if coin else pair[::-1] for pair, coin in zip(two, coins, strict=True)}
        found.append((shuffled, shown))
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


def count_most_comparisons(pairs: Sequence[Pair], settings: SortSettings) -> int:
    """Return the most comparisons that sorting the candidates of these pairs can ask."""
    each = 2 if settings.calibrate else 1
    return sum(
        each * most_comparisons(len(candidates), settings.beam_size) for candidates in groups(pairs)
    )
