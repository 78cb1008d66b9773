"""Result frames become altair charts, in one palette."""

from core.charts import attacks, budget, calibration, separability, trust
from core.charts.rows import labelled
from core.charts.separability import BOUNDS, MOST_PAIRS, OF_SETS, SCENARIOS
from core.charts.trust import MOST_ROWS, Estimate, Scale, among

__all__ = [
    "BOUNDS",
    "MOST_PAIRS",
    "MOST_ROWS",
    "OF_SETS",
    "SCENARIOS",
    "Estimate",
    "Scale",
    "among",
    "attacks",
    "budget",
    "calibration",
    "labelled",
    "separability",
    "trust",
]
