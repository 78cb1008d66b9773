"""Correlation of judges with people's scores."""

from . import columns
from .columns import describe_ceiling, describe_correlation, name_rater
from .compute import TABLED, correlate, correlate_all
from .figures import correlate_values, rate_by_wins
from .reference import (
    LEVELS,
    UNITS,
    Level,
    Reference,
    choose_reference,
    list_raters,
    rank_references,
)
