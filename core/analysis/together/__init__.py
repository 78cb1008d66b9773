"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together.combination import combine
from core.analysis.together.replacement import TIES, ReplaceSettings, replacement
from core.analysis.together.settings import METHODS, CombineSettings

__all__ = ["METHODS", "TIES", "CombineSettings", "ReplaceSettings", "combine", "replacement"]
