"""Agreement, kappa and alpha: of people who differ in how often they guess."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.statistics import agreement
from core.statistics.agreement import JudgeSides
from tests.coverage.simulation import Simulation, cases, hold

PAIRS = 3  # of texts an item
SAID = (0.45, 0.2, 0.35)  # how often each verdict is right, and is guessed
ALIKE, DIFFERENT = (0.6,), (0.3, 0.6, 0.9)  # skills: how often people see what is right


def verdicts(
    rng: np.random.Generator, items: int, judges: int, skills: tuple[float, ...], hard: float = 0.4
) -> tuple[NDArray[np.int64], ...]:
    """judge, unit, verdict and item of each unit: this share of the items is hard; a judge sees the
    right verdict as often as one of these skills says, drawn at random.
    """
    units = items * PAIRS
    item = np.repeat(np.arange(items), PAIRS)
    is_hard = (rng.random(items) < hard)[item]
    skill = rng.choice(skills, size=judges)
    right = rng.choice(3, p=SAID, size=units)
    sees = rng.random((judges, units)) < skill[:, None] * np.where(is_hard, 0.5, 1.0)
    said = np.where(sees, right, rng.choice(3, p=SAID, size=(judges, units)))
    judge, unit = np.indices(said.shape).reshape(2, -1)
    return judge, unit, said.ravel(), item


def figures(
    rng: np.random.Generator, items: int, judges: int, skills: tuple[float, ...], hard: float = 0.4
) -> NDArray[np.float64]:
    """(3, 3) agreement, kappa and alpha, each with low and high."""
    judge, unit, said, item = verdicts(rng, items, judges, skills, hard)
    met = agreement.meetings(judge, unit, said)
    found = agreement.compare(
        np.zeros(len(met.unit), dtype=np.int64), item[met.unit], (met.verdict_1, met.verdict_2), n=1,
        symmetric=np.array([True]), sides=JudgeSides(met.judge_1, met.judge_2, np.zeros(judges, int)),
    )  # fmt: skip
    share = found.agreement
    return np.array([
        (share.share[0], share.low[0], share.high[0]),
        (found.kappa[0], found.low[0], found.high[0]),
        agreement.alpha(judge, unit, said, item)[:3],
    ])  # fmt: skip


@cache
def truth(skills: tuple[float, ...]) -> NDArray[np.float64]:
    """Of two people and an item at random, from the probabilities of what they say; alpha of many
    is kappa of a table that does not know who is who.
    """
    said = np.array(SAID)
    table = np.zeros((3, 3))
    for share, sight in ((0.4, 0.5), (0.6, 1.0)):
        sees = (np.array(skills) * sight).mean()  # each is drawn for itself
        for right in range(3):
            p = sees * (np.arange(3) == right) + (1 - sees) * said
            table += share * said[right] * np.outer(p, p)
    kappa = float(agreement.kappa(table + table[::-1, ::-1]))
    return np.array([np.trace(table), kappa, kappa])


def held(
    rng: np.random.Generator, *, which: int, items: int, judges: int, skills: tuple[float, ...]
) -> float:
    _, low, high = figures(rng, items, judges, skills)[which]
    return float(hold(low, truth(skills)[which], high))


def two(rng: np.random.Generator, *, items: int, skill: float) -> NDArray[np.float64]:
    """Agreement and kappa of two judges who see what is right so often, intervals over items."""
    _, _, said, item = verdicts(rng, items, 2, (skill,))
    one, other = said.reshape(2, -1)
    found = agreement.compare(np.zeros(len(item), dtype=np.int64), item, (one, other), n=1)
    agreed = found.agreement
    low, high = [agreed.low[0], found.low[0]], [agreed.high[0], found.high[0]]
    return hold(low, truth((skill,))[:2], high)


def rare(rng: np.random.Generator, *, items: int, skill: float) -> float:
    """Kappa of two judges who tie on 5% of the pairs, and see what is right so often."""
    right = rng.random(items) < 0.05
    sees = rng.random((2, items)) < skill
    ties = np.where(sees, right, rng.random((2, items)) < 0.05)
    one, other = np.where(ties, agreement.NEITHER, agreement.FIRST)
    nothing = np.zeros(items, dtype=np.int64)
    found = agreement.compare(nothing, np.arange(items), (one, other), n=1)
    chance = 0.05**2 + 0.95**2 / 2
    right_kappa = 1 - 2 * 0.05 * 0.95 * (1 - skill**2) / (1 - chance)
    return float(hold(found.low[0], right_kappa, found.high[0]))


def careless(
    rng: np.random.Generator, *, items: int, judges: int, share: float
) -> NDArray[np.float64]:
    """(3,) agreement, kappa and alpha of people of whom this share, at random, only guess."""
    skills = (0.0,) * round(20 * share) + (0.85,) * round(20 * (1 - share))
    found = figures(rng, items, judges, skills, hard=0.0)
    both_see = (0.85 * (1 - share)) ** 2
    agreed = both_see + (1 - both_see) * float((np.array(SAID) ** 2).sum())
    chance = SAID[1] ** 2 + (1 - SAID[1]) ** 2 / 2
    kappa = (agreed - chance) / (1 - chance)
    return hold(found[:, 1], [agreed, kappa, kappa], found[:, 2])


FEW = "somebody careless whom nobody has seen counts as one: too wide where people do not differ"

DIFFER = {"do not differ": ALIKE, "differ": DIFFERENT}
GROUPS = tuple(
    Simulation(
        figure,
        f"`agreement`: {printed}",
        tuple(
            case
            for judges, items in ((3, (10, 50, 200)), (10, (10, 50, 200)), (30, (20,)))
            for case in cases("{judges} people who {skills}, {items} items", held, FEW,
                              judges=[judges], skills=DIFFER, items=items, which=[which])
        ),
    )
    for which, (figure, printed) in enumerate(
        {
            "agreement of a group of people": "`groups`, `agreement_low`, `agreement_high`",
            "kappa of a group of people": "`groups`, `low`, `high`",
            "Krippendorff's alpha": "`alpha_low`, `alpha_high`",
        }.items()
    )
)  # fmt: skip
TWO = Simulation(
    "agreement and kappa of two judges",
    "`agreement`: `agreement_low`, `low` and their highs, also with the `majority`, and `by`",
    cases("{items} items, both see {skill:.0%} of what is right", two, items=(10, 20, 50, 200),
          skill=(0.0, 0.6, 0.95)),
    studies=400,
)  # fmt: skip
RARE = Simulation(
    "kappa of two judges of a rare verdict",
    "`agreement`: `low`, `high`",
    cases("{items} items, 5% of them tied, both see {skill:.0%} of what is right", rare,
          "a verdict that may never be seen counts as one item: too wide rather than too narrow",
          most=1.0, items=(50, 100, 200, 500), skill=(0.0, 0.5, 0.7, 0.9)),
    studies=400,
)  # fmt: skip
CARELESS = Simulation(
    "agreement, kappa and alpha of people of whom some are careless",
    "`agreement --over both`: `groups` and `alpha_low`, `alpha_high`",
    cases("{judges} people, {share:.0%} careless, {items} items", careless, FEW, most=1.0,
          judges=(5, 10, 20), share=(0.0, 0.1, 0.2), items=[33]),
    studies=200,
)  # fmt: skip

AGREEMENT = (TWO, RARE, *GROUPS, CARELESS)
