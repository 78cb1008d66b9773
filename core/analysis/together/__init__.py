"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together.judges import MEASURES, judges
from core.analysis.together.replacement import TIES, ReplaceSettings, replacement

__all__ = ["MEASURES", "TIES", "ReplaceSettings", "judges", "replacement"]
