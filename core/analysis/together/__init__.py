"""What people and judges say together: fewer votes, honest intervals."""

from core.analysis.together.replacement import TIES, ReplaceSettings, replacement

__all__ = ["TIES", "ReplaceSettings", "replacement"]
