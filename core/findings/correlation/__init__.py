"""Correlation of judges with people's scores."""

from . import columns
from .compute import TABLED, correlate, correlate_all
from .reference import (
    LEVELS,
    UNITS,
    Level,
    Reference,
    choose_reference,
    list_raters,
    rank_references,
)
from .sentences import (
    describe_ceiling,
    describe_correlation,
    name_rater,
)

__all__ = [
    "LEVELS",
    "TABLED",
    "UNITS",
    "Level",
    "Reference",
    "choose_reference",
    "columns",
    "correlate",
    "correlate_all",
    "describe_ceiling",
    "describe_correlation",
    "list_raters",
    "name_rater",
    "rank_references",
]
