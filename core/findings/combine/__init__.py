"""Combine few human votes with many answers of judges to compare systems."""

from core.findings.combine.answers import FEWEST, AnsweredPairs, load_answered
from core.findings.combine.columns import CORRECTED, choose_interval
from core.findings.combine.compute import combine
from core.findings.combine.settings import CombineSettings, EstimateSettings

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
