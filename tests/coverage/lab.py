"""The best of many judges on development items: how good it looks there, and on test items."""

from __future__ import annotations

import numpy as np

from core.statistics import intervals
from tests.coverage.simulation import Simulation, cases

JUDGES, PAIRS = 20, 3


def chosen(rng: np.random.Generator, *, items: int, on_test: bool) -> float:
    """Whether the interval of the chosen judge's accuracy holds it: of judges that are about as
    good, each right on an item's pairs alike. Half of the items choose.
    """
    truth = rng.uniform(0.65, 0.75, (JUDGES, 1, 1))
    at_item = np.clip(truth + rng.normal(scale=0.15, size=(JUDGES, 2 * items, 1)), 0, 1)
    right = (rng.random((JUDGES, 2 * items, PAIRS)) < at_item).astype(float)
    best = int(right[:, :items].mean(axis=(1, 2)).argmax())
    side = right[best, items:] if on_test else right[best, :items]
    _, low, high, _ = intervals.share(side.ravel(), np.repeat(np.arange(items), PAIRS))
    return float(low <= truth[best].item() <= high)


WHY = "so its interval is left out there, and test items are shut until a judge is chosen"
LAB = (
    Simulation(
        "accuracy of the best of 20 judges",
        "`lab`: `accuracy`, with `--open-test` and without",
        cases("{items} items a side, on {on_test} items", chosen,
              lambda items, on_test: "" if on_test else WHY, items=(30, 100),
              on_test={"test": True, "development": False}),
    ),
)  # fmt: skip
