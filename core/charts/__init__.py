"""Result frames become altair charts, in one palette."""

from core.charts import budget, separability
from core.charts.rows import labelled
from core.charts.separability import BOUNDS, MOST_PAIRS, OF_SETS, SCENARIOS
from core.rendering import charts as trust
from core.rendering.charts import MOST_ROWS, Estimate, Scale

__all__ = [
    "BOUNDS",
    "MOST_PAIRS",
    "MOST_ROWS",
    "OF_SETS",
    "SCENARIOS",
    "Estimate",
    "Scale",
    "budget",
    "labelled",
    "separability",
    "trust",
]
