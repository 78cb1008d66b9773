"""Compare judges: measures that need no labels, and accuracy."""

from core.findings.judges.columns import MEASURES, RIGHT, name_measure
from core.findings.judges.compute import judges
from core.findings.judges.sentences import describe_most, describe_unlabelled

__all__ = [
    "MEASURES",
    "RIGHT",
    "describe_most",
    "describe_unlabelled",
    "judges",
    "name_measure",
]
