"""How often a judge is right."""

from core.findings.accuracy.columns import COLUMNS
from core.findings.accuracy.compute import AGAINST, accuracy
from core.findings.accuracy.sentences import ACCORDING, describe_accuracy

__all__ = ["ACCORDING", "AGAINST", "COLUMNS", "accuracy", "describe_accuracy"]
