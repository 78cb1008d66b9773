"""Correlation of judges with people's scores."""

from . import columns
from .columns import (
    LEVELS,
    UNITS,
    Level,
    Reference,
    choose_reference,
    describe_ceiling,
    describe_correlation,
    list_raters,
    name_rater,
    rank_references,
)
from .compute import TABLED, correlate, correlate_all
from .figures import correlate_values, rate_by_wins
