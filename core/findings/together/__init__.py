"""How far a judge's probabilities are those of people."""

from core.findings.together.calibration import CalibrateSettings, calibration

__all__ = ["CalibrateSettings", "calibration"]
