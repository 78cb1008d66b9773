"""Comparisons written down or drawn, as three parallel columns."""

import numpy as np

from core.statistics import ratings
from core.statistics.drawing import Drawing


def columns(*rows):
    """(first, second, outcome) tuples as three arrays."""
    first, second, outcome = zip(*rows, strict=True)
    return np.array(first), np.array(second), np.array(outcome, dtype=float)


def simulated(rng, strengths, m, ties=0.2):
    """Comparisons of random pairs, decided by a Bradley-Terry model; a share is tied whoever meets."""
    n = len(strengths)
    first = rng.integers(n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    won = rng.random(m) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    return first, second, np.where(rng.random(m) < ties, 0.5, won)


def probable(rng, strengths, m, *, first=0.0, noise=0.5):
    """Comparisons with p: logits of strengths' differences, being shown first, and noise."""
    n = len(strengths)
    one = rng.integers(n, size=m)
    other = (one + rng.integers(1, n, size=m)) % n
    return (
        one,
        other,
        1 / (1 + np.exp(strengths[other] - strengths[one] - first - noise * rng.normal(size=m))),
    )


def leaderboard(
    method,
    *columns,
    n,
    rng,
    groups=None,
    weights=None,
    resamples=100,
    judges=None,
    resolve="together",
    **settings,
):
    """A leaderboard with what is drawn for it given one by one."""
    drawing = Drawing(rng, resamples, groups, weights, judges=judges, resolve=resolve)
    return ratings.leaderboard(method, *columns, n=n, drawing=drawing, **settings)


def resample_weights(groups, times, rng):
    """(times, m) how often each comparison is in a resample of as many groups, with replacement."""
    units, unit = np.unique(groups, return_inverse=True)
    draws = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), size=times)
    return draws[:, unit]
