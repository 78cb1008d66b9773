"""A judge on the boundary of the alternative annotator test, and triples of a noisy judge."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import beta, binom

from core.statistics import FIRST, SECOND, ReplacementTerms, alternative_annotator, transitivity
from core.statistics.alternative_annotator import AnnotatorTest
from tests.coverage.simulation import Simulation, cases

EASE = beta(8, 2)  # how often people are right, from item to item
GRID = EASE.ppf((np.arange(2000) + 0.5) / 2000)
TEXTS = 5


def _ahead(people: int) -> NDArray[np.float64]:
    """P(more of the others are right than wrong) and P(more are wrong), on items of each ease."""
    right = np.arange(people)
    mass = binom.pmf(right[:, None], people - 1, GRID)
    return np.array([mass[sign * (2 * right - people + 1) > 0].sum(axis=0) for sign in (1, -1)])


def lost(people: int, epsilon: float) -> float:
    """On how many items a judge has to be wrong, to be behind each annotator by epsilon: on the
    others it answers like one of them. Wrong throughout, it is behind where the annotator is right
    and most of the others are, and ahead where most are wrong.
    """
    most_right, most_wrong = _ahead(people)
    return float(epsilon / (GRID * (most_right - most_wrong)).mean())


def as_good(people: int, epsilon: float) -> float:
    """rho of such a judge: 1 less how often the annotator alone is as most of the others are."""
    most_right, most_wrong = _ahead(people)
    judge = (1 - lost(people, epsilon)) * GRID
    behind = GRID * (1 - judge) * most_right + (1 - GRID) * judge * most_wrong
    return float(1 - behind.mean())


def outcome(
    rng: np.random.Generator, *, items: int, pairs: int, people: int, epsilon: float,
    alone: bool = False,
) -> AnnotatorTest:  # fmt: skip
    """The test of such a judge on some pairs an item; with `alone`, each pair is an item."""
    ease = np.repeat(EASE.rvs(items, random_state=rng), pairs)
    wrong = np.repeat(rng.random(items) < lost(people, epsilon), pairs)
    number = items * pairs
    said = np.where(rng.random((people, number)) < ease, FIRST, SECOND)
    judge = np.where(~wrong & (rng.random(number) < ease), FIRST, SECOND)
    who, unit = np.indices(said.shape).reshape(2, -1)
    item = np.arange(number) if alone else np.repeat(np.arange(items), pairs)
    return alternative_annotator(who, unit, said.ravel(), judge, item, ReplacementTerms(epsilon))


def intervals(rng: np.random.Generator, **study: Any) -> list[float]:
    """Of the advantages over each annotator, and of rho."""
    test = outcome(rng, **study)
    behind = (test.low <= -study["epsilon"]) & (-study["epsilon"] <= test.high)
    rho = as_good(study["people"], study["epsilon"])
    return [*behind.astype(float), float(test.probability[1] <= rho <= test.probability[2])]


def _cycles(rng: np.random.Generator, items: int, slope: float) -> transitivity.Triples:
    """Five texts an item; strengths and the judge's decision differ; pairs are answered once."""
    a, b = np.array(list(combinations(range(TEXTS), 2))).T
    strength = rng.normal(size=(items, TEXTS)) * slope * rng.lognormal(sigma=0.5, size=(items, 1))
    wins = (rng.random((items, len(a))) < expit(strength[:, a] - strength[:, b])).astype(float)
    item = np.repeat(np.arange(items), len(a))
    first, second = (np.tile(side, items) + TEXTS * item for side in (a, b))
    return transitivity.triples(
        transitivity.TextPairs(item, first, second), wins.ravel(), 1 - wins.ravel()
    )


@cache
def _truth(slope: float) -> float:
    counts = _cycles(np.random.default_rng(0), 100_000, slope)
    return float(counts.cyclic.sum() / counts.decided.sum())


def cyclic(rng: np.random.Generator, *, items: int, slope: float) -> float:
    counts = _cycles(rng, items, slope)
    _, low, high = transitivity.share(counts.cyclic, counts.decided)
    return float(low <= _truth(slope) <= high)


BEHIND = ((3, 30, 1, 0.1), (5, 30, 5, 0.2), (5, 100, 5, 0.1))
REPLACEMENT = (
    Simulation(
        "advantage of a judge over an annotator, and how often it is as good",
        "`accuracy`: `advantage`",
        cases("{people} annotators, {items} items of {pairs} pairs, behind by {epsilon:.0%}",
              intervals,
              of=[
                  dict(zip(("people", "items", "pairs", "epsilon"), row, strict=True))
                  for row in BEHIND
              ]),
        400,
    ),
    Simulation(
        "share of cyclic triples",
        "`bias`: `triples`",
        cases("{items} items, {slope} judge", cyclic, items=(10, 50),
              slope={"a decided": 4.0, "an undecided": 1.0}),
    ),
)  # fmt: skip
