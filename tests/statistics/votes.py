"""Comparisons written down or drawn, as three parallel columns."""

import numpy as np

from core.statistics import ratings


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
    """Comparisons of random pairs with the probability a judge gives: its logit is the difference
    of the strengths, an effect of being shown first, and noise.
    """
    n = len(strengths)
    one = rng.integers(n, size=m)
    other = (one + rng.integers(1, n, size=m)) % n
    return (
        one,
        other,
        1 / (1 + np.exp(strengths[other] - strengths[one] - first - noise * rng.normal(size=m))),
    )


def leaderboard(method, *columns, n, rng, groups=None, weights=None, resamples=100, **settings):
    """A leaderboard with what is drawn for it given one by one."""
    drawing = ratings.Drawing(rng, resamples, groups, weights)
    return ratings.leaderboard(method, *columns, n=n, drawing=drawing, **settings)
