"""Find the smallest number of votes whose removal puts another system first (Broderick, Giordano &
Meager 2020; of leaderboards: Huang, Shen, Wei & Broderick 2025).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Codes, Floats, Method, default_weights

RIVALS = 5  # next-best systems for which the fewest votes that put them first are searched
PROBE = 0.01  # of a vote, by which ratings are moved to see what one does
LEVEL = 1e-7  # ratings that differ by less share a rank
ENDS = np.array([0.0, 1.0])  # outcomes for which a vote's influence is measured
WITH_TIES = np.array([0.0, 0.5, 1.0])  # the same where a tie is no half win


class DecidingVotes(NamedTuple):
    """Without `removed` (m,) of each comparison, `votes` in all, `rival` passes `leader`."""

    leader: int
    rival: int
    votes: int
    removed: NDArray[np.int64]


class _DistinctComparisons(NamedTuple):
    first: Codes
    second: Codes
    outcome: Floats
    weight: Floats
    cell: Codes


def is_counted(how: Method) -> bool:
    """Return whether ratings by a method depend on nothing but the count of each outcome."""
    return how.weighable and not how.in_order and not how.needs


def find_deciding_votes(
    how: Method,
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    times: NDArray[Any] | None = None,
    weights: Floats | None = None,
    **settings: Any,
) -> DecidingVotes | None:
    """Find few votes without which another system leads. `times` (m,) is the number of votes in
    each row.

    The votes with the most influence on a lead, the effect of a hundredth of a vote more, are
    removed first, and ratings are refitted: so the number is enough, but another set may be
    smaller. None if nobody leads alone, if none of the next RIVALS can be put first, or if the
    method is not `is_counted`.
    """
    if not is_counted(how) or len(first) == 0:
        return None
    many = np.asarray(np.ones(len(first)) if times is None else times, dtype=np.int64)
    one = default_weights(weights, first).astype(float)
    values, value = np.unique(outcome, return_inverse=True)
    codes = (first.astype(np.int64) * n + second) * len(values) + value
    distinct, cell = np.unique(codes, return_inverse=True)
    pair, value = np.divmod(distinct, len(values))
    together = np.bincount(cell, one * many).astype(float)
    cells = _DistinctComparisons(pair // n, pair % n, values[value], together, cell)

    def rate_without(removed: NDArray[np.int64]) -> Floats:
        left = (cells.weight - np.bincount(cell, one * removed)).clip(0.0)
        return how.rate(*cells[:3], n=n, weights=left, **settings)

    rating = how.rate(*cells[:3], n=n, weights=cells.weight, **settings)
    order = np.argsort(-rating, kind="stable")[: int((~np.isnan(rating)).sum())][: 1 + RIVALS]
    lead = rating[order[0]] - rating[order[1:]] if len(order) else np.zeros(0)
    if not len(lead) or lead[0] <= LEVEL:
        return None
    moves = _measure_influence(how, cells, n, order, settings)
    least: DecidingVotes | None = None
    for rival, ahead in zip(order[1:].tolist(), lead, strict=True):
        two = int(order[0]), rival
        helps = (moves[:, two[0]] - moves[:, rival])[cells.cell] * one
        removed = _remove_least(rate_without, many, helps, two, float(ahead))
        if removed is not None and (least is None or removed.sum() < least.votes):
            left = rate_without(removed)
            # The system that passes the leader need not lead: a third may be higher still
            least = DecidingVotes(two[0], int(np.nanargmax(left)), int(removed.sum()), removed)
    return least


def _measure_influence(
    how: Method, cells: _DistinctComparisons, n: int, near: Codes, settings: dict[str, Any]
) -> Floats:
    """Effect of one more vote of each distinct comparison (cells, n); 0 far from the `near`."""
    seen = WITH_TIES if settings.get("ties") in {"drop", "model"} else ENDS
    turned = np.zeros(len(cells.first), dtype=bool)
    if how.mirrored and not settings.get("position"):
        turned = cells.first > cells.second
    low = np.where(turned, cells.second, cells.first)
    high = np.where(turned, cells.first, cells.second)
    outcome = np.where(turned, 1 - cells.outcome, cells.outcome)
    there = np.flatnonzero(np.isin(low, near) | np.isin(high, near))
    pairs, pair = np.unique(low[there] * n + high[there], return_inverse=True)
    probed = np.repeat(pairs, len(seen))
    drawn = np.tile(np.concatenate([cells.weight, np.zeros(len(probed))]), (len(probed) + 1, 1))
    drawn[np.arange(len(probed)), len(cells.weight) + np.arange(len(probed))] = PROBE
    rating = how.rate(
        np.concatenate([cells.first, probed // n]),
        np.concatenate([cells.second, probed % n]),
        np.concatenate([cells.outcome, np.tile(seen, len(pairs))]),
        n=n, weights=drawn, **settings,
    )  # fmt: skip
    moved = ((rating[:-1] - rating[-1]) / PROBE).reshape(len(pairs), len(seen), n)
    # A probability lies between two outcomes, and so does what it does.
    at = outcome[there] * (len(seen) - 1)
    below = np.minimum(at.astype(np.int64), len(seen) - 2)
    part = (at - below)[:, None]
    moves = np.zeros((len(cells.first), n))
    moves[there] = (1 - part) * moved[pair, below] + part * moved[pair, below + 1]
    return moves


def _remove_least(
    rate_without: Callable[[NDArray[np.int64]], Floats],
    many: NDArray[np.int64],
    helps: Floats,
    two: tuple[int, int],
    ahead: float,
) -> NDArray[np.int64] | None:
    """Remove the votes that help the first of `two` systems, `ahead` by so much, most until the
    second is rated above it: how many of each comparison (m,), or None.
    """
    order = np.argsort(-helps, kind="stable")
    order = order[helps[order] > 0]
    upto = np.cumsum(many[order])

    def remove(number: int) -> NDArray[np.int64]:
        gone = np.zeros(len(helps), dtype=np.int64)
        gone[order] = np.clip(number - (upto - many[order]), 0, many[order])
        return gone

    def is_overtaken(number: int) -> bool:
        rating = rate_without(remove(number))
        return bool(rating[two[1]] - rating[two[0]] > LEVEL)

    if not len(order):
        return None
    expected = np.interp(ahead, np.cumsum((helps * many)[order]), upto)
    number = _find_least(is_overtaken, int(expected), int(upto[-1]))
    return None if number is None else remove(number)


def _find_least(is_enough: Callable[[int], bool], expected: int, most: int) -> int | None:
    """The least number from 1 to `most` that is enough, sought from the expected one on."""
    low, high, step, tried = 0, most + 1, 1, min(max(expected, 1), most)
    while True:
        if is_enough(tried):
            high = tried
        else:
            low = tried
        if high - low <= 1:
            return high if high <= most else None
        if high > most:
            tried = min(low + step, most)
        elif low == 0:
            tried = max(high - step, 1)
        else:
            tried = (low + high) // 2
        step *= 2
