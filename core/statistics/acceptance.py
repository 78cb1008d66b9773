"""Accepting a judge's answers down to a threshold, so that a chosen share of those accepted differ
from people at most (selective classification: Geifman & El-Yaniv 2017; Jung, Brahman & Choi 2025).

Thresholds are `steps` (T), from the strictest to none, fixed without a look at people's answers.
`accepted` (T, m) says which pairs with votes a step accepts, `loss` (T, m) in [0, 1] how far its
answer differs from people's there, and `groups` (m,) which pairs are not independent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from . import intervals
from .columns import Codes, Floats

Mask = NDArray[np.bool_]

STARTS = (0.2, 0.5, 1.0)
"""Shares of all pairs at which a sequence of tests may begin. One sequence alone would end early:
where few pairs are accepted, a single mistake fails."""
SURE_START = 1.65  # standard errors by which a start has more votes than a test takes
NONE = -1


class Threshold(NamedTuple):
    """The last step that is accepted, or NONE; its error among the pairs with votes, the bound that
    its error stays below, and how many of these pairs it accepts.
    """

    step: int
    error: float
    bound: float
    votes: int


NOTHING = Threshold(NONE, np.nan, np.nan, 0)


def count_fewest(error: float, risk: float) -> int:
    """Count the answers that must be accepted, all of them right, before a test can say with
    probability 1 - `risk` that fewer than `error` are wrong: log(risk) / log(1 - error).
    """
    return int(np.ceil(np.log(risk) / np.log1p(-error)))


def list_starts(share: Floats, votes: int, error: float, risk: float) -> Codes:
    """List the steps at which sequences begin, from the `share` (T,) of all pairs that each step
    accepts and the number of pairs with votes: those where votes should do for a test.
    """
    steps: list[int] = []
    for many in range(len(STARTS), 0, -1):
        fewest = count_fewest(error, risk / many)
        most = (np.sqrt(fewest + SURE_START**2 / 4) + SURE_START / 2) ** 2
        wanted = np.maximum(np.array(STARTS), most / max(votes, 1))
        most_shared = share[-1] if len(share) else 0.0
        reached = [int(np.argmax(share >= one - 1e-12)) for one in wanted if one <= most_shared]
        steps = sorted(set(reached))
        if len(steps) >= many:
            break
    return np.array(steps, dtype=np.int64)


def find_threshold(
    accepted: Mask,
    loss: Floats,
    weights: Floats,
    groups: Codes,
    starts: Codes,
    *,
    error: float,
    risk: float,
) -> Threshold:
    """Find the last step whose error is below `error`, with probability 1 - `risk` that this is
    true: by tests in a fixed sequence from each start, each of which ends with the first test that
    fails (Bauer 1991; Angelopoulos et al. 2021, "Learn then Test"; Jung et al. 2025, algorithm 1).
    """
    errors, bounds = bound_errors(accepted, loss, weights, groups, risk / max(len(starts), 1))
    passed = np.append(bounds <= error, False)
    ends = [start + int(np.argmin(passed[start:])) - 1 for start in starts if passed[start]]
    if not ends:
        return NOTHING
    last = max(ends)
    return Threshold(last, float(errors[last]), float(bounds[last]), int(accepted[last].sum()))


def bound_errors(
    accepted: Mask, loss: Floats, weights: Floats, groups: Codes, risk: float
) -> tuple[Floats, Floats]:
    """Estimate the error of each step (T,), NaN where it accepts nothing, and bound each above with
    probability 1 - `risk`: exactly (Clopper & Pearson 1934) where pairs are independent and count
    alike, else at the effective number of pairs with Student's t (Korn & Graubard 1998).
    """
    step, pair = np.nonzero(accepted)
    found = intervals.estimate_shares(
        loss[step, pair], groups[pair], step, n=len(accepted), times=weights[pair]
    )
    freedom = intervals.degrees_of_freedom(found.effective)
    answers = accepted.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        few = (ndtri(1 - risk) / stdtrit(freedom, 1 - risk)) ** 2
        number = found.share * (1 - found.share) / found.variance * few
        certain = np.minimum(found.share, 1 - found.share) < intervals.NOTHING
        number = np.where(certain, found.effective, np.fmin(number, answers))
        if is_exact(loss[accepted], weights, groups):
            number = answers.astype(float)
        wrong = np.minimum(found.share * number, number)
        bounds = betaincinv(wrong + 1, number - wrong, 1 - risk)
    return found.share, np.where(wrong < number, bounds, 1.0)


def is_exact(loss: Floats, weights: Floats, groups: Codes) -> bool:
    """Return whether losses are 0 or 1 each, with equal weights, and no two of a group."""
    alone = len(np.unique(groups)) == len(groups)
    return bool(alone and np.ptp(weights) < 1e-9 and np.isin(loss, (0.0, 1.0)).all())


def select_on_average(
    accepted: Mask, loss: Floats, weights: Floats, groups: Codes, share: Floats, *, error: float
) -> Threshold:
    """Find the last step whose answers differ from people's by `error` on average over studies like
    this one: conformal selection (Jin & Candes 2023), of which groups are exchangeable.

    Of the `share` (T,) of all pairs that a step accepts, those accepted and wrong are as many as
    among the pairs with votes, one group more of them being taken to be wrong.
    """
    w = weights / weights.mean()
    most = np.bincount(np.unique(groups, return_inverse=True)[1], w).max()
    wrong = (accepted * loss) @ w
    estimate = (wrong + most) / (w.sum() + most) / np.maximum(share, 1e-12)
    known = np.flatnonzero((estimate <= error) & (share > 0))
    if not len(known):
        return NOTHING
    last = int(known[-1])
    used = w * accepted[last]
    return Threshold(
        last,
        float(loss[last] @ used / used.sum()) if used.sum() else np.nan,
        float(estimate[last]),
        int(accepted[last].sum()),
    )


def count_votes_needed(
    share: Floats, wrong: Floats, votes: float, *, error: float, risk: float, most: float
) -> float:
    """Count the pairs with votes after which a first step is expected to pass, where its error
    stays as it is: from the share (T,) of all pairs and the error (T,) of each step, by the
    binomial bound. Infinite beyond `most`, and where every step errs as often as `error`.
    """
    possible = (wrong < error) & (share > 0)
    if not possible.any():
        return np.inf
    for number in np.unique(np.ceil(np.geomspace(max(votes, 20), most, 200))):
        of = number * share[possible]
        missed = np.round(of * wrong[possible])
        if (betaincinv(missed + 1, np.maximum(of - missed, 1e-9), 1 - risk) <= error).any():
            return float(number)
    return np.inf
