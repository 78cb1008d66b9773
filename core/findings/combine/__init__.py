"""Combine few human votes with many answers of judges to compare systems."""

from .answers import FEWEST, AnsweredPairs, load_answered
from .columns import CombineSettings, EstimateSettings, choose_interval
from .compute import combine
