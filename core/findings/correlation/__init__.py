"""How well judges follow the scores of people."""

from core.findings.correlation.compute import TABLED, correlate, correlate_all
from core.findings.correlation.figures import Level, Reference
from core.findings.correlation.reference_raters import list_raters, rank_references
from core.findings.correlation.sentences import LEVELS, UNITS, describe_correlation, name_rater

__all__ = [
    "LEVELS",
    "TABLED",
    "UNITS",
    "Level",
    "Reference",
    "correlate",
    "correlate_all",
    "describe_correlation",
    "list_raters",
    "name_rater",
    "rank_references",
]
