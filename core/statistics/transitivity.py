"""Transitivity of preferences: if the first text beats the second and the second the third, does
the first beat the third?

Columns (m,), a row for each pair of texts: `item` (codes 0 .. items - 1), the texts `first` <
`second`, which belong to that item alone. Only triples whose three pairs all have a row count. What
is returned is per item (items,), as triples of one item share pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from .columns import Codes, Floats
from .intervals import score

CHANCE = 0.25  # of triples of coins: 2 of 8 outcomes are cyclic (Kendall & Babington Smith 1940)
BATCH = 10**6  # pairs of pairs looked at at once
_HAIR = 1e-9  # what rounding may do to a probability


class TextPairs(NamedTuple):
    """The pairs of texts, as columns."""

    item: Codes
    first: Codes
    second: Codes

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.item.max(initial=-1)) + 1


class Triples(NamedTuple):
    """Numbers of triples in each item `answered`, `decided` for texts, and `cyclic`."""

    answered: Floats
    decided: Floats
    cyclic: Floats


class Stochastic(NamedTuple):
    """Triples with three probabilities in each item; violations of weak and strong transitivity."""

    triples: Floats
    weak: Floats
    strong: Floats


def triples(pairs: TextPairs, wins: Floats, losses: Floats) -> Triples:
    """Cyclic triples (Kendall & Babington Smith 1940): A over B, B over C, and C over A. `wins` and
    `losses` (m,) are how likely an answer is for the first and for the second text, 0 or 1 if
    given; the rest is neither. A triple with a tie in it is not decided.
    """
    found = np.zeros((3, pairs.items))
    for ab, bc, ac in _triangles(pairs):
        either = wins + losses
        decided = either[ab] * either[bc] * either[ac]
        cyclic = wins[ab] * wins[bc] * losses[ac] + losses[ab] * losses[bc] * wins[ac]
        for row, values in zip(found, (np.ones(len(ab)), decided, cyclic), strict=True):
            row += np.bincount(pairs.item[ab], values, minlength=pairs.items)
    return Triples(*found)


def estimate_one_order(
    pairs: TextPairs, forward: Floats, backward: Floats
) -> tuple[Triples, Floats]:
    """Triples as they are expected if each pair had been asked in one of its two orders, drawn by a
    coin; and how many of them are cyclic by position alone, with a pair whose orders contradict.

    `forward` and `backward` (m,) are the verdicts in the two orders: above 0 for the first text,
    below for the second, 0 for neither.
    """
    wins = ((forward > 0) + 0.0 + (backward > 0)) / 2
    losses = ((forward < 0) + 0.0 + (backward < 0)) / 2
    drawn = triples(pairs, wins, losses)
    steady = triples(pairs, wins * (losses == 0), losses * (wins == 0))
    return drawn, drawn.cyclic - steady.cyclic


def stochastic(pairs: TextPairs, prob: Floats) -> Stochastic:
    """Violations of stochastic transitivity (Davidson & Marschak 1959). Where P(A over B) and P(B
    over C) are at least 1/2, P(A over C) is at least 1/2 if it is weak, and no less than the
    greater if it is strong. `prob` (m,) is the probability that the first text is better.
    """
    found = np.zeros((3, pairs.items))
    for ab, bc, ac in _triangles(pairs):
        p = {(0, 1): prob[ab], (1, 2): prob[bc], (0, 2): prob[ac]}
        p |= {(y, x): 1 - of for (x, y), of in p.items()}
        weak, strong = np.zeros((2, len(ab)), dtype=bool)
        for x, y, z in permutations(range(3)):
            chain = np.minimum(p[x, y], p[y, z]) >= 0.5 - _HAIR
            weak |= chain & (p[x, z] < 0.5 - _HAIR)
            strong |= chain & (p[x, z] < np.maximum(p[x, y], p[y, z]) - _HAIR)
        for row, values in zip(found, (np.ones(len(ab)), weak, strong), strict=True):
            row += np.bincount(pairs.item[ab], values, minlength=pairs.items)
    return Stochastic(*found)


def share(part: Floats, of: Floats) -> tuple[float, float, float]:
    """The share of all triples (items,) that are `part`, with Wilson's interval; NaN of none."""
    total, known = of.sum(), of > 0
    groups = int(known.sum())
    if not groups:
        return np.nan, np.nan, np.nan
    p = part.sum() / total
    residual = ((part - p * of)[known] ** 2).sum()
    variance = groups / (groups - 1) * residual / total**2 if groups > 1 else 0.0
    given = (np.array(x) for x in (p, variance, max(groups - 1.0, 1.0)))
    low, high = score(*given, most=np.array(total), alike=np.array(float(groups)))
    return float(p), float(low), float(high)


def _triangles(pairs: TextPairs) -> Iterator[tuple[Codes, Codes, Codes]]:
    """The rows of the three pairs of each triple of texts a < b < c: ab, bc and ac, in blocks."""
    order = np.lexsort((pairs.second, pairs.first))
    first, second = pairs.first[order], pairs.second[order]
    size = int(second.max(initial=-1)) + 1
    codes = first * size + second
    # Each row with every later one of the same first text: two sides of what may be a triangle.
    number = np.searchsorted(first, first, side="right") - np.arange(len(first)) - 1
    before = np.r_[0, np.cumsum(number)]
    start = 0
    while start < len(first):
        end = max(int(np.searchsorted(before, before[start] + BATCH, side="right")) - 1, start + 1)
        one = np.repeat(np.arange(start, end), number[start:end])
        other = one + 1 + np.arange(len(one)) - (before[one] - before[start])
        wanted = second[one] * size + second[other]
        third = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
        closed = codes[third] == wanted
        yield order[one[closed]], order[third[closed]], order[other[closed]]
        start = end
