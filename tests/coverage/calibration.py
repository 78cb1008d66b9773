"""Calibration of a judge's probabilities: what is said of calibrated judges, and the intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from core.findings.calibration import CalibrateSettings, fit_each_map, measure_map
from core.statistics import intervals
from core.statistics.intervals import ALPHA
from tests.coverage.simulation import Case, Simulation

PAIRS = 3  # of texts an item
SETTINGS, QUICK = CalibrateSettings(), CalibrateSettings(bootstrap=2)
MANY = 200_000


def beside_people(
    rng: np.random.Generator, *, items: int, votes: int, slope: float, orders: int = 1
) -> pd.DataFrame:
    """A judge's probabilities and so many votes on each pair. People prefer the first with
    log-odds `slope` times the judge's on average; how far they differ from that is the pair's,
    and half of it the item's.
    """
    item = np.repeat(np.arange(items), PAIRS)
    prob = expit(1.5 * rng.standard_normal(len(item)))
    mean = expit(slope * logit(prob))
    rank = np.where(rng.random(len(item)) < 0.5, rng.random(items)[item], rng.random(len(item)))
    truth = np.where(rank < mean, 0.5 + mean / 2, mean / 2)  # of mean `mean`
    share = rng.binomial(votes, truth) / votes
    rows = pd.DataFrame({"prob_a": prob, "share": share, "family": item})
    rows = rows.assign(pair=np.arange(len(item)), turned=False)
    swapped = rows.assign(prob_a=1 - prob, share=1 - share, turned=True)
    return pd.concat([rows, swapped][:orders], ignore_index=True)


def nothing_said(
    rng: np.random.Generator, *, judges: int, items: int, votes: int, orders: int
) -> bool:
    """Nothing is said of judges all of which are calibrated: no error, no map."""
    p = [
        measure_map(mine, prob, name, SETTINGS, 0)["p"]
        for mine in (
            beside_people(rng, items=items, votes=votes, slope=1.0, orders=orders)
            for _ in range(judges)
        )
        for name, prob in fit_each_map(mine, SETTINGS, 0)
    ]
    return bool((intervals.holm(np.array(p)) >= ALPHA).all())


@cache
def expected_brier(votes: int, slope: float) -> float:
    """The Brier score over all pairs there could be."""
    many = beside_people(np.random.default_rng(0), items=MANY, votes=votes, slope=slope)
    return float(((many["prob_a"] - many["share"]) ** 2).mean())


def score(rng: np.random.Generator, *, items: int, votes: int, slope: float) -> bool:
    mine = beside_people(rng, items=items, votes=votes, slope=slope)
    row = measure_map(mine, mine["prob_a"].to_numpy(float), "as given", QUICK, 0)
    return bool(row["brier_low"] <= expected_brier(votes, slope) <= row["brier_high"])


def slopes(rng: np.random.Generator, *, items: int, votes: int, slope: float) -> list[bool]:
    """Of the maps with one."""
    mine = beside_people(rng, items=items, votes=votes, slope=slope)
    given = mine["prob_a"].to_numpy(float)
    rows = [measure_map(mine, given, name, QUICK, 0) for name in ("temperature", "platt")]
    return [bool(row["slope_low"] <= slope <= row["slope_high"]) for row in rows]


SURE = "of few items hardly any contradicts a judge that is sure: a little too narrow"


def _cases(study: Callable[..., ArrayLike]) -> tuple[Case, ...]:
    return tuple(
        Case(
            f"{items} items, {votes} vote{'s' if votes > 1 else ''} a pair, slope {slope:g}",
            partial(study, items=items, votes=votes, slope=slope),
            SURE if items < 100 else "",
        )
        for items, votes, slope in product((20, 100), (1, 3), (1.0, 0.5))
    )


FEW = "rarely rather than often: how votes vary is taken for large, and few maps are better"

CALIBRATION = (
    Simulation(
        "calibrated judges of whom neither error nor better map is said",
        "`calibrate`: `p`, `sentences`; no interval of the calibration error is printed",
        tuple(
            Case(
                f"{judges} of {items} items, {votes} vote{'s' if votes > 1 else ''} a pair, "
                f"{'both orders' if orders > 1 else 'one order'}",
                partial(nothing_said, judges=judges, items=items, votes=votes, orders=orders),
                FEW,
                most=1.0,
            )
            for judges, items, votes, orders in ((1, 12, 1, 1), (1, 100, 1, 1), (1, 50, 3, 2),
                                                 (3, 30, 1, 1))
        ),
        studies=200,
    ),
    Simulation("Brier score", "`calibrate`: `brier`", _cases(score), studies=200),
    Simulation(
        "slope of a calibration", "`calibrate`: `slope`, by both maps", _cases(slopes), studies=400
    ),
)  # fmt: skip
