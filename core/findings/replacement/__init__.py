"""May a judge take an annotator's place?"""

from core.findings.replacement.columns import VERDICT, WILSON
from core.findings.replacement.compute import replacement
from core.findings.replacement.settings import ReplaceSettings

__all__ = ["VERDICT", "WILSON", "ReplaceSettings", "replacement"]
