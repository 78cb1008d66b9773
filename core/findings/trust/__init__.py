"""How far a judge can be trusted: correlation."""

from core.findings.trust import correlation, reference_raters
from core.findings.trust.correlation_figures import Level, Reference

__all__ = [
    "Level",
    "Reference",
    "correlation",
    "reference_raters",
]
