"""Whether so many votes settle the order as often as `plan` promises: `core.findings.plan`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.findings.plan import _prepare_plan, _read_crossings, _votes_to_come
from core.statistics import JudgedPairs
from core.statistics.columns import Floats
from core.statistics.prediction_powered import Estimate, combine
from core.statistics.uncertainty import bound_differences, choose_tails, tail_together
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases
from tests.statistics.judged_studies import World, study

METHOD = "win-ratio"
FIRST, MOST = 30, 1000  # items with votes when it is planned, and in all; three votes an item
SPREAD = 1.0  # of strengths in log-odds


@dataclass(frozen=True)
class DrawnWorld(World):
    """Of systems with these strengths."""

    drawn: tuple[float, ...] = ()

    @property
    def strengths(self) -> Floats:
        return np.array(self.drawn)


def keep_votes(pairs: JudgedPairs, items: int) -> JudgedPairs:
    """With the votes on the first items alone."""
    return replace(pairs, voted=np.where(pairs.item < items, pairs.voted, np.nan))


def is_settled(estimate: Estimate, rng: np.random.Generator, *, always: bool) -> bool:
    """Whether all three are told apart."""
    spread = estimate.uncertainty
    tail = choose_tails(spread, 3, 0.05, share=True) if always else tail_together(spread, rng, 0.95)
    beats = bound_differences(estimate.rating, spread, tail=tail, share=True)[0] > 0
    return int(beats.sum()) == 3


def keep_promise(rng: np.random.Generator, *, end: str, always: bool) -> StudyResult:
    """Whether the order is settled by people's votes at the number with this chance, of the column
    `end` of `plan`; NaN where that is now, or more than there are. Beside it how many times the
    votes so far.
    """
    drawn = tuple(rng.normal(0, SPREAD, 3))
    world = DrawnWorld(systems=3, items=MOST, voted=MOST, quality=(0.0,), drawn=drawn)
    every = study(world, rng)
    planned = _prepare_plan(keep_votes(every, FIRST), METHOD, None, int(rng.integers(2**31)))
    law = planned.votes_only.law
    sizes = _votes_to_come(law)
    chances = planned.chances("people", sizes, np.full(len(sizes), float(law.pairs)), always=always)
    more = _read_crossings(sizes - law.votes, chances)[end]
    items = int(np.ceil((law.votes + more) / 3)) if 0 < more < np.inf else 0
    if not FIRST < items <= MOST:
        return StudyResult(np.nan, np.nan)
    found = combine(keep_votes(every, items), METHOD).human
    return StudyResult(float(is_settled(found, rng, always=always)), items / FIRST)


PROMISES = {"more": (0.5, 0.35, 0.65), "high": (0.9, 0.8, 1.0)}
PLANS = (
    Simulation(
        "votes that settle an order, as planned",
        "`plan`: `more`, `high`, `more_always`, `always_high`: how often they do; none where "
        "the order is settled already, or not expected to be with 1,000 items",
        tuple(
            case
            for end, (chance, least, most) in PROMISES.items()
            for case in cases(f"{chance:.0%} promised, {{always}}", keep_promise,
                              f"{chance:.0%} is what is promised", least=least, most=most,
                              end=[end],
                              always={"one look": False, "however often one looks": True})
        ),
        beside=Beside("median of votes, times those so far", "{:.1f}", median=True),
    ),
)  # fmt: skip
