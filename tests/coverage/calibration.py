"""Calibration of a judge's probabilities: what is said of calibrated judges, and the intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from core.findings.calibration.compute import fit_each_map, measure_map
from core.findings.calibration.sentences import ALPHA
from core.findings.calibration.settings import CalibrateSettings
from core.statistics import intervals
from tests.coverage.simulation import Case, Simulation

PAIRS = 3  # of texts an item
SETTINGS = CalibrateSettings()
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


def figure(
    rng: np.random.Generator, *, name: str, items: int, votes: int, slope: float
) -> NDArray[np.bool_] | bool:
    """Whether the interval of the Brier score as given, or of the slope of a map, holds."""
    mine = beside_people(rng, items=items, votes=votes, slope=slope)
    row = measure_map(mine, mine["prob_a"].to_numpy(float), name, SETTINGS, 0)
    if name != "as given":
        return bool(row["slope_low"] <= slope <= row["slope_high"])
    many = beside_people(np.random.default_rng(0), items=MANY, votes=votes, slope=slope)
    truth = ((many["prob_a"] - many["share"]) ** 2).mean()
    return bool(row["brier_low"] <= truth <= row["brier_high"])
