"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together import duration
from core.analysis.together.answers import FEWEST
from core.analysis.together.calibration import CalibrateSettings, calibration
from core.analysis.together.combination import combine
from core.analysis.together.judges import MEASURES, judges
from core.analysis.together.jury import jury
from core.analysis.together.plan_sentences import WAYS
from core.analysis.together.planner import PlanSettings, plan
from core.analysis.together.replacement import TIES, ReplaceSettings, replacement
from core.analysis.together.settings import METHODS, CombineSettings

__all__ = [
    "FEWEST",
    "MEASURES",
    "METHODS",
    "TIES",
    "WAYS",
    "CalibrateSettings",
    "CombineSettings",
    "PlanSettings",
    "ReplaceSettings",
    "calibration",
    "combine",
    "duration",
    "judges",
    "jury",
    "plan",
    "replacement",
]
