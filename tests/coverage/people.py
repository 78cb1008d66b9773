"""What is printed of people at work: agreement with others, what infit is usual, and how many votes
are expected to be missing.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.statistics import Drawing, Resolve, agreement, intervals, misfits, ratings, settling
from tests.coverage.agreement import truth, verdicts
from tests.coverage.simulation import Case, Simulation

SKILL = (0.6,)
SYSTEMS, EACH, ITEMS = 6, 80, 60
GROWS = 4 / 3  # by how much a study grows at a time
MOST = 30_000  # items after which it stops


def with_others(rng: np.random.Generator, *, items: int, judges: int) -> float:
    """One person's verdicts against those of each other person."""
    judge, unit, said, item = verdicts(rng, items, judges, SKILL)
    met = agreement.meetings(judge, unit, said)
    own = (met.judge_1 == 0) | (met.judge_2 == 0)
    same = (met.verdict_1 == met.verdict_2).astype(float)[own]
    _, low, high, _ = intervals.share(same, item[met.unit][own])
    return float(low <= truth(SKILL)[0] <= high)


def decided(
    rng: np.random.Generator,
    strengths: NDArray[np.float64],
    own: NDArray[np.float64],
    item: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """first, second and won of a decision on each of these items; `own` (items, systems) is how far
    texts differ from their systems.
    """  # fmt: skip
    n = len(strengths)
    first = rng.integers(n, size=len(item))
    second = (first + 1 + rng.integers(n - 1, size=len(item))) % n
    apart = strengths[first] - strengths[second] + own[item, first] - own[item, second]
    won = (rng.random(len(item)) < 1 / (1 + np.exp(-apart))).astype(float)
    return first, second, won


def usual(rng: np.random.Generator, *, judges: int, spread: float, items: float) -> float:
    """Whether the infit of all people of a group who judge alike is within its range."""
    judge, item = np.repeat(np.arange(judges), EACH), rng.integers(ITEMS, size=judges * EACH)
    own = items * rng.standard_normal((ITEMS, SYSTEMS))
    first, second, won = decided(rng, rng.normal(0, spread, SYSTEMS), own, item)
    prob = misfits.expected_points(first, second, won, n=SYSTEMS)
    found = misfits.misfit(judge, won, prob, item, n=judges, rng=rng)
    return float(((found.usual_low <= found.infit) & (found.infit <= found.usual_high)).all())


def missing(rng: np.random.Generator, *, rule: settling.Rule) -> float:
    """Three systems, four votes an item; a study of 60 items grows by a third until it is
    settled. Within a step of the range is within it.
    """
    strengths, own = rng.normal(0, 0.7, 3), rng.normal(0, 0.5, (2 * MOST, 3))
    item = np.repeat(np.arange(60), 4)
    columns = decided(rng, strengths, own, item)
    expected = None
    while True:
        items = len(item) // 4
        resolve: Resolve = "always" if rule.always else "together"
        drawing = Drawing(rng, 100, item, resolve=resolve)
        board = ratings.leaderboard("bradley-terry", *columns, n=3, drawing=drawing)
        assert board.uncertainty is not None
        order = settling.estimate_order(board.uncertainty, board.beats, rng)
        expected = expected or settling.estimate_growth(board.uncertainty, rule, rng)
        done = bool(order.is_significant.all())
        if done or items > MOST:
            break
        new = np.repeat(np.arange(items, int(items * GROWS)), 4)
        more = decided(rng, strengths, own, new)
        columns = tuple(np.concatenate(pair) for pair in zip(columns, more, strict=True))  # type: ignore[assignment]
        item = np.concatenate([item, new])
    times = items / 60 if done else np.inf
    return float(expected.low / GROWS <= times <= expected.high * GROWS)


WIDE = "wide rather than narrow: the strengths are fitted to these very decisions"
EIGHTY = "a range that is to hold four in five"

PEOPLE = (
    Simulation(
        "agreement of a person with others",
        "`annotators`: `agreement_low`, `agreement_high`",
        tuple(
            Case(
                f"{judges} people, {items} items", partial(with_others, items=items, judges=judges)
            )
            for judges in (3, 10)
            for items in (10, 50, 200)
        ),
        studies=400,
    ),
    Simulation(
        "the range of infit that is usual, of all people at once",
        "`annotators`: `usual_low`, `usual_high`",
        tuple(
            Case(
                f"{judges} people with {EACH} decisions, systems that differ "
                f"{'much' if spread > 1 else 'little'}, texts of an item "
                f"{'differ, too' if items else 'do not'}",
                partial(usual, judges=judges, spread=spread, items=items),
                WIDE,
                most=1.0,
            )
            for judges in (3, 8)
            for spread in (0.5, 1.5)
            for items in (0.0, 1.0)
        ),
        studies=300,
    ),
    Simulation(
        "votes expected to be missing until an order is settled",
        "`campaign settled`: `missing_low`, `missing_high`, nominally 80%, give or take a step",
        tuple(
            Case(name, partial(missing, rule=rule), EIGHTY, 0.7, 0.95)
            for name, rule in (
                ("neighbours are to be told apart", settling.Rule()),
                ("they are, however often somebody looks", settling.Rule(always=True)),
            )
        ),
        studies=60,
    ),
)
