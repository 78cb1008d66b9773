"""May a judge take an annotator's place?"""

from .columns import VERDICT
from .compute import replacement
from .settings import ReplaceSettings

__all__ = ["VERDICT", "ReplaceSettings", "replacement"]
