"""Result frames become altair charts, in one palette."""

from core.charts.rows import labelled
from core.rendering import charts as trust
from core.rendering.charts import MOST_ROWS, Estimate, Scale

__all__ = [
    "MOST_ROWS",
    "Estimate",
    "Scale",
    "labelled",
    "trust",
]
