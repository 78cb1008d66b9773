"""Estimate the votes, or judges' answers, still needed to settle who is first, second and so on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from .columns import Codes, Floats
from .intervals import NOTHING
from .prediction_powered import CombinedRatings, Estimate
from .rectified_ratings import JudgedPairs
from .uncertainty import (
    Uncertainty,
    bound_differences,
    choose_tails,
    count_apart,
    count_behind_differences,
    tail_at_every_look,
    tail_together,
)

DRAWS = 1000  # of what the ratings may truly be, and of the votes to come
REPLAYS = 10  # smaller studies for each size that the law is fitted to
PARTS = (0.5, 0.7)  # of the votes there are
COMPLETE = 0.9  # share of its pairs from which an item has all its votes: more come on others


@dataclass(frozen=True)
class VarianceLaw:
    """Law by which the variance of an estimate falls with n votes on N judged pairs, now `votes`
    and `pairs`: as `shrinks` * votes / n + (1 - shrinks) * pairs / N, the second part being of
    items.
    """

    votes: int
    pairs: int
    shrinks: float

    def variance_left(self, votes: Floats, pairs: Floats) -> Floats:
        """Compute the part of the present variance, at most 1, left with these votes and pairs."""
        there = np.maximum(votes, pairs)
        part = self.shrinks * self.votes / votes + (1 - self.shrinks) * self.pairs / there
        return np.asarray(np.minimum(part, 1.0))


@dataclass(frozen=True)
class Prospect:
    """An `estimate`, and the `law` by which it gets more certain; `share` if ratings are shares."""

    estimate: Estimate
    law: VarianceLaw
    share: bool


def fit(
    pairs: JudgedPairs, combine: Callable[[JudgedPairs], CombinedRatings], rng: np.random.Generator
) -> tuple[VarianceLaw, VarianceLaw]:
    """Fit the variance laws of votes and judges together, and of votes alone, to smaller studies
    drawn from the votes so far (REPLAYS of each of PARTS), by pairs, or by items if people voted on
    all pairs of some. With part f of the votes, a variance v is v (1 + shrinks * (1 / f - 1)).
    """
    whole = combine(pairs)
    now = (whole.combined.variance, whole.human.variance)
    growth: list[list[float]] = [[], []]
    for part in PARTS:
        for _ in range(REPLAYS):
            smaller = combine(_part(pairs, part, rng))
            then = (smaller.combined.variance, smaller.human.variance)
            for place in (0, 1):
                with np.errstate(divide="ignore", invalid="ignore"):
                    times = then[place] / now[place]
                if np.isfinite(times).any():
                    middle = float(np.nanmedian(times))
                    growth[place].append((middle - 1) / (1 / part - 1))
    votes, judged = int(pairs.has_votes.sum()), len(pairs.first)
    shrinks = [float(np.clip(np.mean(each), 0.0, 1.0)) if each else 1.0 for each in growth]
    return VarianceLaw(votes, judged, shrinks[0]), VarianceLaw(votes, judged, shrinks[1])


def _part(pairs: JudgedPairs, part: float, rng: np.random.Generator) -> JudgedPairs:
    there, voted = pairs.has_votes, np.bincount(pairs.item, pairs.has_votes)
    of_item, some = np.bincount(pairs.item), voted > 0
    is_by_item = voted[some].sum() >= COMPLETE * of_item[some].sum() and not some.all()
    unit = pairs.item if is_by_item else np.arange(len(pairs.first))
    units = np.unique(unit[there])
    kept = rng.permutation(units)[: max(round(part * len(units)), 1)]
    return replace(pairs, voted=np.where(np.isin(unit, kept), pairs.voted, np.nan))


def settling_probability(
    prospect: Prospect,
    truth: Estimate,
    sizes: tuple[Floats, Floats],
    top: int,
    *,
    level: float,
    rng: np.random.Generator,
    always: bool = False,
) -> Floats:
    """Simulate the probability (s,) that ranks 1 to `top` are settled with `sizes`, numbers of
    votes and of judged pairs (s,): each of the first `top` systems differs from all below it, all
    together with confidence `level`, at this look or `always`, at every one.

    True ratings are drawn from `truth` with its errors, whose size is itself uncertain
    (chi-square), and future votes around them. At the present size the result is 0 or 1. Systems
    without a rating are left out.
    """
    known = np.flatnonzero(~np.isnan(prospect.estimate.rating) & ~np.isnan(truth.rating))
    estimate, share = prospect.estimate, prospect.share
    uncertainty = estimate.uncertainty
    tail: Floats | float
    if always:
        tail = choose_tails(uncertainty, len(known), 1 - level, share=share)
    else:
        tail = tail_together(uncertainty, rng, level)
    apart = bound_differences(estimate.rating, uncertainty, tail=tail, share=share)[0] > 0
    square = np.ix_(known, known)
    here = _is_top_settled(estimate.rating[known][None], apart[square][None], top)[0]
    now, before = estimate.rating[known], truth.rating[known]
    scale, errors = _errors(estimate, known, rng)
    _, of_truth = _errors(truth, known, rng)
    variance = uncertainty.of_differences()[0][square]
    clusters = np.minimum.outer(uncertainty.clusters[0][known], uncertainty.clusters[0][known])
    parts = prospect.law.variance_left(*sizes)
    answers = count_behind_differences(uncertainty, share=share)[square]
    each = np.array((1 - level) / max(len(known) * (len(known) - 1) // 2, 1))
    degrees = _degrees(uncertainty, known)
    found = np.full(len(parts), float(here))
    for place, part in enumerate(parts):
        if part >= 1:
            continue
        limit = stdtrit(
            degrees / part,
            1 - (tail_at_every_look(answers / part, each) if always else tail) / 2,
        )
        noise = np.sqrt(part * (1 - part)) * errors
        then = part * now + (1 - part) * (before + of_truth) + noise
        gap = then[:, :, None] - then[:, None, :]
        # This part of the votes that the variance is then estimated from is there already.
        then_known = (part + (1 - part) * scale)[:, None, None] * variance * part
        number = np.divide(1, then_known, out=np.zeros_like(gap), where=then_known > NOTHING)
        if share:
            number = count_apart(gap, then_known, clusters / part)
        tested = gap * np.sqrt(number)
        found[place] = _is_top_settled(then, tested > limit, top).mean()
    return found


def _is_top_settled(then: Floats, apart: NDArray[np.bool_], top: int) -> Floats:
    """Return whether each of the first `top` of `then` (d, n) differs from all below it (d,)."""
    rank = np.argsort(np.argsort(-then, axis=1), axis=1)
    asked = (rank[:, :, None] < top) & (rank[:, None, :] > rank[:, :, None])
    return np.asarray((apart | ~asked).all(axis=(1, 2)))


def _errors(estimate: Estimate, known: Codes, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the ratio of true to estimated variance (DRAWS,), and errors (DRAWS, n)."""
    deviations = estimate.uncertainty.deviations[0][:, known]
    values, vectors = np.linalg.eigh(deviations.T @ deviations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    degrees = _degrees(estimate.uncertainty, known)
    scale = degrees / rng.chisquare(degrees, DRAWS)
    drawn = rng.standard_normal((DRAWS, len(known))) @ root.T
    return scale, drawn * np.sqrt(scale)[:, None]


def _degrees(uncertainty: Uncertainty, known: Codes) -> float:
    _, freedom = uncertainty.of_differences()
    return max(float(np.median(freedom[np.ix_(known, known)])), 1.0)


def crossing(sizes: Floats, chance: Floats, wanted: float) -> float:
    """Interpolate the size from which the chance stays at `wanted` or above; else infinite."""
    chance = np.maximum.accumulate(chance)
    if chance[-1] < wanted:
        return float("inf")
    place = int(np.argmax(chance >= wanted))
    if place == 0:
        return float(sizes[0])
    below, above = chance[place - 1], chance[place]
    part = (wanted - below) / max(above - below, 1e-12)
    return float(sizes[place - 1] + part * (sizes[place] - sizes[place - 1]))


POWER = 0.8  # chance with which a difference is to be found


def find_detectable_share(votes: float, systems: int) -> float:
    """Compute the smallest detectable preference share between two systems, in (1/2, 1], before
    there are any votes, at one look, with 95% confidence for all differences (Bonferroni) and
    power POWER.

    So many `votes` are shared evenly among all pairs of `systems`; through the others, two of n
    share n / 2 times their own (Bradley-Terry). The variance is p (1 - p) / votes, and 1 / (4
    votes) of equals.
    """
    shared = votes / (systems - 1)
    pairs = systems * (systems - 1) / 2
    sure, likely = -float(ndtri(0.025 / pairs)), float(ndtri(POWER))
    # the larger root d of (d sqrt(n) - sure / 2)^2 = likely^2 (1/4 - d^2)
    inner = (shared + likely**2 - sure**2) / 4
    if inner < 0:
        return 1.0
    away = (sure * math.sqrt(shared) / 2 + likely * math.sqrt(inner)) / (shared + likely**2)
    return 0.5 + min(away, 0.5)


WORTH = 30  # votes that count as much as what is taken of judges without any
EVEN = 0.25  # part of every chance that is the same for all pairs


def residual_variance(said: Floats, voted: Floats, separability: Floats | None = None) -> Floats:
    """Predict the squared distance of a vote from the judges' answers (m,), in (0, 1/4].

    `said` (m, J) is each judge's probability that the first text is better, or NaN; `voted` (m,)
    the mean vote, or NaN; `separability` (m,) that of the two texts, or NaN. If nobody voted, it is
    p (1 - p), where p is the judges' mean with one more answer each way (Laplace). With votes,
    their squared distances from the mean, drawn towards 1/2 as far as it fits them, are regressed
    on it and on the separability (Zrnic & Candes 2024, section 4.1), by ridge towards the value
    without votes.
    """
    answers = (~np.isnan(said)).sum(axis=1)
    p = (np.nansum(said, axis=1) + 1) / (answers + 2)
    unsure = p * (1 - p)
    there = ~np.isnan(voted)
    if not there.any():
        return np.asarray(unsure)
    columns = [unsure]
    if separability is not None and not np.isnan(separability).all():
        columns.append(np.where(np.isnan(separability), np.nanmean(separability), separability))
    # A constant, and the others with mean 0 and variance 1
    spreads = [column.std() if column.std() > 1e-9 else np.inf for column in columns]
    scaled = [(of - of.mean()) / spread for of, spread in zip(columns, spreads, strict=True)]
    traits = np.stack([np.ones(len(unsure)), *scaled], axis=1)
    # Answers are scaled by their slope on the votes, at least 0 and drawn towards 1.
    x, y = p[there] - 0.5, voted[there] - 0.5
    slope = (x @ y + WORTH / 16) / (x @ x + WORTH / 16)
    squares = (y - np.clip(slope, 0.0, None) * x) ** 2
    own = traits[there]
    held = own.T @ own + WORTH * np.eye(traits.shape[1])
    change = np.linalg.solve(held, own.T @ (squares - unsure[there]))
    return np.asarray(np.clip(unsure + traits @ change, 0.01, 0.25))


def sampling_sizes(
    variance: Floats, first: Codes, second: Codes, *, n: int, even: float = EVEN
) -> Floats:
    """Compute sampling sizes of the pairs (m,), with mean 1: the square root of what their votes
    are expected to add to the variances of the n systems' figures (Zrnic & Candes 2024, eq. 4).
    `first` and `second` (m,) are the systems of each pair. `even` is the part that is the same for
    all (their eq. 8), so that no pair weighs more than 1 / `even` times the mean.
    """
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    share = 1 / np.maximum(pairs, 1)
    size = np.sqrt(variance * (share[first] ** 2 + share[second] ** 2))
    return np.asarray(even + (1 - even) * size / size.mean())
