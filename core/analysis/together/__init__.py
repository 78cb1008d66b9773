"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together.calibration import CalibrateSettings, calibration
from core.analysis.together.jury import jury

__all__ = ["CalibrateSettings", "calibration", "jury"]
