"""May a judge take an annotator's place?"""

from core.findings.replacement.columns import VERDICT
from core.findings.replacement.compute import replacement
from core.findings.replacement.settings import ReplaceSettings

__all__ = ["VERDICT", "ReplaceSettings", "replacement"]
