"""Win rates at equal length of judges that like longer texts: `length_controlled`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from core.statistics import Drawing
from core.statistics.columns import Floats
from core.statistics.ratings import leaderboard
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases, decide

STRENGTHS = (-1.0, 0.0, 1.0)  # against the baseline, in log-odds
ITEMS = np.random.default_rng(0).normal(size=200_000)
"""Difficulties of as good as all items, whose mean is the truth."""


@dataclass(frozen=True)
class LengthWorld:
    """Systems against a baseline on `items`. How much longer a text is, in standard deviations, has
    the mean `longer` and, of harder items, `harder` more for each unit of difficulty. It adds
    `slope` times `effect` of it to the log-odds, difficulty `weight` times itself. Slopes and
    weights of systems vary by `vary` of themselves.
    """

    strengths: tuple[float, ...] = STRENGTHS
    items: int = 100
    longer: float = 0.5
    harder: float = 0.0
    slope: float = 1.0
    weight: float = 1.0
    vary: float = 0.0
    effect: Callable[[Floats], Floats] = field(default=np.tanh)

    def spread(self) -> Floats:
        """What slopes and weights of each system are multiplied by."""
        return np.linspace(1 - self.vary, 1 + self.vary, len(self.strengths))

    def rates(self) -> Floats:
        """The truth: how often each is preferred where both texts are as long."""
        weight = self.weight * self.spread()[:, None]
        return expit(np.array(self.strengths)[:, None] + weight * ITEMS).mean(axis=1)


def hold(rng: np.random.Generator, *, world: LengthWorld, resamples: int = 100) -> StudyResult:
    """Whether the interval of each system but the baseline holds the truth, and mean widths."""
    n = len(world.strengths)
    system, item = np.indices((n, world.items)).reshape(2, -1)
    difficulty = rng.normal(size=world.items)
    longer = world.longer + world.harder * difficulty[item] + rng.normal(size=len(item))
    spread = world.spread()[system]
    odds = np.array(world.strengths)[system] + spread * (
        world.slope * world.effect(longer) + world.weight * difficulty[item]
    )
    won = decide(rng, odds)
    flipped = rng.random(len(item)) < 0.5
    board = leaderboard(
        "length-controlled",
        np.where(flipped, n, system),
        np.where(flipped, system, n),
        np.where(flipped, 1 - won, won),
        n=n + 1,
        drawing=Drawing(rng, resamples, item),
        item=item, length=300 * longer, baseline_first=flipped.astype(float),
    )  # fmt: skip
    truth, low, high = world.rates(), board.low[:n], board.high[:n]
    return StudyResult((low <= truth) & (truth <= high), float((high - low).mean()))


WORLDS = {
    "20 items": LengthWorld(items=20),
    "100 items": LengthWorld(),
    "one system": LengthWorld((0.5,)),
    "length plays no part": LengthWorld(slope=0.0),
    "longer by 1.5 standard deviations": LengthWorld(longer=1.5),
    "slopes and weights differ by system": LengthWorld(vary=0.8),
    "longer on harder items": LengthWorld(harder=0.5),
    "items do not differ": LengthWorld(weight=0.0),
    "the effect grows without bound": LengthWorld(slope=0.6, effect=np.asarray),
}
LENGTH_CONTROLLED = Simulation(
    "win rate at equal length",
    "`rank --method length-controlled`: `low`, `high`; three systems and the baseline on 100 items "
    "where nothing else is said",
    cases("{world}", hold, world=WORLDS),
    studies=200,
    beside=Beside("mean width"),
)  # fmt: skip
