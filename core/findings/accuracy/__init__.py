"""How often a judge is right."""

from core.findings.accuracy.columns import COLUMNS
from core.findings.accuracy.compute import AGAINST, accuracy

__all__ = ["AGAINST", "COLUMNS", "accuracy"]
