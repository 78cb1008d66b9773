"""Effects of style that a judge rewards, of texts whose systems differ in it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit

from core.statistics import Drawing, control_effects
from core.statistics.columns import SCALE
from tests.coverage.simulation import Simulation, cases

STRENGTHS = np.array([0.6, 0.2, -0.2, -0.6])  # log-odds
STYLE = np.array([0.5, -0.5, 0.5, -0.5])  # how much more of it each system has, in deviations


def effect(rng: np.random.Generator, *, items: int, log_odds: float, judges: int) -> bool:
    """Whether the interval of the effect holds the truth: so many log-odds for one unit of style,
    in which each text differs by chance from others of its system. Judges answer about the same
    texts, so that what they say of an item is not independent.
    """
    pairs = np.array(list(combinations(range(len(STRENGTHS)), 2)))
    item, _, pair = np.indices((items, judges, len(pairs))).reshape(3, -1)
    first, second = pairs[pair].T
    style = STYLE + rng.normal(size=(items, len(STRENGTHS)))
    more = style[item, first] - style[item, second]
    p = expit(STRENGTHS[first] - STRENGTHS[second] + log_odds * more)
    # All judges of an item share a third of their luck.
    shared = rng.random((items, len(pairs)))[item, pair]
    luck = np.where(rng.random(len(p)) < 1 / 3, shared, rng.random(len(p)))
    columns = (first, second, (luck < p).astype(float))
    drawing = Drawing(rng, groups=item)
    found = control_effects(
        *columns, n=len(STRENGTHS), control=more[:, None], sources=list(drawing.sources(len(p)))
    )
    low, high = found.student(found.centre)
    return bool(low[0] <= SCALE * log_odds <= high[0])


CONTROL = Simulation(
    "what a judge rewards besides quality",
    "`rank --control`: `controls`: `low`, `high`; four systems",
    cases("{items} items, {judges}, log-odds {log_odds}", effect, items=(20, 50, 200),
          judges={"1 judge": 1, "3 judges": 3}, log_odds=(0.0, 0.5)),
    studies=500,
)  # fmt: skip
