"""How far a judge can be trusted: correlation, attacks."""

from core.findings.trust import attacks, correlation, reference_raters
from core.findings.trust.correlation_figures import Level, Reference

__all__ = [
    "Level",
    "Reference",
    "attacks",
    "correlation",
    "reference_raters",
]
