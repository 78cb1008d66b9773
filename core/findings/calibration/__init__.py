"""Calibration of a judge's probabilities against people."""

from core.findings.calibration import columns
from core.findings.calibration.compute import calibration
from core.findings.calibration.settings import CalibrateSettings

__all__ = ["CalibrateSettings", "calibration", "columns"]
