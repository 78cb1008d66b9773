"""What people and judges say together: fewer votes, honest intervals."""

from core.findings.together import duration
from core.findings.together.answers import FEWEST
from core.findings.together.combination import combine
from core.findings.together.judges import MEASURES, judges
from core.findings.together.jury import jury
from core.findings.together.plan_sentences import WAYS
from core.findings.together.planner import PlanSettings, plan
from core.findings.together.replacement import TIES, ReplaceSettings, replacement
from core.findings.together.settings import METHODS, CombineSettings

__all__ = [
    "FEWEST",
    "MEASURES",
    "METHODS",
    "TIES",
    "WAYS",
    "CombineSettings",
    "PlanSettings",
    "ReplaceSettings",
    "combine",
    "duration",
    "judges",
    "jury",
    "plan",
    "replacement",
]
