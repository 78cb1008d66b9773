"""Items of which a few have most of the answers: effective items, and items left out in turn."""

from __future__ import annotations

import numpy as np

from core.statistics import Drawing, intervals, length_effect
from core.statistics.columns import Codes
from core.statistics.ratings import Leaderboard, leaderboard
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases, decide, hold

ONE_LARGE = 200
"""Answers about one item, of 255."""
ITEMS = (12, 20, 40, 60)
SYSTEMS = 4


def draw_groups(rng: np.random.Generator, items: int) -> Codes:
    """The item of each answer: Pareto sizes of shape 1, 1 to 200 answers."""
    size = np.ceil(rng.pareto(1.0, items) * 2 + 1e-9).clip(1, ONE_LARGE).astype(int)
    return np.repeat(np.arange(items), size)


def share(rng: np.random.Generator, *, groups: Codes | int, p: float) -> StudyResult:
    """Each item has its own probability (Beta of mean p); `groups` are given, or so many items."""
    item = draw_groups(rng, groups) if isinstance(groups, int) else groups
    own = rng.beta(2 * p, 2 * (1 - p), int(item.max()) + 1)
    points = (rng.random(len(item)) < own[item]).astype(float)
    _, low, high, _ = intervals.share(points, item)
    return StudyResult(low <= p <= high, high - low)


def mean(rng: np.random.Generator, *, items: int) -> StudyResult:
    """Normal values, half of each the item's."""
    item = draw_groups(rng, items)
    values = rng.normal(size=items)[item] + rng.normal(size=len(item))
    _, low, high, _ = intervals.mean(values, item)
    return StudyResult(low <= 0 <= high, high - low)


def length(rng: np.random.Generator, *, items: int, slope: float) -> StudyResult:
    """A text twice as long has this slope in log-odds; items prefer the first text or the second.
    The truth is that of the fit without items, over all items there could be.
    """
    item = draw_groups(rng, items)
    doublings = rng.normal(size=len(item)) * 0.7
    odds = slope * doublings + rng.normal(size=items)[item] * (slope == 0)
    found = length_effect(decide(rng, odds), doublings, item)
    return StudyResult(hold(found.low, slope, found.high), found.high - found.low)


def _board(rng: np.random.Generator, items: int, method: str) -> Leaderboard:
    """Of equal systems, each better on some items."""
    item = draw_groups(rng, items)
    first = rng.integers(SYSTEMS, size=len(item))
    second = (first + rng.integers(1, SYSTEMS, size=len(item))) % SYSTEMS
    better = rng.normal(size=(items, SYSTEMS))
    won = decide(rng, better[item, first] - better[item, second])
    return leaderboard(method, first, second, won, n=SYSTEMS, drawing=Drawing(rng, groups=item))


def rating(rng: np.random.Generator, *, items: int, method: str) -> StudyResult:
    """Whether each system's interval holds what they all are worth."""
    found, equal = _board(rng, items, method), 0.5 if method == "win-ratio" else 1000.0
    width = float(np.median(found.high - found.low))
    return StudyResult(hold(found.low, equal, found.high), width)


def tied(rng: np.random.Generator, *, items: int, method: str) -> bool:
    """Whether no two of the systems are told apart."""
    return not _board(rng, items, method).beats.any()


LARGE = np.repeat(np.arange(56), [ONE_LARGE, *[1] * 55])
NOTHING = "they count as 1.6 items: an interval that says nothing, and no headline"
FEW = "few items with most of the answers: wide rather than narrow"
METHODS = {"win-ratio": "{:.0%}", "bradley-terry": "{:.0f}"}
WIDTH = "median width"
UNEVEN = (
    Simulation(
        "share of answers, of items of uneven size",
        "as a share by item; Pareto sizes, at most 200 answers an item",
        (
            *cases("{groups} items, {p:.0%}", share, groups=ITEMS, p=(0.5, 0.8)),
            *cases("{groups}", share, NOTHING, p=[0.5],
                   groups={"56 items, one with 200 of 255 answers": LARGE}),
        ),
        beside=Beside(WIDTH, "{:.0%}", median=True),
    ),
    Simulation(
        "mean of marks, of items of uneven size",
        "as a mean by item",
        cases("{items} items", mean, items=ITEMS),
        beside=Beside(f"{WIDTH}, in standard deviations of an item", "{:.2f}", median=True),
    ),
    Simulation(
        "the odds of a text twice as long, of items of uneven size",
        "`bias`: `odds`, with `low` and `high`",
        cases("{items} items, odds {slope}", length, FEW, items=ITEMS,
              slope={"1.0": 0.0, "2.0": 0.7}),
        studies=500,
        beside=Beside(f"{WIDTH}, in log-odds", "{:.2f}", median=True),
    ),
    *(
        Simulation(
            f"{method} of four equal systems, on items of uneven size",
            f"`rank --method {method}`: `low`, `high`",
            cases("{items} items", rating, FEW, items=(12, 40), method=[method]),
            studies=200,
            beside=Beside(WIDTH, form, median=True),
        )
        for method, form in METHODS.items()
    ),
    Simulation(
        "ranks of four equal systems, on items of uneven size",
        "`rank`: `tied_with`: studies in which no two are told apart",
        cases("{method}, {items} items", tied, most=1.0, method=[*METHODS], items=(12, 40)),
        studies=200,
    ),
)  # fmt: skip
