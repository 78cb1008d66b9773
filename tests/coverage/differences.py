"""How far one judge is ahead of another on the same texts, also in correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from core.findings.correlation import Reference
from core.findings.correlation.figures import (
    CorrelationFigures,
    PredictedValues,
    average_figures,
    bound_difference,
    correlate_values,
)
from core.findings.judgements.judges import compare_to_best
from tests.coverage.correlations import RESAMPLES, of_r, texts
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases

PAIRS = 3  # of texts an item
TEXTS = 6  # an item
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def right(rng: np.random.Generator, items: int, skills: NDArray[np.float64]) -> pd.DataFrame:
    """Whether judges with these log-odds are right on three pairs an item, some harder for all."""
    p = expit(skills[:, None, None] + rng.normal(size=(items, 1)))
    points = rng.random((len(skills), items, PAIRS)) < p
    judge, item, pair = np.indices(points.shape).reshape(3, -1)
    about = {"attribute": "", "judge": judge, "item": item, "candidate_1": pair, "candidate_2": 9}
    return pd.DataFrame({**about, "family": item, "right": points.ravel().astype(float)})


def paired(rng: np.random.Generator, *, items: int, skills: tuple[float, ...]) -> StudyResult:
    """Of the judge that is right most often here, and each other one: whether all intervals hold."""
    rows = compare_to_best(right(rng, items, np.array(skills)), "right")
    share = expit(np.array(skills)[:, None] + NODES) @ WEIGHTS / WEIGHTS.sum()
    truth = share[rows["judge_1"].to_numpy(int)] - share[rows["judge_2"].to_numpy(int)]
    known = rows["low"].notna()
    held = (rows["low"] <= truth) & (truth <= rows["high"])
    return StudyResult(
        float(held[known].all()) if known.any() else np.nan,
        float((rows["high"] - rows["low"]).median()),
    )


def correlate(
    rng: np.random.Generator, items: int, skills: Sequence[float]
) -> list[CorrelationFigures]:
    """Scorers with these correlations with the truth over all texts, on the same resamples."""
    item, own = rng.normal(size=(2, items, TEXTS))
    item[:] = item[:, :1]
    y = item + own
    frame = texts(y, range(TEXTS))
    reference, seed = Reference("truth", "pool", bootstrap=RESAMPLES), int(rng.integers(2**31))
    found = []
    for of in skills:
        noise = rng.normal(size=(items, 1)) + rng.normal(size=(items, TEXTS))
        x = of * y + np.sqrt(1 - of**2) * noise
        predicted = PredictedValues(frame[["generation"]].assign(value=x.ravel()))
        found.append(correlate_values(frame, predicted, reference, seed))
    return found


def correlations(rng: np.random.Generator, *, items: int, r: float) -> list[float]:
    """Two scorers, of correlation r and 0.5: the difference of their Spearman's, and the mean."""
    found = correlate(rng, items, (r, 0.5))
    one, other = (of_r(of)["spearman"] for of in (r, 0.5))
    low, high = bound_difference(*found, judges=2)
    means = average_figures(found)
    return [
        float(low <= one - other <= high),
        float(means["spearman_low"] <= (one + other) / 2 <= means["spearman_high"]),
    ]


SKILLS = {
    "2 judges alike": (1.0,) * 2,
    "2 judges, one better": (2.0, 0.5),
    "5 judges alike": (1.0,) * 5,
    "5 judges, one better": (2.0, *(0.5,) * 4),
    "20 judges alike": (1.0,) * 20,
}
DIFFERENCES = (
    Simulation(
        "how far the best judge is ahead of each other one",
        "`agreement`, `accuracy`, `bias`: `differences`: studies in which all of them hold",
        cases("{items} items, {skills}", paired, most=1.0, items=(10, 50, 200), skills=SKILLS),
        studies=400,
        beside=Beside("median width", "{:.2f}", median=True),
    ),
    Simulation(
        "differences and means of correlations",
        "`correlate --table`: `differences`, `averages`",
        cases("{items} items of 6 texts, r = {r} and 0.5", correlations, items=(10, 20, 50),
              r=(0.5, 0.8)),
        studies=100,
    ),
)  # fmt: skip
