"""Combine few human votes with many answers of judges to compare systems."""

from .answers import FEWEST, AnsweredPairs, load_answered
from .columns import CORRECTED, choose_interval
from .compute import combine
from .settings import CombineSettings, EstimateSettings

__all__ = [
    "CORRECTED",
    "FEWEST",
    "AnsweredPairs",
    "CombineSettings",
    "EstimateSettings",
    "choose_interval",
    "combine",
    "load_answered",
]
