"""Calibration of a judge's probabilities against people."""

from . import columns
from .compute import calibration
from .settings import CalibrateSettings

__all__ = ["CalibrateSettings", "calibration", "columns"]
