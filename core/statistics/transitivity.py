"""Whether preferences fit together: of three texts, does who prefers the first to the second and
the second to the third prefer the first to the third?

Columns (m,), a row for each pair of texts of an item: `item`, the texts `first` and `second`. Only
triples count of which all three pairs have a row. What is returned is per item, (G,), in the order
of the items' codes: triples of one item share pairs, so the item is what could have been another.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from core.statistics.columns import Codes, Floats
from core.statistics.intervals import score

CHANCE = 0.25
"""The share of triples that are cyclic where each answer is a coin: 2 of 8 outcomes (Kendall &
Babington Smith 1940)."""
_HAIR = 1e-9  # what rounding may do to a probability


class Triples(NamedTuple):
    """Of each item the triples answered; how many of them are `decided`, all three answers for one
    text or the other; and how many of these are `cyclic`. Expected numbers where answers are drawn.
    """

    answered: Floats
    decided: Floats
    cyclic: Floats


class Stochastic(NamedTuple):
    """Of each item the triples with three probabilities, and how many violate weak and strong
    stochastic transitivity.
    """

    triples: Floats
    weak: Floats
    strong: Floats


def triples(item: Codes, first: Codes, second: Codes, wins: Floats, losses: Floats) -> Triples:
    """Cyclic triples (Kendall & Babington Smith 1940): A over B, B over C, and C over A.

    `wins` and `losses` (m,) are how likely an answer is for the first and for the second text, 0
    or 1 of an answer that was given; what is left to 1 is neither. A triple with a tie in it is not
    decided: being indifferent twice and not a third time is no contradiction.
    """
    rows = []
    for a, b, c, over in _each_item(item, first, second, (wins, losses)):
        either = over + over.T
        decided = either[a, b] * either[b, c] * either[a, c]
        cyclic = over[a, b] * over[b, c] * over[c, a] + over[b, a] * over[c, b] * over[a, c]
        rows.append((float(len(a)), decided.sum(), cyclic.sum()))
    return Triples(*np.array(rows, dtype=float).reshape(-1, 3).T)


def one_order(
    item: Codes, first: Codes, second: Codes, forward: Floats, backward: Floats
) -> tuple[Triples, Floats]:
    """Triples as they are expected if each pair had been asked in one of its two orders, drawn by a
    coin; and how many of them are cyclic by position alone (G,).

    `forward` and `backward` (m,) are the verdicts in the two orders: above 0 for the first text,
    below for the second, 0 for neither. Where they contradict each other, position decides, and the
    coin may close a cycle; so may no coin where they do not. What is cyclic with no coin in it is
    the judge's own contradiction, the rest is position.
    """
    wins = ((forward > 0) + 0.0 + (backward > 0)) / 2
    losses = ((forward < 0) + 0.0 + (backward < 0)) / 2
    drawn = triples(item, first, second, wins, losses)
    steady = triples(item, first, second, wins * (losses == 0), losses * (wins == 0))
    return drawn, drawn.cyclic - steady.cyclic


def stochastic(item: Codes, first: Codes, second: Codes, prob: Floats) -> Stochastic:
    """Violations of stochastic transitivity (Davidson & Marschak 1959). Where P(A over B) and
    P(B over C) are at least 1/2, P(A over C) is at least 1/2 if it is weak, and no less than the
    greater of the two if it is strong.

    `prob` (m,) is the probability that the first text is better.
    """
    rows = []
    for a, b, c, p in _each_item(item, first, second, (prob, 1 - prob)):
        weak, strong = np.zeros(len(a), dtype=bool), np.zeros(len(a), dtype=bool)
        for x, y, z in permutations((a, b, c)):
            chain = np.minimum(p[x, y], p[y, z]) >= 0.5 - _HAIR
            weak |= chain & (p[x, z] < 0.5 - _HAIR)
            strong |= chain & (p[x, z] < np.maximum(p[x, y], p[y, z]) - _HAIR)
        rows.append((float(len(a)), weak.sum(), (weak | strong).sum()))
    return Stochastic(*np.array(rows, dtype=float).reshape(-1, 3).T)


def share(part: Floats, of: Floats) -> tuple[float, float, float]:
    """The share of all triples (G,) that `part` of them are, low and high: Wilson's interval at the
    effective number, from the items (the ratio estimator, as `intervals.shares_by`). NaN of none.
    """
    total, known = of.sum(), of > 0
    groups = int(known.sum())
    if not groups:
        return np.nan, np.nan, np.nan
    p = part.sum() / total
    residual = ((part - p * of)[known] ** 2).sum()
    variance = groups / (groups - 1) * residual / total**2 if groups > 1 else 0.0
    low, high = score(
        *(np.array(x) for x in (p, variance, max(groups - 1.0, 1.0))),
        most=np.array(total), alike=np.array(float(groups)),
    )  # fmt: skip
    return float(p), float(low), float(high)


def _each_item(
    item: Codes, first: Codes, second: Codes, sides: tuple[Floats, Floats]
) -> Iterator[tuple[Codes, Codes, Codes, Floats]]:
    """For each item: its triples of texts a < b < c, numbered within the item, and the matrix of
    what the row's text has over the column's, of the two `sides` of a pair; 0 where not asked.
    """
    order = np.argsort(item, kind="stable")
    starts = np.flatnonzero(np.diff(item[order], prepend=-1))
    for rows in np.split(order, starts[1:]) if len(order) else []:
        texts, place = np.unique(np.r_[first[rows], second[rows]], return_inverse=True)
        one, other = place[: len(rows)], place[len(rows) :]
        asked = np.zeros((len(texts), len(texts)), dtype=bool)
        over = np.zeros(asked.shape)
        asked[one, other] = asked[other, one] = True
        over[one, other], over[other, one] = (side[rows] for side in sides)
        a, b = np.nonzero(np.triu(asked))
        edge, c = np.nonzero(asked[a] & asked[b] & (np.arange(len(texts)) > b[:, None]))
        yield a[edge], b[edge], c, over
