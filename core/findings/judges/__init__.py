"""How far each judge can be trusted: what is known without labels, and how often it is right."""

from core.findings.judges import duration
from core.findings.judges.compute import MEASURES, judges

__all__ = ["MEASURES", "duration", "judges"]
