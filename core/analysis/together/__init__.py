"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together.calibration import CalibrateSettings, calibration
from core.analysis.together.jury import jury
from core.analysis.together.replacement import TIES, ReplaceSettings, replacement

__all__ = [
    "TIES",
    "CalibrateSettings",
    "ReplaceSettings",
    "calibration",
    "jury",
    "replacement",
]
