"""Estimate what a human vote on a pair adds to the judges' answers, to choose the pairs people are
asked about.
"""

from __future__ import annotations

import numpy as np

from .columns import Codes, Floats

WORTH = 30
"""Votes after which what they show of judges counts as much as what is taken without any."""
EVEN = 0.25
"""The part of every chance that is the same for all pairs: none weighs over 4 times the mean."""


def residual_variance(said: Floats, voted: Floats, separability: Floats | None = None) -> Floats:
    """Predict the squared distance of a vote from the judges' answers (m,), in (0, 1/4].

    `said` (m, J) is each judge's probability that the first text is better, NaN where it gave no
    answer; `voted` (m,) the mean vote, NaN if nobody voted; `separability` (m,) that of the two
    texts, NaN where unknown.

    If nobody voted, it is p (1 - p), where p is the judges' mean with one more answer each way
    (Laplace). That is their own uncertainty and their disagreement in one figure: the law of total
    variance. With votes, their squared distances from the mean, drawn towards 1/2 as far as it fits
    them, are regressed on it and on the separability, as in Zrnic & Candes (2024, section 4.1); by
    ridge towards the value without votes.
    """
    answers = (~np.isnan(said)).sum(axis=1)
    p = (np.nansum(said, axis=1) + 1) / (answers + 2)
    unsure = p * (1 - p)
    there = ~np.isnan(voted)
    if not there.any():
        return np.asarray(unsure)
    traits = _traits(unsure, separability)
    squares = (voted[there] - 0.5 - _trust(p[there] - 0.5, voted[there] - 0.5)) ** 2
    own = traits[there]
    held = own.T @ own + WORTH * np.eye(traits.shape[1])
    change = np.linalg.solve(held, own.T @ (squares - unsure[there]))
    return np.asarray(np.clip(unsure + traits @ change, 0.01, 0.25))


def _trust(said: Floats, voted: Floats) -> Floats:
    """Scale the judges' answers by their slope on the votes, at least 0. A prior, WORTH / 16, draws
    the slope towards 1.
    """
    slope = (said @ voted + WORTH / 16) / (said @ said + WORTH / 16)
    return np.asarray(np.clip(slope, 0.0, None) * said)


def _traits(unsure: Floats, separability: Floats | None) -> Floats:
    """Build the regressors (m, 2 or 3): a constant, and the others with mean 0 and variance 1."""
    columns = [unsure]
    if separability is not None and not np.isnan(separability).all():
        mean = float(np.nanmean(separability))
        columns.append(np.where(np.isnan(separability), mean, separability))
    parts = [np.ones(len(unsure))]
    for column in columns:
        spread = column.std()
        parts.append((column - column.mean()) / spread if spread > 1e-9 else np.zeros(len(unsure)))
    return np.stack(parts, axis=1)


def sampling_sizes(
    variance: Floats, first: Codes, second: Codes, *, n: int, even: float = EVEN
) -> Floats:
    """Compute sampling sizes of the pairs (m,), with mean 1: the square root of the expected
    contribution of their votes to the variances of the n systems' figures (Zrnic & Candes 2024, eq.
    4, for each system's mean).

    `first` and `second` (m,) are the systems of each pair: one of a system in few pairs counts for
    more of its figure. `even` is the part that is the same for all (their eq. 8), so that no pair
    weighs more than 1 / `even` times the mean.
    """
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    share = 1 / np.maximum(pairs, 1)
    size = np.sqrt(variance * (share[first] ** 2 + share[second] ** 2))
    return np.asarray(even + (1 - even) * size / size.mean())
