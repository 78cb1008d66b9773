"""Likelihood ranking: the order of systems that makes the answers to their comparisons most likely
(Liusie et al. 2024). The columns are those of `core.statistics.columns`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logit

from .columns import CLIP, Codes, Floats, Method, Weights, default_weights, sums
from .win_ratio import win_ratio

LEAST = 1e-9  # log-likelihood a move has to gain


def likelihood_ranking(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    decisions: bool | None = None,
) -> Floats:
    """The ranking of the greatest likelihood (Liusie et al. 2024, appendix B, eq. 12 and 13), in
    [0, 1]: the share of the other compared systems that a system is ranked above; 1 is the best.
    Neighbours in whose order nothing would change share the mean of their places.

    Probabilities (eq. 12): the sum over comparisons of z log p + (1 - z) log(1 - p), z = 1 if the
    first is ranked above the second (the printed plus sign is a misprint), p clipped to [1e-6, 1 -
    1e-6]. Decisions (eq. 13): p is theta_1 = P(says first | first is better) or theta_0 = P(says
    first | second is better), no greater, both estimated from the comparisons for every ranking
    that is tried; a tie is half an answer for each. `decisions` None: if every outcome is 0, 1/2 or
    1.

    Starts from the win ratio, and makes the best swap of two systems or insertion of one until none
    gains.
    """
    w = np.atleast_2d(default_weights(weights, first))
    if decisions is None:
        decisions = bool(np.isin(outcome, (0.0, 0.5, 1.0)).all())
    codes = first * np.int64(n) + second
    pairs, pair = np.unique(codes, return_inverse=True)
    low, high = pairs // n, pairs % n
    evidence = outcome if decisions else logit(np.clip(outcome, CLIP, 1 - CLIP))
    asked, said = (sums(w, pair, column, len(pairs)) for column in (1.0, evidence))
    start = win_ratio(first, second, outcome, n=n, weights=w)
    rating = np.full((len(w), n), np.nan)
    for b in range(len(w)):
        there = np.flatnonzero(~np.isnan(start[b]))
        if not len(there):
            continue
        # (k, k) sums over the comparisons that showed the row first and the column second
        shown = np.zeros((2, n, n))
        shown[:, low, high] = asked[b], said[b]
        times, evidence = shown[:, there[:, None], there]
        if decisions:
            places = _rank_decisions(times, evidence, start[b, there])
        else:
            gain = evidence - evidence.T
            order = _search(lambda order, gain=gain: _moves(gain, order), start[b, there])  # type: ignore[misc]
            places = _places(order, gain)
        rating[b, there] = places / (len(there) - 1)
    return rating if weights is not None and weights.ndim == 2 else rating[0]


def _rank_decisions(asked: Floats, said: Floats, start: Floats) -> Floats:
    """A move gains with the thetas that suit the order it makes: they depend only on how often the
    first was ranked above the second, and said to be better then, both sums over pairs.
    """

    def compute_likelihood(above: Floats, yes: Floats) -> Floats:
        below, no = asked.sum() - above, said.sum() - yes
        theta_1, theta_0 = _thetas(above, yes, below, no)
        split = _binomial(above, yes, theta_1) + _binomial(below, no, theta_0)
        return np.where(theta_1 > theta_0, split, -np.inf)

    def compute_gains(order: Codes) -> tuple[Floats, Floats]:
        now = _sum_above(asked, order), _sum_above(said, order)
        together = _binomial(asked.sum(), said.sum(), _clip(said.sum() / asked.sum()))
        moves = zip(_moves(asked - asked.T, order), _moves(said - said.T, order), strict=True)
        # With theta_1 below theta_0 the judge would prefer what is worse: the likeliest then is
        # that they are equal.
        better = [
            np.maximum(compute_likelihood(now[0] + more, now[1] + yes), together)
            for more, yes in moves
        ]
        insert, swap = (each - np.maximum(compute_likelihood(*now), together) for each in better)
        return insert, np.triu(swap, 1)

    order = _search(compute_gains, start)
    above, yes = _sum_above(asked, order), _sum_above(said, order)
    theta_1, theta_0 = _thetas(above, yes, asked.sum() - above, said.sum() - yes)
    each = said * np.log(theta_1 / theta_0) + (asked - said) * np.log((1 - theta_1) / (1 - theta_0))
    return _places(order, each - each.T)


def _sum_above(matrix: Floats, order: Codes) -> Floats:
    return np.asarray(np.triu(matrix[np.ix_(order, order)], 1).sum())


def _thetas(above: Floats, yes: Floats, below: Floats, no: Floats) -> tuple[Floats, Floats]:
    """P(says first | first is better), and the same of the second; alike if one is missing."""
    either = np.broadcast_to((yes + no) / (above + below), above.shape)
    theta_1 = np.divide(yes, above, out=either.copy(), where=above > LEAST)
    theta_0 = np.divide(no, below, out=either.copy(), where=below > LEAST)
    return _clip(theta_1), _clip(theta_0)


def _clip(p: Floats) -> Floats:
    return np.clip(p, CLIP, 1 - CLIP)


def _binomial(asked: Floats, said: Floats, theta: Floats) -> Floats:
    return np.asarray(said * np.log(theta) + (asked - said) * np.log(1 - theta))


def _moves(gain: Floats, order: Codes) -> tuple[Floats, Floats]:
    """Change of a sum over pairs in order: [i, j] if place i moves to place j, and (j > i) if they
    are swapped. `gain` (k, k), antisymmetric, is of the row above the column instead of below.
    """
    m, k = gain[np.ix_(order, order)], len(order)
    # (k, k + 1), over those before a place
    passed = np.column_stack([np.zeros(k), np.cumsum(m, axis=1)])
    here, there = np.arange(k)[:, None], np.arange(k)[None, :]
    # Put at a later place, a system falls below those between; at an earlier one it rises above
    # them.
    insert = passed[here, here] - passed[here, there + (there > here)]
    # Both insertions count the change between the two.
    return insert, np.triu(insert + insert.T + m, 1)


def _search(compute_gains: Callable[[Codes], tuple[Floats, Floats]], start: Floats) -> Codes:
    """The order, best first, after the best insertion or swap, again and again."""
    order = np.argsort(-start, kind="stable")
    while len(order) > 1:
        insert, swap = compute_gains(order)
        swapping = swap.max() > insert.max() + LEAST
        best = swap if swapping else insert
        i, j = np.unravel_index(int(best.argmax()), best.shape)
        if best[i, j] <= LEAST:
            break
        if swapping:
            order[[i, j]] = order[[j, i]]
        else:
            order = np.insert(np.delete(order, i), j, order[i])
    return order


def _places(order: Codes, gain: Floats) -> Floats:
    """Count the systems below each (k,); neighbours of no certain order share the mean."""
    places = np.empty(len(order))
    block: list[int] = []
    for rank, system in enumerate([*order.tolist(), None]):
        if system is None or not (np.abs(gain[system, block]) <= LEAST).all():
            below = len(order) - rank
            places[block] = below + (len(block) - 1) / 2
            block = []
        if system is not None:
            block.append(system)
    return places


LIKELIHOOD = Method(
    "likelihood",
    "likelihood ranking",
    "the order that makes all answers together most likely",
    "share of other systems ranked below, in the most likely order",
    likelihood_ranking,
    share=True,
    outcome="either",
    takes=("decisions",),
    mirrored=False,
    stepwise=True,
    is_order=True,
    cites=("liusie2024comparative",),
)
