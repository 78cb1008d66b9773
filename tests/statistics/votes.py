"""Comparisons written down or drawn, as three parallel columns."""

import numpy as np
from scipy.special import expit

from core.statistics import ratings
from core.statistics.columns import SCALE, START
from core.statistics.drawing import Drawing


def columns(*rows):
    """(first, second, outcome) tuples as three arrays."""
    first, second, outcome = zip(*rows, strict=True)
    return np.array(first), np.array(second), np.array(outcome, dtype=float)


def meet(rng, n, m):
    """The first and the second of m random pairs of n systems."""
    first = rng.integers(n, size=m)
    return first, (first + rng.integers(1, n, size=m)) % n


def decide(rng, odds):
    """1 with the probability of these log-odds, else 0."""
    return (rng.random(np.shape(odds)) < expit(odds)).astype(float)


def points_of(strength):
    """Strengths in log-odds as ratings, of which the mean is 1000."""
    return START + SCALE * (strength - np.mean(strength))


def simulated(rng, strengths, m, ties=0.2):
    """Comparisons of random pairs, decided by a Bradley-Terry model; a share is tied whoever meets."""
    first, second = meet(rng, len(strengths), m)
    won = decide(rng, strengths[first] - strengths[second])
    return first, second, np.where(rng.random(m) < ties, 0.5, won)


def probable(rng, strengths, m, *, first=0.0, noise=0.5):
    """Comparisons with p: logits of strengths' differences, being shown first, and noise."""
    one, other = meet(rng, len(strengths), m)
    return one, other, expit(strengths[one] - strengths[other] + first + noise * rng.normal(size=m))


def leaderboard(
    method, first, second, outcome, *, n, rng=0, groups=None, weights=None, resamples=100,
    judges=None, resolve="together", **settings,
):  # fmt: skip
    """A leaderboard with what is drawn for it given one by one; `rng` may be a seed."""
    rng = np.random.default_rng(rng)
    drawing = Drawing(rng, resamples, groups, weights, judges=judges, resolve=resolve)
    return ratings.leaderboard(method, first, second, outcome, n=n, drawing=drawing, **settings)


def of_two(outcome, method="win-ratio", **how):
    """A leaderboard of two systems that always meet in the same order."""
    zero = np.zeros(len(outcome), dtype=int)
    return leaderboard(method, zero, zero + 1, outcome, n=2, **how)


def resample_weights(groups, times, rng):
    """(times, m) how often each comparison is in a resample of as many groups, with replacement."""
    units, unit = np.unique(groups, return_inverse=True)
    draws = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), size=times)
    return draws[:, unit]
