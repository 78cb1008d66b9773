"""Fit of each judge's decisions to the strengths from all judges' decisions (Wright & Masters 1982,
ch. 5; of judges in comparative judgement: Pollitt 2012).

Parallel columns (m,), one row of a judge for a pair of texts: `judge`, codes 0..n-1; `won`, 1 where
the first of two texts was preferred, else 0; `prob`, the model's probability of that
(`expected_points`); `voters`, how many others decided about this pair, and `others`, the share of
them that preferred the first. Ties have no rows: in Davidson's model (1970) they tell nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bradley_terry import bradley_terry
from .columns import SCALE, Codes, Floats
from .intervals import TAIL

DRAWS = 4000  # of an honest judge's answers
LEAST = 20  # decisions below which nobody is called anything
TURN, SHARE = 3, 9  # decimals of equal rows
HARDLY = 1e-9  # what sums of the same numbers may differ by


class Misfit(NamedTuple):
    """Fit of each judge (n,) on the pairs that others decided, too; NaN without any. `infit` is the
    information-weighted mean square and `outfit` the plain one, at least 0 and 1 on average.
    `usual_low` and `usual_high`: all judges' infit lies between them in 95% of groups of such
    people. `by_chance`: infit of coin tosses. `decisions`: the number of pairs.
    """

    infit: Floats
    outfit: Floats
    usual_low: Floats
    usual_high: Floats
    by_chance: Floats
    decisions: NDArray[np.int64]

    @property
    def stands_out(self) -> NDArray[np.bool_]:
        """Return whose infit is above the usual range (n,), with LEAST decisions or more."""
        return (self.infit > self.usual_high + HARDLY) & (self.decisions >= LEAST)

    @property
    def is_informative(self) -> NDArray[np.bool_]:
        """Return whether so many decisions on such pairs would reveal coin tosses (n,)."""
        return (self.by_chance > self.usual_high + HARDLY) & (self.decisions >= LEAST)


def expected_points(
    first: Codes, second: Codes, won: Floats, *, n: int, fitted: NDArray[np.bool_] | None = None
) -> Floats:
    """Compute Bradley-Terry's probability that the first system is preferred (m,), from the
    `fitted` decisions (default: all); NaN if these do not link the two. Raises as `bradley_terry`
    does.
    """
    known = np.ones(len(won), dtype=bool) if fitted is None else fitted
    if not known.any():
        return np.full(len(won), np.nan)
    strength = bradley_terry(first[known], second[known], won[known], n=n) / SCALE
    return np.asarray(1.0 / (1.0 + np.exp(strength[second] - strength[first])))


def misfit(
    judge: Codes,
    won: Floats,
    prob: Floats,
    others: Floats,
    voters: Codes,
    groups: Codes,
    *,
    n: int,
    rng: np.random.Generator,
) -> Misfit:
    """Compute infit = sum (won - p)^2 / sum p (1 - p) and outfit = mean (won - p)^2 / (p (1 - p))
    of each judge (Wright & Masters 1982, eq. 5.3.6 and 5.3.8).

    What is usual is drawn DRAWS times: on each pair, the judge's decision is one of those that the
    pair has, whatever the strengths (a permutation test: Lehmann & Romano 2005, section 15.2). The
    tails are split among the judges (Bonferroni). Where a judge's decisions on one of `groups`
    (m,), such as items, move together, the range is wider by as much as that makes their sum vary.
    """
    known = ~np.isnan(prob) & (voters > 0)
    judge, voters, groups = (column[known] for column in (judge, voters, groups))
    won, prob, others = (column[known] for column in (won, prob, others))
    spread, turn = prob * (1 - prob), 1 - 2 * prob
    share = (won + others * voters) / (voters + 1)
    toss = share + (0.5 - others) * voters / (voters + 1)  # 1/2 less what it adds to its own share
    count = np.bincount(judge, minlength=n)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.bincount(judge, spread, minlength=n)
        infit = np.bincount(judge, (won - prob) ** 2, minlength=n) / information
        outfit = np.bincount(judge, (won - prob) ** 2 / spread, minlength=n) / count
        # (won - p)^2 = p (1 - p) + (1 - 2p) (won - p)
        centre, by_chance = (
            1 + np.bincount(judge, turn * (expected - prob), minlength=n) / information
            for expected in (share, toss)
        )
    tail = TAIL / max(int((count > 0).sum()), 1)
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    # How much more sums over a judge's decisions vary than if those on one item were independent:
    # each around their own mean, so that a misfit does not make itself usual
    surplus = turn * (won - share)
    away = surplus - (np.bincount(judge, surplus, minlength=n) / np.maximum(count, 1))[judge]
    cell = np.unique(judge * (groups.max(initial=0) + np.int64(1)) + groups, return_inverse=True)[1]
    alone, together = (away**2).sum(), (np.bincount(cell, away) ** 2).sum()
    wider = np.sqrt(max(together / alone, 1.0) if alone > 0 else 1.0)
    # Draws are rounded: by the same amount, so that the largest possible sum is not above itself.
    shift = turn * (won - share) - turn.round(TURN) * (won - share.round(SHARE))
    for one in np.flatnonzero(count):
        mine = judge == one
        drawn = (_draw_sums(turn[mine], share[mine], rng) + shift[mine].sum()) / information[one]
        low[one], high[one] = centre[one] + wider * np.quantile(drawn, [tail, 1 - tail])
    return Misfit(infit, outfit, np.maximum(low, 0.0), high, by_chance, count)


def _draw_sums(turn: Floats, share: Floats, rng: np.random.Generator) -> Floats:
    """Draw the sum of turn * (won - share) by these shares (DRAWS,), equal rows together."""
    total = np.zeros(DRAWS)
    chances = np.where(turn < 0, 1 - share, share)
    rows = np.column_stack([np.abs(turn).round(TURN), chances.round(SHARE)])
    for (size, chance), number in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
        if 0 < chance < 1:
            total += size * (rng.binomial(number, chance, DRAWS) - number * chance)
    return total
