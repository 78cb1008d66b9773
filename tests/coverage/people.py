"""What is printed of people at work: agreement, usual infit, and votes expected to be missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.findings.people.annotators import compute_side_p
from core.records import Outcome
from core.statistics import Drawing, agreement, intervals, misfits, ratings, settling
from core.statistics.intervals import ALPHA
from tests.coverage.agreement import truth, verdicts
from tests.coverage.simulation import Simulation, cases, decide

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


def meet(
    rng: np.random.Generator,
    strengths: NDArray[np.float64],
    own: NDArray[np.float64],
    item: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """first and second of a pair on each of these items, and how far apart in log-odds; `own`
    (items, systems) is how far texts differ from their systems.
    """
    first, second = draw_systems(rng, len(strengths), len(item))
    apart = strengths[first] - strengths[second] + own[item, first] - own[item, second]
    return first, second, apart


def draw_systems(
    rng: np.random.Generator, n: int, pairs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first = rng.integers(n, size=pairs)
    return first, (first + 1 + rng.integers(n - 1, size=pairs)) % n


def shared(
    rng: np.random.Generator, *, judges: int, votes: int, spread: float, items: float, foreign: int
) -> pd.DataFrame:
    """EACH decisions of each of so many honest people, so many on a pair of texts, as `decisions`
    has them. The last `foreign` people alone judge another domain: other systems are better there.
    """
    parts: list[pd.DataFrame] = []
    for people in (np.arange(judges - foreign), np.arange(judges - foreign, judges)):
        if not len(people):
            continue
        every = min(votes, len(people))
        pairs = len(people) * EACH // every
        item = rng.integers(ITEMS, size=pairs)
        own = items * rng.standard_normal((ITEMS, SYSTEMS))
        strengths = rng.normal(0, spread, SYSTEMS)
        first, second, apart = meet(rng, strengths, own, item)
        chosen = rng.permuted(np.tile(people, (pairs, 1)), axis=1)[:, :every]
        rows = pd.DataFrame({
            "judge": np.ravel(chosen), "pair": len(parts) * 10**6 + np.repeat(np.arange(pairs), every),
        })  # fmt: skip
        row = rows["pair"].to_numpy(int) % 10**6
        won = decide(rng, apart[row])
        parts.append(rows.assign(family=item[row], first=first[row], second=second[row], won=won))
    return pd.concat(parts, ignore_index=True)


def usual(rng: np.random.Generator, **design: Any) -> float:
    """Whether the infit of all people of a group who judge alike is within its range."""
    rows = shared(rng, **design)
    first, second, won = (rows[name].to_numpy() for name in ("first", "second", "won"))
    prob = misfits.expected_points(first, second, won, n=SYSTEMS)
    pairs = rows.groupby("pair")["won"]
    voters = (pairs.transform("size") - 1).to_numpy()
    others = (pairs.transform("sum").to_numpy() - won) / np.maximum(voters, 1)
    judge, item = rows["judge"].to_numpy(), rows["family"].to_numpy()
    n = design["judges"]
    found = misfits.misfit(judge, won, prob, others, voters, item, n=n, rng=rng)
    low, high = found.usual_low - misfits.HARDLY, found.usual_high + misfits.HARDLY
    return float((np.isnan(found.infit) | (low <= found.infit) & (found.infit <= high)).all())


def nobody_one_sided(rng: np.random.Generator, *, people: int, systems: int) -> bool:
    """Of honest people nobody is named, of whom the first happened to see the stronger system
    first in three of four decisions.
    """
    judge = np.repeat(np.arange(people), 40)
    item = np.tile(np.arange(40), people)
    first, second = draw_systems(rng, systems, len(judge))
    swap = (judge == 0) & (first > second) & (rng.random(len(judge)) < 0.5)
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    strengths = np.sort(rng.normal(0, 0.8, systems))[::-1]
    own = 0.5 * rng.standard_normal((40, systems))
    apart = strengths[first] - strengths[second] + own[item, first] - own[item, second]
    won = decide(rng, apart)
    rows = pd.DataFrame({
        "judge": judge, "family": item, "system_a": first, "system_b": second, "points": won,
        "prob": misfits.expected_points(first, second, won, n=systems), "order_known": 1,
        "outcome": np.where(won == 1, Outcome.A, Outcome.B),
    })  # fmt: skip
    p = compute_side_p(rows, list(range(people)))  # type: ignore[arg-type]
    return not (intervals.holm(np.array(p)) <= ALPHA / 2).any()


def decided(rng: np.random.Generator, *world: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """first, second and won of a decision on each item, as `meet` draws them."""
    first, second, apart = meet(rng, *world)
    return first, second, decide(rng, apart)


def grow(rng: np.random.Generator) -> tuple[settling.RequiredGrowth, float]:
    """What is expected of three systems, four votes an item, and by how much a study of 60 items
    has grown, by a third at a time, when it is settled.
    """
    strengths, own = rng.normal(0, 0.7, 3), rng.normal(0, 0.5, (2 * MOST, 3))
    item = np.repeat(np.arange(60), 4)
    columns, expected = decided(rng, strengths, own, item), None
    while True:
        items = len(item) // 4
        drawing = Drawing(rng, 100, item, resolve="always")
        board = ratings.leaderboard("bradley-terry", *columns, n=3, drawing=drawing)
        assert board.uncertainty is not None
        order = settling.estimate_order(board.uncertainty, board.beats)
        expected = expected or settling.estimate_growth(board.uncertainty, rng)
        done = bool(order.is_significant.all())
        if done or items > MOST:
            break
        new = np.repeat(np.arange(items, int(items * GROWS)), 4)
        more = decided(rng, strengths, own, new)
        columns = tuple(np.concatenate(pair) for pair in zip(columns, more, strict=True))
        item = np.concatenate([item, new])
    return expected, items / 60 if done else np.inf


def is_within(expected: settling.RequiredGrowth, times: float) -> bool:
    """Within a step of the range is within it."""
    return bool(expected.low / GROWS <= times <= expected.high * GROWS)


def missing(rng: np.random.Generator) -> bool:
    return is_within(*grow(rng))


WIDE = "wide rather than narrow: the design effect of items is never below 1"

DESIGNS = (
    (3, 3, 0, 0.5, 1.0), (3, 2, 0, 1.5, 0.0), (8, 2, 0, 0.5, 0.0), (8, 2, 0, 1.5, 1.0),
    (8, 8, 0, 1.5, 1.0), (8, 3, 1, 0.5, 0.0), (8, 3, 1, 1.5, 1.0), (8, 3, 2, 1.5, 1.0),
)  # fmt: skip


def named(judges: int, votes: int, foreign: int, spread: float, items: float) -> str:
    return (
        f"{judges} people with {EACH} decisions, {votes} on a pair, "
        f"{f'{foreign} of them in another domain, ' if foreign else ''}systems that differ "
        f"{'much' if spread > 1 else 'little'}, texts of an item "
        f"{'differ, too' if items else 'do not'}"
    )


PEOPLE = (
    Simulation(
        "agreement of a person with others",
        "`annotators`: `agreement_low`, `agreement_high`",
        cases("{judges} people, {items} items", with_others, judges=(3, 10), items=(10, 50, 200)),
        studies=400,
    ),
    Simulation(
        "the range of infit that is usual, of all people at once",
        "`annotators`: `usual_low`, `usual_high`",
        cases("{design}", usual, WIDE, most=1.0,
              design={
                  named(*design): dict(
                      zip(("judges", "votes", "foreign", "spread", "items"), design, strict=True)
                  )
                  for design in DESIGNS
              }),
        studies=300,
    ),
    Simulation(
        "people among whom nobody is called one-sided",
        "`annotators`: `worries`; one saw the stronger system first more often",
        cases("{people} people, {systems} systems", nobody_one_sided,
              "all worries but misfit share 2.5%", most=1.0, people=(3, 10), systems=(2, 4)),
        studies=200,
    ),
    Simulation(
        "votes expected to be missing until an order is settled",
        "`campaign settled`: `missing_low`, `missing_high`, nominally 80%, give or take a step",
        cases("they are, however often somebody looks", missing,
              "a range that is to hold four in five", least=0.7, most=0.95),
        studies=60,
    ),
)  # fmt: skip
