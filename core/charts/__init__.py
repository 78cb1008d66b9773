"""Result frames become altair charts, in one palette."""

from core.charts import attacks, calibration, together, trust
from core.charts.rows import labelled
from core.charts.trust import MOST_ROWS, Estimate, Scale, among

__all__ = [
    "MOST_ROWS",
    "Estimate",
    "Scale",
    "among",
    "attacks",
    "calibration",
    "labelled",
    "together",
    "trust",
]
